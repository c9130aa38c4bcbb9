#include "views/plots/histogram_plot.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "views/theme/fonts.h"
#include "views/theme/spacing.h"
#include "views/theme/theme.h"
#include "views/widgets/text.h"

namespace pt2::views {

std::vector<double> niceTicks(double low, double high, int wanted) {
    std::vector<double> ticks;
    if (!(high > low) || wanted < 1) return ticks;
    const double rough = (high - low) / wanted;
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    double step = power;
    for (const double factor : {1.0, 2.0, 5.0, 10.0}) {
        step = factor * power;
        if (step >= rough) break;
    }
    const double first = std::ceil(low / step - 1e-9) * step;
    for (int i = 0; i < 50; ++i) {
        const double tick = first + i * step;
        if (tick > high + step * 1e-6) break;
        ticks.push_back(std::abs(tick) < step * 1e-6 ? 0.0 : tick);
    }
    return ticks;
}

QString axisNumber(double value) { return toQt(formatFloat(value)).replace(QLatin1Char('-'), QChar(0x2212)); }

HistogramPlot::HistogramPlot(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setFocusPolicy(Qt::TabFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
}

void HistogramPlot::setData(Data data) {
    data_ = std::move(data);
    current_ = -1;
    update();
}

void HistogramPlot::setAxis(double low, double high) {
    axis_ = std::pair(low, high);
    update();
}

void HistogramPlot::setTop(std::uint64_t top) {
    top_ = top;
    update();
}

void HistogramPlot::setMarks(std::vector<Mark> marks) {
    marks_ = std::move(marks);
    update();
}

void HistogramPlot::setSeries(int series) {
    series_ = series;
    update();
}

void HistogramPlot::setAxisTitle(const QString& text) {
    axisTitle_ = text;
    setAccessibleName(tr("Histogram: %1").arg(text));
    update();
}

std::uint64_t HistogramPlot::highest() const { return data_.counts.empty() ? 0 : *std::max_element(data_.counts.begin(), data_.counts.end()); }

QRectF HistogramPlot::plotArea() const {
    const QFontMetricsF caption(uiFont(TextSize::Caption));
    const double bottom = caption.height() * (axisTitle_.isEmpty() ? 1 : 2) + Spacing::s;
    const double top = marks_.empty() ? Spacing::xs + caption.height() / 2 : caption.height() + Spacing::s;
    const double left = caption.horizontalAdvance(QString::number(std::max(top_, highest()))) + Spacing::m;
    return QRectF(rect()).adjusted(left, top, -Spacing::s, -bottom);
}

double HistogramPlot::x(double value) const {
    const QRectF area = plotArea();
    const auto [low, high] = axis_.value_or(std::pair(data_.low, data_.high));
    return high > low ? area.left() + (value - low) / (high - low) * area.width() : area.center().x();
}

void HistogramPlot::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const QFont font = uiFont(TextSize::Caption);
    painter.setFont(font);
    const QFontMetricsF metrics(font);
    const QRectF area = plotArea();
    if (data_.counts.empty() || area.width() < 20 || area.height() < 20) return;
    const double top = static_cast<double>(std::max<std::uint64_t>(1, std::max(top_, highest())));
    for (const double tick : niceTicks(0, top, 4)) {
        const double y = area.bottom() - tick / top * area.height();
        painter.setPen(color(Role::Border));
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
        painter.setPen(color(Role::Muted));
        if (tick == std::floor(tick)) {
            painter.drawText(QRectF(0, y - metrics.height() / 2, area.left() - Spacing::s, metrics.height()), Qt::AlignRight | Qt::AlignVCenter,
                             axisNumber(tick));
        }
    }
    const double width = (data_.high - data_.low) / static_cast<double>(data_.counts.size());
    const QColor fill = series_ < 0 ? color(Role::Edge) : seriesColor(series_);
    for (std::size_t i = 0; i < data_.counts.size(); ++i) {
        if (data_.counts[i] == 0) continue;
        double left = area.left() + area.width() * static_cast<double>(i) / static_cast<double>(data_.counts.size());
        double right = area.left() + area.width() * static_cast<double>(i + 1) / static_cast<double>(data_.counts.size());
        if (width > 0) {
            left = x(data_.low + width * static_cast<double>(i));
            right = x(data_.low + width * static_cast<double>(i + 1));
        }
        const double height = std::max(1.0, static_cast<double>(data_.counts[i]) / top * area.height());
        QRectF bar(left, area.bottom() - height, std::max(1.0, right - left - 1), height);
        painter.fillRect(bar, static_cast<int>(i) == current_ ? color(Role::Accent) : fill);
    }
    painter.setPen(color(Role::Muted));
    const auto [low, high] = axis_.value_or(std::pair(data_.low, data_.high));
    for (const double tick : niceTicks(low, high, 4)) {
        painter.drawText(QRectF(x(tick) - 60, area.bottom() + Spacing::xs, 120, metrics.height()), Qt::AlignHCenter | Qt::AlignTop, axisNumber(tick));
    }
    if (!axisTitle_.isEmpty()) {
        painter.drawText(QRectF(area.left(), area.bottom() + Spacing::xs + metrics.height(), area.width(), metrics.height()),
                         Qt::AlignHCenter | Qt::AlignTop, axisTitle_);
    }
    double labelEnd = -1e9;
    for (const Mark& mark : marks_) {
        const double at = x(mark.at);
        painter.setPen(QPen(color(Role::Text), 1, Qt::DashLine));
        painter.drawLine(QPointF(at, area.top()), QPointF(at, area.bottom()));
        const double half = metrics.horizontalAdvance(mark.text) / 2;
        const double centre = std::clamp(at, area.left() + half, area.right() - half);
        if (centre - half < labelEnd + Spacing::xs) continue;
        labelEnd = centre + half;
        painter.setPen(color(Role::Muted));
        painter.drawText(QRectF(centre - half - 1, area.top() - metrics.height() - 2, 2 * half + 2, metrics.height()), Qt::AlignCenter, mark.text);
    }
    if (hasFocus()) {
        painter.setPen(QPen(color(Role::Focus), 2));
        painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), Metrics::controlRadius, Metrics::controlRadius);
    }
}

