#include "views/graph/graph_painter.h"

#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "core/layout/node_labels.h"
#include "views/graph/edge_path.h"
#include "views/theme/theme.h"
#include "views/widgets/text.h"

namespace pt2::views {
namespace {

constexpr double kTextLine = 16;  // height of a line of 13 px text
constexpr double kCorner = 6;
using M = LayoutMetrics;

QColor mixed(const QColor& a, const QColor& b, double share) {
    const auto part = [&](int x, int y) { return static_cast<int>(std::lround(x + (y - x) * share)); };
    return {part(a.red(), b.red()), part(a.green(), b.green()), part(a.blue(), b.blue())};
}
QColor withAlpha(QColor colour, double alpha) {
    colour.setAlphaF(static_cast<float>(alpha));
    return colour;
}
QPen cosmetic(const QColor& colour, double width, Qt::PenStyle style = Qt::SolidLine) {
    QPen pen(colour, width, style, Qt::FlatCap, Qt::RoundJoin);
    pen.setCosmetic(true);
    return pen;
}

}  // namespace

DetailLevel detailLevel(double scale) {
    const double height = scale * kTextLine;
    return height < 3 ? DetailLevel::Map : height < 7 ? DetailLevel::Shape : height < 11.5 ? DetailLevel::Name : DetailLevel::Facts;
}

void GraphPainter::forget() {
    texts_.forget();
    known_ = nullptr;
}

QColor GraphPainter::groupGround(std::uint32_t depth) const {
    static constexpr Role kGrounds[] = {Role::Group1, Role::Group2, Role::Group3};
    return depth == 0 ? color(Role::Canvas) : color(kGrounds[(depth - 1) % 3]);
}

bool GraphPainter::isMuted(NodeId node) const { return state_->mutedBut >= 0 && static_cast<int>(scene_->family(node)) != state_->mutedBut; }

void GraphPainter::collectRelated() {
    relatedEdges_.clear();
    relatedEnds_.clear();
    if (!state_->selection) return;
    relatedEdges_ = scene_->edgesOf(state_->selection);
    const std::uint32_t own = scene_->endOf(state_->selection);
    for (const std::uint32_t e : relatedEdges_) {
        const LayoutEdge& edge = scene_->layout().edges[e];
        relatedEnds_.insert(edge.from == own ? edge.to : edge.from);
    }
    relatedEnds_.erase(own);
}

void GraphPainter::paint(QPainter& painter, const GraphScene& scene, const GraphPaintState& state, const QRectF& region, QPointF offset,
                         double scale) {
    if (known_ != &scene || generation_ != Theme::instance().generation()) {
        forget();
        known_ = &scene;
        generation_ = Theme::instance().generation();
    }
    scene_ = &scene;
    state_ = &state;
    region_ = region;
    offset_ = offset;
    scale_ = scale;
    level_ = detailLevel(scale);
    boxes_.clear();
    visibleGroups_.clear();
    edges_.clear();
    scene.boxesIn(region, boxes_);
    scene.groupsIn(region, visibleGroups_);
    collectRelated();

    painter.save();
    painter.scale(scale, scale);
    painter.translate(-offset);
    painter.setRenderHint(QPainter::Antialiasing, level_ >= DetailLevel::Name);
    painter.setRenderHint(QPainter::TextAntialiasing);
    if (state.old) painter.setOpacity(0.6);
    paintGroups(painter);
    if (level_ != DetailLevel::Map || scene.layout().edges.size() < 4000) {
        scene.edgesIn(region, edges_);
        paintEdges(painter, false);
    }
    if (level_ <= DetailLevel::Shape) {
        paintFilledBoxes(painter);
    } else {
        for (const std::uint32_t b : boxes_) paintBox(painter, b);
    }
    for (const std::uint32_t g : visibleGroups_) {
        if (g != 0 && !scene.layout().groups[g].open) paintClosedGroup(painter, g);
    }
    painter.setRenderHint(QPainter::Antialiasing);
    paintEdges(painter, true);
    paintTitles(painter);
    paintRings(painter);
    paintPinnedTitles(painter);
    painter.restore();
}

void GraphPainter::paintGroups(QPainter& painter) {
    const bool dark = Theme::instance().isDark();
    const QPen outline = cosmetic(withAlpha(color(Role::Strong), dark ? 0.45 : 0.35), 1);
    for (const std::uint32_t g : visibleGroups_) {
        const LayoutGroup& group = scene_->layout().groups[g];
        if (g == 0 || !group.open) continue;
        const QRectF rect = GraphScene::rect(group);
        painter.setPen(outline);
        painter.setBrush(groupGround(group.depth));
        painter.drawRoundedRect(rect, kCorner, kCorner);
        if (group.kind == GroupKind::Subgraph)
            painter.drawLine(QPointF(rect.left() + 3, rect.top() + kCorner), QPointF(rect.left() + 3, rect.bottom() - kCorner));
    }
}

/// Titles come after the lines, on a patch of their group's ground: a line passes behind the words.
void GraphPainter::paintTitles(QPainter& painter) {
    if (level_ < DetailLevel::Shape) return;
    for (const std::uint32_t g : visibleGroups_) {
        const LayoutGroup& group = scene_->layout().groups[g];
        if (g != 0 && group.open && group.width * scale_ >= 80) paintGroupTitle(painter, g, group.y);
    }
}

void GraphPainter::paintGroupTitle(QPainter& painter, std::uint32_t g, double y) {
    const LayoutGroup& group = scene_->layout().groups[g];
    const auto& pieces = texts_.group(*scene_, g);
    const double middle = y + M::kTitleHeight / 2.0 + 0.5;
    const GraphTexts::Piece& last = level_ >= DetailLevel::Name && pieces[1].width > 0 ? pieces[1] : pieces[0];
    const double wordsEnd = last.x + last.width;
    // The words stay in view while any of the group is.
    const double left = std::max<double>(group.x, std::min<double>(region_.left() - pieces[0].x + 8 / scale_, group.x + group.width - wordsEnd - 8));
    painter.setPen(Qt::NoPen);
    painter.setBrush(groupGround(group.depth));
    painter.drawRect(QRectF(left + 8, y + 4, wordsEnd, M::kTitleHeight - 8.0));
    painter.setBrush(Qt::NoBrush);
    if (left == group.x) {
        painter.setPen(cosmetic(color(Role::Text), 1.4 * std::min(1.0, std::max(0.6, scale_))));
        const double x = group.x + 11;
        const QPointF chevron[] = {{x, middle - 2}, {x + 4, middle + 2}, {x + 8, middle - 2}};
        painter.drawPolyline(chevron, 3);
    }
    texts_.draw(painter, pieces[0], left, middle, color(Role::Text));
    if (level_ >= DetailLevel::Name) texts_.draw(painter, pieces[1], left, middle, color(Role::Muted));
}

void GraphPainter::paintClosedGroup(QPainter& painter, std::uint32_t g) {
    const LayoutGroup& group = scene_->layout().groups[g];
    const QRectF rect = GraphScene::rect(group);
    const bool series = group.repeat > 1;
    const bool related = relatedEnds_.count(kGroupEnd | g) != 0;
    const bool hovered = state_->hover == GraphItem::group(group.path);
    const QColor outline = related || hovered ? color(Role::Strong) : mixed(color(Role::Border), color(Role::Strong), series ? 0.45 : 0.35);
    const QColor body = series ? color(Role::Raised) : groupGround(std::max(1U, scene_->layout().groups[group.parent].depth + 1));
    if (series) {
        painter.setPen(cosmetic(mixed(color(Role::Border), color(Role::Strong), 0.3), 1));
        painter.setBrush(mixed(groupGround(std::max(1U, scene_->layout().groups[group.parent].depth)), color(Role::Border), 0.25));
        for (const double shift : {8.0, 4.0}) painter.drawRoundedRect(rect.translated(shift, shift), kCorner, kCorner);
    }
    painter.setPen(cosmetic(outline, related ? 2 : 1));
    painter.setBrush(body);
    painter.drawRoundedRect(rect, kCorner, kCorner);
    if (level_ <= DetailLevel::Shape && rect.width() * scale_ < 80) return;
    if (level_ == DetailLevel::Map) return;
    const auto& pieces = texts_.group(*scene_, g);
    const double middle = series ? rect.top() + 16 : rect.center().y();
    painter.setPen(cosmetic(color(Role::Text), 1.4 * std::min(1.0, std::max(0.6, scale_))));
    painter.setBrush(Qt::NoBrush);
    const double x = rect.left() + 13;
    const QPointF chevron[] = {{x - 2, middle - 4}, {x + 2, middle}, {x - 2, middle + 4}};
    painter.drawPolyline(chevron, 3);
    texts_.draw(painter, pieces[0], rect.left(), middle, color(Role::Text));
    if (level_ >= DetailLevel::Name) texts_.draw(painter, pieces[1], rect.left(), series ? rect.top() + 34 : middle, color(Role::Muted));
    if (series && level_ >= DetailLevel::Name) {
        const QRectF chip(rect.left() + pieces[2].x - 6, middle - 9, pieces[2].width + 12, 18);
        if (chip.right() < rect.right() - 4) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(color(Role::Selection));
            painter.drawRoundedRect(chip, 4, 4);
            texts_.draw(painter, pieces[2], rect.left(), middle, color(Role::SelectionText));
        }
    }
    const auto inside = state_->hitsInGroups.find(g);
    if (inside != state_->hitsInGroups.end() && level_ >= DetailLevel::Name) {
        const int hits = inside->second;
        GraphTexts::Piece words = texts_.piece(hits == 1 ? QStringLiteral("1 hit") : QStringLiteral("%1 hits").arg(hits), GraphTexts::SmallStrong);
        const QRectF chip(rect.right() - words.width - 20, middle - 9, words.width + 12, 18);
        painter.setPen(cosmetic(color(Role::Accent), 1.5, Qt::DashLine));
        painter.setBrush(body);
        painter.drawRoundedRect(chip, 4, 4);
        texts_.draw(painter, words, chip.left() + 6, middle, color(Role::Accent));
    }
}

