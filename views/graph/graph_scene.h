#pragma once

#include <QPointF>
#include <QRectF>
#include <QString>
#include <array>
#include <memory>
#include <vector>

#include "core/layout/layout.h"
#include "core/program/operator_family.h"
#include "views/graph/grid_index.h"

namespace pt2::views {

/// Something on the canvas that can be selected.
struct GraphItem {
    enum class Kind { None, Node, Value, Group };
    Kind kind = Kind::None;
    std::uint32_t id = kNone;  ///< NodeId, ValueId
    std::string path;          ///< Group
    bool operator==(const GraphItem&) const = default;
    explicit operator bool() const { return kind != Kind::None; }
    static GraphItem node(NodeId id) { return {Kind::Node, id, {}}; }
    static GraphItem value(ValueId id) { return {Kind::Value, id, {}}; }
    static GraphItem group(std::string path) { return {Kind::Group, kNone, std::move(path)}; }
};

/// One layout with what painting and pointing need: spatial indices, operator families, edges by end. Immutable; made on a pool thread.
class GraphScene {
public:
    GraphScene(std::shared_ptr<const Program> program, std::shared_ptr<const GraphHierarchy> hierarchy, GraphLayout layout);

    const Program& program() const { return *program_; }
    const GraphHierarchy& hierarchy() const { return *hierarchy_; }
    std::shared_ptr<const GraphHierarchy> hierarchyPointer() const { return hierarchy_; }
    const GraphLayout& layout() const { return layout_; }
    QRectF bounds() const { return {0, 0, layout_.width, layout_.height}; }
    OperatorFamily family(NodeId node) const { return families_[node]; }
    /// Nodes of each family in the graph, subgraphs included.
    const std::array<int, kOperatorFamilyCount>& familyCounts() const { return counts_; }

    struct Hit {
        enum class Kind { None, Row, Pill, ClosedGroup, Title, Toggle, Chip, Edge };
        Kind kind = Kind::None;
        std::uint32_t index = kNone;  ///< box, group or edge
        std::uint32_t row = 0;
        ValueId weight = kNone;  ///< Chip
    };
    /// What is under a point; `tolerance` in scene units widens lines.
    Hit hit(QPointF point, double tolerance) const;
    GraphItem itemOf(const Hit& hit) const;

    void boxesIn(const QRectF& region, std::vector<std::uint32_t>& found) const { boxIndex_.query(region, found); }
    void groupsIn(const QRectF& region, std::vector<std::uint32_t>& found) const { groupIndex_.query(region, found); }
    void edgesIn(const QRectF& region, std::vector<std::uint32_t>& found) const;

    static QRectF rect(const LayoutBox& box) { return {box.x, box.y, box.width, box.height}; }
    static QRectF rect(const LayoutGroup& group) { return {group.x, group.y, group.width, group.height}; }
    QRectF rowRect(const LayoutBox& box, std::uint32_t row) const;
    /// Where an item is drawn; the group that hides it when it is not on show; empty for unknown ones.
    QRectF rectOf(const GraphItem& item) const;
    /// End (box or group) and row of an item; kNone when it is not on show.
    std::uint32_t endOf(const GraphItem& item) const;
    std::uint32_t rowOf(const GraphItem& item) const;
    std::uint32_t groupIndex(const std::string& path) const;

    /// Edges whose lines start or end at the item itself.
    std::vector<std::uint32_t> edgesOf(const GraphItem& item) const;
    /// Neighbours along edges: producers (up), readers (down).
    std::vector<GraphItem> producers(const GraphItem& item) const;
    std::vector<GraphItem> readers(const GraphItem& item) const;
    GraphItem itemAt(std::uint32_t end, std::uint32_t row) const;

private:
    std::shared_ptr<const Program> program_;
    std::shared_ptr<const GraphHierarchy> hierarchy_;
    GraphLayout layout_;
    std::vector<OperatorFamily> families_;
    std::array<int, kOperatorFamilyCount> counts_{};
    GridIndex boxIndex_, groupIndex_, segmentIndex_;
    std::vector<std::uint32_t> segmentEdge_;
    std::vector<std::vector<std::uint32_t>> edgesOfBox_, edgesOfGroup_;
};

}  // namespace pt2::views
