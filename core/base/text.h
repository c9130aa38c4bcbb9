#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pt2 {

// How numbers, sizes, times and names are written: the one place for the window and the command line (look.md 13).

std::string formatCount(std::uint64_t count);                   ///< 2,481
std::string formatCountShort(std::uint64_t count);              ///< 25.7 k, 1.24 M, 6.74 B: three significant digits
std::string formatBytes(std::uint64_t bytes);                   ///< 4.83 GB, decimal units, three significant digits; "528 bytes" below 1 kB
std::string formatDuration(double seconds);                     ///< 840 ns, 12.4 µs, 3.07 ms, 1.24 s, 2 min 05 s
std::string formatPercent(double fraction);                     ///< 12.4 %, < 0.1 %, 0 % only for none
std::string formatFloat(double value);                          ///< six significant digits, NaN, +Inf, -Inf
std::string formatOffset(std::uint64_t offset);                 ///< 0x003f2a10, 8 or 16 digits
std::string formatShape(const std::vector<std::string>& dims);  ///< [1, 128, s77]
std::string formatShape(const std::vector<std::int64_t>& dims);

/// Python's repr of a float: shortest text that reads back, "1e-05", "2.0", "inf", "nan".
std::string pythonFloatRepr(double value);
/// Python's repr of a str (single quotes unless the text has ' and no "; \\ \n \t \r \xNN escapes; printable Unicode kept).
std::string pythonStringRepr(std::string_view utf8);

/// Control characters, invalid UTF-8 and bidirectional marks made visible (\x07, \u202e), for text that a file controls.
std::string escapeForDisplay(std::string_view text);
bool isValidUtf8(std::string_view text);
/// Shell-like pattern: * ? and [...]; case-sensitive.
bool globMatch(std::string_view pattern, std::string_view text);
/// The known name nearest to `word` (edit distance at most 2 or a third of its length), or empty: "did you mean".
std::string nearestName(std::string_view word, const std::vector<std::string>& known);
std::vector<std::string_view> splitView(std::string_view text, char separator);
std::string join(const std::vector<std::string>& parts, std::string_view separator);
/// Cuts the middle out of a long name: the end of model.layers.31.q_proj.weight matters most.
std::string elideMiddle(std::string_view text, std::size_t width);

}  // namespace pt2