void GraphPainter::paintPinnedTitles(QPainter& painter) {
    if (level_ < DetailLevel::Name) return;
    double top = region_.top();
    for (const std::uint32_t g : visibleGroups_) {
        const LayoutGroup& group = scene_->layout().groups[g];
        if (g == 0 || !group.open || group.y >= top || group.width * scale_ < 120) continue;
        const double bottom = group.y + group.height;
        if (bottom < top + M::kTitleHeight || group.x > region_.right() || group.x + group.width < region_.left()) continue;
        // Only groups around the middle of the view pile up; siblings beside each other share a height.
        double y = region_.top();
        for (std::uint32_t p = group.parent; p != 0; p = scene_->layout().groups[p].parent) {
            if (scene_->layout().groups[p].y < region_.top() + (y - region_.top())) y += M::kTitleHeight;
        }
        if (group.y >= y || bottom < y + M::kTitleHeight) continue;
        const QRectF bar(group.x, y, group.width, M::kTitleHeight);
        painter.setPen(Qt::NoPen);
        painter.setBrush(groupGround(group.depth));
        painter.drawRect(bar.adjusted(0.5 / scale_, 0, -0.5 / scale_, 0));
        painter.setPen(cosmetic(withAlpha(color(Role::Strong), 0.35), 1));
        painter.drawLine(bar.bottomLeft(), bar.bottomRight());
        paintGroupTitle(painter, g, y);
    }
}

