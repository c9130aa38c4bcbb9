#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/program/program.h"

namespace pt2 {

/// Boxes, groups and polylines of a program's graph: a pure function of graph, open set and options (design.md 8). Logical pixels, y down; x, y is
/// the top left corner, absolute.
struct LayoutRow {
    NodeId node = kNone;
    float y = 0, height = 26;  ///< y within the box
};
struct LayoutBox {
    enum class Kind : std::uint8_t { Nodes, Input, Output };
    Kind kind = Kind::Nodes;
    float x = 0, y = 0, width = 0, height = 0;
    std::uint32_t group = 0;       ///< index into groups
    std::vector<LayoutRow> rows;   ///< Nodes: one or more (joined chains)
    ValueId value = kNone;         ///< Input
    std::vector<ValueId> weights;  ///< parameters and constants shown as chips in the box
};
struct LayoutGroup {
    std::string path;   ///< module path, "" for the root; "graph:true_graph_0" for a subgraph
    std::string title;  ///< "attn", "0 … 1"
    std::string type;   ///< class name, last part
    bool open = false;
    std::uint32_t parent = 0;  ///< itself for the root
    std::uint32_t depth = 0;
    std::uint32_t nodeCount = 0;  ///< with everything below
    std::uint32_t repeat = 1;     ///< identical neighbours folded into this one
    float x = 0, y = 0, width = 0, height = 0;
};
struct LayoutEdge {
    std::uint32_t from = 0, to = 0;  ///< ends: box index, or kGroupEnd | group index for closed groups
    ValueId value = kNone;
    std::vector<std::pair<float, float>> points;
};
inline constexpr std::uint32_t kGroupEnd = 0x80000000;

struct LayoutOptions {
    bool joinChains = true;
    bool foldRepeats = true;
    bool flat = false;
    std::set<std::string> open;  ///< paths of open groups; the root is always open
    bool openAll = false;
};
struct GraphLayout {
    std::vector<LayoutBox> boxes;
    std::vector<LayoutGroup> groups;  ///< [0] is the root
    std::vector<LayoutEdge> edges;
    float width = 0, height = 0;
    double milliseconds = 0;
};
GraphLayout layoutGraph(const Program& program, GraphId graph, const LayoutOptions& options, const CancelToken& cancel = {});
/// Paths of all module groups of a graph down to `depth` (1: the top level), for the Depth switch.
std::set<std::string> modulePathsToDepth(const Program& program, GraphId graph, int depth);

}  // namespace pt2
