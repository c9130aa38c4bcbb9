#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/result.h"

namespace pt2 {

/// A symbolic expression as torch writes it: sympy srepr (torch 2.6+: "Add(Symbol('s0', ...), Integer(1))") or plain infix
/// (2.1 to 2.5: "2*s0 + 1"). The closed list of functions is in format.md 2.4. Parsing is iterative with caps on depth and size; what is
/// not understood is an error of the parser, and the caller keeps the text. Immutable, cheap to copy, thread-safe.
class SymExpr {
public:
    /// A value an expression evaluates to: checked 128-bit integers (kept here in 64 after the check), doubles, booleans.
    using Value = std::variant<std::int64_t, double, bool>;
    using Lookup = std::function<std::optional<Value>(std::string_view symbol)>;

    static Result<SymExpr> parse(std::string_view text);
    static SymExpr integer(std::int64_t value);

    /// As torch 2.13 prints it ("2*s0 + 1", "Max(7, 2*s44)"): format.md 2.8 "Expressions".
    const std::string& print() const;
    /// Every subexpression printed, itself included, once each, the inside of relations left out (range keys are matched against these,
    /// format.md 2.8 "Ranges").
    std::vector<std::string> printedSubexpressions() const;
    /// Names of symbols, in order of first appearance.
    std::vector<std::string> symbols() const;
    /// The symbol's name if the expression is one bare symbol.
    std::optional<std::string> asSymbol() const;
    std::optional<std::int64_t> asInteger() const;
    /// A number or a truth value that is written as such.
    bool isConstant() const;
    /// With Python's // and %; nullopt when a symbol is unknown, a function is not understood, or a value overflows.
    std::optional<Value> evaluate(const Lookup& lookup) const;
    /// The value of `symbol` for which the expression equals `value`, when it is linear in that one symbol and has an integer solution.
    std::optional<std::int64_t> solveFor(std::string_view symbol, std::int64_t value) const;

    struct Tree;  ///< core/symbol/expression_tree.h, for this folder only

private:
    std::shared_ptr<const Tree> tree_;
};

/// Range of a symbol; nullopt means unbounded on that side.
struct SymRange {
    std::optional<std::int64_t> minimum, maximum;
    bool operator==(const SymRange&) const = default;
};

}  // namespace pt2