void HistogramPlot::read(int bin) {
    if (bin == current_) return;
    current_ = bin;
    update();
    if (bin < 0 || bin >= static_cast<int>(data_.counts.size())) return;
    setToolTip(binText(bin));
    announceSpokenPart(this, bin);
}

QString HistogramPlot::binText(int bin) const {
    const double width = (data_.high - data_.low) / static_cast<double>(data_.counts.size());
    std::uint64_t total = 0;
    for (const std::uint64_t count : data_.counts) total += count;
    const auto count = data_.counts[static_cast<std::size_t>(bin)];
    return tr("[%1, %2): %3 (%4)")
        .arg(axisNumber(data_.low + width * bin), axisNumber(data_.low + width * (bin + 1)), toQt(formatCount(count)),
             toQt(formatPercent(total == 0 ? 0 : static_cast<double>(count) / static_cast<double>(total))));
}

SpokenPart HistogramPlot::spokenPart(int index) const {
    SpokenPart part;
    if (index < 0 || index >= spokenCount()) return part;
    const QRectF area = plotArea();
    const double width = (data_.high - data_.low) / static_cast<double>(data_.counts.size()), left = x(data_.low + width * index);
    part.name = binText(index);
    part.place = QRectF(left, area.top(), x(data_.low + width * (index + 1)) - left, area.height()).toAlignedRect();
    part.role = QAccessible::ListItem;
    part.selectable = true;
    part.selected = index == current_;
    for (const Mark& mark : marks_) {
        if (mark.at >= data_.low + width * index && mark.at < data_.low + width * (index + 1)) part.description = mark.text;
    }
    return part;
}

void HistogramPlot::mouseMoveEvent(QMouseEvent* event) {
    int found = -1;
    const double width = data_.counts.empty() ? 0 : (data_.high - data_.low) / static_cast<double>(data_.counts.size());
    for (int i = 0; i < static_cast<int>(data_.counts.size()) && width > 0; ++i) {
        if (event->position().x() >= x(data_.low + width * i) && event->position().x() < x(data_.low + width * (i + 1))) found = i;
    }
    read(found);
}

void HistogramPlot::leaveEvent(QEvent*) { read(-1); }

void HistogramPlot::keyPressEvent(QKeyEvent* event) {
    const int count = static_cast<int>(data_.counts.size());
    if (count > 0 && (event->key() == Qt::Key_Left || event->key() == Qt::Key_Right)) {
        read(std::clamp(current_ + (event->key() == Qt::Key_Right ? 1 : -1), 0, count - 1));
        QToolTip::showText(mapToGlobal(QPoint(width() / 2, 0)), toolTip(), this);
        return;
    }
    QWidget::keyPressEvent(event);
}

}  // namespace pt2::views
