#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace pt2 {

/// Strongly connected components (Tarjan 1972, without recursion). `edges` sorted by their first end. For every vertex the number of its component if
/// others are in it too, else kNone (0xFFFFFFFF).
std::vector<std::uint32_t> strongComponents(std::uint32_t vertices, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges);

}  // namespace pt2
