#include "views/graph/graph_canvas.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QNativeGestureEvent>
#include <QPainter>
#include <QStyle>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "core/layout/node_labels.h"
#include "views/graph/graph_furniture.h"
#include "views/theme/spacing.h"
#include "views/theme/theme.h"
#include "views/widgets/text.h"

namespace pt2::views {
namespace {

constexpr int kPanTime = 200;

}  // namespace

GraphCanvas::GraphCanvas(QWidget* parent) : QWidget(parent), legend_(new GraphLegend(this)), minimap_(new GraphMinimap(*this)) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setAccessibleName(tr("Graph"));
    setAccessibleDescription(tr("The graph as a drawing. Arrow keys move along edges, Enter opens a group, Backspace goes to the parent."));
    animation_.setDuration(kPanTime);
    animation_.setEasingCurve(QEasingCurve::OutCubic);
    connect(&animation_, &QVariantAnimation::valueChanged, this, [this](const QVariant& value) {
        offset_ = value.toPointF();
        minimap_->update();
        update();
    });
    connect(legend_, &GraphLegend::familyClicked, this, [this](int family) { setMutedBut(state_.mutedBut == family ? -1 : family); });
    connect(legend_, &GraphLegend::resized, this, &GraphCanvas::placeFurniture);
    legend_->hide();
    minimap_->hide();
}

void GraphCanvas::setScene(std::shared_ptr<const GraphScene> scene, const GraphItem& keep) {
    const bool first = scene_ == nullptr;
    QPointF before;
    bool pinned = false;
    const QRectF old = scene_ && keep ? scene_->rectOf(keep) : QRectF();
    if (!old.isNull()) {
        before = toWidget(old.topLeft());
        pinned = true;
    }
    scene_ = std::move(scene);
    spoken_.clear();
    painter_.forget();
    state_.hover = {};
    state_.hoverEdge = state_.lastEdge = kNone;
    state_.old = false;
    animation_.stop();
    if (scene_ == nullptr) return;
    legend_->setScene(scene_.get());
    countHits();
    const QRectF now = keep ? scene_->rectOf(keep) : QRectF();
    if (first) {
        showStart();
    } else if (pinned && !now.isNull()) {
        setOffset(now.topLeft() - before / scale_);
    } else {
        limitOffset();
    }
    minimap_->setScene(scene_.get());
    placeFurniture();
    update();
}

void GraphCanvas::setPending(bool pending) {
    if (state_.old == pending) return;
    state_.old = pending;
    update();
}

void GraphCanvas::setSelection(const GraphItem& item, bool revealIt) {
    state_.selection = item;
    state_.lastEdge = kNone;
    if (revealIt && scene_ && item) reveal(scene_->rectOf(item));
    announceSelection();
    update();
}

void GraphCanvas::setHits(const std::vector<NodeId>& hits, NodeId current) {
    state_.hits = std::unordered_set<NodeId>(hits.begin(), hits.end());
    state_.currentHit = current;
    countHits();
    update();
}

void GraphCanvas::countHits() {
    state_.hitsInGroups.clear();
    if (!scene_) return;
    const GraphLayout& layout = scene_->layout();
    for (const NodeId n : state_.hits) {
        const std::uint32_t end = n < layout.endOfNode.size() ? layout.endOfNode[n] : kNone;
        if (end == kNone || (end & kGroupEnd) == 0 || layout.groups[end & ~kGroupEnd].open) continue;
        ++state_.hitsInGroups[end & ~kGroupEnd];
    }
}

void GraphCanvas::setMutedBut(int family) {
    state_.mutedBut = family;
    legend_->setCurrent(family);
    update();
}

