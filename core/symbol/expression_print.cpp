#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>

#include "core/symbol/expression_order.h"
#include "core/symbol/expression_tree.h"

namespace pt2 {

namespace {

/// sympy's print of a Float: 15 significant digits, trailing zeros cut but one decimal kept.
std::string printFloat(double value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value < 0 ? "-oo" : "oo";
    if (value == 0) return "0.0";
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, "%.14e", std::fabs(value));  // d.dddddddddddddde[+-]xx
    const std::string_view text(buffer);
    const std::size_t mark = text.find('e');
    std::string digits;
    digits += text[0];
    digits += text.substr(2, mark - 2);
    int exponent = 0;
    for (char c : text.substr(mark + 2)) exponent = exponent * 10 + (c - '0');
    if (text[mark + 1] == '-') exponent = -exponent;
    while (digits.size() > 1 && digits.back() == '0') digits.pop_back();
    std::string out = value < 0 ? "-" : "";
    if (exponent <= -5 || exponent >= 15) {
        out += digits[0];
        out += '.';
        out += digits.size() > 1 ? digits.substr(1) : "0";
        out += exponent < 0 ? "e-" : "e+";
        out += std::to_string(std::abs(exponent));
    } else if (exponent < 0) {
        out += "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
    } else {
        const std::size_t whole = static_cast<std::size_t>(exponent) + 1;
        if (digits.size() < whole) digits.append(whole - digits.size(), '0');
        out += digits.substr(0, whole);
        out += '.';
        out += digits.size() > whole ? digits.substr(whole) : "0";
    }
    return out;
}

class Printer {
public:
    Printer(const SymExpr::Tree& tree, std::size_t limit) : tree_(tree), orders_(tree), limit_(limit) {}

    bool print(std::uint32_t id, std::string& out) {
        out.clear();
        work_.assign(1, {Task::Node, id, {}});
        while (!work_.empty()) {
            Task task = std::move(work_.back());
            work_.pop_back();
            if (task.kind == Task::Text) {
                out += task.text;
                if (out.size() > limit_) return false;
                continue;
            }
            parts_.clear();
            expand(task);
            work_.insert(work_.end(), std::make_move_iterator(parts_.rbegin()), std::make_move_iterator(parts_.rend()));
        }
        return true;
    }

private:
    struct Task {
        enum Kind : std::uint8_t {
            Text,
            Node,
            WithoutSign,  ///< a negative number or product, its sign printed already
            Inverse,      ///< a power with the sign of its exponent turned
            Turned,       ///< a product with its sign turned
        };
        Kind kind = Text;
        std::uint32_t id = 0;
        std::string text;
    };

    void text(std::string value) { parts_.push_back({Task::Text, 0, std::move(value)}); }
    void node(std::uint32_t id, Task::Kind kind = Task::Node) { parts_.push_back({kind, id, {}}); }
    void within(std::uint32_t id, int level, Task::Kind kind = Task::Node) {
        const bool bracket = precedence(id) <= level;
        if (bracket) text("(");
        node(id, kind);
        if (bracket) text(")");
    }
    void list(std::span<const std::uint32_t> ids, std::string_view separator, int level) {
        for (std::size_t i = 0; i < ids.size(); ++i) {
            if (i > 0) text(std::string(separator));
            within(ids[i], level);
        }
    }