void GraphPainter::paintEdges(QPainter& painter, bool related) {
    const GraphLayout& layout = scene_->layout();
    if (related) {
        for (const std::uint32_t e : relatedEdges_) {
            const LayoutEdge& edge = layout.edges[e];
            if (edge.points.empty()) {  // a tunnel shows itself while an end is selected
                const auto rectOf = [&](std::uint32_t end) {
                    return (end & kGroupEnd) != 0 ? GraphScene::rect(layout.groups[end & ~kGroupEnd]) : GraphScene::rect(layout.boxes[end]);
                };
                if (relatedEdges_.size() > 60) continue;
                const QRectF from = rectOf(edge.from), to = rectOf(edge.to);
                painter.setPen(cosmetic(withAlpha(color(Role::Accent), 0.6), 1, Qt::DashLine));
                painter.drawLine(QPointF(from.center().x(), from.bottom()), QPointF(to.center().x(), to.top()));
                continue;
            }
            paintEdge(painter, edge, color(Role::Accent), 2, true);
        }
        const std::uint32_t chip = state_->hoverEdge != kNone ? state_->hoverEdge : state_->lastEdge;
        if (state_->hoverEdge != kNone && state_->hoverEdge < layout.edges.size())
            paintEdge(painter, layout.edges[state_->hoverEdge], color(Role::Accent), 2, true);
        if (chip != kNone && chip < layout.edges.size() && level_ >= DetailLevel::Name) paintEdgeChip(painter, layout.edges[chip]);
        return;
    }
    const bool dim = static_cast<bool>(state_->selection) && !relatedEdges_.empty();
    const QColor normal = color(Role::Edge), dimmed = color(Role::DimEdgeInGroup);
    const QColor colour = dim ? dimmed : mixed(normal, dimmed, 0.35);
    if (level_ >= DetailLevel::Name) {
        for (const std::uint32_t e : edges_) {
            const LayoutEdge& edge = layout.edges[e];
            paintEdge(painter, edge, colour, 1, level_ >= DetailLevel::Facts);
        }
        return;
    }
    // Far away: straight lines in one go.
    std::vector<QLineF> lines;
    for (const std::uint32_t e : edges_) {
        const LayoutEdge& edge = layout.edges[e];
        for (std::size_t i = 1; i < edge.points.size(); ++i) {
            lines.emplace_back(edge.points[i - 1].first, edge.points[i - 1].second, edge.points[i].first, edge.points[i].second);
        }
    }
    painter.setPen(cosmetic(withAlpha(colour, 0.7), 1));
    painter.drawLines(lines.data(), static_cast<int>(lines.size()));
}