void GraphCanvas::placeFurniture() {
    if (!scene_) return;
    const QRectF bounds = scene_->bounds();
    const bool needsMap = bounds.width() * scale_ > width() + 1 || bounds.height() * scale_ > height() + 1;
    const bool roomForBoth = height() > 420;
    minimap_->setVisible(needsMap && height() > 260);
    legend_->setVisible(height() > 260 && width() > 420 && (roomForBoth || !needsMap));
    minimap_->move(width() - minimap_->width() - Spacing::m, height() - minimap_->height() - Spacing::m);
    const int above = minimap_->isVisible() ? minimap_->height() + Spacing::l : 0;
    legend_->adjustSize();
    legend_->move(width() - legend_->width() - Spacing::m, height() - legend_->height() - Spacing::m - above);
    minimap_->update();
}

void GraphCanvas::paintEvent(QPaintEvent* event) {
    QPainter painter(this);
    painter.fillRect(event->rect(), color(Role::Canvas));
    if (!scene_) return;
    const QRectF part(event->rect());
    const QRectF region(toScene(part.topLeft()), toScene(part.bottomRight()));
    painter_.paint(painter, *scene_, state_, region, offset_, scale_);
    if (hasFocus() && !state_.selection) {
        painter.setPen(QPen(color(Role::Focus), 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect().adjusted(1, 1, -1, -1));
    }
}

void GraphCanvas::resizeEvent(QResizeEvent*) {
    if (startPending_) showStart();
    limitOffset();
    placeFurniture();
}

void GraphCanvas::wheelEvent(QWheelEvent* event) {
    if (event->modifiers().testFlag(Qt::ShiftModifier)) {
        const QPoint delta = event->pixelDelta().isNull() ? event->angleDelta() / 2 : event->pixelDelta();
        setOffset(offset_ - QPointF(delta.y() + delta.x(), 0) / scale_);
    } else if (!event->pixelDelta().isNull() && event->source() != Qt::MouseEventNotSynthesized &&
               !event->modifiers().testFlag(Qt::ControlModifier)) {
        setOffset(offset_ - QPointF(event->pixelDelta()) / scale_);  // two fingers on a pad scroll
    } else {
        zoomBy(std::pow(1.0015, event->angleDelta().y()), event->position());
    }
    event->accept();
}

void GraphCanvas::mousePressEvent(QMouseEvent* event) {
    setFocus(Qt::MouseFocusReason);
    pressedAt_ = event->position();
    pressedOffset_ = offset_;
    moved_ = false;
    animation_.stop();
    pressedHit_ = scene_ ? scene_->hit(toScene(event->position()), 4 / scale_) : GraphScene::Hit{};
    panning_ = event->button() == Qt::MiddleButton || event->button() == Qt::LeftButton;
    if (event->button() == Qt::MiddleButton || spaceHeld_) setCursor(Qt::ClosedHandCursor);
}

void GraphCanvas::mouseMoveEvent(QMouseEvent* event) {
    if (panning_ && event->buttons() != Qt::NoButton) {
        if (!moved_ && (event->position() - pressedAt_).manhattanLength() > QApplication::startDragDistance()) {
            moved_ = true;
            setCursor(Qt::ClosedHandCursor);
        }
        if (moved_) setOffset(pressedOffset_ - (event->position() - pressedAt_) / scale_);
        return;
    }
    if (scene_) setHover(scene_->hit(toScene(event->position()), 4 / scale_));
}

void GraphCanvas::setHover(const GraphScene::Hit& hit) {
    const GraphItem item = scene_->itemOf(hit);
    const std::uint32_t edge = hit.kind == GraphScene::Hit::Kind::Edge && detailLevel(scale_) >= DetailLevel::Name ? hit.index : kNone;
    if (item == state_.hover && edge == state_.hoverEdge) return;
    state_.hover = item;
    state_.hoverEdge = edge;
    setCursor(spaceHeld_ ? Qt::OpenHandCursor : Qt::ArrowCursor);
    update();
}

void GraphCanvas::mouseReleaseEvent(QMouseEvent* event) {
    panning_ = false;
    setCursor(spaceHeld_ ? Qt::OpenHandCursor : Qt::ArrowCursor);
    if (moved_ || !scene_ || event->button() != Qt::LeftButton || spaceHeld_) return;
    switch (pressedHit_.kind) {
        case GraphScene::Hit::Kind::Toggle: emit toggleRequested(pathOf(pressedHit_), event->modifiers().testFlag(Qt::AltModifier)); break;
        case GraphScene::Hit::Kind::Edge: {
            const LayoutEdge& edge = scene_->layout().edges[pressedHit_.index];
            select(GraphItem::value(edge.value).kind == GraphItem::Kind::Value && scene_->program().value(edge.value).producer != kNone
                       ? GraphItem::node(scene_->program().value(edge.value).producer)
                       : GraphItem::value(edge.value));
            state_.lastEdge = pressedHit_.index;
            break;
        }
        default: select(scene_->itemOf(pressedHit_));
    }
}

void GraphCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
    if (!scene_ || event->button() != Qt::LeftButton) return;
    const GraphScene::Hit hit = scene_->hit(toScene(event->position()), 4 / scale_);
    const std::string path = pathOf(hit);
    if (hit.kind == GraphScene::Hit::Kind::Toggle) return;  // both clicks have toggled
    if (!path.empty()) {
        emit toggleRequested(path, event->modifiers().testFlag(Qt::AltModifier));
    } else if (const GraphItem item = scene_->itemOf(hit)) {
        emit activated(item);
    }
    pressedHit_ = {};
    moved_ = true;
}