    int precedence(std::uint32_t id) const {
        const ExprNode& n = tree_.nodes[id];
        switch (n.op) {
            case ExprOp::Number: return n.number.p < 0 ? 40 : n.number.q != 1 ? 50 : 1000;
            case ExprOp::Float: return n.real < 0 ? 40 : 1000;
            case ExprOp::Symbol:
            case ExprOp::Boolean:
            case ExprOp::Infinity:
            case ExprOp::Max:
            case ExprOp::Min: return 1000;
            case ExprOp::Identity: return 10;
            case ExprOp::Or: return 20;
            case ExprOp::And: return 30;
            case ExprOp::Less:
            case ExprOp::LessEqual:
            case ExprOp::Greater:
            case ExprOp::GreaterEqual:
            case ExprOp::FloorDiv:
            case ExprOp::CleanDiv:
            case ExprOp::Mod:
            case ExprOp::PythonMod:
            case ExprOp::ModularIndexing:
            case ExprOp::Where:
            case ExprOp::IntTrueDiv:
            case ExprOp::FloatTrueDiv: return 35;
            case ExprOp::Add: return 40;
            case ExprOp::Mul: return orders_.coefficient(id).negative() ? 40 : 50;
            case ExprOp::Equal:
            case ExprOp::NotEqual:
            case ExprOp::PowByNatural: return 50;
            case ExprOp::Pow:
            case ExprOp::FloatPow: return 60;
            case ExprOp::Not: return 100;
            default: return 70;
        }
    }

    /// Whether the node's own text begins with a minus sign.
    bool startsWithMinus(std::uint32_t id) const {
        for (;;) {
            const ExprNode& n = tree_.nodes[id];
            if (n.op == ExprOp::Number) return n.number.p < 0;
            if (n.op == ExprOp::Float) return n.real < 0;
            if (n.op == ExprOp::Mul) return orders_.coefficient(id).negative();
            if (n.op != ExprOp::Add || orders_.of(id).empty()) return false;
            const std::uint32_t first = orders_.of(id)[0];
            if (precedence(first) < 40) return false;
            id = first;
        }
    }

    void number(const Coefficient& c, bool withoutSign) {
        std::string out;
        if (c.isReal) {
            out = printFloat(c.real);
        } else {
            out = printInt128(c.exact.p);
            if (c.exact.q != 1) out += "/" + printInt128(c.exact.q);
        }
        if (withoutSign && !out.empty() && out.front() == '-') out.erase(0, 1);
        text(std::move(out));
    }

    void expand(const Task& task) {
        const ExprNode& n = tree_.nodes[task.id];
        const auto args = orders_.of(task.id);
        switch (n.op) {
            case ExprOp::Symbol:
            case ExprOp::Infinity: return text(std::string(tree_.name(n)));
            case ExprOp::Boolean: return text(n.value ? "True" : "False");
            case ExprOp::Number:
            case ExprOp::Float: return number(ExpressionOrder::numberOf(n), task.kind == Task::WithoutSign);
            case ExprOp::Add: return sum(args, task.kind == Task::WithoutSign);
            case ExprOp::Mul: return product(task.id, task.kind);
            case ExprOp::Pow: return power(args, task.kind == Task::Inverse);
            case ExprOp::FloorDiv:
            case ExprOp::CleanDiv:
                text("(");
                within(args[0], 999);
                text("//");
                within(args[1], 999);
                return text(")");
            case ExprOp::Less: return list(args, " < ", 35);
            case ExprOp::LessEqual: return list(args, " <= ", 35);
            case ExprOp::Greater: return list(args, " > ", 35);
            case ExprOp::GreaterEqual: return list(args, " >= ", 35);
            case ExprOp::And: return list(args, " & ", 38);
            case ExprOp::Or: return list(args, " | ", 36);
            case ExprOp::Not: text("~"); return within(args[0], 100);
            case ExprOp::Identity:
                text("(");
                node(args[0]);
                return text(")");
            case ExprOp::ExprCondPair:
                text("(");
                list(args, ", ", -1);
                return text(")");
            default:
                text(std::string(n.op == ExprOp::Function ? tree_.name(n) : exprOpName(n.op)));
                text("(");
                list(args, ", ", -1);
                return text(")");
        }
    }

    void sum(std::span<const std::uint32_t> terms, bool withoutSign) {
        for (std::size_t i = 0; i < terms.size(); ++i) {
            const bool bracket = precedence(terms[i]) < 40;
            const bool minus = !bracket && startsWithMinus(terms[i]);
            if (i > 0) text(minus ? " - " : " + ");
            if (bracket) text("(");
            node(terms[i], minus && (i > 0 || withoutSign) ? Task::WithoutSign : Task::Node);
            if (bracket) text(")");
        }
    }

