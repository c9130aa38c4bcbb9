#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <unordered_set>

#include "core/symbol/expression_tree.h"

namespace pt2 {

namespace {

constexpr std::uint32_t kOne = 0xFFFFFFFF;  ///< stands for the exponent 1 of what is no power

/// The numeric factor of a product: exact, or a double once a Float is among the factors.
struct Coefficient {
    bool isReal = false;
    Rational exact{1, 1};
    double real = 1;
    bool negative() const { return isReal ? std::signbit(real) : exact.p < 0; }
    double approximate() const { return isReal ? real : static_cast<double>(exact.p) / static_cast<double>(exact.q); }
};

Coefficient multiply(const Coefficient& a, const Coefficient& b) {
    Coefficient result;
    if (!a.isReal && !b.isReal && multiplyRational(a.exact, b.exact, result.exact)) return result;
    result.isReal = true;
    result.real = a.approximate() * b.approximate();
    return result;
}

int compareCoefficients(const Coefficient& a, const Coefficient& b) {
    if (!a.isReal && !b.isReal) return compareRational(a.exact, b.exact);
    const double x = a.approximate(), y = b.approximate();
    return x < y ? -1 : x > y ? 1 : 0;
}

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

/// Canonical order of terms, factors and arguments (format.md 2.8, "Sort key").
class Orders {
public:
    explicit Orders(const SymExpr::Tree& tree)
        : tree_(tree), begin_(tree.nodes.size(), 0), end_(tree.nodes.size(), 0), coefficient_(tree.nodes.size()) {
        for (std::uint32_t id = 0; id < tree.nodes.size(); ++id) {
            if (tree.dead[id]) continue;
            switch (tree.nodes[id].op) {
                case ExprOp::Mul: orderProduct(id); break;
                case ExprOp::Add: orderSum(id); break;
                case ExprOp::Max:
                case ExprOp::Min: {
                    const auto args = tree.argsOf(id);
                    store(id, sorted({args.begin(), args.end()}));
                    break;
                }
                default: break;
            }
        }
    }

    /// The ordered terms, factors without numbers, or arguments.
    std::span<const std::uint32_t> of(std::uint32_t id) const {
        switch (tree_.nodes[id].op) {
            case ExprOp::Mul:
            case ExprOp::Add:
            case ExprOp::Max:
            case ExprOp::Min: return std::span(pool_).subspan(begin_[id], end_[id] - begin_[id]);
            default: return tree_.argsOf(id);
        }
    }
    const Coefficient& coefficient(std::uint32_t product) const { return coefficient_[product]; }

    static bool isNumber(const ExprNode& n) { return n.op == ExprOp::Number || n.op == ExprOp::Float; }
    static Coefficient numberOf(const ExprNode& n) {
        Coefficient c;
        if (n.op == ExprOp::Float) {
            c.isReal = true;
            c.real = n.real;
        } else {
            c.exact = n.number;
        }
        return c;
    }

private:
    void store(std::uint32_t id, const std::vector<std::uint32_t>& order) {
        begin_[id] = static_cast<std::uint32_t>(pool_.size());
        pool_.insert(pool_.end(), order.begin(), order.end());
        end_[id] = static_cast<std::uint32_t>(pool_.size());
    }

    std::vector<std::uint32_t> sorted(std::vector<std::uint32_t> ids) const {
        std::stable_sort(ids.begin(), ids.end(), [this](std::uint32_t a, std::uint32_t b) { return compare(a, b) < 0; });
        return ids;
    }

    void orderProduct(std::uint32_t id) {
        std::vector<std::uint32_t> factors;
        Coefficient c;
        for (std::uint32_t arg : tree_.argsOf(id)) {
            if (isNumber(tree_.nodes[arg])) {
                c = multiply(c, numberOf(tree_.nodes[arg]));
            } else {
                factors.push_back(arg);
            }
        }
        coefficient_[id] = c;
        store(id, sorted(std::move(factors)));
    }

    /// A factor as base and integer exponent; what has another exponent is a base of its own.
    std::pair<std::uint32_t, double> basePower(std::uint32_t factor) const {
        const ExprNode& node = tree_.nodes[factor];
        if (node.op == ExprOp::Pow) {
            const auto args = tree_.argsOf(node);
            const ExprNode& exponent = tree_.nodes[args[1]];
            if (exponent.op == ExprOp::Number && exponent.number.q == 1) return {args[0], static_cast<double>(exponent.number.p)};
        }
        return {factor, 1.0};
    }

