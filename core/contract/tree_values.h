#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/contract/contract.h"
#include "core/tensor/pickle.h"

namespace pt2 {

/// Leaves of a tree read from a pickle, in pytree order: by the keys of the contract's in_spec where the tree fits it, else as they stand
/// (tuples, lists and dicts are opened). A set is (args, kwargs), an args tuple, a dict by the arguments' names, or one tensor.
/// Usage error when the number of leaves is not that of the contract's inputs.
Result<std::vector<const PickleNode*>> flattenInputs(const Contract& contract, const PickleNode& root);

/// Leaves as they stand: tuples, lists and dicts are opened.
std::vector<const PickleNode*> flattenLeaves(const PickleNode& root);

/// JSON literal of a leaf that is no tensor.
std::string literalOf(const PickleNode& leaf);

}  // namespace pt2
