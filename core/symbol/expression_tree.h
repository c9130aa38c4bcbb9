#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/symbol/expression.h"

namespace pt2 {

/// What a node of an expression is (format.md 2.4). The order is that of the table in expression_tree.cpp.
enum class ExprOp : std::uint8_t {
    Symbol,
    Number,  ///< a rational number; q is 1 for an integer
    Float,
    Boolean,
    Infinity,  ///< oo, int_oo, zoo: printed as written, without a value
    Add,
    Mul,
    Pow,
    Max,
    Min,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    And,
    Or,
    Not,
    Identity,
    Piecewise,
    ExprCondPair,
    FloorDiv,
    CleanDiv,
    Mod,
    PythonMod,
    ModularIndexing,
    Where,
    CeilToInt,
    FloorToInt,
    CeilDiv,
    LShift,
    RShift,
    PowByNatural,
    FloatPow,
    FloatTrueDiv,
    IntTrueDiv,
    IsNonOverlappingAndDense,
    TruncToFloat,
    TruncToInt,
    RoundToInt,
    RoundDecimal,
    ToFloat,
    BitwiseAnd,
    BitwiseOr,
    BitwiseXor,
    Function,  ///< any other name: OpaqueUnaryFn_sqrt, floor, ...
};

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 UInt128;

/// A rational number in lowest terms with a positive denominator.
struct Rational {
    Int128 p = 0, q = 1;
};
/// Checked arithmetic: false on overflow (or a zero denominator), and `out` is then unspecified.
bool addRational(Rational a, Rational b, Rational& out);
bool multiplyRational(Rational a, Rational b, Rational& out);
bool makeRational(Int128 p, Int128 q, Rational& out);
int compareRational(const Rational& a, const Rational& b);
std::string printInt128(Int128 value);

struct ExprNode {
    ExprOp op = ExprOp::Number;
    bool value = false;                        ///< Boolean
    std::uint32_t argBegin = 0, argEnd = 0;    ///< into ExprTree::args
    std::uint32_t nameBegin = 0, nameEnd = 0;  ///< into ExprTree::names
    std::uint32_t depth = 1;
    Rational number;
    double real = 0;
};

/// Children stand before their parents, so every pass over an expression is a loop and never recursion. The root is the last node. Sums in
/// sums and products in products are flattened; what they absorbed stays in the array, marked dead.
struct SymExpr::Tree {
    std::vector<ExprNode> nodes;
    std::vector<std::uint32_t> args;
    std::string names;
    std::vector<bool> dead;
    std::string printed;

    std::uint32_t root() const { return static_cast<std::uint32_t>(nodes.size() - 1); }
    std::string_view name(const ExprNode& n) const { return std::string_view(names).substr(n.nameBegin, n.nameEnd - n.nameBegin); }
    std::span<const std::uint32_t> argsOf(const ExprNode& n) const { return std::span(args).subspan(n.argBegin, n.argEnd - n.argBegin); }
    std::span<const std::uint32_t> argsOf(std::uint32_t n) const { return argsOf(nodes[n]); }
};

inline constexpr std::uint32_t kExpressionDepthLimit = 10'000;
inline constexpr std::size_t kExpressionTextLimit = std::size_t{1} << 18;  ///< bytes

/// The op a function name stands for; Function for a name that is not in the table.
ExprOp exprOpFromName(std::string_view name);
/// The name an op prints under as a function; empty where it prints otherwise or has a name of its own.
std::string_view exprOpName(ExprOp op);
/// Whether a function of this op may have so many arguments.
bool exprOpTakes(ExprOp op, std::size_t count);

/// Prints every node of `wanted` (all to one text each). Canonical orders are computed once.
std::vector<std::string> printNodes(const SymExpr::Tree& tree, const std::vector<std::uint32_t>& wanted, std::size_t limit);

}  // namespace pt2
