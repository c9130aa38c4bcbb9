#pragma once

#include <vector>

#include "core/layout/graph_hierarchy.h"

namespace pt2 {

/// Joined chains (look.md 16): runs of nodes, each the only reader of the one before, in one box. A chain breaks at a group's edge (only the nodes
/// given are considered), before a product (matrix product, convolution, attention) and at operators with subgraphs. Every node is in exactly one
/// chain; chains are in order of their first nodes. `join` false: one node each.
std::vector<std::vector<NodeId>> joinChains(const GraphHierarchy& hierarchy, const std::vector<NodeId>& nodes, bool join);

/// Symbolic numbers are drawn as tunnels and count for no chain.
inline bool isSymbolic(const Value& value) {
    return value.kind == ValueKind::SymInt || value.kind == ValueKind::SymFloat || value.kind == ValueKind::SymBool;
}

}  // namespace pt2
