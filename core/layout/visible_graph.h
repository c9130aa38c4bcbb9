#pragma once

#include <unordered_map>

#include "core/layout/layered.h"
#include "core/layout/layout.h"

namespace pt2 {

/// What of a hierarchy is on show with some options: boxes with sizes, open and closed groups, and edges between visible ends; no positions yet.
/// Every open group has a layered graph of its own: its items are vertices, values that cross its border have Entry and Exit vertices, and an edge of
/// the layout is a path of layered edges, from inside the group of its source up to the common ancestor and down to its target.
class VisibleGraph {
public:
    VisibleGraph(const GraphHierarchy& hierarchy, const LayoutOptions& options, const CancelToken& cancel);

    struct OpenGroup {
        LayeredGraph drawing;
        std::vector<std::uint32_t> vertexEnd;  ///< by vertex: the box or kGroupEnd | group it stands for, kNone for entries and exits
        std::unordered_map<ValueId, std::uint32_t> entries, exits, nets;
        struct Attachment {
            std::uint32_t fromGroup = kNone, fromVertex = kNone, toGroup = kNone,
                          toVertex = kNone;  ///< Exit or Entry of an open group it is attached to
        };
        std::vector<Attachment> attachments;                          ///< by edge of the drawing
        std::unordered_map<std::uint64_t, std::uint32_t> knownEdges;  ///< value and target vertex (rows apart) → edge
    };
    struct Step {
        std::uint32_t group = 0, edge = 0;
    };

    GraphLayout layout;
    std::vector<OpenGroup> open;           ///< by layout group; empty for closed ones
    std::vector<std::vector<Step>> steps;  ///< by layout edge; empty for tunnels

private:
    void decideOpen();
    void addGroups();
    void addContents(std::uint32_t layoutGroup);
    void addNodes(std::uint32_t layoutGroup, const std::vector<NodeId>& nodes);
    void addPills(std::uint32_t layoutGroup, GraphId graph);
    std::uint32_t addGroup(std::uint32_t hierarchyGroup, std::uint32_t parent, bool isOpen);
    void addVertex(std::uint32_t layoutGroup, std::uint32_t end, float width, float height, LayeredVertex::Pin pin = LayeredVertex::Pin::None);
    void sizeBox(LayoutBox& box);
    void showBelow(std::uint32_t hierarchyGroup, std::uint32_t end);
    bool opensByDefault(std::uint32_t hierarchyGroup) const;
    std::vector<std::vector<std::uint32_t>> foldRuns(const std::vector<HierarchyItem>& items) const;
    void addEdges(GraphId graph);
    void connect(ValueId value, std::uint32_t from, std::uint32_t to, std::uint32_t row, bool tunnel);
    std::uint32_t parentOf(std::uint32_t end) const;
    std::uint32_t vertexOf(std::uint32_t end) const;
    std::uint32_t addStep(std::uint32_t group, ValueId value, std::uint32_t fromVertex, std::uint32_t toVertex,
                          const OpenGroup::Attachment& attachment, std::uint32_t row, float sideY);
    std::uint32_t borderVertex(std::uint32_t group, ValueId value, bool entry);

    const GraphHierarchy& hierarchy_;
    const Program& program_;
    const LayoutOptions& options_;
    CancelToken cancel_;
    std::vector<std::uint8_t> askedOpen_, askedClosed_;  // by hierarchy group
    std::vector<std::uint32_t> boxVertex_, groupVertex_;
    std::unordered_map<ValueId, std::uint32_t> inputBox_;
    std::unordered_multimap<ValueId, std::uint32_t> outputBox_;
    std::vector<GraphId> shownGraphs_;
};

}  // namespace pt2