std::string GraphCanvas::pathOf(const GraphScene::Hit& hit) const {
    using Kind = GraphScene::Hit::Kind;
    const GraphLayout& layout = scene_->layout();
    if (hit.kind == Kind::Title || hit.kind == Kind::ClosedGroup) return layout.groups[hit.index].path;
    if (hit.kind == Kind::Toggle) return (hit.index & kGroupEnd) != 0 ? layout.groups[hit.index & ~kGroupEnd].path : layout.boxes[hit.index].opens;
    if (hit.kind == Kind::Row) return layout.boxes[hit.index].opens;
    return {};
}

void GraphCanvas::leaveEvent(QEvent*) {
    state_.hover = {};
    state_.hoverEdge = kNone;
    update();
}

void GraphCanvas::select(const GraphItem& item) {
    state_.lastEdge = kNone;
    if (!(state_.selection == item)) {
        state_.selection = item;
        announceSelection();
        emit selected(item);
    }
    update();
}

GraphItem GraphCanvas::parentOf(const GraphItem& item) const {
    const std::uint32_t end = scene_->endOf(item);
    if (end == kNone) return {};
    std::uint32_t group = (end & kGroupEnd) != 0 ? end & ~kGroupEnd : scene_->layout().boxes[end].group;
    const bool itself = (end & kGroupEnd) != 0 && scene_->itemAt(end, 0) == item;
    if (itself) group = scene_->layout().groups[group].parent;
    return group == 0 ? GraphItem{} : scene_->itemAt(kGroupEnd | group, 0);
}

void GraphCanvas::moveSelection(int key) {
    if (!state_.selection) {
        if (scene_->layout().boxes.empty()) return;
        select(scene_->itemAt(0, 0));
        reveal(scene_->rectOf(state_.selection));
        return;
    }
    std::vector<GraphItem> candidates;
    if (key == Qt::Key_Up) candidates = scene_->producers(state_.selection);
    if (key == Qt::Key_Down) candidates = scene_->readers(state_.selection);
    if (key == Qt::Key_Left || key == Qt::Key_Right) {
        // Siblings: what else the producers feed, or else what stands beside.
        for (const GraphItem& producer : scene_->producers(state_.selection)) {
            for (const GraphItem& other : scene_->readers(producer)) candidates.push_back(other);
        }
    }
    const QRectF from = scene_->rectOf(state_.selection);
    GraphItem best;
    double bestDistance = 1e18;
    for (const GraphItem& item : candidates) {
        if (item == state_.selection) continue;
        const QRectF rect = scene_->rectOf(item);
        const double dx = rect.center().x() - from.center().x(), dy = rect.center().y() - from.center().y();
        if (key == Qt::Key_Left && dx >= 0) continue;
        if (key == Qt::Key_Right && dx <= 0) continue;
        const double distance = std::abs(dx) + std::abs(dy);
        if (distance < bestDistance) {
            bestDistance = distance;
            best = item;
        }
    }
    if (!best) return;
    const auto before = scene_->edgesOf(state_.selection);
    select(best);
    for (const std::uint32_t e : scene_->edgesOf(best)) {
        if (std::find(before.begin(), before.end(), e) != before.end()) state_.lastEdge = e;
    }
    reveal(scene_->rectOf(best));
}

