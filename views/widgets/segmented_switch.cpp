#include "views/widgets/segmented_switch.h"

#include <QFontMetrics>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>

#include "views/theme/drawn_parts.h"
#include "views/theme/fonts.h"
#include "views/theme/spacing.h"
#include "views/theme/theme.h"

namespace pt2::views {

SegmentedSwitch::SegmentedSwitch(const QStringList& labels, QWidget* parent) : QWidget(parent), labels_(labels) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setAccessibleName(labels.join(QStringLiteral(", ")));
}

void SegmentedSwitch::setCurrent(int index) {
    index = std::clamp(index, 0, static_cast<int>(labels_.size()) - 1);
    if (index == current_) return;
    current_ = index;
    update();
    announceSpokenPart(this, index);
    emit currentChanged(index);
}

void SegmentedSwitch::setLabels(const QStringList& labels) {
    if (labels == labels_) return;
    if (accessibleName() == labels_.join(QStringLiteral(", "))) setAccessibleName(labels.join(QStringLiteral(", ")));
    labels_ = labels;
    if (current_ >= labels_.size()) setCurrent(0);
    updateGeometry();
    update();
}

QSize SegmentedSwitch::sizeHint() const {
    const QFontMetrics metrics(uiFont(TextSize::Strong));
    int widest = 0;
    for (const QString& label : labels_) widest = std::max(widest, metrics.horizontalAdvance(label));
    return {(widest + 2 * Spacing::m + 2) * static_cast<int>(labels_.size()), std::max(Metrics::control, metrics.height() + Spacing::s)};
}

QRect SegmentedSwitch::segment(int index) const {
    const int count = static_cast<int>(labels_.size());
    const int from = width() * index / count, to = width() * (index + 1) / count;
    return {from, 0, to - from, height()};
}

SpokenPart SegmentedSwitch::spokenPart(int index) const {
    SpokenPart part;
    part.name = labels_.value(index);
    part.place = segment(index);
    part.role = QAccessible::RadioButton;
    part.checkable = part.pressable = true;
    part.checked = index == current_;
    return part;
}

int SegmentedSwitch::segmentAt(const QPoint& position) const {
    for (int i = 0; i < labels_.size(); ++i) {
        if (segment(i).contains(position)) return i;
    }
    return -1;
}

void SegmentedSwitch::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    drawPanel(painter, QRectF(rect()), Metrics::controlRadius, color(Role::Alt), color(Role::Border));
    for (int i = 0; i < labels_.size(); ++i) {
        const QRect part = segment(i);
        const bool on = i == current_;
        if (on) {
            drawPanel(painter, QRectF(part), Metrics::controlRadius, color(Role::Selection), color(isEnabled() ? Role::Accent : Role::Border),
                      hasFocus() ? 2 : 1.5);
        } else if (i > 0 && i != current_ + 1) {
            painter.fillRect(QRect(part.left(), 6, 1, height() - 12), color(Role::Border));
        }
        painter.setFont(uiFont(on ? TextSize::Strong : TextSize::Body));
        painter.setPen(color(!isEnabled() ? Role::Disabled : on ? Role::SelectionText : i == hovered_ ? Role::Text : Role::Muted));
        painter.drawText(part, Qt::AlignCenter, labels_[i]);
    }
}

void SegmentedSwitch::mousePressEvent(QMouseEvent* event) {
    const int index = segmentAt(event->position().toPoint());
    if (index >= 0) setCurrent(index);
}

void SegmentedSwitch::mouseMoveEvent(QMouseEvent* event) {
    hovered_ = segmentAt(event->position().toPoint());
    update();
}

void SegmentedSwitch::leaveEvent(QEvent*) {
    hovered_ = -1;
    update();
}

void SegmentedSwitch::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Left) return setCurrent(current_ - 1);
    if (event->key() == Qt::Key_Right) return setCurrent(current_ + 1);
    QWidget::keyPressEvent(event);
}

}  // namespace pt2::views