void GraphPainter::paintEdge(QPainter& painter, const LayoutEdge& edge, const QColor& colour, double width, bool head) {
    if (edge.points.size() < 2) return;
    painter.setPen(cosmetic(colour, width));
    painter.setBrush(Qt::NoBrush);
    const double shorten = head ? 5 : 0;
    if (edge.points.size() == 2) {
        const QPointF a(edge.points[0].first, edge.points[0].second), b(edge.points[1].first, edge.points[1].second);
        painter.drawLine(a, a.x() == b.x() ? QPointF(b.x(), b.y() - shorten) : QPointF(b.x() - shorten, b.y()));
    } else {
        painter.drawPath(roundedPath(edge.points, 4, shorten));
    }
    if (!head) return;
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    painter.drawPolygon(arrowHead(edge.points, width > 1 ? 7 : 6));
}

void GraphPainter::paintEdgeChip(QPainter& painter, const LayoutEdge& edge) {
    if (edge.points.size() < 2) return;
    const auto pieces = texts_.codePieces(toQt(typeLabel(scene_->program(), scene_->program().value(edge.value))), 0);
    double width = 12;
    for (const GraphTexts::Piece& p : pieces) width += p.width;
    // On the longest horizontal part, else the longest.
    std::size_t best = 1;
    double bestLength = -1;
    for (std::size_t i = 1; i < edge.points.size(); ++i) {
        const double dx = std::abs(edge.points[i].first - edge.points[i - 1].first), dy = std::abs(edge.points[i].second - edge.points[i - 1].second);
        const double weight = dx > 0 ? dx * 3 : dy;
        if (weight > bestLength) {
            bestLength = weight;
            best = i;
        }
    }
    const QPointF middle((edge.points[best].first + edge.points[best - 1].first) / 2.0,
                         (edge.points[best].second + edge.points[best - 1].second) / 2.0);
    const QRectF chip(middle.x() - width / 2, middle.y() - 9, width, 18);
    painter.setPen(cosmetic(color(Role::Accent), 1));
    painter.setBrush(color(Role::Raised));
    painter.drawRoundedRect(chip, 4, 4);
    for (const GraphTexts::Piece& p : pieces) texts_.draw(painter, p, chip.left() + 6, middle.y(), color(Role::Text));
}

