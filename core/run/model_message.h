#pragma once

#include <string>
#include <string_view>

namespace pt2 {

/// What a model said, word for word, without the C++ frames that LibTorch puts behind it, and without the final line break.
std::string modelMessage(std::string_view text);

}  // namespace pt2
