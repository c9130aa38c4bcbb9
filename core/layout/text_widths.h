#pragma once

#include <string_view>

namespace pt2 {

enum class TextFace { Regular, SemiBold, Code };

/// Width in pixels of UTF-8 text at `size` pixels, from a table of advance widths: layout must not depend on the fonts of a screen.
float textWidth(std::string_view utf8, TextFace face, float size);

}  // namespace pt2
