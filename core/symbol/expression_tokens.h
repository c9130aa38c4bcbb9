#pragma once

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>

#include "core/symbol/expression_tree.h"

namespace pt2 {

// Tokens of both spellings of an expression (format.md 2.4): sympy's srepr and plain infix.

enum class Token : std::uint8_t {
    End,
    Name,
    Integer,
    Real,
    String,
    Open,
    Close,
    Comma,
    Assign,
    Plus,
    Minus,
    Star,
    StarStar,
    Slash,
    SlashSlash,
    Percent,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    Ampersand,
    Bar,
    Caret,
    Tilde,
    LeftShift,
    RightShift,
    Bad,
};

inline bool isNameStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
inline bool isDigit(char c) { return c >= '0' && c <= '9'; }
inline bool isNamePart(char c) { return isNameStart(c) || isDigit(c); }

/// Splits the text into tokens on demand; `text()` is the present token's spelling (a string's without quotes).
class Lexer {
public:
    explicit Lexer(std::string_view source) : source_(source) { advance(); }

    Token token() const { return token_; }
    std::string_view text() const { return text_; }
    std::size_t position() const { return begin_; }

    void advance() {
        while (at_ < source_.size() && (source_[at_] == ' ' || source_[at_] == '\t' || source_[at_] == '\n' || source_[at_] == '\r')) ++at_;
        begin_ = at_;
        if (at_ >= source_.size()) return set(Token::End, 0);
        const char c = source_[at_];
        if (isNameStart(c)) {
            std::size_t n = 1;
            while (at_ + n < source_.size() && isNamePart(source_[at_ + n])) ++n;
            return set(Token::Name, n);
        }
        if (isDigit(c) || (c == '.' && at_ + 1 < source_.size() && isDigit(source_[at_ + 1]))) return number();
        if (c == '\'' || c == '"') return string(c);
        const char next = at_ + 1 < source_.size() ? source_[at_ + 1] : '\0';
        switch (c) {
            case '(': return set(Token::Open, 1);
            case ')': return set(Token::Close, 1);
            case ',': return set(Token::Comma, 1);
            case '+': return set(Token::Plus, 1);
            case '-': return set(Token::Minus, 1);
            case '%': return set(Token::Percent, 1);
            case '&': return set(Token::Ampersand, 1);
            case '|': return set(Token::Bar, 1);
            case '^': return set(Token::Caret, 1);
            case '~': return set(Token::Tilde, 1);
            case '*': return next == '*' ? set(Token::StarStar, 2) : set(Token::Star, 1);
            case '/': return next == '/' ? set(Token::SlashSlash, 2) : set(Token::Slash, 1);
            case '<': return next == '=' ? set(Token::LessEqual, 2) : next == '<' ? set(Token::LeftShift, 2) : set(Token::Less, 1);
            case '>': return next == '=' ? set(Token::GreaterEqual, 2) : next == '>' ? set(Token::RightShift, 2) : set(Token::Greater, 1);
            case '=': return next == '=' ? set(Token::Equal, 2) : set(Token::Assign, 1);
            case '!': return next == '=' ? set(Token::NotEqual, 2) : set(Token::Bad, 1);
            default: return set(Token::Bad, 1);
        }
    }

    bool nextIsOpen() const { return peek() == '('; }
    bool nextIsAssign() const { return peek() == '=' && (next_ + 1 >= source_.size() || source_[next_ + 1] != '='); }

private:
    void set(Token token, std::size_t length) {
        token_ = token;
        text_ = source_.substr(at_, length);
        at_ += length;
        next_ = at_;
        while (next_ < source_.size() && source_[next_] == ' ') ++next_;
    }

    char peek() const { return next_ < source_.size() ? source_[next_] : '\0'; }

    void number() {
        std::size_t n = 0;
        bool real = false;
        while (at_ + n < source_.size()) {
            const char c = source_[at_ + n];
            const char after = at_ + n + 1 < source_.size() ? source_[at_ + n + 1] : '\0';
            if (isDigit(c)) {
                ++n;
            } else if (c == '.' && !real) {
                real = true;
                ++n;
            } else if ((c == 'e' || c == 'E') && n > 0) {
                const char sign = after;
                const std::size_t digits = (sign == '+' || sign == '-') ? 2 : 1;
                if (at_ + n + digits >= source_.size() || !isDigit(source_[at_ + n + digits])) break;
                real = true;
                n += digits + 1;
                while (at_ + n < source_.size() && isDigit(source_[at_ + n])) ++n;
                break;
            } else {
                break;
            }
        }
        set(real ? Token::Real : Token::Integer, n);
    }

    void string(char quote) {
        std::size_t end = at_ + 1;
        while (end < source_.size() && source_[end] != quote && source_[end] != '\\') ++end;
        if (end >= source_.size() || source_[end] != quote) return set(Token::Bad, 1);
        const std::size_t from = at_;
        set(Token::String, end + 1 - at_);
        text_ = source_.substr(from + 1, end - from - 1);
    }

    std::string_view source_;
    std::size_t at_ = 0, begin_ = 0, next_ = 0;
    Token token_ = Token::End;
    std::string_view text_;
};

/// Binding strength of a binary operator as in Python; 0 is none.
inline int binaryStrength(Token token) {
    switch (token) {
        case Token::Less:
        case Token::LessEqual:
        case Token::Greater:
        case Token::GreaterEqual:
        case Token::Equal:
        case Token::NotEqual: return 1;
        case Token::Bar: return 2;
        case Token::Caret: return 3;
        case Token::Ampersand: return 4;
        case Token::LeftShift:
        case Token::RightShift: return 5;
        case Token::Plus:
        case Token::Minus: return 6;
        case Token::Star:
        case Token::Slash:
        case Token::SlashSlash:
        case Token::Percent: return 7;
        case Token::StarStar: return 9;
        default: return 0;
    }
}
inline constexpr int kUnaryStrength = 8;

/// Functions without an op of their own: torch's opaque ones, and sympy's that older releases left in.
inline bool isKnownFunction(std::string_view name) {
    constexpr std::string_view opaque = "OpaqueUnaryFn_";
    if (name.substr(0, opaque.size()) == opaque) name.remove_prefix(opaque.size());
    for (std::string_view known : {"sqrt", "cos", "cosh", "sin", "sinh", "tan", "tanh", "asin", "acos", "atan", "asinh", "exp", "log", "log2",
                                   "floor", "ceiling", "Abs", "sign"}) {
        if (name == known) return true;
    }
    return false;
}

inline bool parseInt128(std::string_view digits, Int128& out) {
    Int128 value = 0;
    if (digits.empty()) return false;
    for (char c : digits) {
        if (!isDigit(c) || __builtin_mul_overflow(value, static_cast<Int128>(10), &value) ||
            __builtin_add_overflow(value, static_cast<Int128>(c - '0'), &value)) {
            return false;
        }
    }
    out = value;
    return true;
}

inline bool parseReal(std::string_view text, double& out) {
    if (!text.empty() && text.front() == '+') text.remove_prefix(1);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    return error == std::errc() && end == text.data() + text.size();
}

}  // namespace pt2
