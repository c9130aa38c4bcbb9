#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/progress.h"
#include "core/layout/graph_hierarchy.h"
#include "core/program/program.h"

namespace pt2 {

// Boxes, groups and polylines of a program's graph: a pure function of graph, open set and options (design.md 8). Logical pixels, y down; x, y is
// the top left corner, absolute. Text widths come from a table, so the result is the same on every machine.

/// One node in a box. Joined chains have several rows.
struct LayoutRow {
    NodeId node = kNone;
    float y = 0, height = 26;      ///< y within the box
    std::vector<ValueId> weights;  ///< parameters, buffers and constants shown as chips in a second line
};

struct LayoutBox {
    enum class Kind : std::uint8_t { Nodes, Input, Output };
    Kind kind = Kind::Nodes;
    float x = 0, y = 0, width = 0, height = 0;
    std::uint32_t group = 0;      ///< index into groups
    std::vector<LayoutRow> rows;  ///< Nodes: one or more
    ValueId value = kNone;        ///< Input, Output
    std::uint32_t index = kNone;  ///< Input, Output: position among the graph's inputs or outputs
    std::string opens;            ///< Nodes: path of the group that opening this box shows (an operator with subgraphs), else empty
};

struct LayoutGroup {
    GroupKind kind = GroupKind::Module;
    std::string path;   ///< key for LayoutOptions: module path, "" for the root, "graph:true_graph_0" for a subgraph
    std::string title;  ///< "attn", "0 … 1"
    std::string type;   ///< class name, last part
    bool open = false;
    std::uint32_t parent = 0;  ///< itself for the root
    std::uint32_t depth = 0;
    std::uint32_t nodeCount = 0;       ///< with everything below
    std::uint64_t parameters = 0;      ///< elements of the parameters read below
    std::uint64_t weightBytes = 0;     ///< of parameters, buffers and constants read below
    std::uint32_t repeat = 1;          ///< identical neighbours folded into this one; the numbers above are those of one
    std::vector<std::string> members;  ///< paths of the folded groups when repeat > 1
    NodeId node = kNone;               ///< the operator an open Control group stands for
    std::uint32_t hierarchyGroup = 0;  ///< index into GraphHierarchy::groups(); of the first member for a series
    float x = 0, y = 0, width = 0, height = 0;
};

/// A line from the end that makes a value to one that reads it; one per value, reading end and reading row.
struct LayoutEdge {
    std::uint32_t from = 0, to = 0;  ///< ends: box index, or kGroupEnd | group index for closed groups and open Control groups
    ValueId value = kNone;
    std::uint32_t toRow = 0;                      ///< row of the box `to`
    bool tunnel = false;                          ///< not routed: symbolic numbers and values with many readers. No points
    std::vector<std::pair<float, float>> points;  ///< orthogonal, at least two
};
inline constexpr std::uint32_t kGroupEnd = 0x80000000;

struct LayoutOptions {
    bool joinChains = true;
    bool foldRepeats = true;
    bool flat = false;
    int depth = 0;                 ///< groups down to this level are open unless `closed` names them; wrappers of one group do not count
    std::set<std::string> open;    ///< paths of groups open whatever the depth, their ancestors with them; the root is always open
    std::set<std::string> closed;  ///< paths of groups closed whatever the depth
    bool openAll = false;          ///< as a depth without end
};

struct GraphLayout {
    std::vector<LayoutBox> boxes;
    std::vector<LayoutGroup> groups;  ///< [0] is the root; a parent comes before its children
    std::vector<LayoutEdge> edges;
    std::vector<std::uint32_t> endOfNode;  ///< by NodeId: the box or kGroupEnd | group that shows it; kNone for nodes of other graphs
    std::vector<std::uint32_t> rowOfNode;  ///< by NodeId: row in that box
    float width = 0, height = 0;
    std::uint32_t ranks = 0;  ///< layers of the root group
    double milliseconds = 0;
    bool cancelled = false;  ///< the token was set: the rest is not complete
};

/// Sizes of the drawing in logical pixels (look.md 5, "Canvas grid"; 16).
struct LayoutMetrics {
    static constexpr float kLayerGap = 28, kGroupPadding = 16, kTitleHeight = 28;
    static constexpr float kRowHeight = 26, kChipLine = 24, kPillHeight = 26, kClosedHeight = 32, kSeriesHeight = 48;
    static constexpr float kBoxMinWidth = 200, kBoxMaxWidth = 320;
};

GraphLayout layoutGraph(const Program& program, GraphId graph, const LayoutOptions& options, const CancelToken& cancel = {});
/// The same with a hierarchy built before: what a window uses, as it does not change while groups open and close.
GraphLayout layoutGraph(const GraphHierarchy& hierarchy, const LayoutOptions& options, const CancelToken& cancel = {});

}  // namespace pt2
