#pragma once

#include <QColor>
#include <QFont>
#include <QStaticText>
#include <memory>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "views/graph/graph_scene.h"
#include "views/graph/graph_texts.h"

class QPainter;

namespace pt2::views {

/// How much a node shows; follows the height of a text line on screen (look.md 16).
enum class DetailLevel { Map, Shape, Name, Facts };
DetailLevel detailLevel(double scale);

/// What the painter is told besides the scene.
struct GraphPaintState {
    GraphItem selection, hover;
    std::unordered_set<NodeId> hits;                                ///< of the find field
    std::unordered_map<std::uint32_t, std::uint32_t> hitsInGroups;  ///< closed group → hits inside it
    NodeId currentHit = kNone;
    int mutedBut = -1;  ///< operator family that stays at full strength; -1: all do
    std::uint32_t hoverEdge = kNone;
    std::uint32_t lastEdge = kNone;  ///< the edge last followed keeps its type on a chip
    bool old = false;                ///< a newer layout is being made: drawn weaker
};

/// Paints a scene with a painter in device pixels. Texts are laid out once and kept; call `forget` when the scene or the theme changes.
class GraphPainter {
public:
    void forget();
    /// `region` is the part of the scene to paint, `offset` the scene point at the painter's origin.
    void paint(QPainter& painter, const GraphScene& scene, const GraphPaintState& state, const QRectF& region, QPointF offset, double scale);

private:
    void paintGroups(QPainter& painter);
    void paintTitles(QPainter& painter);
    void paintGroupTitle(QPainter& painter, std::uint32_t group, double y);
    void paintClosedGroup(QPainter& painter, std::uint32_t group);
    void paintPinnedTitles(QPainter& painter);
    void paintEdges(QPainter& painter, bool related);
    void paintEdge(QPainter& painter, const LayoutEdge& edge, const QColor& colour, double width, bool head);
    void paintEdgeChip(QPainter& painter, const LayoutEdge& edge);
    void paintFilledBoxes(QPainter& painter);
    void paintBox(QPainter& painter, std::uint32_t box);
    void paintPill(QPainter& painter, std::uint32_t box);
    void paintRow(QPainter& painter, std::uint32_t box, std::uint32_t row);
    void paintRings(QPainter& painter);
    void collectRelated();
    bool isMuted(NodeId node) const;
    QColor groupGround(std::uint32_t depth) const;

    GraphTexts texts_;
    const GraphScene* known_ = nullptr;
    int generation_ = -1;
    // of the paint in progress
    const GraphScene* scene_ = nullptr;
    const GraphPaintState* state_ = nullptr;
    QRectF region_;
    QPointF offset_;
    double scale_ = 1;
    DetailLevel level_ = DetailLevel::Facts;
    std::vector<std::uint32_t> boxes_, visibleGroups_, edges_;
    std::vector<std::uint32_t> relatedEdges_;
    std::set<std::uint32_t> relatedEnds_;
};

}  // namespace pt2::views
