#include "core/compiled/source_tokens.h"

#include <array>
#include <charconv>
#include <system_error>

namespace pt2 {
namespace {

bool isNameStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isNamePart(char c) { return isNameStart(c) || isDigit(c); }

/// End of a raw string whose quote is at `quote`: R"tag( ... )tag".
std::size_t rawStringEnd(std::string_view source, std::size_t quote) {
    const std::size_t open = source.find('(', quote + 1);
    if (open == std::string_view::npos || open - quote - 1 > 16) return quote + 1;
    std::string closing = ")";
    closing.append(source.substr(quote + 1, open - quote - 1));
    closing.push_back('"');
    const std::size_t close = source.find(closing, open + 1);
    return close == std::string_view::npos ? source.size() : close + closing.size();
}

/// End of a quoted literal that starts at `quote`; a line break ends a malformed one.
std::size_t quotedEnd(std::string_view source, std::size_t quote) {
    for (std::size_t i = quote + 1; i < source.size(); ++i) {
        if (source[i] == '\\') {
            ++i;
        } else if (source[i] == source[quote]) {
            return i + 1;
        } else if (source[i] == '\n') {
            return i;
        }
    }
    return source.size();
}

/// End of a line, following backslash continuations.
std::size_t logicalLineEnd(std::string_view source, std::size_t from) {
    while (true) {
        const std::size_t end = source.find('\n', from);
        if (end == std::string_view::npos) return source.size();
        std::size_t last = end;
        if (last > from && source[last - 1] == '\r') --last;
        if (last == from || source[last - 1] != '\\') return end;
        from = end + 1;
    }
}

std::size_t numberEnd(std::string_view source, std::size_t from) {
    std::size_t i = from;
    while (i < source.size()) {
        const char c = source[i];
        if (isNamePart(c) || c == '.') {
            ++i;
        } else if ((c == '+' || c == '-') && i > from && (source[i - 1] == 'e' || source[i - 1] == 'E') && source.substr(from, 2) != "0x") {
            ++i;
        } else if (c == '\'' && i + 1 < source.size() && isNamePart(source[i + 1])) {
            ++i;
        } else {
            break;
        }
    }
    return i;
}

std::size_t punctuationLength(std::string_view rest) {
    static constexpr std::array<std::string_view, 8> kPairs = {"::", "->", "==", "!=", "<=", ">=", "&&", "||"};
    for (const std::string_view pair : kPairs) {
        if (rest.substr(0, 2) == pair) return 2;
    }
    return 1;
}

}  // namespace

std::vector<SourceToken> tokenizeSource(std::string_view source) {
    source = source.substr(0, UINT32_MAX);  // positions of tokens are kept in 32 bits
    std::vector<SourceToken> tokens;
    tokens.reserve(source.size() / 6);
    bool atLineStart = true;
    std::size_t i = 0;
    const auto add = [&](SourceToken::Kind kind, std::size_t end) {
        tokens.push_back({kind, source.substr(i, end - i)});
        i = end;
        atLineStart = false;
    };
    while (i < source.size()) {
        const char c = source[i];
        if (c == '\n') {
            atLineStart = true;
            ++i;
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
            ++i;
        } else if (c == '#' && atLineStart) {
            i = logicalLineEnd(source, i);
        } else if (c == '/' && source.substr(i, 2) == "//") {
            i = logicalLineEnd(source, i);
        } else if (c == '/' && source.substr(i, 2) == "/*") {
            const std::size_t end = source.find("*/", i + 2);
            i = end == std::string_view::npos ? source.size() : end + 2;
        } else if (isNameStart(c)) {
            std::size_t end = i + 1;
            while (end < source.size() && isNamePart(source[end])) ++end;
            const std::string_view name = source.substr(i, end - i);
            const bool prefix = name == "R" || name == "u8R" || name == "LR" || name == "uR" || name == "UR";
            if (end < source.size() && source[end] == '"' && prefix) {
                add(SourceToken::Kind::String, rawStringEnd(source, end));
            } else if (end < source.size() && source[end] == '"' && (name == "u8" || name == "L" || name == "u" || name == "U")) {
                add(SourceToken::Kind::String, quotedEnd(source, end));
            } else {
                add(SourceToken::Kind::Identifier, end);
            }
        } else if (isDigit(c) || (c == '.' && i + 1 < source.size() && isDigit(source[i + 1]))) {
            add(SourceToken::Kind::Number, numberEnd(source, i));
        } else if (c == '"') {
            add(SourceToken::Kind::String, quotedEnd(source, i));
        } else if (c == '\'') {
            add(SourceToken::Kind::Number, quotedEnd(source, i));
        } else {
            add(SourceToken::Kind::Punctuation, i + punctuationLength(source.substr(i)));
        }
    }
    return tokens;
}

std::string decodeStringToken(const SourceToken& token) {
    const std::string_view text = token.text;
    const std::size_t quote = text.find('"');
    if (token.kind != SourceToken::Kind::String || quote == std::string_view::npos) return {};
    if (quote > 0 && text[quote - 1] == 'R') {
        const std::size_t open = text.find('(', quote);
        if (open == std::string_view::npos) return {};
        const std::size_t tagAndQuote = open - quote + 1;  // )tag"
        if (text.size() < open + 1 + tagAndQuote) return std::string(text.substr(open + 1));
        return std::string(text.substr(open + 1, text.size() - open - 1 - tagAndQuote));
    }
    std::string out;
    out.reserve(text.size());
    const std::size_t end = text.size() > quote + 1 && text.back() == '"' ? text.size() - 1 : text.size();
    for (std::size_t i = quote + 1; i < end; ++i) {
        if (text[i] != '\\' || i + 1 >= end) {
            out.push_back(text[i]);
            continue;
        }
        ++i;
        const auto numeric = [&](std::size_t from, std::size_t most, int base) {
            unsigned value = 0;
            std::size_t stop = from;
            while (stop < end && stop - from < most) {
                unsigned digit = 0;
                const auto [at, error] = std::from_chars(text.data() + stop, text.data() + stop + 1, digit, base);
                if (error != std::errc() || at != text.data() + stop + 1) break;
                value = value * static_cast<unsigned>(base) + digit;
                ++stop;
            }
            out.push_back(static_cast<char>(value & 0xFFU));
            i = stop - 1;
        };
        switch (text[i]) {
            case 'n': out.push_back('\n'); break;
            case 't': out.push_back('\t'); break;
            case 'r': out.push_back('\r'); break;
            case 'a': out.push_back('\a'); break;
            case 'b': out.push_back('\b'); break;
            case 'f': out.push_back('\f'); break;
            case 'v': out.push_back('\v'); break;
            case 'x': numeric(i + 1, 2, 16); break;
            case '0':
            case '1':
            case '2':
            case '3':
            case '4':
            case '5':
            case '6':
            case '7': numeric(i, 3, 8); break;
            case '\n': break;
            default: out.push_back(text[i]); break;
        }
    }
    return out;
}

std::optional<std::int64_t> integerOfToken(const SourceToken& token) {
    if (token.kind != SourceToken::Kind::Number) return std::nullopt;
    std::string digits;
    for (const char c : token.text) {
        if (c != '\'') digits.push_back(c);
    }
    int base = 10;
    std::size_t begin = 0;
    if (digits.size() > 2 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X')) {
        base = 16;
        begin = 2;
    }
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data() + begin, digits.data() + digits.size(), value, base);
    if (error != std::errc() || end == digits.data() + begin) return std::nullopt;
    for (const char* suffix = end; suffix != digits.data() + digits.size(); ++suffix) {
        if (*suffix != 'l' && *suffix != 'L' && *suffix != 'u' && *suffix != 'U' && *suffix != 'z' && *suffix != 'Z') return std::nullopt;
    }
    return value;
}