void GraphCanvas::keyPressEvent(QKeyEvent* event) {
    if (!scene_) return QWidget::keyPressEvent(event);
    if (event->modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier)) return QWidget::keyPressEvent(event);
    switch (event->key()) {
        case Qt::Key_Up:
        case Qt::Key_Down:
        case Qt::Key_Left:
        case Qt::Key_Right: moveSelection(event->key()); return;
        case Qt::Key_Return:
        case Qt::Key_Enter: {
            const std::uint32_t end = scene_->endOf(state_.selection);
            if (end == kNone) return;
            const std::string path = (end & kGroupEnd) != 0 ? scene_->layout().groups[end & ~kGroupEnd].path : scene_->layout().boxes[end].opens;
            if (!path.empty()) {
                emit toggleRequested(path, event->modifiers().testFlag(Qt::ShiftModifier));
            } else {
                emit activated(state_.selection);
            }
            return;
        }
        case Qt::Key_Backspace:
            select(parentOf(state_.selection));
            if (state_.selection) reveal(scene_->rectOf(state_.selection));
            return;
        case Qt::Key_Plus:
        case Qt::Key_Equal: zoomIn(); return;
        case Qt::Key_Minus: zoomOut(); return;
        case Qt::Key_0: fit(); return;
        case Qt::Key_1: zoomToFull(); return;
        case Qt::Key_F: fitSelection(); return;
        case Qt::Key_Slash: emit findRequested(); return;
        case Qt::Key_Escape: select({}); return;
        case Qt::Key_Home: showStart(); return;
        case Qt::Key_End: setOffset(QPointF(offset_.x(), scene_->bounds().bottom() - height() / scale_)); return;
        case Qt::Key_PageUp: setOffset(offset_ - QPointF(0, 0.8 * height() / scale_)); return;
        case Qt::Key_PageDown: setOffset(offset_ + QPointF(0, 0.8 * height() / scale_)); return;
        case Qt::Key_Space:
            if (!event->isAutoRepeat()) {
                spaceHeld_ = true;
                setCursor(Qt::OpenHandCursor);
            }
            return;
        default: QWidget::keyPressEvent(event);
    }
}

void GraphCanvas::keyReleaseEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Space && !event->isAutoRepeat()) {
        spaceHeld_ = false;
        setCursor(Qt::ArrowCursor);
        return;
    }
    QWidget::keyReleaseEvent(event);
}

void GraphCanvas::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) {
        painter_.forget();
        update();
    }
    QWidget::changeEvent(event);
}

bool GraphCanvas::event(QEvent* event) {
    if (event->type() == QEvent::NativeGesture) {
        const auto* gesture = static_cast<QNativeGestureEvent*>(event);
        if (gesture->gestureType() == Qt::ZoomNativeGesture) {
            zoomBy(1 + gesture->value(), gesture->position());
            return true;
        }
    }
    if (event->type() == QEvent::ToolTip && scene_) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const QString text = tooltip(scene_->hit(toScene(help->pos()), 4 / scale_));
        if (text.isEmpty()) {
            QToolTip::hideText();
        } else {
            QToolTip::showText(help->globalPos(), text, this);
        }
        return true;
    }
    return QWidget::event(event);
}

