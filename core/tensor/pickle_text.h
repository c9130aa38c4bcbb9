#pragma once

#include <string>
#include <string_view>

#include "core/base/bytes.h"

namespace pt2 {

// How pickles spell long integers and text.

/// Decimal digits of a two's complement little-endian number of any length.
std::string decimalOfLittleEndian(Bytes bytes);
/// Escapes of Python's repr of a bytes-like str (opcode S) or of raw-unicode-escape (opcode V: \u and \U only).
std::string unescapePython(std::string_view text, bool rawUnicode);

}  // namespace pt2
