#pragma once

#include <memory>
#include <unordered_set>
#include <vector>

#include "core/tensor/pickle.h"

namespace pt2 {

using PickleNodePtr = std::shared_ptr<PickleNode>;

/// Turns a finished graph of nodes into one that can be walked: back edges become Reference nodes, and depth and expanded size are bounded.
/// `reached` gets every node below the root.
Status makeWalkable(const PickleNodePtr& root, std::unordered_set<const PickleNode*>& reached);
/// What a call of a known callee means: a Dict for OrderedDict, a Tensor for the rebuild functions, ...; else a Call. `arguments` are the elements of
/// the argument tuple.
PickleNodePtr interpretCall(const PickleNodePtr& callee, std::vector<PickleNodePtr> arguments);

}  // namespace pt2
