#include "core/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>

namespace pt2 {

namespace {

/// Three significant digits: 2.13, 25.7, 102.
std::string threeDigits(double value) {
    if (value >= 99.95) return fmt::format("{:.0f}", value);
    if (value >= 9.995) return fmt::format("{:.1f}", value);
    return fmt::format("{:.2f}", value);
}

std::string scaled(double value, double step, const std::array<const char*, 6>& units) {
    std::size_t unit = 0;
    while (value >= step * 0.9995 && unit + 1 < units.size()) {
        value /= step;
        ++unit;
    }
    return threeDigits(value) + " " + units[unit];
}

struct CodePoint {
    char32_t value = 0;
    std::size_t length = 1;
    bool valid = false;
};

CodePoint decode(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(at);
    if (first < 0x80) return {first, 1, true};
    const std::size_t length = first >= 0xF0 && first < 0xF5 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 0;
    if (length == 0 || first >= 0xF5 || at + length > text.size()) return {first, 1, false};
    char32_t value = first & (0x7Fu >> length);
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(at + i) & 0xC0) != 0x80) return {first, 1, false};
        value = (value << 6) | (byte(at + i) & 0x3F);
    }
    static constexpr std::array<char32_t, 5> smallest = {0, 0, 0x80, 0x800, 0x10000};
    if (value < smallest[length] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) return {first, 1, false};
    return {value, length, true};
}

/// Characters that Python's repr escapes though they are above ASCII: controls, format marks, separators, private use, unassigned planes' ends.
bool isPrintable(char32_t c) {
    if (c < 0x20 || (c >= 0x7F && c < 0xA1) || c == 0xAD) return false;
    if ((c >= 0x2000 && c <= 0x200F) || (c >= 0x2028 && c <= 0x202F) || (c >= 0x205F && c <= 0x206F)) return false;
    if (c == 0x1680 || c == 0x3000 || c == 0xFEFF || (c >= 0xFFF9 && c <= 0xFFFB) || (c >= 0x600 && c <= 0x605) || c == 0x61C) return false;
    if ((c >= 0xE000 && c <= 0xF8FF) || c >= 0xE0000 || (c & 0xFFFE) == 0xFFFE || (c >= 0xFDD0 && c <= 0xFDEF)) return false;
    return true;
}

bool isBidirectionalMark(char32_t c) {
    return c == 0x61C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

std::string escaped(char32_t c) {
    if (c < 0x100) return fmt::format("\\x{:02x}", static_cast<unsigned>(c));
    if (c < 0x10000) return fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    return fmt::format("\\U{:08x}", static_cast<unsigned>(c));
}

}  // namespace

std::string formatCount(std::uint64_t count) {
    std::string digits = std::to_string(count);
    for (std::size_t i = digits.size(); i > 3;) {
        i -= 3;
        digits.insert(i, ",");
    }
    return digits;
}

std::string formatCountShort(std::uint64_t count) {
    if (count < 10'000) return formatCount(count);
    return scaled(static_cast<double>(count), 1000.0, {"", "k", "M", "B", "T", "P"});
}

std::string formatBytes(std::uint64_t bytes) {
    if (bytes == 1) return "1 byte";
    if (bytes < 1000) return std::to_string(bytes) + " bytes";
    return scaled(static_cast<double>(bytes), 1000.0, {"bytes", "kB", "MB", "GB", "TB", "PB"});
}

std::string formatDuration(double seconds) {
    if (!std::isfinite(seconds)) return "unknown";
    if (seconds < 0) return "-" + formatDuration(-seconds);
    if (seconds >= 59.995) {
        const auto whole = static_cast<std::int64_t>(std::llround(seconds));
        return fmt::format("{} min {:02} s", whole / 60, whole % 60);
    }
    if (seconds >= 0.9995) return threeDigits(seconds) + " s";
    if (seconds >= 0.9995e-3) return threeDigits(seconds * 1e3) + " ms";
    if (seconds >= 0.9995e-6) return threeDigits(seconds * 1e6) + " µs";
    return fmt::format("{:.0f} ns", seconds * 1e9);
}

std::string formatPercent(double fraction) {
    const double percent = fraction * 100;
    if (percent == 0) return "0 %";
    if (percent > 0 && percent < 0.1) return "< 0.1 %";
    return fmt::format("{:.1f} %", percent);
}

std::string formatFloat(double value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
    return fmt::format("{:.6g}", value);
}

std::string formatOffset(std::uint64_t offset) { return offset > 0xFFFFFFFFu ? fmt::format("0x{:016x}", offset) : fmt::format("0x{:08x}", offset); }

std::string formatShape(const std::vector<std::string>& dims) { return "[" + join(dims, ", ") + "]"; }

std::string formatShape(const std::vector<std::int64_t>& dims) {
    std::vector<std::string> texts;
    texts.reserve(dims.size());
    for (const std::int64_t dim : dims) texts.push_back(std::to_string(dim));
    return formatShape(texts);
}

std::string pythonFloatRepr(double value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    std::array<char, 64> buffer{};
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific).ptr;
    const std::string_view text(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
    const std::size_t e = text.find('e');
    std::string digits;
    for (const char c : text.substr(0, e)) {
        if (c >= '0' && c <= '9') digits.push_back(c);
    }
    int exponent = 0;
    const std::size_t exponentBegin = e + 1 + (text[e + 1] == '+' ? 1 : 0);
    std::from_chars(text.data() + exponentBegin, text.data() + text.size(), exponent);
    std::string out = std::signbit(value) ? "-" : "";
    if (exponent < -4 || exponent >= 16) {
        out += digits.substr(0, 1);
        if (digits.size() > 1) out += "." + digits.substr(1);
        return out + fmt::format("e{}{:02}", exponent < 0 ? '-' : '+', std::abs(exponent));
    }
    if (exponent < 0) return out + "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
    const auto point = static_cast<std::size_t>(exponent) + 1;
    if (digits.size() <= point) return out + digits + std::string(point - digits.size(), '0') + ".0";
    return out + digits.substr(0, point) + "." + digits.substr(point);
}

std::string pythonStringRepr(std::string_view utf8) {
    const char quote = utf8.find('\'') != std::string_view::npos && utf8.find('"') == std::string_view::npos ? '"' : '\'';
    std::string out(1, quote);
    for (std::size_t i = 0; i < utf8.size();) {
        const CodePoint c = decode(utf8, i);
        if (c.value == static_cast<unsigned char>(quote) || c.value == '\\') {
            out += '\\';
            out += static_cast<char>(c.value);
        } else if (c.value == '\n') {
            out += "\\n";
        } else if (c.value == '\t') {
            out += "\\t";
        } else if (c.value == '\r') {
            out += "\\r";
        } else if (!c.valid || !isPrintable(c.value) || c.value == 0x20) {
            out += c.value == 0x20 ? std::string(" ") : escaped(c.value);
        } else {
            out += utf8.substr(i, c.length);
        }
        i += c.length;
    }
    out += quote;
    return out;
}

std::string escapeForDisplay(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size();) {
        const CodePoint c = decode(text, i);
        if (!c.valid || c.value < 0x20 || (c.value >= 0x7F && c.value < 0xA0) || isBidirectionalMark(c.value)) {
            out += escaped(c.value);
        } else {
            out += text.substr(i, c.length);
        }
        i += c.length;
    }
    return out;
}

