#include "views/graph/graph_scene.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "core/layout/node_labels.h"
#include "core/layout/text_widths.h"

namespace pt2::views {

GraphScene::GraphScene(std::shared_ptr<const Program> program, std::shared_ptr<const GraphHierarchy> hierarchy, GraphLayout layout)
    : program_(std::move(program)), hierarchy_(std::move(hierarchy)), layout_(std::move(layout)) {
    families_.resize(program_->nodes().size(), OperatorFamily::Shape);
    std::unordered_map<std::string_view, OperatorFamily> known;
    for (NodeId n = 0; n < families_.size(); ++n) {
        if (layout_.endOfNode.size() <= n || layout_.endOfNode[n] == kNone) continue;
        const std::string_view target = program_->node(n).target;
        const auto it = known.find(target);
        families_[n] = it != known.end() ? it->second : known.emplace(target, operatorFamily(target)).first->second;
        ++counts_[static_cast<std::size_t>(families_[n])];
    }
    std::vector<QRectF> rects;
    rects.reserve(layout_.boxes.size());
    for (const LayoutBox& box : layout_.boxes) rects.push_back(rect(box));
    boxIndex_ = GridIndex(rects, 512);
    rects.clear();
    for (const LayoutGroup& group : layout_.groups) rects.push_back(rect(group).adjusted(0, 0, 8, 8));  // the stack's plates stand out
    groupIndex_ = GridIndex(rects, 1024);
    rects.clear();
    edgesOfBox_.resize(layout_.boxes.size());
    edgesOfGroup_.resize(layout_.groups.size());
    const auto list = [&](std::uint32_t end) -> std::vector<std::uint32_t>& {
        return (end & kGroupEnd) != 0 ? edgesOfGroup_[end & ~kGroupEnd] : edgesOfBox_[end];
    };
    for (std::uint32_t e = 0; e < layout_.edges.size(); ++e) {
        const LayoutEdge& edge = layout_.edges[e];
        list(edge.from).push_back(e);
        if (edge.to != edge.from) list(edge.to).push_back(e);
        for (std::size_t i = 1; i < edge.points.size(); ++i) {
            const auto [ax, ay] = edge.points[i - 1];
            const auto [bx, by] = edge.points[i];
            rects.emplace_back(std::min(ax, bx), std::min(ay, by), std::abs(bx - ax), std::abs(by - ay));
            segmentEdge_.push_back(e);
        }
    }
    segmentIndex_ = GridIndex(rects, 512);
}

void GraphScene::edgesIn(const QRectF& region, std::vector<std::uint32_t>& found) const {
    const std::size_t start = found.size();
    segmentIndex_.query(region, found);
    for (std::size_t i = start; i < found.size(); ++i) found[i] = segmentEdge_[found[i]];
    found.erase(std::unique(found.begin() + static_cast<std::ptrdiff_t>(start), found.end()), found.end());
}

QRectF GraphScene::rowRect(const LayoutBox& box, std::uint32_t row) const {
    if (row >= box.rows.size()) return rect(box);
    return {box.x, box.y + box.rows[row].y, box.width, box.rows[row].height};
}

GraphScene::Hit GraphScene::hit(QPointF point, double tolerance) const {
    std::vector<std::uint32_t> found;
    boxesIn(QRectF(point, QSizeF(0, 0)), found);
    if (!found.empty()) {
        const LayoutBox& box = layout_.boxes[found.front()];
        if (box.kind != LayoutBox::Kind::Nodes) return {Hit::Kind::Pill, found.front(), 0, kNone};
        const auto above =
            std::upper_bound(box.rows.begin(), box.rows.end(), point.y() - box.y, [](double y, const LayoutRow& row) { return y < row.y; });
        const auto row = static_cast<std::uint32_t>(std::max<std::ptrdiff_t>(0, above - box.rows.begin() - 1));
        if (!box.opens.empty() && point.x() < box.x + 30 && row == 0) return {Hit::Kind::Toggle, found.front(), 0, kNone};
        const LayoutRow& in = box.rows[row];
        if (!in.weights.empty() && point.y() > box.y + in.y + LayoutMetrics::kRowHeight - 2) {
            double x = box.x + 12;
            for (const ValueId w : in.weights) {
                const double width = 10 + textWidth(weightLabel(*program_, w), TextFace::Code, 11);
                if (point.x() >= x && point.x() <= x + width) return {Hit::Kind::Chip, found.front(), row, w};
                x += width + 5;
            }
        }
        return {Hit::Kind::Row, found.front(), row, kNone};
    }
    groupsIn(QRectF(point, QSizeF(0, 0)), found);
    for (std::size_t i = found.size(); i-- > 0;) {  // children come after their parents
        const LayoutGroup& group = layout_.groups[found[i]];
        if (found[i] == 0 || !rect(group).contains(point)) continue;
        const double height = group.open ? LayoutMetrics::kTitleHeight : group.height;
        const bool inTitle = point.y() < group.y + height;
        if (inTitle && point.x() < group.x + 30) return {Hit::Kind::Toggle, found[i] | kGroupEnd, 0, kNone};
        if (inTitle) return {group.open ? Hit::Kind::Title : Hit::Kind::ClosedGroup, found[i], 0, kNone};
        break;
    }
    found.clear();
    edgesIn(QRectF(point.x() - tolerance, point.y() - tolerance, 2 * tolerance, 2 * tolerance), found);
    if (!found.empty()) return {Hit::Kind::Edge, found.back(), 0, kNone};
    return {};
}

GraphItem GraphScene::itemAt(std::uint32_t end, std::uint32_t row) const {
    if (end == kNone) return {};
    if ((end & kGroupEnd) != 0) {
        const LayoutGroup& group = layout_.groups[end & ~kGroupEnd];
        return group.node != kNone ? GraphItem::node(group.node) : GraphItem::group(group.path);
    }
    const LayoutBox& box = layout_.boxes[end];
    if (box.kind != LayoutBox::Kind::Nodes) return GraphItem::value(box.value);
    return row < box.rows.size() ? GraphItem::node(box.rows[row].node) : GraphItem{};
}

GraphItem GraphScene::itemOf(const Hit& hit) const {
    switch (hit.kind) {
        case Hit::Kind::Row:
        case Hit::Kind::Pill: return itemAt(hit.index, hit.row);
        case Hit::Kind::Chip: return GraphItem::value(hit.weight);
        case Hit::Kind::ClosedGroup:
        case Hit::Kind::Title: return itemAt(kGroupEnd | hit.index, 0);
        case Hit::Kind::Toggle: return itemAt(hit.index, 0);
        default: return {};
    }
}

std::uint32_t GraphScene::groupIndex(const std::string& path) const {
    for (std::uint32_t g = 0; g < layout_.groups.size(); ++g) {
        const LayoutGroup& group = layout_.groups[g];
        if (group.path == path || std::find(group.members.begin(), group.members.end(), path) != group.members.end()) return g;
    }
    return kNone;
}

std::uint32_t GraphScene::endOf(const GraphItem& item) const {
    switch (item.kind) {
        case GraphItem::Kind::Node: return item.id < layout_.endOfNode.size() ? layout_.endOfNode[item.id] : kNone;
        case GraphItem::Kind::Value:
            for (std::uint32_t b = 0; b < layout_.boxes.size(); ++b) {
                if (layout_.boxes[b].kind == LayoutBox::Kind::Input && layout_.boxes[b].value == item.id) return b;
            }
            if (item.id < program_->values().size()) {
                const Value& value = program_->value(item.id);
                if (value.producer != kNone) return endOf(GraphItem::node(value.producer));
                const auto users = program_->users(value);
                if (!users.empty()) return endOf(GraphItem::node(users.front()));
            }
            return kNone;
        case GraphItem::Kind::Group: {
            const std::uint32_t g = groupIndex(item.path);
            return g == kNone ? kNone : kGroupEnd | g;
        }
        case GraphItem::Kind::None: break;
    }
    return kNone;
}

std::uint32_t GraphScene::rowOf(const GraphItem& item) const {
    NodeId node = item.kind == GraphItem::Kind::Node ? item.id : kNone;
    if (item.kind == GraphItem::Kind::Value && item.id < program_->values().size()) {
        const Value& value = program_->value(item.id);
        node = value.producer;
        const auto users = program_->users(value);
        if (node == kNone && hierarchy_->isWeight(item.id) && !users.empty()) node = users.front();
    }
    return node < layout_.rowOfNode.size() ? layout_.rowOfNode[node] : 0;
}

QRectF GraphScene::rectOf(const GraphItem& item) const {
    const std::uint32_t end = endOf(item);
    if (end == kNone) return {};
    if ((end & kGroupEnd) != 0) return rect(layout_.groups[end & ~kGroupEnd]);
    return rowRect(layout_.boxes[end], rowOf(item));
}

std::vector<std::uint32_t> GraphScene::edgesOf(const GraphItem& item) const {
    std::vector<std::uint32_t> edges;
    const std::uint32_t end = endOf(item);
    if (end == kNone) return edges;
    const auto& candidates = (end & kGroupEnd) != 0 ? edgesOfGroup_[end & ~kGroupEnd] : edgesOfBox_[end];
    for (const std::uint32_t e : candidates) {
        const LayoutEdge& edge = layout_.edges[e];
        if (item.kind == GraphItem::Kind::Node && (end & kGroupEnd) == 0) {
            const bool makes = edge.from == end && program_->value(edge.value).producer == item.id;
            const bool reads = edge.to == end && edge.toRow == rowOf(item);
            if (!makes && !reads) continue;
        }
        edges.push_back(e);
    }
    return edges;
}

std::vector<GraphItem> GraphScene::producers(const GraphItem& item) const {
    std::vector<GraphItem> found;
    const std::uint32_t end = endOf(item), row = rowOf(item);
    const auto add = [&](const GraphItem& other) {
        if (other && !(other == item) && std::find(found.begin(), found.end(), other) == found.end()) found.push_back(other);
    };
    if (end != kNone && (end & kGroupEnd) == 0 && row > 0) add(itemAt(end, row - 1));
    for (const std::uint32_t e : edgesOf(item)) {
        const LayoutEdge& edge = layout_.edges[e];
        if (edge.to != end || edge.from == end) continue;
        const NodeId producer = program_->value(edge.value).producer;
        add(itemAt(edge.from, producer != kNone && producer < layout_.rowOfNode.size() ? layout_.rowOfNode[producer] : 0));
    }
    return found;
}

std::vector<GraphItem> GraphScene::readers(const GraphItem& item) const {
    std::vector<GraphItem> found;
    const std::uint32_t end = endOf(item), row = rowOf(item);
    const auto add = [&](const GraphItem& other) {
        if (other && !(other == item) && std::find(found.begin(), found.end(), other) == found.end()) found.push_back(other);
    };
    if (end != kNone && (end & kGroupEnd) == 0 && row + 1 < layout_.boxes[end].rows.size()) add(itemAt(end, row + 1));
    for (const std::uint32_t e : edgesOf(item)) {
        const LayoutEdge& edge = layout_.edges[e];
        if (edge.from == end && edge.to != end) add(itemAt(edge.to, edge.toRow));
    }
    return found;
}

}  // namespace pt2::views
