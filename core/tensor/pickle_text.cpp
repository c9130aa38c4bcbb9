#include "core/tensor/pickle_text.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/base/utf8.h"

namespace pt2 {

namespace {

int hexDigit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

}  // namespace

std::string decimalOfLittleEndian(Bytes bytes) {
    const bool negative = !bytes.empty() && (std::to_integer<int>(bytes.back()) & 0x80) != 0;
    std::vector<std::uint32_t> magnitude;  // base 2^8, most significant first
    int carry = 1;
    for (const std::byte b : bytes) {
        int value = std::to_integer<int>(b);
        if (negative) {
            value = (~value & 0xFF) + carry;
            carry = value >> 8;
            value &= 0xFF;
        }
        magnitude.insert(magnitude.begin(), static_cast<std::uint32_t>(value));
    }
    std::string digits;
    while (!magnitude.empty()) {
        std::uint32_t rest = 0;
        std::vector<std::uint32_t> quotient;
        for (const std::uint32_t digit : magnitude) {
            const std::uint32_t value = rest * 256 + digit;
            if (!quotient.empty() || value / 10 != 0) quotient.push_back(value / 10);
            rest = value % 10;
        }
        digits += static_cast<char>('0' + rest);
        magnitude = std::move(quotient);
    }
    if (digits.empty()) digits = "0";
    if (negative) digits += '-';
    std::reverse(digits.begin(), digits.end());
    return digits;
}

std::string unescapePython(std::string_view text, bool rawUnicode) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\\' || i + 1 >= text.size()) {
            if (rawUnicode && (static_cast<unsigned char>(text[i]) & 0x80) != 0) {
                appendUtf8(out, static_cast<unsigned char>(text[i]));
            } else {
                out += text[i];
            }
            continue;
        }
        const char kind = text[i + 1];
        const std::size_t hexLength = kind == 'x' && !rawUnicode ? 2 : kind == 'u' ? 4 : kind == 'U' ? 8 : 0;
        if (hexLength != 0 && i + 2 + hexLength <= text.size()) {
            std::uint32_t value = 0;
            bool valid = true;
            for (std::size_t k = 0; k < hexLength; ++k) {
                const int digit = hexDigit(text[i + 2 + k]);
                valid = valid && digit >= 0;
                value = value * 16 + static_cast<std::uint32_t>(digit & 15);
            }
            if (valid && value <= 0x10FFFF) {
                if (hexLength == 2) {
                    out += static_cast<char>(value);
                } else {
                    appendUtf8(out, value);
                }
                i += 1 + hexLength;
                continue;
            }
        }
        if (rawUnicode) {
            out += '\\';
            continue;
        }
        ++i;
        switch (kind) {
            case 'n': out += '\n'; break;
            case 't': out += '\t'; break;
            case 'r': out += '\r'; break;
            case '\\':
            case '\'':
            case '"': out += kind; break;
            default: out += '\\'; out += kind;
        }
    }
    return out;
}

}  // namespace pt2