bool isValidUtf8(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        const CodePoint c = decode(text, i);
        if (!c.valid) return false;
        i += c.length;
    }
    return true;
}

bool globMatch(std::string_view pattern, std::string_view text) {
    // The usual two-pointer walk: on a mismatch go back to the last '*' and let it take one character more.
    std::size_t p = 0, t = 0, star = std::string_view::npos, resume = 0;
    const auto matchOne = [&](std::size_t& at, char c) {
        if (pattern[at] == '?') {
            ++at;
            return true;
        }
        if (pattern[at] == '[') {
            std::size_t i = at + 1;
            const bool negate = i < pattern.size() && (pattern[i] == '!' || pattern[i] == '^');
            if (negate) ++i;
            bool found = false;
            const std::size_t first = i;
            while (i < pattern.size() && (pattern[i] != ']' || i == first)) {
                if (i + 2 < pattern.size() && pattern[i + 1] == '-' && pattern[i + 2] != ']') {
                    found = found || (pattern[i] <= c && c <= pattern[i + 2]);
                    i += 3;
                } else {
                    found = found || pattern[i] == c;
                    ++i;
                }
            }
            if (i < pattern.size()) {  // a closed bracket; an open one is taken literally below
                if (found == negate) return false;
                at = i + 1;
                return true;
            }
        }
        if (pattern[at] != c) return false;
        ++at;
        return true;
    };
    while (t < text.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            resume = t;
            continue;
        }
        if (p < pattern.size() && matchOne(p, text[t])) {
            ++t;
            continue;
        }
        if (star == std::string_view::npos) return false;
        p = star + 1;
        t = ++resume;
    }
    while (p < pattern.size() && pattern[p] == '*') ++p;
    return p == pattern.size();
}

std::string nearestName(std::string_view word, const std::vector<std::string>& known) {
    std::string best;
    std::size_t bestDistance = std::max<std::size_t>(2, word.size() / 3) + 1;
    if (word.empty() || word.size() > 200) return best;
    for (const std::string& candidate : known) {
        const std::size_t difference = candidate.size() > word.size() ? candidate.size() - word.size() : word.size() - candidate.size();
        if (difference >= bestDistance) continue;
        std::vector<std::size_t> row(candidate.size() + 1);
        std::iota(row.begin(), row.end(), std::size_t{0});
        for (std::size_t i = 1; i <= word.size(); ++i) {
            std::size_t diagonal = row[0];
            row[0] = i;
            for (std::size_t j = 1; j <= candidate.size(); ++j) {
                const std::size_t above = row[j];
                row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (word[i - 1] == candidate[j - 1] ? 0 : 1)});
                diagonal = above;
            }
        }
        if (row.back() < bestDistance) {
            bestDistance = row.back();
            best = candidate;
        }
    }
    return best;
}

std::vector<std::string_view> splitView(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    std::size_t begin = 0;
    for (;;) {
        const std::size_t end = text.find(separator, begin);
        parts.push_back(text.substr(begin, end == std::string_view::npos ? std::string_view::npos : end - begin));
        if (end == std::string_view::npos) return parts;
        begin = end + 1;
    }
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
    std::string out;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (i > 0) out += separator;
        out += parts[i];
    }
    return out;
}

std::string elideMiddle(std::string_view text, std::size_t width) {
    std::vector<std::size_t> starts;
    for (std::size_t i = 0; i < text.size(); i += decode(text, i).length) starts.push_back(i);
    if (starts.size() <= width || width < 3) return std::string(text);
    const std::size_t head = (width - 1) / 3, tail = width - 1 - head;
    return std::string(text.substr(0, starts[head])) + "…" + std::string(text.substr(starts[starts.size() - tail]));
}

}  // namespace pt2