std::vector<std::uint32_t> matchBrackets(const std::vector<SourceToken>& tokens) {
    const auto end = static_cast<std::uint32_t>(tokens.size());
    std::vector<std::uint32_t> matches(tokens.size(), end);
    std::vector<std::uint32_t> open;
    for (std::uint32_t i = 0; i < end; ++i) {
        if (tokens[i].kind != SourceToken::Kind::Punctuation || tokens[i].text.size() != 1) continue;
        const char c = tokens[i].text[0];
        if (c == '(' || c == '[' || c == '{') open.push_back(i);
        if ((c == ')' || c == ']' || c == '}') && !open.empty()) {
            matches[open.back()] = i;
            open.pop_back();
        }
    }
    return matches;
}

std::vector<SourceFunction> findFunctions(const std::vector<SourceToken>& tokens, const std::vector<std::uint32_t>& matches) {
    std::vector<SourceFunction> functions;
    std::size_t begin = 0;  // of the declaration in hand
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (tokens[i].is(";") || tokens[i].is("}")) {
            begin = i + 1;
        } else if (tokens[i].is("(") || tokens[i].is("[")) {
            i = matches[i];
        } else if (tokens[i].is("{")) {
            bool hasParameters = false;
            bool opensScope = false;
            for (std::size_t k = begin; k < i; ++k) {
                if (tokens[k].is("(")) hasParameters = true;
                if (!hasParameters && (tokens[k].is("namespace") || tokens[k].is("class") || tokens[k].is("struct"))) opensScope = true;
            }
            // extern "C" { ... } has no parameters and is entered; so is anything that is not understood.
            if (hasParameters && !opensScope) {
                const std::size_t close = matches[i];
                functions.push_back({begin, i + 1, close});
                i = close;
            } else if (i > begin && tokens[i - 1].is("=")) {
                i = matches[i];
                continue;
            }
            begin = i + 1;
        }
    }
    return functions;
}

std::size_t functionNameToken(const std::vector<SourceToken>& tokens, const SourceFunction& function) {
    std::size_t open = function.headerBegin;
    while (open < function.bodyBegin && !tokens[open].is("(")) ++open;
    const bool named = open > function.headerBegin && open < function.bodyBegin && tokens[open - 1].isIdentifier();
    return named ? open - 1 : tokens.size();
}

}  // namespace pt2
