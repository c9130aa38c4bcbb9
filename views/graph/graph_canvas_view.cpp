// Which part of the drawing a canvas shows, and at what size.
#include <QStyle>
#include <algorithm>
#include <cmath>

#include "views/graph/graph_canvas.h"
#include "views/graph/graph_furniture.h"
#include "views/theme/spacing.h"

namespace pt2::views {
namespace {

constexpr double kLargest = 4, kSmallest = 0.002, kStep = 1.25;
constexpr double kReadable = 0.83;
constexpr double kNarrowest = 0.6;  // below, names cannot be read

}  // namespace

QRectF GraphCanvas::visibleRegion() const { return {offset_, QSizeF(width() / scale_, height() / scale_)}; }

void GraphCanvas::setOffset(QPointF offset) {
    offset_ = offset;
    limitOffset();
    minimap_->update();
    update();
}

/// At least a corner of the drawing stays in view.
void GraphCanvas::limitOffset() {
    if (!scene_) return;
    const QRectF bounds = scene_->bounds();
    const double marginX = std::max(0.0, width() / scale_ - 80 / scale_), marginY = std::max(0.0, height() / scale_ - 80 / scale_);
    offset_.setX(std::clamp(offset_.x(), bounds.left() - marginX, std::max(bounds.left() - marginX, bounds.right() - 80 / scale_)));
    offset_.setY(std::clamp(offset_.y(), bounds.top() - marginY, std::max(bounds.top() - marginY, bounds.bottom() - 80 / scale_)));
}

void GraphCanvas::setScale(double scale, QPointF about) {
    const QPointF fixed = toScene(about);
    scale_ = std::clamp(scale, kSmallest, kLargest);
    animation_.stop();
    setOffset(fixed - about / scale_);
    placeFurniture();
    emit zoomChanged(scale_);
}

void GraphCanvas::zoomBy(double factor, QPointF about) { setScale(scale_ * factor, about); }
void GraphCanvas::zoomIn() { zoomBy(kStep, QPointF(width() / 2.0, height() / 2.0)); }
void GraphCanvas::zoomOut() { zoomBy(1 / kStep, QPointF(width() / 2.0, height() / 2.0)); }
void GraphCanvas::zoomToFull() { setScale(1, QPointF(width() / 2.0, height() / 2.0)); }

void GraphCanvas::fit() {
    if (!scene_) return;
    const QRectF bounds = scene_->bounds();
    scale_ = std::clamp(std::min({width() / std::max(1.0, bounds.width()), height() / std::max(1.0, bounds.height()), 1.2}), kSmallest, kLargest);
    animation_.stop();
    setOffset(bounds.center() - QPointF(width(), height()) / (2 * scale_));
    placeFurniture();
    emit zoomChanged(scale_);
}

void GraphCanvas::showStart() {
    if (!scene_ || width() < 40 || height() < 40) {
        startPending_ = true;
        return;
    }
    startPending_ = false;
    const QRectF bounds = scene_->bounds();
    const double beside = legend_->sizeHint().width() + 2.0 * Spacing::m;  // what legend and map take at the right
    const double room = width() > 2 * beside ? width() - beside : width();
    const double across = room / std::max(1.0, bounds.width()), down = height() / std::max(1.0, bounds.height());
    if (std::min(across, down) >= kReadable) {
        scale_ = std::min({across, down, 1.0});
        setOffset(QPointF(startLeft(room), bounds.center().y() - height() / (2 * scale_)));
    } else if (across >= kNarrowest) {
        scale_ = std::min(across, kReadable);
        setOffset(QPointF(startLeft(room), bounds.top()));
    } else {
        // Too wide to be read as a whole: a readable size, around the first input, without empty ground beyond the drawing's sides.
        scale_ = kReadable;
        legend_->setFolded(true);
        double left = bounds.center().x() - width() / (2 * scale_);
        for (const LayoutBox& box : scene_->layout().boxes) {
            if (box.kind != LayoutBox::Kind::Input) continue;
            left = box.x + box.width / 2 - room / (2 * scale_);
            break;
        }
        left = std::clamp(left, bounds.left(), std::max(bounds.left(), bounds.right() - room / scale_));
        setOffset(QPointF(left, bounds.top()));
    }
    placeFurniture();
    emit zoomChanged(scale_);
}

/// Left edge of the view that puts the whole drawing in the middle, or beside the legend where the two would meet.
double GraphCanvas::startLeft(double room) const {
    const QRectF bounds = scene_->bounds();
    const double free = bounds.width() * scale_ <= 2 * room - width() ? width() : room;
    return bounds.center().x() - free / (2 * scale_);
}

void GraphCanvas::frameWidth() {
    if (!scene_ || width() < 40) return;
    const QRectF bounds = scene_->bounds();
    const double room = freeRect().right(), most = std::max(1.0, bounds.width());
    if (room / most >= kReadable) {
        scale_ = std::min(scale_, room / most);
        setOffset(QPointF(startLeft(room), offset_.y()));
    } else if (width() / most >= kReadable) {  // then its right side may lie below the legend
        scale_ = std::min(scale_, width() / most);
        setOffset(QPointF(bounds.left(), offset_.y()));
    } else {
        return;
    }
    placeFurniture();
    emit zoomChanged(scale_);
}

void GraphCanvas::fitSelection() {
    if (!scene_ || !state_.selection) return fit();
    QRectF rect = scene_->rectOf(state_.selection);
    if (rect.isNull()) return;
    rect.adjust(-40, -40, 40, 40);
    scale_ = std::clamp(std::min(width() / rect.width(), height() / rect.height()), kSmallest, 1.5);
    setOffset(rect.center() - QPointF(width(), height()) / (2 * scale_));
    placeFurniture();
    emit zoomChanged(scale_);
}

void GraphCanvas::centerOn(QPointF scene) {
    animation_.stop();
    setOffset(scene - QPointF(width(), height()) / (2 * scale_));
}

/// The part of the view that no furniture covers.
QRectF GraphCanvas::freeRect() const {
    QRectF rect = this->rect();
    if (legend_->isVisible() || minimap_->isVisible())
        rect.setRight(std::max(rect.left() + rect.width() / 2, rect.right() - legend_->width() - 2.0 * Spacing::m));
    return rect.adjusted(Spacing::xl, Spacing::xxl, -Spacing::xl, -Spacing::xl);
}

void GraphCanvas::reveal(const QRectF& rect) {
    if (rect.isNull()) return;
    if (width() < 40) {
        startPending_ = false;
        return;
    }
    if (rect.height() * scale_ < 14 && rect.height() < 200) setScale(kReadable, toWidget(rect.center()));
    const QRectF free = freeRect();
    const QRectF onScreen(toWidget(rect.topLeft()), toWidget(rect.bottomRight()));
    if (free.contains(onScreen)) return;
    QPointF shift;
    const bool far = !QRectF(this->rect()).intersects(onScreen);
    const bool tooLarge = onScreen.height() > free.height() || onScreen.width() > free.width();
    if (far || tooLarge) {
        shift = tooLarge ? onScreen.topLeft() - free.topLeft() : onScreen.center() - free.center();
        if (onScreen.width() <= free.width()) shift.setX(onScreen.center().x() - free.center().x());
    } else {
        if (onScreen.left() < free.left()) shift.setX(onScreen.left() - free.left());
        if (onScreen.right() > free.right()) shift.setX(onScreen.right() - free.right());
        if (onScreen.top() < free.top()) shift.setY(onScreen.top() - free.top());
        if (onScreen.bottom() > free.bottom()) shift.setY(onScreen.bottom() - free.bottom());
    }
    const QPointF target = offset_ + shift / scale_;
    const bool beyond = std::abs(shift.x()) > 3.0 * width() || std::abs(shift.y()) > 3.0 * height();
    if (beyond || !isVisible()) {
        setOffset(target);
    } else {
        animateTo(target);
    }
}

void GraphCanvas::animateTo(QPointF offset) {
    if (style()->styleHint(QStyle::SH_Widget_Animation_Duration, nullptr, this) == 0 || qEnvironmentVariableIsSet("PT2SCOPE_NO_MOTION")) {
        setOffset(offset);
        return;
    }
    animation_.stop();
    animation_.setStartValue(offset_);
    animation_.setEndValue(offset);
    animation_.start();
}

}  // namespace pt2::views