    void orderSum(std::uint32_t id) {
        const auto args = tree_.argsOf(id);
        std::vector<std::uint32_t> terms(args.begin(), args.end());
        if (terms.size() == 2) {
            // "3 - 2*s0": a positive number before a negative number times one factor.
            const int numberAt = isNumber(tree_.nodes[terms[0]]) ? 0 : isNumber(tree_.nodes[terms[1]]) ? 1 : -1;
            if (numberAt >= 0) {
                const std::uint32_t number = terms[static_cast<std::size_t>(numberAt)], other = terms[static_cast<std::size_t>(1 - numberAt)];
                const Coefficient value = numberOf(tree_.nodes[number]);
                if (value.approximate() > 0 && tree_.nodes[other].op == ExprOp::Mul && coefficient(other).negative() && of(other).size() == 1) {
                    return store(id, {number, other});
                }
            }
        }
        // Each term is a vector of exponents over the sorted generators, kept sparse: (rank of the generator, exponent).
        std::vector<std::uint32_t> generators;
        const auto factorsOf = [this](std::uint32_t term) {
            std::vector<std::uint32_t> factors;
            if (tree_.nodes[term].op == ExprOp::Mul) {
                const auto ordered = of(term);
                factors.assign(ordered.begin(), ordered.end());
            } else if (!isNumber(tree_.nodes[term])) {
                factors.push_back(term);
            }
            return factors;
        };
        for (std::uint32_t term : terms)
            for (std::uint32_t factor : factorsOf(term)) generators.push_back(basePower(factor).first);
        generators = sorted(std::move(generators));
        std::vector<std::pair<std::uint32_t, std::uint32_t>> ranks;  // generator → rank, equal generators sharing one
        for (std::size_t i = 0; i < generators.size(); ++i) {
            const bool same = i > 0 && compare(generators[i - 1], generators[i]) == 0;
            ranks.emplace_back(generators[i], same ? ranks.back().second : static_cast<std::uint32_t>(i));
        }
        std::sort(ranks.begin(), ranks.end());
        struct Term {
            std::uint32_t id;
            std::vector<std::pair<std::uint32_t, double>> powers;
            Coefficient coefficient;
        };
        std::vector<Term> keyed;
        for (std::uint32_t term : terms) {
            Term t{term, {}, {}};
            if (isNumber(tree_.nodes[term])) t.coefficient = numberOf(tree_.nodes[term]);
            if (tree_.nodes[term].op == ExprOp::Mul) t.coefficient = coefficient(term);
            for (std::uint32_t factor : factorsOf(term)) {
                const auto [base, power] = basePower(factor);
                const auto rank = std::lower_bound(ranks.begin(), ranks.end(), std::pair<std::uint32_t, std::uint32_t>{base, 0});
                t.powers.emplace_back(rank->second, power);
            }
            std::sort(t.powers.begin(), t.powers.end());
            keyed.push_back(std::move(t));
        }
        std::stable_sort(keyed.begin(), keyed.end(), [](const Term& a, const Term& b) {
            for (std::size_t i = 0;; ++i) {
                const bool aEnds = i >= a.powers.size(), bEnds = i >= b.powers.size();
                if (aEnds && bEnds) break;
                const std::uint32_t aRank = aEnds ? kOne : a.powers[i].first, bRank = bEnds ? kOne : b.powers[i].first;
                // The vector with an entry where the other has zero is larger if that entry is positive.
                if (aRank < bRank) return a.powers[i].second > 0;
                if (bRank < aRank) return b.powers[i].second < 0;
                if (a.powers[i].second != b.powers[i].second) return a.powers[i].second > b.powers[i].second;
            }
            return compareCoefficients(a.coefficient, b.coefficient) < 0;
        });
        std::vector<std::uint32_t> order;
        order.reserve(keyed.size());
        for (const Term& t : keyed) order.push_back(t.id);
        store(id, order);
    }

    struct View {
        std::uint32_t base = kOne;  ///< kOne: a number, whose value is the coefficient
        std::uint32_t exponent = kOne;
        Coefficient coefficient;
    };

