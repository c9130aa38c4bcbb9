#include "core/contract/guards.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <system_error>

namespace pt2 {
namespace {

constexpr std::size_t kMostTokens = 4096;

struct Token {
    enum class Kind { Number, Operator, Function, Open, Close, Comma };
    Kind kind = Kind::Number;
    std::int64_t number = 0;
    std::string text;
};

bool isWordStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }

class Lexer {
public:
    Lexer(std::string_view text, const std::function<std::optional<std::int64_t>(const GuardTerm&)>& sizeOf, GuardResult& result)
        : text_(text), sizeOf_(sizeOf), result_(result) {}

    /// False when something is not understood or a size is not known; `readable` is complete all the same where possible.
    bool run(std::vector<Token>& tokens) {
        bool known = true;
        while (at_ < text_.size() && tokens.size() < kMostTokens) {
            const char c = text_[at_];
            if (c == ' ') {
                result_.readable.push_back(' ');
                ++at_;
            } else if (isDigit(c)) {
                known = number(tokens) && known;
            } else if (text_.substr(at_, 2) == "L[") {
                if (!term(tokens, known)) return false;
            } else if (isWordStart(c)) {
                if (!word(tokens)) return false;
            } else if (!punctuation(tokens)) {
                return false;
            }
        }
        return known && at_ == text_.size();
    }

private:
    bool number(std::vector<Token>& tokens) {
        Token token;
        const char* end = text_.data() + text_.size();
        const auto [stop, error] = std::from_chars(text_.data() + at_, end, token.number);
        if (error != std::errc() || (stop != end && *stop == '.')) return false;
        result_.readable.append(text_.substr(at_, static_cast<std::size_t>(stop - text_.data()) - at_));
        at_ = static_cast<std::size_t>(stop - text_.data());
        tokens.push_back(std::move(token));
        return true;
    }

    /// L['x']['k'][0].size()[1]
    bool term(std::vector<Token>& tokens, bool& known) {
        const std::size_t size = text_.find(".size()[", at_);
        const std::size_t close = size == std::string_view::npos ? size : text_.find(']', size + 8);
        if (close == std::string_view::npos) return false;
        const std::string_view path = text_.substr(at_ + 1, size - at_ - 1);  // ['x']['k'][0]
        const char quote = path.size() > 4 ? path[1] : '\0';
        const std::size_t nameEnd = quote == '\'' || quote == '"' ? path.find(quote, 2) : std::string_view::npos;
        if (nameEnd == std::string_view::npos || nameEnd + 1 >= path.size() || path[nameEnd + 1] != ']') return false;
        GuardTerm term;
        term.path = std::string(path.substr(2, nameEnd - 2)) + std::string(path.substr(nameEnd + 2));
        const std::string_view digits = text_.substr(size + 8, close - size - 8);
        const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), term.dimension);
        if (error != std::errc() || stop != digits.data() + digits.size()) return false;
        result_.terms.push_back(term);
        result_.readable += term.path + " dimension " + std::to_string(term.dimension);
        const std::optional<std::int64_t> value = sizeOf_(term);
        known = known && value.has_value();
        Token token;
        token.number = value.value_or(0);
        tokens.push_back(std::move(token));
        at_ = close + 1;
        return true;
    }

    bool word(std::vector<Token>& tokens) {
        std::size_t end = at_;
        while (end < text_.size() && (isWordStart(text_[end]) || isDigit(text_[end]))) ++end;
        Token token;
        token.text = std::string(text_.substr(at_, end - at_));
        if (token.text == "and" || token.text == "or" || token.text == "not") {
            token.kind = Token::Kind::Operator;
        } else if (token.text == "max" || token.text == "min" || token.text == "Max" || token.text == "Min") {
            token.kind = Token::Kind::Function;
        } else if (token.text == "True" || token.text == "False") {
            token.number = token.text == "True" ? 1 : 0;
        } else {
            return false;
        }
        result_.readable += token.text;
        at_ = end;
        tokens.push_back(std::move(token));
        return true;
    }

    bool punctuation(std::vector<Token>& tokens) {
        Token token;
        const std::string_view two = text_.substr(at_, 2);
        if (two == "==" || two == "!=" || two == "<=" || two == ">=" || two == "//") {
            token.text = std::string(two);
        } else if (std::string_view("+-*%<>(),").find(text_[at_]) != std::string_view::npos && two != "**") {
            token.text = std::string(1, text_[at_]);
        } else {
            return false;
        }
        token.kind = token.text == "("   ? Token::Kind::Open
                     : token.text == ")" ? Token::Kind::Close
                     : token.text == "," ? Token::Kind::Comma
                                         : Token::Kind::Operator;
        result_.readable += token.text;
        at_ += token.text.size();
        tokens.push_back(std::move(token));
        return true;
    }

    std::string_view text_;
    const std::function<std::optional<std::int64_t>(const GuardTerm&)>& sizeOf_;
    GuardResult& result_;
    std::size_t at_ = 0;
};

int precedence(const std::string& op, bool unary) {
    if (op == "or") return 1;
    if (op == "and") return 2;
    if (op == "not") return 3;
    if (op == "==" || op == "!=" || op == "<" || op == ">" || op == "<=" || op == ">=") return 4;
    if (unary) return 7;
    return op == "+" || op == "-" ? 5 : 6;
}

