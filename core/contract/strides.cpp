#include "core/contract/strides.h"

#include <algorithm>
#include <numeric>

#include "core/tensor/tensor.h"

namespace pt2 {
namespace {

/// Whether each element has a place of its own. Overlap is only seen in dense-like layouts, which is what torch makes.
bool apart(const std::vector<std::int64_t>& sizes, const std::vector<std::int64_t>& strides) {
    std::vector<std::size_t> order;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
        if (sizes[d] > 1) order.push_back(d);
    }
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return strides[a] < strides[b]; });
    std::int64_t reach = 0;  // distance from the first to the last element of the dimensions so far
    for (const std::size_t d : order) {
        if (strides[d] <= reach) return false;
        std::int64_t more = 0;
        if (__builtin_mul_overflow(sizes[d] - 1, strides[d], &more) || __builtin_add_overflow(reach, more, &reach)) return false;
    }
    return true;
}

}  // namespace

std::optional<std::int64_t> evaluateDim(const ContractDim& dim, const SymbolValues& symbols) {
    if (dim.fixed) return dim.fixed;
    if (!dim.expression) return std::nullopt;
    const auto value = dim.expression->evaluate([&](std::string_view name) -> std::optional<SymExpr::Value> {
        const auto found = symbols.find(name);
        return found == symbols.end() ? std::nullopt : std::optional<SymExpr::Value>(found->second);
    });
    if (!value || !std::holds_alternative<std::int64_t>(*value)) return std::nullopt;
    return std::get<std::int64_t>(*value);
}

bool dependsOn(const ContractInput& input, const std::vector<std::string>& symbols) {
    return std::any_of(input.sizes.begin(), input.sizes.end(), [&](const ContractDim& size) {
        if (size.fixed || !size.expression) return false;
        const std::vector<std::string> names = size.expression->symbols();
        return std::any_of(names.begin(), names.end(),
                           [&](const std::string& name) { return std::find(symbols.begin(), symbols.end(), name) != symbols.end(); });
    });
}

std::vector<std::optional<std::int64_t>> expectedStrides(const ContractInput& input, const std::vector<std::int64_t>& sizes,
                                                         const SymbolValues& symbols) {
    std::vector<std::optional<std::int64_t>> strides(sizes.size());
    if (!input.strides || input.strides->size() != sizes.size()) return strides;
    SymbolValues local = symbols;  // the sizes of this very tensor decide over its own strides
    for (std::size_t d = 0; d < sizes.size() && d < input.sizes.size(); ++d) {
        const std::optional<SymExpr>& expression = input.sizes[d].expression;
        if (!input.sizes[d].fixed && expression && expression->asSymbol()) local[*expression->asSymbol()] = sizes[d];
    }
    for (std::size_t d = 0; d < sizes.size(); ++d) strides[d] = evaluateDim((*input.strides)[d], local);
    return strides;
}

std::vector<std::int64_t> wantedStrides(const ContractInput& input, const std::vector<std::int64_t>& sizes, const SymbolValues& symbols) {
    const std::vector<std::int64_t> rowMajor = contiguousStrides(sizes);
    const std::vector<std::optional<std::int64_t>> expected = expectedStrides(input, sizes, symbols);
    if (std::any_of(expected.begin(), expected.end(), [](const auto& stride) { return !stride || *stride < 0; })) return rowMajor;
    std::vector<std::int64_t> wanted;
    for (const auto& stride : expected) wanted.push_back(*stride);
    const bool expanded = std::any_of(wanted.begin(), wanted.end(), [](std::int64_t stride) { return stride == 0; });
    if (expanded || apart(sizes, wanted)) return wanted;
    std::vector<std::size_t> order(sizes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return wanted[a] > wanted[b]; });
    std::int64_t next = 1;
    for (std::size_t k = order.size(); k-- > 0;) {
        wanted[order[k]] = next;
        if (__builtin_mul_overflow(next, std::max<std::int64_t>(sizes[order[k]], 1), &next)) return rowMajor;
    }
    return wanted;
}

}  // namespace pt2