void GraphPainter::paintFilledBoxes(QPainter& painter) {
    std::vector<QRectF> byFamily[kOperatorFamilyCount];
    std::vector<QRectF> pills, weak;
    const double pixel = 1 / scale_;
    for (const std::uint32_t b : boxes_) {
        const LayoutBox& box = scene_->layout().boxes[b];
        QRectF rect = GraphScene::rect(box);
        rect.setSize({std::max(rect.width(), pixel), std::max(rect.height(), pixel)});
        if (box.kind != LayoutBox::Kind::Nodes) {
            pills.push_back(rect);
        } else if (level_ == DetailLevel::Map || box.rows.size() == 1) {
            (isMuted(box.rows[0].node) ? weak : byFamily[static_cast<std::size_t>(scene_->family(box.rows[0].node))]).push_back(rect);
        } else {
            for (std::uint32_t r = 0; r < box.rows.size(); ++r) {
                const NodeId node = box.rows[r].node;
                (isMuted(node) ? weak : byFamily[static_cast<std::size_t>(scene_->family(node))])
                    .push_back(scene_->rowRect(box, r).adjusted(0, 0, 0, -pixel));
            }
        }
    }
    painter.setPen(Qt::NoPen);
    for (int f = 0; f < kOperatorFamilyCount; ++f) {
        if (byFamily[f].empty()) continue;
        painter.setBrush(familyColor(static_cast<OperatorFamily>(f)));
        painter.drawRects(byFamily[f].data(), static_cast<int>(byFamily[f].size()));
    }
    painter.setBrush(color(Role::Muted));
    painter.drawRects(pills.data(), static_cast<int>(pills.size()));
    painter.setBrush(color(Role::DimEdgeInGroup));
    painter.drawRects(weak.data(), static_cast<int>(weak.size()));
}

void GraphPainter::paintBox(QPainter& painter, std::uint32_t index) {
    const LayoutBox& box = scene_->layout().boxes[index];
    if (box.kind != LayoutBox::Kind::Nodes) {
        paintPill(painter, index);
        return;
    }
    const QRectF rect = GraphScene::rect(box);
    const bool related = relatedEnds_.count(index) != 0;
    const bool hovered = state_->hover.kind == GraphItem::Kind::Node && scene_->endOf(state_->hover) == index;
    painter.setPen(cosmetic(related || hovered ? color(Role::Strong) : mixed(color(Role::Border), color(Role::Strong), 0.45), related ? 2 : 1));
    painter.setBrush(color(Role::Raised));
    painter.drawRoundedRect(rect, kCorner, kCorner);
    // Only the rows on show; a box of many may be higher than the view.
    auto first = std::lower_bound(box.rows.begin(), box.rows.end(), region_.top() - box.y,
                                  [](const LayoutRow& row, double y) { return row.y + row.height < y; });
    for (; first != box.rows.end() && box.y + first->y < region_.bottom(); ++first)
        paintRow(painter, index, static_cast<std::uint32_t>(first - box.rows.begin()));
}