std::int64_t floorDivide(std::int64_t a, std::int64_t b) {
    const std::int64_t quotient = a / b;
    return a % b != 0 && ((a < 0) != (b < 0)) ? quotient - 1 : quotient;
}

/// Shunting-yard over integers; a condition is 0 or 1.
class Evaluator {
public:
    std::optional<std::int64_t> run(const std::vector<Token>& tokens) {
        bool wantsOperand = true;
        for (std::size_t i = 0; i < tokens.size() && ok_; ++i) {
            const Token& token = tokens[i];
            switch (token.kind) {
                case Token::Kind::Number:
                    ok_ = wantsOperand;
                    values_.push_back(token.number);
                    wantsOperand = false;
                    break;
                case Token::Kind::Function:
                    ok_ = wantsOperand && i + 1 < tokens.size() && tokens[i + 1].kind == Token::Kind::Open;
                    operators_.push_back({token.text, false, values_.size()});
                    break;
                case Token::Kind::Open:
                    ok_ = wantsOperand;
                    operators_.push_back({"(", false, values_.size()});
                    break;
                case Token::Kind::Close:
                case Token::Kind::Comma:
                    ok_ = !wantsOperand;
                    while (ok_ && !operators_.empty() && operators_.back().text != "(") apply();
                    ok_ = ok_ && !operators_.empty();
                    if (token.kind == Token::Kind::Close && ok_) closeBracket();
                    wantsOperand = token.kind == Token::Kind::Comma;
                    break;
                case Token::Kind::Operator: {
                    const bool unary = wantsOperand && (token.text == "-" || token.text == "+" || token.text == "not");
                    ok_ = wantsOperand == unary;
                    const int own = precedence(token.text, unary);
                    while (ok_ && !unary && !operators_.empty() && isOperator(operators_.back()) &&
                           precedence(operators_.back().text, operators_.back().unary) >= own) {
                        apply();
                    }
                    operators_.push_back({token.text, unary, 0});
                    wantsOperand = true;
                    break;
                }
            }
        }
        ok_ = ok_ && !wantsOperand;
        while (ok_ && !operators_.empty()) apply();
        return ok_ && values_.size() == 1 ? std::optional(values_[0]) : std::nullopt;
    }

private:
    struct Pending {
        std::string text;
        bool unary = false;
        std::size_t depth = 0;  // values below a function or bracket
    };
    static bool isOperator(const Pending& pending) {
        return pending.text != "(" && pending.text != "max" && pending.text != "min" && pending.text != "Max" && pending.text != "Min";
    }

    void closeBracket() {
        operators_.pop_back();
        if (operators_.empty() || isOperator(operators_.back()) || operators_.back().text == "(") return;
        const Pending function = operators_.back();
        operators_.pop_back();
        if (values_.size() <= function.depth) {
            ok_ = false;
            return;
        }
        const auto first = values_.begin() + static_cast<std::ptrdiff_t>(function.depth);
        const bool largest = function.text == "max" || function.text == "Max";
        const std::int64_t chosen = largest ? *std::max_element(first, values_.end()) : *std::min_element(first, values_.end());
        values_.resize(function.depth);
        values_.push_back(chosen);
    }

    void apply() {
        const Pending op = operators_.back();
        operators_.pop_back();
        if (!isOperator(op) || values_.size() < (op.unary ? 1U : 2U)) {
            ok_ = false;
            return;
        }
        const std::int64_t b = values_.back();
        values_.pop_back();
        std::int64_t out = 0;
        if (op.unary) {
            if (op.text == "-") ok_ = !__builtin_sub_overflow(std::int64_t{0}, b, &out);
            if (op.text == "+") out = b;
            if (op.text == "not") out = b == 0 ? 1 : 0;
            values_.push_back(out);
            return;
        }
        const std::int64_t a = values_.back();
        values_.pop_back();
        if (op.text == "+") ok_ = !__builtin_add_overflow(a, b, &out);
        if (op.text == "-") ok_ = !__builtin_sub_overflow(a, b, &out);
        if (op.text == "*") ok_ = !__builtin_mul_overflow(a, b, &out);
        if (op.text == "//" || op.text == "%") {
            ok_ = b != 0 && !(b == -1 && a == INT64_MIN);
            if (ok_) out = op.text == "%" ? a - floorDivide(a, b) * b : floorDivide(a, b);
        }
        if (op.text == "==") out = a == b ? 1 : 0;
        if (op.text == "!=") out = a != b ? 1 : 0;
        if (op.text == "<") out = a < b ? 1 : 0;
        if (op.text == ">") out = a > b ? 1 : 0;
        if (op.text == "<=") out = a <= b ? 1 : 0;
        if (op.text == ">=") out = a >= b ? 1 : 0;
        if (op.text == "and") out = a != 0 && b != 0 ? 1 : 0;
        if (op.text == "or") out = a != 0 || b != 0 ? 1 : 0;
        values_.push_back(out);
    }

    std::vector<std::int64_t> values_;
    std::vector<Pending> operators_;
    bool ok_ = true;
};

}  // namespace

GuardResult evaluateGuard(std::string_view guard, const std::function<std::optional<std::int64_t>(const GuardTerm&)>& sizeOf) {
    GuardResult result;
    std::vector<Token> tokens;
    if (!Lexer(guard, sizeOf, result).run(tokens)) {
        result.readable = std::string(guard);
        return result;
    }
    if (const std::optional<std::int64_t> value = Evaluator().run(tokens)) result.holds = *value != 0;
    return result;
}

}  // namespace pt2