    /// Whether a power belongs behind the fraction bar.
    bool isInverse(std::uint32_t id) const {
        const ExprNode& n = tree_.nodes[id];
        return n.op == ExprOp::Pow && startsWithMinus(tree_.argsOf(n)[1]) && tree_.nodes[tree_.argsOf(n)[1]].op != ExprOp::Add;
    }
    bool isInteger(std::uint32_t id, int value) const {
        const ExprNode& n = tree_.nodes[id];
        return n.op == ExprOp::Number && n.number.q == 1 && n.number.p == value;
    }

    void product(std::uint32_t id, Task::Kind kind) {
        Coefficient c = orders_.coefficient(id);
        const int level = c.negative() ? 40 : 50;
        if (c.negative() != (kind == Task::Turned) && kind != Task::WithoutSign) text("-");
        if (c.isReal) {
            c.real = std::fabs(c.real);
        } else if (c.exact.p < 0) {
            c.exact.p = -c.exact.p;
        }
        std::size_t above = 0, below = 0;
        for (std::uint32_t factor : orders_.of(id)) isInverse(factor) ? ++below : ++above;
        const bool numberAbove = c.isReal || c.exact.p != 1 || above == 0;
        const bool numberBelow = !c.isReal && c.exact.q != 1;
        bool first = true;
        if (numberAbove) {
            text(c.isReal ? printFloat(c.real) : printInt128(c.exact.p));
            first = false;
        }
        for (std::uint32_t factor : orders_.of(id)) {
            if (isInverse(factor)) continue;
            if (!first) text("*");
            first = false;
            within(factor, level);
        }
        if (below + (numberBelow ? 1 : 0) == 0) return;
        text("/");
        const bool bracket = below + (numberBelow ? 1 : 0) > 1;
        if (bracket) text("(");
        first = true;
        if (numberBelow) {
            text(printInt128(c.exact.q));
            first = false;
        }
        for (std::uint32_t factor : orders_.of(id)) {
            if (!isInverse(factor)) continue;
            if (!first) text("*");
            first = false;
            const auto args = tree_.argsOf(factor);
            if (isInteger(args[1], -1)) {
                within(args[0], level);
            } else {
                within(factor, level, Task::Inverse);
            }
        }
        if (bracket) text(")");
    }

    void power(std::span<const std::uint32_t> args, bool inverse) {
        const ExprNode& exponent = tree_.nodes[args[1]];
        if (exponent.op == ExprOp::Number && exponent.number.q == 2 && (exponent.number.p == 1 || exponent.number.p == -1)) {
            if (exponent.number.p < 0 && !inverse) text("1/");
            text("sqrt(");
            node(args[0]);
            return text(")");
        }
        if (!inverse && isInteger(args[1], -1)) {
            text("1/");
            return within(args[0], 60);
        }
        within(args[0], 60);
        text("**");
        if (!inverse) return within(args[1], 60);
        // The exponent is a negative number or product here (isInverse).
        const bool bracket = exponent.op == ExprOp::Mul || (exponent.op == ExprOp::Number && exponent.number.q != 1);
        if (bracket) text("(");
        node(args[1], exponent.op == ExprOp::Mul ? Task::Turned : Task::WithoutSign);
        if (bracket) text(")");
    }

    const SymExpr::Tree& tree_;
    ExpressionOrder orders_;
    std::size_t limit_;
    std::vector<Task> work_, parts_;
};

}  // namespace

std::vector<std::string> printNodes(const SymExpr::Tree& tree, const std::vector<std::uint32_t>& wanted, std::size_t limit) {
    Printer printer(tree, limit);
    std::vector<std::string> texts;
    std::size_t total = 0;
    for (std::uint32_t id : wanted) {
        std::string out;
        if (!printer.print(id, out) || total + out.size() > limit) return texts;
        total += out.size();
        texts.push_back(std::move(out));
    }
    return texts;
}

}  // namespace pt2
