#include "core/symbol/expression_tree.h"

#include <algorithm>
#include <array>

namespace pt2 {

namespace {

struct OpName {
    std::string_view name;
    ExprOp op;
    bool canonical;  ///< the name the op prints under
};

constexpr std::array kOpNames = {
    OpName{"Add", ExprOp::Add, true},
    OpName{"Mul", ExprOp::Mul, true},
    OpName{"Pow", ExprOp::Pow, true},
    OpName{"Max", ExprOp::Max, true},
    OpName{"Min", ExprOp::Min, true},
    OpName{"StrictLessThan", ExprOp::Less, true},
    OpName{"Lt", ExprOp::Less, false},
    OpName{"LessThan", ExprOp::LessEqual, true},
    OpName{"Le", ExprOp::LessEqual, false},
    OpName{"StrictGreaterThan", ExprOp::Greater, true},
    OpName{"Gt", ExprOp::Greater, false},
    OpName{"GreaterThan", ExprOp::GreaterEqual, true},
    OpName{"Ge", ExprOp::GreaterEqual, false},
    OpName{"Equality", ExprOp::Equal, false},
    OpName{"Eq", ExprOp::Equal, true},
    OpName{"Unequality", ExprOp::NotEqual, false},
    OpName{"Ne", ExprOp::NotEqual, true},
    OpName{"And", ExprOp::And, true},
    OpName{"Or", ExprOp::Or, true},
    OpName{"Not", ExprOp::Not, true},
    OpName{"Identity", ExprOp::Identity, true},
    OpName{"Piecewise", ExprOp::Piecewise, true},
    OpName{"ExprCondPair", ExprOp::ExprCondPair, true},
    OpName{"FloorDiv", ExprOp::FloorDiv, true},
    OpName{"CleanDiv", ExprOp::CleanDiv, true},
    OpName{"Mod", ExprOp::Mod, true},
    OpName{"PythonMod", ExprOp::PythonMod, true},
    OpName{"ModularIndexing", ExprOp::ModularIndexing, true},
    OpName{"Where", ExprOp::Where, true},
    OpName{"CeilToInt", ExprOp::CeilToInt, true},
    OpName{"FloorToInt", ExprOp::FloorToInt, true},
    OpName{"CeilDiv", ExprOp::CeilDiv, true},
    OpName{"LShift", ExprOp::LShift, true},
    OpName{"RShift", ExprOp::RShift, true},
    OpName{"PowByNatural", ExprOp::PowByNatural, true},
    OpName{"FloatPow", ExprOp::FloatPow, true},
    OpName{"FloatTrueDiv", ExprOp::FloatTrueDiv, true},
    OpName{"TrueDiv", ExprOp::FloatTrueDiv, false},
    OpName{"IntTrueDiv", ExprOp::IntTrueDiv, true},
    OpName{"IsNonOverlappingAndDenseIndicator", ExprOp::IsNonOverlappingAndDense, true},
    OpName{"TruncToFloat", ExprOp::TruncToFloat, true},
    OpName{"TruncToInt", ExprOp::TruncToInt, true},
    OpName{"RoundToInt", ExprOp::RoundToInt, true},
    OpName{"RoundDecimal", ExprOp::RoundDecimal, true},
    OpName{"ToFloat", ExprOp::ToFloat, true},
    OpName{"BitwiseFn_bitwise_and", ExprOp::BitwiseAnd, true},
    OpName{"BitwiseFn_bitwise_or", ExprOp::BitwiseOr, true},
    OpName{"BitwiseFn_bitwise_xor", ExprOp::BitwiseXor, true},
};

Int128 gcd128(Int128 a, Int128 b) {
    if (a < 0) a = -a;
    if (b < 0) b = -b;
    while (b != 0) {
        const Int128 r = a % b;
        a = b;
        b = r;
    }
    return a;
}

}  // namespace

ExprOp exprOpFromName(std::string_view name) {
    for (const OpName& entry : kOpNames)
        if (entry.name == name) return entry.op;
    return ExprOp::Function;
}

std::string_view exprOpName(ExprOp op) {
    for (const OpName& entry : kOpNames)
        if (entry.op == op && entry.canonical) return entry.name;
    return {};
}

bool makeRational(Int128 p, Int128 q, Rational& out) {
    // The most negative number has no positive counterpart; it is far outside of what a size can be.
    const Int128 lowest = static_cast<Int128>(static_cast<UInt128>(1) << 127);
    if (q == 0 || p == lowest || q == lowest) return false;
    if (q < 0) {
        p = -p;
        q = -q;
    }
    const Int128 g = gcd128(p, q);
    out = {p / g, q / g};
    return true;
}

bool addRational(Rational a, Rational b, Rational& out) {
    Int128 left = 0, right = 0, sum = 0, q = 0;
    if (__builtin_mul_overflow(a.p, b.q, &left) || __builtin_mul_overflow(b.p, a.q, &right) || __builtin_add_overflow(left, right, &sum) ||
        __builtin_mul_overflow(a.q, b.q, &q)) {
        return false;
    }
    return makeRational(sum, q, out);
}

bool multiplyRational(Rational a, Rational b, Rational& out) {
    Int128 p = 0, q = 0;
    if (__builtin_mul_overflow(a.p, b.p, &p) || __builtin_mul_overflow(a.q, b.q, &q)) return false;
    return makeRational(p, q, out);
}

int compareRational(const Rational& a, const Rational& b) {
    Int128 left = 0, right = 0;
    if (!__builtin_mul_overflow(a.p, b.q, &left) && !__builtin_mul_overflow(b.p, a.q, &right)) {
        return left < right ? -1 : left > right ? 1 : 0;
    }
    const long double x = static_cast<long double>(a.p) / static_cast<long double>(a.q);
    const long double y = static_cast<long double>(b.p) / static_cast<long double>(b.q);
    return x < y ? -1 : x > y ? 1 : 0;
}

std::string printInt128(Int128 value) {
    const bool negative = value < 0;
    UInt128 rest = negative ? -static_cast<UInt128>(value) : static_cast<UInt128>(value);
    std::string digits;
    do {
        digits.push_back(static_cast<char>('0' + static_cast<int>(rest % 10)));
        rest /= 10;
    } while (rest != 0);
    if (negative) digits.push_back('-');
    std::reverse(digits.begin(), digits.end());
    return digits;
}

bool exprOpTakes(ExprOp op, std::size_t count) {
    switch (op) {
        case ExprOp::Not:
        case ExprOp::Identity:
        case ExprOp::CeilToInt:
        case ExprOp::FloorToInt:
        case ExprOp::TruncToFloat:
        case ExprOp::TruncToInt:
        case ExprOp::RoundToInt:
        case ExprOp::ToFloat: return count == 1;
        case ExprOp::Pow:
        case ExprOp::Less:
        case ExprOp::LessEqual:
        case ExprOp::Greater:
        case ExprOp::GreaterEqual:
        case ExprOp::Equal:
        case ExprOp::NotEqual:
        case ExprOp::ExprCondPair:
        case ExprOp::FloorDiv:
        case ExprOp::CleanDiv:
        case ExprOp::Mod:
        case ExprOp::PythonMod:
        case ExprOp::CeilDiv:
        case ExprOp::LShift:
        case ExprOp::RShift:
        case ExprOp::PowByNatural:
        case ExprOp::FloatPow:
        case ExprOp::FloatTrueDiv:
        case ExprOp::IntTrueDiv:
        case ExprOp::RoundDecimal: return count == 2;
        case ExprOp::Where:
        case ExprOp::ModularIndexing: return count == 3;
        case ExprOp::Function: return true;
        default: return count >= 1;
    }
}

}  // namespace pt2
