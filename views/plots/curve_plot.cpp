#include "views/plots/curve_plot.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "views/plots/histogram_plot.h"
#include "views/theme/fonts.h"
#include "views/theme/spacing.h"
#include "views/theme/theme.h"
#include "views/widgets/text.h"

namespace pt2::views {

namespace {

QString bytesText(double bytes) { return toQt(formatBytes(static_cast<std::uint64_t>(std::max(0.0, bytes)))); }

}  // namespace

CurvePlot::CurvePlot(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setFocusPolicy(Qt::TabFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
}

void CurvePlot::setCurve(std::vector<double> xs, std::vector<double> bytes) {
    const std::size_t count = std::min(xs.size(), bytes.size());
    xs.resize(count);
    bytes.resize(count);
    xs_ = std::move(xs);
    bytes_ = std::move(bytes);
    current_ = -1;
    if (!bytes_.empty()) {
        const auto [least, most] = std::minmax_element(bytes_.begin(), bytes_.end());
        // A leak of some kilobytes must be seen, and noise must not look like one.
        const double room = std::max((*most - *least) * 0.2, *most * 0.01);
        low_ = std::max(0.0, *least - room);
        high_ = *most + room;
    }
    update();
}

void CurvePlot::setAxisTitle(const QString& text) {
    axisTitle_ = text;
    setAccessibleName(tr("Memory curve: %1").arg(text));
    update();
}

QRectF CurvePlot::plotArea() const {
    const QFontMetricsF caption(uiFont(TextSize::Caption));
    const double bottom = caption.height() * (axisTitle_.isEmpty() ? 1 : 2) + Spacing::s;
    const double left = caption.horizontalAdvance(QStringLiteral("0.00 MB")) + Spacing::m;
    return QRectF(rect()).adjusted(left, Spacing::xs + caption.height() / 2, -Spacing::s, -bottom);
}

QPointF CurvePlot::place(std::size_t index) const {
    const QRectF area = plotArea();
    const double first = xs_.front(), last = xs_.back();
    const double x = last > first ? area.left() + (xs_[index] - first) / (last - first) * area.width() : area.center().x();
    const double y = high_ > low_ ? area.bottom() - (bytes_[index] - low_) / (high_ - low_) * area.height() : area.center().y();
    return {x, y};
}

void CurvePlot::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const QFont font = uiFont(TextSize::Caption);
    painter.setFont(font);
    const QFontMetricsF metrics(font);
    const QRectF area = plotArea();
    if (xs_.empty() || area.width() < 20 || area.height() < 20) return;
    for (const double tick : niceTicks(low_, high_, 3)) {
        const double y = area.bottom() - (tick - low_) / (high_ - low_) * area.height();
        painter.setPen(color(Role::Border));
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
        painter.setPen(color(Role::Muted));
        painter.drawText(QRectF(0, y - metrics.height() / 2, area.left() - Spacing::s, metrics.height()), Qt::AlignRight | Qt::AlignVCenter,
                         bytesText(tick));
    }
    for (const double tick : niceTicks(xs_.front(), xs_.back(), 5)) {
        const double x = area.left() + (tick - xs_.front()) / (xs_.back() - xs_.front()) * area.width();
        painter.drawText(QRectF(x - 60, area.bottom() + Spacing::xs, 120, metrics.height()), Qt::AlignHCenter | Qt::AlignTop, axisNumber(tick));
    }
    if (!axisTitle_.isEmpty()) {
        painter.drawText(QRectF(area.left(), area.bottom() + Spacing::xs + metrics.height(), area.width(), metrics.height()),
                         Qt::AlignHCenter | Qt::AlignTop, axisTitle_);
    }
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(seriesColor(0), 1.5));
    QPolygonF line;
    for (std::size_t i = 0; i < xs_.size(); ++i) line << place(i);
    painter.drawPolyline(line);
    if (current_ >= 0 && current_ < spokenCount()) {
        painter.setBrush(color(Role::Accent));
        painter.setPen(Qt::NoPen);
        painter.drawEllipse(place(static_cast<std::size_t>(current_)), 4, 4);
    }
    if (hasFocus()) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(color(Role::Focus), 2));
        painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), Metrics::controlRadius, Metrics::controlRadius);
    }
}

QString CurvePlot::pointText(int index) const {
    const auto i = static_cast<std::size_t>(index);
    return tr("%1: %2").arg(axisNumber(xs_[i]), bytesText(bytes_[i]));
}

void CurvePlot::read(int index) {
    if (index == current_) return;
    current_ = index;
    update();
    if (index < 0 || index >= spokenCount()) return;
    setToolTip(pointText(index));
    announceSpokenPart(this, index);
}

SpokenPart CurvePlot::spokenPart(int index) const {
    SpokenPart part;
    if (index < 0 || index >= spokenCount()) return part;
    const QPointF at = place(static_cast<std::size_t>(index));
    part.name = pointText(index);
    part.place = QRectF(at.x() - 4, at.y() - 4, 8, 8).toAlignedRect();
    part.role = QAccessible::ListItem;
    part.selectable = true;
    part.selected = index == current_;
    return part;
}

void CurvePlot::mouseMoveEvent(QMouseEvent* event) {
    int nearest = -1;
    double least = 1e9;
    for (std::size_t i = 0; i < xs_.size(); ++i) {
        const double far = std::abs(place(i).x() - event->position().x());
        if (far < least) {
            least = far;
            nearest = static_cast<int>(i);
        }
    }
    read(nearest);
}

void CurvePlot::leaveEvent(QEvent*) { read(-1); }

void CurvePlot::keyPressEvent(QKeyEvent* event) {
    const int count = spokenCount();
    if (count == 0) return QWidget::keyPressEvent(event);
    switch (event->key()) {
        case Qt::Key_Left: return read(std::max(0, current_ - 1));
        case Qt::Key_Right: return read(std::min(count - 1, current_ + 1));
        case Qt::Key_Home: return read(0);
        case Qt::Key_End: return read(count - 1);
        default: QWidget::keyPressEvent(event);
    }
}

}  // namespace pt2::views
