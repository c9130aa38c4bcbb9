#include "core/symbol/expression_order.h"

#include <algorithm>

namespace pt2 {

namespace {

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

bool isNumber(const ExprNode& n) { return n.op == ExprOp::Number || n.op == ExprOp::Float; }

int classOf(ExprOp op) {
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

}  // namespace

ExpressionOrder::ExpressionOrder(const SymExpr::Tree& tree)
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

std::span<const std::uint32_t> ExpressionOrder::of(std::uint32_t id) const {
    switch (tree_.nodes[id].op) {
        case ExprOp::Mul:
        case ExprOp::Add:
        case ExprOp::Max:
        case ExprOp::Min: return std::span(pool_).subspan(begin_[id], end_[id] - begin_[id]);
        default: return tree_.argsOf(id);
    }
}

Coefficient ExpressionOrder::numberOf(const ExprNode& n) {
    Coefficient c;
    if (n.op == ExprOp::Float) {
        c.isReal = true;
        c.real = n.real;
    } else {
        c.exact = n.number;
    }
    return c;
}

void ExpressionOrder::store(std::uint32_t id, const std::vector<std::uint32_t>& order) {
    begin_[id] = static_cast<std::uint32_t>(pool_.size());
    pool_.insert(pool_.end(), order.begin(), order.end());
    end_[id] = static_cast<std::uint32_t>(pool_.size());
}

std::vector<std::uint32_t> ExpressionOrder::sorted(std::vector<std::uint32_t> ids) const {
    std::stable_sort(ids.begin(), ids.end(), [this](std::uint32_t a, std::uint32_t b) { return compare(a, b) < 0; });
    return ids;
}

void ExpressionOrder::orderProduct(std::uint32_t id) {
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
std::pair<std::uint32_t, double> ExpressionOrder::basePower(std::uint32_t factor) const {
    const ExprNode& node = tree_.nodes[factor];
    if (node.op == ExprOp::Pow) {
        const auto args = tree_.argsOf(node);
        const ExprNode& exponent = tree_.nodes[args[1]];
        if (exponent.op == ExprOp::Number && exponent.number.q == 1) return {args[0], static_cast<double>(exponent.number.p)};
    }
    return {factor, 1.0};
}

void ExpressionOrder::orderSum(std::uint32_t id) {
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

ExpressionOrder::View ExpressionOrder::viewOf(std::uint32_t id) const {
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

std::string_view ExpressionOrder::nameOf(const ExprNode& node) const {
    return node.op == ExprOp::Symbol || node.op == ExprOp::Function || node.op == ExprOp::Infinity ? tree_.name(node) : exprOpName(node.op);
}

/// Below, equal or above zero as `a` sorts before, with or behind `b`.
int ExpressionOrder::compare(std::uint32_t first, std::uint32_t second) const {
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

}  // namespace pt2