QString GraphCanvas::tooltip(const GraphScene::Hit& hit) const {
    const Program& program = scene_->program();
    const auto valueText = [&](ValueId v) {
        return shown(program.value(v).name) + QStringLiteral("  ") + toQt(typeLabel(program, program.value(v)));
    };
    switch (hit.kind) {
        case GraphScene::Hit::Kind::Row: {
            const NodeId node = scene_->layout().boxes[hit.index].rows[hit.row].node;
            QString text = shown(program.displayName(node)) + QStringLiteral("\n") + shown(program.node(node).target);
            program.forEachOutputValue(program.node(node), [&](ValueId v) {
                if (text.size() < 400) text += QStringLiteral("\n") + valueText(v);
            });
            if (const auto module = program.modulePath(node); !module.empty()) text += QStringLiteral("\n") + shown(module);
            return text;
        }
        case GraphScene::Hit::Kind::Pill: return valueText(scene_->layout().boxes[hit.index].value);
        case GraphScene::Hit::Kind::Chip: {
            const Value& value = program.value(hit.weight);
            const auto specs = program.inputSpecs();
            const QString name = value.inputIndex < specs.size() ? shown(specs[value.inputIndex].target) : shown(value.name);
            return name + QStringLiteral("\n") + toQt(typeLabel(program, value));
        }
        case GraphScene::Hit::Kind::ClosedGroup:
        case GraphScene::Hit::Kind::Title: {
            const LayoutGroup& group = scene_->layout().groups[hit.index];
            QString text = shown(group.path);
            if (!group.type.empty()) text += QStringLiteral("\n") + shown(group.type);
            if (group.repeat > 1)
                text +=
                    QStringLiteral("\n") + tr("%1 identical groups. A click on the arrow opens the first, Alt and a click all.").arg(group.repeat);
            return text;
        }
        case GraphScene::Hit::Kind::Edge: return valueText(scene_->layout().edges[hit.index].value);
        default: return {};
    }
}

void GraphCanvas::contextMenuEvent(QContextMenuEvent* event) {
    if (!scene_) return;
    const GraphScene::Hit hit = event->reason() == QContextMenuEvent::Mouse ? scene_->hit(toScene(event->pos()), 4 / scale_) : GraphScene::Hit{};
    if (const GraphItem item = scene_->itemOf(hit)) select(item);
    QMenu menu(this);
    const std::uint32_t end = scene_->endOf(state_.selection);
    std::string path;
    if (end != kNone) path = (end & kGroupEnd) != 0 ? scene_->layout().groups[end & ~kGroupEnd].path : scene_->layout().boxes[end].opens;
    if (!path.empty()) {
        const bool open = (end & kGroupEnd) != 0 && scene_->layout().groups[end & ~kGroupEnd].open;
        menu.addAction(open ? tr("Close group") : tr("Open group"), this, [this, path] { emit toggleRequested(path, false); });
        menu.addSeparator();
    }
    if (state_.selection.kind == GraphItem::Kind::Node) {
        const NodeId node = state_.selection.id;
        menu.addAction(tr("Copy name"), this, [this, node] { QApplication::clipboard()->setText(toQt(scene_->program().displayName(node))); });
        menu.addAction(tr("Copy address"), this, [this, node] { QApplication::clipboard()->setText(toQt(scene_->program().nodeAddress(node))); });
        menu.addSeparator();
    }
    menu.addAction(tr("Fit drawing"), this, &GraphCanvas::fit);
    QAction* fitSelected = menu.addAction(tr("Fit selection"), this, &GraphCanvas::fitSelection);
    fitSelected->setEnabled(static_cast<bool>(state_.selection));
    menu.exec(event->globalPos());
}

}  // namespace pt2::views
