#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "core/contract/contract.h"

namespace pt2 {

/// What a check of inputs against this contract looks at, and what it cannot look at because nothing says it (users.md A26).
struct ContractCoverage {
    std::vector<std::string> checked;     ///< phrases: "the number of inputs", "type, shape and strides of \"x\""
    std::vector<std::string> notChecked;  ///< sentences; empty: all that a contract can hold is known
    bool complete() const { return notChecked.empty(); }
};
ContractCoverage contractCoverage(const Contract& contract);

/// An empty list of outputs is said to be none only where their number is known.
inline bool outputsKnown(const Contract& contract) { return contract.inputsKnown || !contract.outputs.empty(); }
/// Every size of every tensor is a number or a named one; false: that there are no dynamic sizes may not be said.
bool sizesKnown(const Contract& contract);
/// Sizes that are made of a symbol ("2*s44"): (index of the ContractInput, dimension). For symbols that stand nowhere alone.
std::vector<std::pair<std::size_t, std::size_t>> placesWithin(const Contract& contract, const ContractSymbol& symbol);
/// A range of what the generated code tests: a side that it does not test is "not checked", which is not the same as having no limit (users.md A25).
std::string testedRangeText(const SymRange& range);

}  // namespace pt2
