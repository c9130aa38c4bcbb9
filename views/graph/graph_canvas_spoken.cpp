// What a screen reader is told of the drawing: see GraphCanvas::spokenPart.
#include <algorithm>

#include "core/layout/node_labels.h"
#include "views/graph/graph_canvas.h"
#include "views/widgets/text.h"

namespace pt2::views {

namespace {
constexpr qsizetype kNeighboursNamed = 8;
}

const std::vector<GraphScene::Hit>& GraphCanvas::spokenHits() const {
    if (!spoken_.empty() || !scene_) return spoken_;
    using Kind = GraphScene::Hit::Kind;
    const GraphLayout& layout = scene_->layout();
    for (std::uint32_t g = 1; g < layout.groups.size(); ++g)
        spoken_.push_back({layout.groups[g].open ? Kind::Title : Kind::ClosedGroup, g, 0, kNone});
    for (std::uint32_t b = 0; b < layout.boxes.size(); ++b) {
        const LayoutBox& box = layout.boxes[b];
        if (box.kind != LayoutBox::Kind::Nodes) spoken_.push_back({Kind::Pill, b, 0, kNone});
        for (std::uint32_t row = 0; box.kind == LayoutBox::Kind::Nodes && row < box.rows.size(); ++row) spoken_.push_back({Kind::Row, b, row, kNone});
    }
    return spoken_;
}

int GraphCanvas::spokenCount() const { return static_cast<int>(spokenHits().size()); }

/// "from x, weight; to relu": what the lines show.
QString GraphCanvas::spokenEdges(const GraphItem& item) const {
    const auto names = [this](const std::vector<GraphItem>& items) {
        QStringList list;
        for (const GraphItem& one : items) {
            if (list.size() == kNeighboursNamed) {
                list << tr("%1 more").arg(items.size() - static_cast<std::size_t>(kNeighboursNamed));
                break;
            }
            list << (one.kind == GraphItem::Kind::Node    ? shown(scene_->program().displayName(one.id))
                     : one.kind == GraphItem::Kind::Value ? shown(scene_->program().value(one.id).name)
                                                          : shown(one.path));
        }
        return list.join(QStringLiteral(", "));
    };
    QStringList parts;
    if (const QString from = names(scene_->producers(item)); !from.isEmpty()) parts << tr("from %1").arg(from);
    if (const QString to = names(scene_->readers(item)); !to.isEmpty()) parts << tr("to %1").arg(to);
    return parts.join(QStringLiteral("; "));
}

SpokenPart GraphCanvas::spokenPart(int index) const {
    SpokenPart part;
    if (index < 0 || index >= spokenCount()) return part;
    const GraphScene::Hit& hit = spokenHits()[static_cast<std::size_t>(index)];
    const GraphItem item = scene_->itemOf(hit);
    const Program& program = scene_->program();
    const GraphLayout& layout = scene_->layout();
    QStringList words = tooltip(hit).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    QRectF place;
    if (hit.kind == GraphScene::Hit::Kind::Row) {
        place = scene_->rowRect(layout.boxes[hit.index], hit.row);
        part.name = shown(program.displayName(layout.boxes[hit.index].rows[hit.row].node));
        if (!words.isEmpty()) words.removeFirst();
    } else if (hit.kind == GraphScene::Hit::Kind::Pill) {
        place = GraphScene::rect(layout.boxes[hit.index]);
        part.name = shown(program.value(layout.boxes[hit.index].value).name);
        words.prepend(layout.boxes[hit.index].kind == LayoutBox::Kind::Input ? tr("input") : tr("output"));
    } else {
        const LayoutGroup& group = layout.groups[hit.index];
        place = GraphScene::rect(group);
        part.name = shown(group.title);
        words.prepend(group.open ? tr("open group of %1").arg(counted(group.nodeCount, tr("node"), tr("nodes")))
                                 : tr("closed group of %1").arg(counted(group.nodeCount, tr("node"), tr("nodes"))));
    }
    if (const QString edges = spokenEdges(item); !edges.isEmpty()) words << edges;
    part.description = words.join(QLatin1Char('\n'));
    part.place = QRectF(toWidget(place.topLeft()), place.size() * scale_).toAlignedRect();
    part.role = QAccessible::ListItem;
    part.pressable = part.selectable = true;
    part.selected = item == state_.selection;
    return part;
}

int GraphCanvas::spokenCurrent() const {
    if (!scene_ || !state_.selection) return -1;
    const auto& hits = spokenHits();
    const auto found = std::find_if(hits.begin(), hits.end(), [this](const GraphScene::Hit& hit) { return scene_->itemOf(hit) == state_.selection; });
    return found == hits.end() ? -1 : static_cast<int>(found - hits.begin());
}

void GraphCanvas::pressSpokenPart(int index) {
    if (index < 0 || index >= spokenCount()) return;
    const GraphItem item = scene_->itemOf(spokenHits()[static_cast<std::size_t>(index)]);
    select(item);
    reveal(scene_->rectOf(item));
}

void GraphCanvas::announceSelection() {
    if (QAccessible::isActive() && hasFocus()) announceSpokenPart(this, spokenCurrent());
}

}  // namespace pt2::views
