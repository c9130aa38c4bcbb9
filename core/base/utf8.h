#pragma once

#include <cstdint>
#include <string>

namespace pt2 {

/// Appends a code point (at most 0x10FFFF) as UTF-8; surrogates are encoded as they come, the reader of a format judges them.
void appendUtf8(std::string& out, std::uint32_t codePoint);

}  // namespace pt2