void GraphPainter::paintRow(QPainter& painter, std::uint32_t index, std::uint32_t r) {
    const LayoutBox& box = scene_->layout().boxes[index];
    const LayoutRow& row = box.rows[r];
    const QRectF rect = scene_->rowRect(box, r);
    const bool selected = state_->selection.kind == GraphItem::Kind::Node && state_->selection.id == row.node;
    const double opacity = painter.opacity();
    if (isMuted(row.node)) painter.setOpacity(opacity * 0.4);
    if (selected) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(color(Role::Selection));
        painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), kCorner, kCorner);
    } else if (r > 0) {
        painter.setPen(cosmetic(color(Role::Border), 1));
        painter.drawLine(QPointF(rect.left() + 1, rect.top()), QPointF(rect.right() - 1, rect.top()));
    }
    painter.setPen(Qt::NoPen);
    painter.setBrush(familyColor(scene_->family(row.node)));
    painter.drawRoundedRect(QRectF(rect.left() + 2.5, rect.top() + 3.5, 4, rect.height() - 7), 2, 2);

    const GraphTexts::RowText& text = texts_.row(*scene_, box, row);
    const double middle = rect.top() + M::kRowHeight / 2.0;
    if (level_ == DetailLevel::Name) {
        texts_.draw(painter, text.shortName, rect.left(), rect.center().y(), color(selected ? Role::SelectionText : Role::Text));
        painter.setOpacity(opacity);
        return;
    }
    const QColor muted = color(selected ? Role::SelectionText : Role::Muted);
    if (!box.opens.empty()) {
        painter.setPen(cosmetic(color(Role::Text), 1.4));
        painter.setBrush(Qt::NoBrush);
        const double x = rect.left() + 15;
        const QPointF chevron[] = {{x, middle - 4}, {x + 4, middle}, {x, middle + 4}};
        painter.drawPolyline(chevron, 3);
    }
    texts_.draw(painter, text.tag, rect.left(), middle, muted);
    texts_.draw(painter, text.name, rect.left(), middle, color(selected ? Role::SelectionText : Role::Text));
    texts_.draw(painter, text.local, rect.left(), middle, muted);
    for (const GraphTexts::Piece& p : text.detail) texts_.draw(painter, p, rect.left(), middle, muted);
    for (std::size_t i = 0; i < text.chips.size(); ++i) {
        const QRectF chip(rect.left() + text.chips[i].x, rect.top() + M::kRowHeight - 1, text.chipWidths[i], 18);
        painter.setPen(cosmetic(mixed(color(Role::Border), color(Role::Strong), 0.15), 1));
        painter.setBrush(color(Role::Alt));
        painter.drawRoundedRect(chip, 4, 4);
        texts_.draw(painter, text.chips[i], rect.left() + 5, chip.center().y(), color(Role::Muted));
    }
    painter.setOpacity(opacity);
}

void GraphPainter::paintPill(QPainter& painter, std::uint32_t index) {
    const LayoutBox& box = scene_->layout().boxes[index];
    const QRectF rect = GraphScene::rect(box);
    const bool related = relatedEnds_.count(index) != 0;
    const bool hovered = state_->hover == GraphItem::value(box.value);
    painter.setPen(cosmetic(related || hovered ? color(Role::Strong) : mixed(color(Role::Border), color(Role::Strong), 0.45), related ? 2 : 1));
    painter.setBrush(color(Role::Raised));
    painter.drawRoundedRect(rect, rect.height() / 2, rect.height() / 2);
    const auto& pieces = texts_.pill(*scene_, index);
    if (level_ == DetailLevel::Name) {
        texts_.draw(painter, pieces[0], rect.left(), rect.center().y(), color(Role::Text));
        return;
    }
    for (std::size_t i = 0; i < pieces.size(); ++i)
        texts_.draw(painter, pieces[i], rect.left(), rect.center().y(), color(i == 0 ? Role::Text : Role::Muted));
}

void GraphPainter::paintRings(QPainter& painter) {
    painter.setBrush(Qt::NoBrush);
    const auto ring = [&](const GraphItem& item, const QPen& pen, double out) {
        QRectF rect = scene_->rectOf(item);
        if (rect.isNull()) return;
        const std::uint32_t end = scene_->endOf(item);
        double corner = kCorner;
        if (end != kNone && (end & kGroupEnd) == 0 && scene_->layout().boxes[end].kind != LayoutBox::Kind::Nodes) corner = rect.height() / 2;
        painter.setPen(pen);
        painter.drawRoundedRect(rect.adjusted(-out, -out, out, out), corner + out, corner + out);
    };
    if (!state_->hits.empty() && level_ >= DetailLevel::Shape) {
        const QPen dashed = cosmetic(color(Role::Accent), 1.5, Qt::DashLine);
        for (const std::uint32_t b : boxes_) {
            for (const LayoutRow& row : scene_->layout().boxes[b].rows) {
                if (row.node != state_->currentHit && state_->hits.count(row.node) != 0) ring(GraphItem::node(row.node), dashed, 2);
            }
        }
    }
    if (state_->currentHit != kNone) ring(GraphItem::node(state_->currentHit), cosmetic(color(Role::Accent), 2), 2);
    if (state_->selection) ring(state_->selection, cosmetic(color(Role::Accent), 2), 0.5);
}

}  // namespace pt2::views