    View viewOf(std::uint32_t id) const {
        View view;
        if (id == kOne) return view;
        const ExprNode* node = &tree_.nodes[id];
        if (isNumber(*node)) {
            view.coefficient = numberOf(*node);
            return view;
        }
        if (node->op == ExprOp::Mul) {
            view.coefficient = coefficient(id);
            const auto factors = of(id);
            if (factors.empty()) return view;
            if (factors.size() == 1) {
                id = factors[0];
                node = &tree_.nodes[id];
            }
        }
        if (node->op == ExprOp::Pow) {
            view.exponent = tree_.argsOf(*node)[1];
            id = tree_.argsOf(*node)[0];
        }
        view.base = id;
        return view;
    }

    static int classOf(ExprOp op) {
        switch (op) {
            case ExprOp::Number:
            case ExprOp::Float:
            case ExprOp::Infinity: return 1;
            case ExprOp::Symbol: return 2;
            case ExprOp::Mul: return 3;
            case ExprOp::Add: return 4;
            case ExprOp::Pow: return 5;
            case ExprOp::Boolean:
            case ExprOp::Max:
            case ExprOp::Min:
            case ExprOp::Less:
            case ExprOp::LessEqual:
            case ExprOp::Greater:
            case ExprOp::GreaterEqual:
            case ExprOp::Equal:
            case ExprOp::NotEqual:
            case ExprOp::And:
            case ExprOp::Or:
            case ExprOp::Not: return 7;
            default: return 6;
        }
    }

    std::string_view nameOf(const ExprNode& node) const {
        return node.op == ExprOp::Symbol || node.op == ExprOp::Function || node.op == ExprOp::Infinity ? tree_.name(node) : exprOpName(node.op);
    }

    /// Below, equal or above zero as `a` sorts before, with or behind `b`.
    int compare(std::uint32_t first, std::uint32_t second) const {
        struct Task {
            bool coefficients;  ///< only the numeric factors are left to compare
            std::uint32_t a, b;
        };
        std::vector<Task> work{{false, first, second}};
        while (!work.empty()) {
            const Task task = work.back();
            work.pop_back();
            if (task.a == task.b) continue;
            const View a = viewOf(task.a), b = viewOf(task.b);
            if (task.coefficients) {
                if (const int c = compareCoefficients(a.coefficient, b.coefficient); c != 0) return c;
                continue;
            }
            const int aClass = a.base == kOne ? 1 : classOf(tree_.nodes[a.base].op), bClass = b.base == kOne ? 1 : classOf(tree_.nodes[b.base].op);
            if (aClass != bClass) return aClass < bClass ? -1 : 1;
            work.push_back({true, task.a, task.b});
            if (a.base == kOne || b.base == kOne) continue;
            work.push_back({false, a.exponent, b.exponent});
            const ExprNode &x = tree_.nodes[a.base], &y = tree_.nodes[b.base];
            if (const int c = nameOf(x).compare(nameOf(y)); c != 0) return c < 0 ? -1 : 1;
            const auto xs = of(a.base), ys = of(b.base);
            if (xs.size() != ys.size()) return xs.size() < ys.size() ? -1 : 1;
            for (std::size_t i = xs.size(); i-- > 0;) work.push_back({false, xs[i], ys[i]});
        }
        return 0;
    }

    const SymExpr::Tree& tree_;
    std::vector<std::uint32_t> begin_, end_, pool_;
    std::vector<Coefficient> coefficient_;
};

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
            case ExprOp::Float: return number(Orders::numberOf(n), task.kind == Task::WithoutSign);
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
    Orders orders_;
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

const std::string& SymExpr::print() const { return tree_->printed; }

std::vector<std::string> SymExpr::printedSubexpressions() const {
    std::vector<std::uint32_t> work{tree_->root()}, wanted;
    while (!work.empty()) {
        const std::uint32_t id = work.back();
        work.pop_back();
        wanted.push_back(id);
        const ExprNode& node = tree_->nodes[id];
        switch (node.op) {
            case ExprOp::Less:
            case ExprOp::LessEqual:
            case ExprOp::Greater:
            case ExprOp::GreaterEqual:
            case ExprOp::Equal:
            case ExprOp::NotEqual:
            case ExprOp::And:
            case ExprOp::Or:
            case ExprOp::Not: continue;
            default: break;
        }
        const auto args = tree_->argsOf(node);
        work.insert(work.end(), args.rbegin(), args.rend());
    }
    std::vector<std::string> texts = printNodes(*tree_, wanted, 16 * kExpressionTextLimit);
    std::unordered_set<std::string> seen;
    std::vector<std::string> unique;
    for (std::string& text : texts)
        if (seen.insert(text).second) unique.push_back(std::move(text));
    return unique;
}

}  // namespace pt2
