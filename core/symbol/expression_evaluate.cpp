#include <algorithm>
#include <cmath>
#include <limits>

#include "core/symbol/expression_tree.h"

namespace pt2 {

namespace {

/// What a subexpression is worth: an exact rational, a double or a truth value. Python's rules; nothing is claimed on overflow.
struct Worth {
    enum Kind : std::uint8_t { Unknown, Exact, Real, Truth } kind = Unknown;
    Rational exact;
    double real = 0;
    bool truth = false;

    static Worth of(Rational r) {
        Worth w;
        w.kind = Exact;
        w.exact = r;
        return w;
    }
    static Worth of(double d) {
        Worth w;
        w.kind = Real;
        w.real = d;
        return w;
    }
    static Worth of(bool b) {
        Worth w;
        w.kind = Truth;
        w.truth = b;
        return w;
    }
    bool isNumber() const { return kind == Exact || kind == Real; }
    bool isInteger() const { return kind == Exact && exact.q == 1; }
    double asReal() const { return kind == Real ? real : static_cast<double>(static_cast<long double>(exact.p) / static_cast<long double>(exact.q)); }
};

/// Without the most negative number, which has no counterpart.
Worth exactInteger(Int128 value) { return value == static_cast<Int128>(static_cast<UInt128>(1) << 127) ? Worth{} : Worth::of(Rational{value, 1}); }

bool floorDivide(Int128 a, Int128 b, Int128& out) {
    if (b == 0 || (b == -1 && __builtin_sub_overflow(static_cast<Int128>(0), a, &out))) return false;
    out = a / b;
    if (a % b != 0 && ((a < 0) != (b < 0))) --out;
    return true;
}

/// A double as an integer, when it has one that fits.
Worth integral(double value) {
    if (!std::isfinite(value) || std::fabs(value) >= 0x1p126) return {};
    return exactInteger(static_cast<Int128>(value));
}

double roundHalfEven(double value) {
    const double below = std::floor(value);
    const double rest = value - below;
    if (rest < 0.5) return below;
    if (rest > 0.5) return below + 1;
    return std::fmod(below, 2.0) == 0 ? below : below + 1;
}

Worth add(const Worth& a, const Worth& b) {
    if (!a.isNumber() || !b.isNumber()) return {};
    if (a.kind == Worth::Real || b.kind == Worth::Real) return Worth::of(a.asReal() + b.asReal());
    Rational out;
    return addRational(a.exact, b.exact, out) ? Worth::of(out) : Worth{};
}

Worth multiply(const Worth& a, const Worth& b) {
    if (!a.isNumber() || !b.isNumber()) return {};
    if (a.kind == Worth::Real || b.kind == Worth::Real) return Worth::of(a.asReal() * b.asReal());
    Rational out;
    return multiplyRational(a.exact, b.exact, out) ? Worth::of(out) : Worth{};
}

Worth power(const Worth& base, const Worth& exponent) {
    if (!base.isNumber() || !exponent.isNumber()) return {};
    if (base.kind == Worth::Exact && exponent.isInteger()) {
        Int128 left = exponent.exact.p;
        Rational factor = base.exact;
        if (left < 0) {
            if (factor.p == 0 || !makeRational(factor.q, factor.p, factor)) return {};
            left = -left;
        }
        Rational result{1, 1};
        while (left > 0) {
            if (left % 2 == 1 && !multiplyRational(result, factor, result)) return {};
            left /= 2;
            if (left > 0 && !multiplyRational(factor, factor, factor)) return {};
        }
        return Worth::of(result);
    }
    return Worth::of(std::pow(base.asReal(), exponent.asReal()));
}

/// -1, 0, 1, or 2 when they cannot be compared.
int compare(const Worth& a, const Worth& b) {
    if (!a.isNumber() || !b.isNumber()) return 2;
    if (a.kind == Worth::Exact && b.kind == Worth::Exact) return compareRational(a.exact, b.exact);
    const double x = a.asReal(), y = b.asReal();
    if (std::isnan(x) || std::isnan(y)) return 2;
    return x < y ? -1 : x > y ? 1 : 0;
}

Worth opaqueFunction(std::string_view name, double x) {
    constexpr std::string_view prefix = "OpaqueUnaryFn_";
    if (name.substr(0, prefix.size()) == prefix) name.remove_prefix(prefix.size());
    if (name == "sqrt") return Worth::of(std::sqrt(x));
    if (name == "cos") return Worth::of(std::cos(x));
    if (name == "cosh") return Worth::of(std::cosh(x));
    if (name == "sin") return Worth::of(std::sin(x));
    if (name == "sinh") return Worth::of(std::sinh(x));
    if (name == "tan") return Worth::of(std::tan(x));
    if (name == "tanh") return Worth::of(std::tanh(x));
    if (name == "asin") return Worth::of(std::asin(x));
    if (name == "acos") return Worth::of(std::acos(x));
    if (name == "atan") return Worth::of(std::atan(x));
    if (name == "asinh") return Worth::of(std::asinh(x));
    if (name == "exp") return Worth::of(std::exp(x));
    if (name == "log") return Worth::of(std::log(x));
    if (name == "log2") return Worth::of(std::log2(x));
    return {};
}

Worth function(std::string_view name, std::span<const std::uint32_t> args, const std::vector<Worth>& worth) {
    if (args.size() != 1 || !worth[args[0]].isNumber()) return {};
    const Worth& x = worth[args[0]];
    if (name == "floor" || name == "ceiling") {
        if (x.kind == Worth::Real) return integral(name == "floor" ? std::floor(x.real) : std::ceil(x.real));
        Int128 out = 0;
        if (!floorDivide(name == "floor" ? x.exact.p : -x.exact.p, x.exact.q, out)) return {};
        return exactInteger(name == "floor" ? out : -out);
    }
    if (name == "Abs") {
        if (x.kind == Worth::Real) return Worth::of(std::fabs(x.real));
        return Worth::of(Rational{x.exact.p < 0 ? -x.exact.p : x.exact.p, x.exact.q});
    }
    return opaqueFunction(name, x.asReal());
}

/// torch's indicator over sizes followed by strides: 1 when the tensor has neither holes nor overlaps.
Worth nonOverlappingAndDense(std::span<const std::uint32_t> args, const std::vector<Worth>& worth) {
    if (args.size() % 2 != 0) return {};
    const std::size_t rank = args.size() / 2;
    std::vector<std::pair<Int128, Int128>> dims;  // stride, size
    for (std::size_t i = 0; i < rank; ++i) {
        const Worth &size = worth[args[i]], &stride = worth[args[rank + i]];
        if (!size.isInteger() || !stride.isInteger()) return {};
        dims.emplace_back(stride.exact.p, size.exact.p);
    }
    if (rank == 1) return exactInteger(dims[0].first == 1 || dims[0].second < 2 ? 1 : 0);
    std::sort(dims.begin(), dims.end());
    Int128 expected = 1;
    for (const auto& [stride, size] : dims) {
        if (size == 1) continue;
        if (stride != expected) return exactInteger(0);
        if (__builtin_mul_overflow(expected, size, &expected)) return {};
    }
    return exactInteger(1);
}

Worth divideReal(const Worth& a, const Worth& b) {
    if (!a.isNumber() || !b.isNumber()) return {};
    if (b.kind == Worth::Exact && b.exact.p == 0) return {};
    if (a.kind == Worth::Exact && b.kind == Worth::Exact) {
        Rational inverse, quotient;
        if (makeRational(b.exact.q, b.exact.p, inverse) && multiplyRational(a.exact, inverse, quotient))
            return Worth::of(Worth::of(quotient).asReal());
    }
    if (b.asReal() == 0) return {};
    return Worth::of(a.asReal() / b.asReal());
}

Worth binaryIntegers(ExprOp op, const Worth& a, const Worth& b) {
    if (!a.isInteger() || !b.isInteger()) return {};
    const Int128 x = a.exact.p, y = b.exact.p;
    Int128 out = 0, product = 0;
    switch (op) {
        case ExprOp::FloorDiv:
        case ExprOp::CleanDiv: return floorDivide(x, y, out) ? exactInteger(out) : Worth{};
        case ExprOp::CeilDiv: return floorDivide(-x, y, out) ? exactInteger(-out) : Worth{};
        case ExprOp::Mod:
        case ExprOp::PythonMod:
            if (!floorDivide(x, y, out) || __builtin_mul_overflow(out, y, &product)) return {};
            return exactInteger(x - product);
        case ExprOp::LShift:
            if (y < 0 || y > 100 || __builtin_mul_overflow(x, static_cast<Int128>(1) << static_cast<int>(y), &out)) return {};
            return exactInteger(out);
        case ExprOp::RShift:
            if (y < 0) return {};
            return exactInteger(y > 126 ? (x < 0 ? -1 : 0) : x >> static_cast<int>(y));
        case ExprOp::BitwiseAnd: return exactInteger(x & y);
        case ExprOp::BitwiseOr: return exactInteger(x | y);
        case ExprOp::BitwiseXor: return exactInteger(x ^ y);
        case ExprOp::PowByNatural: return y < 0 ? Worth{} : power(a, b);
        default: return {};
    }
}

Worth evaluateNode(const SymExpr::Tree& tree, const ExprNode& node, const std::vector<Worth>& worth) {
    const auto args = tree.argsOf(node);
    const auto arg = [&](std::size_t i) -> const Worth& { return worth[args[i]]; };
    switch (node.op) {
        case ExprOp::Number: return Worth::of(node.number);
        case ExprOp::Float: return Worth::of(node.real);
        case ExprOp::Boolean: return Worth::of(node.value);
        case ExprOp::Infinity:
            if (tree.name(node) == "oo" || tree.name(node) == "int_oo" || tree.name(node) == "inf")
                return Worth::of(std::numeric_limits<double>::infinity());
            return {};
        case ExprOp::Add:
        case ExprOp::Mul: {
            Worth result = args.empty() ? Worth{} : arg(0);
            for (std::size_t i = 1; i < args.size(); ++i) result = node.op == ExprOp::Add ? add(result, arg(i)) : multiply(result, arg(i));
            return result.isNumber() ? result : Worth{};
        }
        case ExprOp::Pow: return power(arg(0), arg(1));
        case ExprOp::Max:
        case ExprOp::Min: {
            Worth best = arg(0);
            for (std::size_t i = 1; i < args.size(); ++i) {
                const int order = compare(arg(i), best);
                if (order == 2) return {};
                if (node.op == ExprOp::Max ? order > 0 : order < 0) best = arg(i);
            }
            return best.isNumber() ? best : Worth{};
        }
        case ExprOp::Equal:
        case ExprOp::NotEqual:
            if (arg(0).kind == Worth::Truth && arg(1).kind == Worth::Truth)
                return Worth::of((arg(0).truth == arg(1).truth) == (node.op == ExprOp::Equal));
            [[fallthrough]];
        case ExprOp::Less:
        case ExprOp::LessEqual:
        case ExprOp::Greater:
        case ExprOp::GreaterEqual: {
            const int order = compare(arg(0), arg(1));
            if (order == 2) return {};
            switch (node.op) {
                case ExprOp::Less: return Worth::of(order < 0);
                case ExprOp::LessEqual: return Worth::of(order <= 0);
                case ExprOp::Greater: return Worth::of(order > 0);
                case ExprOp::GreaterEqual: return Worth::of(order >= 0);
                case ExprOp::Equal: return Worth::of(order == 0);
                default: return Worth::of(order != 0);
            }
        }
        case ExprOp::And:
        case ExprOp::Or: {
            // One operand that decides is enough, whatever the others are.
            bool known = true;
            for (std::size_t i = 0; i < args.size(); ++i) {
                if (arg(i).kind == Worth::Truth && arg(i).truth == (node.op == ExprOp::Or)) return Worth::of(node.op == ExprOp::Or);
                known = known && arg(i).kind == Worth::Truth;
            }
            return known ? Worth::of(node.op == ExprOp::And) : Worth{};
        }
        case ExprOp::Not: return arg(0).kind == Worth::Truth ? Worth::of(!arg(0).truth) : Worth{};
        case ExprOp::Identity: return arg(0);
        case ExprOp::Piecewise:
            for (std::size_t i = 0; i < args.size(); ++i) {
                const ExprNode& pair = tree.nodes[args[i]];
                if (pair.op != ExprOp::ExprCondPair) return {};
                const Worth& condition = worth[tree.argsOf(pair)[1]];
                if (condition.kind != Worth::Truth) return {};
                if (condition.truth) return worth[tree.argsOf(pair)[0]];
            }
            return {};
        case ExprOp::ExprCondPair: return {};
        case ExprOp::Where:
            if (arg(0).kind != Worth::Truth) return {};
            return arg(arg(0).truth ? 1 : 2);
        case ExprOp::ModularIndexing: return binaryIntegers(ExprOp::PythonMod, binaryIntegers(ExprOp::FloorDiv, arg(0), arg(1)), arg(2));
        case ExprOp::FloorDiv:
        case ExprOp::CleanDiv:
        case ExprOp::Mod:
        case ExprOp::PythonMod:
        case ExprOp::CeilDiv:
        case ExprOp::LShift:
        case ExprOp::RShift:
        case ExprOp::PowByNatural:
        case ExprOp::BitwiseAnd:
        case ExprOp::BitwiseOr:
        case ExprOp::BitwiseXor: return args.size() == 2 ? binaryIntegers(node.op, arg(0), arg(1)) : Worth{};
        case ExprOp::FloatPow: return arg(0).isNumber() && arg(1).isNumber() ? Worth::of(std::pow(arg(0).asReal(), arg(1).asReal())) : Worth{};
        case ExprOp::FloatTrueDiv:
        case ExprOp::IntTrueDiv: return divideReal(arg(0), arg(1));
        case ExprOp::IsNonOverlappingAndDense: return nonOverlappingAndDense(args, worth);
        case ExprOp::CeilToInt: return arg(0).isNumber() ? integral(std::ceil(arg(0).asReal())) : Worth{};
        case ExprOp::FloorToInt: return arg(0).isNumber() ? integral(std::floor(arg(0).asReal())) : Worth{};
        case ExprOp::TruncToInt: return arg(0).isNumber() ? integral(std::trunc(arg(0).asReal())) : Worth{};
        case ExprOp::TruncToFloat: return arg(0).isNumber() ? Worth::of(std::trunc(arg(0).asReal())) : Worth{};
        case ExprOp::RoundToInt: return arg(0).isNumber() ? integral(roundHalfEven(arg(0).asReal())) : Worth{};
        case ExprOp::RoundDecimal: {
            if (!arg(0).isNumber() || !arg(1).isInteger() || arg(1).exact.p < -300 || arg(1).exact.p > 300) return {};
            const double scale = std::pow(10.0, static_cast<double>(arg(1).exact.p));
            const double scaled = arg(0).asReal() * scale;
            return std::isfinite(scaled) ? Worth::of(roundHalfEven(scaled) / scale) : arg(0);
        }
        case ExprOp::ToFloat: return arg(0).isNumber() ? Worth::of(arg(0).asReal()) : Worth{};
        case ExprOp::Function: return function(tree.name(node), args, worth);
        case ExprOp::Symbol: return {};
    }
    return {};
}

}  // namespace

std::optional<SymExpr::Value> SymExpr::evaluate(const Lookup& lookup) const {
    const Tree& tree = *tree_;
    std::vector<Worth> worth(tree.nodes.size());
    for (std::uint32_t id = 0; id < tree.nodes.size(); ++id) {
        if (tree.dead[id]) continue;
        const ExprNode& node = tree.nodes[id];
        if (node.op != ExprOp::Symbol) {
            worth[id] = evaluateNode(tree, node, worth);
            continue;
        }
        const std::optional<Value> value = lookup ? lookup(tree.name(node)) : std::nullopt;
        if (!value) continue;
        if (const auto* number = std::get_if<std::int64_t>(&*value)) {
            worth[id] = exactInteger(*number);
        } else if (const auto* real = std::get_if<double>(&*value)) {
            worth[id] = Worth::of(*real);
        } else {
            worth[id] = Worth::of(std::get<bool>(*value));
        }
    }
    const Worth& result = worth[tree.root()];
    switch (result.kind) {
        case Worth::Unknown: return std::nullopt;
        case Worth::Truth: return Value(result.truth);
        case Worth::Real: return Value(result.real);
        case Worth::Exact: break;
    }
    if (result.exact.q != 1) return Value(result.asReal());
    if (result.exact.p < std::numeric_limits<std::int64_t>::min() || result.exact.p > std::numeric_limits<std::int64_t>::max()) return std::nullopt;
    return Value(static_cast<std::int64_t>(result.exact.p));
}

std::optional<std::int64_t> SymExpr::solveFor(std::string_view symbol, std::int64_t value) const {
    /// slope * symbol + offset, where both are exact.
    struct Linear {
        bool known = false;
        Rational slope{0, 1}, offset{0, 1};
    };
    const Tree& tree = *tree_;
    std::vector<Linear> forms(tree.nodes.size());
    std::vector<Worth> worth(tree.nodes.size());  // of what has no symbol
    for (std::uint32_t id = 0; id < tree.nodes.size(); ++id) {
        if (tree.dead[id]) continue;
        const ExprNode& node = tree.nodes[id];
        const auto args = tree.argsOf(node);
        Linear& form = forms[id];
        worth[id] = evaluateNode(tree, node, worth);
        if (worth[id].kind == Worth::Exact) {
            form = {true, {0, 1}, worth[id].exact};
        } else if (node.op == ExprOp::Symbol && tree.name(node) == symbol) {
            form = {true, {1, 1}, {0, 1}};
        } else if (node.op == ExprOp::Identity) {
            form = forms[args[0]];
        } else if (node.op == ExprOp::Add) {
            form.known = true;
            for (std::uint32_t arg : args) {
                form.known = form.known && forms[arg].known && addRational(form.slope, forms[arg].slope, form.slope) &&
                             addRational(form.offset, forms[arg].offset, form.offset);
            }
        } else if (node.op == ExprOp::Mul) {
            form = {true, {0, 1}, {1, 1}};
            for (std::uint32_t arg : args) {
                const Linear factor = forms[arg];
                if (!factor.known || (factor.slope.p != 0 && form.slope.p != 0)) {
                    form.known = false;
                    break;
                }
                Rational left, right;
                form.known = multiplyRational(form.slope, factor.offset, left) && multiplyRational(form.offset, factor.slope, right) &&
                             addRational(left, right, form.slope) && multiplyRational(form.offset, factor.offset, form.offset);
                if (!form.known) break;
            }
        } else if (node.op == ExprOp::CleanDiv && forms[args[0]].known && forms[args[1]].known && forms[args[1]].slope.p == 0) {
            Rational inverse;
            const Rational divisor = forms[args[1]].offset;
            form.known = makeRational(divisor.q, divisor.p, inverse) && multiplyRational(forms[args[0]].slope, inverse, form.slope) &&
                         multiplyRational(forms[args[0]].offset, inverse, form.offset);
        }
    }
    const Linear& form = forms[tree.root()];
    if (!form.known || form.slope.p == 0) return std::nullopt;
    Rational inverse, rest, solution;
    if (!addRational({value, 1}, {-form.offset.p, form.offset.q}, rest) || !makeRational(form.slope.q, form.slope.p, inverse) ||
        !multiplyRational(rest, inverse, solution) || solution.q != 1) {
        return std::nullopt;
    }
    if (solution.p < std::numeric_limits<std::int64_t>::min() || solution.p > std::numeric_limits<std::int64_t>::max()) return std::nullopt;
    return static_cast<std::int64_t>(solution.p);
}

}  // namespace pt2
