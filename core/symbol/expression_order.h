#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/symbol/expression_tree.h"

namespace pt2 {

/// The numeric factor of a product: exact, or a double once a Float is among the factors.
struct Coefficient {
    bool isReal = false;
    Rational exact{1, 1};
    double real = 1;
    bool negative() const { return isReal ? std::signbit(real) : exact.p < 0; }
    double approximate() const { return isReal ? real : static_cast<double>(exact.p) / static_cast<double>(exact.q); }
};

/// Canonical order of terms, factors and arguments (format.md 2.8, "Sort key"), made once for a whole tree.
class ExpressionOrder {
public:
    explicit ExpressionOrder(const SymExpr::Tree& tree);

    /// The ordered terms, factors without numbers, or arguments.
    std::span<const std::uint32_t> of(std::uint32_t id) const;
    const Coefficient& coefficient(std::uint32_t product) const { return coefficient_[product]; }
    static Coefficient numberOf(const ExprNode& n);

private:
    static constexpr std::uint32_t kOne = 0xFFFFFFFF;  ///< stands for the exponent 1 of what is no power

    struct View {
        std::uint32_t base = kOne;  ///< kOne: a number, whose value is the coefficient
        std::uint32_t exponent = kOne;
        Coefficient coefficient;
    };

    void store(std::uint32_t id, const std::vector<std::uint32_t>& order);
    std::vector<std::uint32_t> sorted(std::vector<std::uint32_t> ids) const;
    void orderProduct(std::uint32_t id);
    void orderSum(std::uint32_t id);
    std::pair<std::uint32_t, double> basePower(std::uint32_t factor) const;
    View viewOf(std::uint32_t id) const;
    std::string_view nameOf(const ExprNode& node) const;
    int compare(std::uint32_t first, std::uint32_t second) const;

    const SymExpr::Tree& tree_;
    std::vector<std::uint32_t> begin_, end_, pool_;
    std::vector<Coefficient> coefficient_;
};

}  // namespace pt2
