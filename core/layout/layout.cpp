#include "core/layout/layout.h"

#include <algorithm>
#include <chrono>

#include "core/layout/text_widths.h"
#include "core/layout/visible_graph.h"

namespace pt2 {
namespace {

using M = LayoutMetrics;

float titleWidth(const LayoutGroup& group) {
    return 34 + textWidth(group.title, TextFace::SemiBold, 13) + 12 +
           textWidth(group.type + " · 99,999 nodes · 9.99 M params", TextFace::Regular, 11) + 12;
}

/// Lays the open groups out from the innermost outwards, each with the sizes and ports of its children known.
void drawGroups(VisibleGraph& visible, const CancelToken& cancel) {
    auto& groups = visible.layout.groups;
    for (std::size_t g = groups.size(); g-- > 0 && !cancel.requested();) {
        if (!groups[g].open) continue;
        VisibleGraph::OpenGroup& group = visible.open[g];
        LayeredGraph& drawing = group.drawing;
        drawing.titleHeight = g == 0 ? 0 : M::kTitleHeight;
        drawing.padding = g == 0 ? 24 : M::kGroupPadding;
        drawing.minWidth = g == 0 ? 0 : std::min(titleWidth(groups[g]), 480.0F);
        for (std::uint32_t v = 0; v < group.vertexEnd.size(); ++v) {
            const std::uint32_t end = group.vertexEnd[v];
            if (end == kNone || (end & kGroupEnd) == 0 || !groups[end & ~kGroupEnd].open) continue;
            drawing.vertices[v].width = visible.open[end & ~kGroupEnd].drawing.width;
            drawing.vertices[v].height = visible.open[end & ~kGroupEnd].drawing.height;
        }
        for (std::size_t e = 0; e < drawing.edges.size(); ++e) {
            const auto& attachment = group.attachments[e];
            if (attachment.fromGroup != kNone)
                drawing.edges[e].fromPort = visible.open[attachment.fromGroup].drawing.vertices[attachment.fromVertex].x;
            if (attachment.toGroup != kNone) drawing.edges[e].toPort = visible.open[attachment.toGroup].drawing.vertices[attachment.toVertex].x;
        }
        layoutLayered(drawing, cancel);
    }
}

/// Absolute positions, from the root inwards, and the lines of edges joined from their steps.
void placeAll(VisibleGraph& visible) {
    GraphLayout& layout = visible.layout;
    layout.width = visible.open[0].drawing.width;
    layout.height = visible.open[0].drawing.height;
    layout.ranks = visible.open[0].drawing.rankCount;
    layout.groups[0].width = layout.width;
    layout.groups[0].height = layout.height;
    for (std::uint32_t g = 0; g < layout.groups.size(); ++g) {
        if (!layout.groups[g].open) continue;
        const VisibleGraph::OpenGroup& group = visible.open[g];
        const float left = layout.groups[g].x, top = layout.groups[g].y;
        for (std::uint32_t v = 0; v < group.vertexEnd.size(); ++v) {
            const std::uint32_t end = group.vertexEnd[v];
            if (end == kNone) continue;
            const LayeredVertex& vertex = group.drawing.vertices[v];
            if ((end & kGroupEnd) != 0) {
                LayoutGroup& child = layout.groups[end & ~kGroupEnd];
                child.x = left + vertex.x;
                child.y = top + vertex.y;
                child.width = vertex.width;
                child.height = vertex.height;
            } else {
                LayoutBox& box = layout.boxes[end];
                box.x = left + vertex.x;
                box.y = top + vertex.y;
            }
        }
    }
    for (std::size_t e = 0; e < layout.edges.size(); ++e) {
        LayoutEdge& edge = layout.edges[e];
        for (const VisibleGraph::Step& step : visible.steps[e]) {
            const LayeredEdge& part = visible.open[step.group].drawing.edges[step.edge];
            if (part.dropped || part.points.empty()) {
                edge.tunnel = true;
                break;
            }
            const LayoutGroup& group = layout.groups[step.group];
            for (const auto& [px, py] : part.points) {
                std::pair<float, float> point{group.x + px, group.y + py};
                auto& points = edge.points;
                if (!points.empty() && points.back() == point) continue;
                if (points.size() >= 2) {
                    const auto &a = points[points.size() - 2], &b = points.back();
                    if ((a.first == b.first && b.first == point.first) || (a.second == b.second && b.second == point.second)) points.pop_back();
                }
                points.push_back(point);
            }
        }
        if (edge.tunnel) edge.points.clear();
    }
}

}  // namespace

GraphLayout layoutGraph(const GraphHierarchy& hierarchy, const LayoutOptions& options, const CancelToken& cancel) {
    const auto start = std::chrono::steady_clock::now();
    VisibleGraph visible(hierarchy, options, cancel);
    drawGroups(visible, cancel);
    if (!cancel.requested()) placeAll(visible);
    GraphLayout layout = std::move(visible.layout);
    layout.cancelled = cancel.requested();
    layout.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return layout;
}

GraphLayout layoutGraph(const Program& program, GraphId graph, const LayoutOptions& options, const CancelToken& cancel) {
    const auto start = std::chrono::steady_clock::now();
    const auto hierarchy = GraphHierarchy::build(program, graph, cancel);
    GraphLayout layout = layoutGraph(*hierarchy, options, cancel);
    layout.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return layout;
}

}  // namespace pt2
