#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/contract/contract.h"

namespace pt2 {

using SymbolValues = std::map<std::string, std::int64_t, std::less<>>;

/// The number a dimension or stride stands for; nullopt when a symbol is not known or the expression is not understood.
std::optional<std::int64_t> evaluateDim(const ContractDim& dim, const SymbolValues& symbols);

/// Whether a size of the input is made of one of these symbols.
bool dependsOn(const ContractInput& input, const std::vector<std::string>& symbols);

/// Strides that the contract asks for at these sizes; nullopt for a dimension where nothing says.
std::vector<std::optional<std::int64_t>> expectedStrides(const ContractInput& input, const std::vector<std::int64_t>& sizes,
                                                         const SymbolValues& symbols);

/// Strides to lay a new tensor out with: the expected ones where they leave no two elements on one place (or the contract itself wants that, with
/// stride 0), else dense ones in the same order of dimensions; row-major where nothing says.
std::vector<std::int64_t> wantedStrides(const ContractInput& input, const std::vector<std::int64_t>& sizes, const SymbolValues& symbols);

}  // namespace pt2
