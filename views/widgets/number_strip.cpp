#include "views/widgets/number_strip.h"

#include <QFontMetrics>
#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>

#include "views/theme/fonts.h"
#include "views/theme/spacing.h"
#include "views/theme/theme.h"
#include "views/widgets/text.h"

namespace pt2::views {

namespace {
constexpr int kRowHeight = 70;
constexpr int kNarrowest = 168;
}  // namespace

NumberStrip::NumberStrip(QWidget* parent) : QWidget(parent) { setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed); }

void NumberStrip::setItems(std::vector<Item> items) {
    items_ = std::move(items);
    QStringList words, more;
    for (const Item& item : items_) {
        words << QStringLiteral("%1 %2, %3").arg(item.value, item.unit, item.detail);
        if (!item.tooltip.isEmpty()) more << item.tooltip;
    }
    setAccessibleName(words.join(QStringLiteral("; ")));
    setAccessibleDescription(more.join(QLatin1Char('\n')));
    updateGeometry();
    update();
}

int NumberStrip::columns() const {
    const int count = std::max<int>(1, static_cast<int>(items_.size()));
    if (width() <= 0) return count;
    // The widest number keeps its unit whole.
    const QFontMetrics big(uiFont(TextSize::Big)), unit(uiFont());
    int widest = kNarrowest;
    for (const Item& item : items_)
        widest = std::max(widest, Spacing::l + big.horizontalAdvance(item.value) + Spacing::s + unit.horizontalAdvance(item.unit) + Spacing::s);
    const int fit = std::max(1, width() / widest);
    return fit >= count ? count : (count + 1) / 2 <= fit ? (count + 1) / 2 : fit;
}

QSize NumberStrip::sizeHint() const {
    const int count = static_cast<int>(items_.size());
    const int perRow = columns();
    const int scale = std::max(kRowHeight, QFontMetrics(uiFont(TextSize::Big)).height() + QFontMetrics(uiFont(TextSize::Caption)).height() + 20);
    return {kNarrowest * 3, scale * std::max(1, (count + perRow - 1) / perRow)};
}

QSize NumberStrip::minimumSizeHint() const { return {kNarrowest, sizeHint().height()}; }

bool NumberStrip::event(QEvent* event) {
    if (event->type() == QEvent::Resize) updateGeometry();
    if (event->type() == QEvent::ToolTip && !items_.empty()) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const int perRow = columns();
        const int rows = (static_cast<int>(items_.size()) + perRow - 1) / perRow;
        const std::size_t index = static_cast<std::size_t>(std::clamp(help->y() * rows / std::max(1, height()), 0, rows - 1) * perRow +
                                                           std::clamp(help->x() * perRow / std::max(1, width()), 0, perRow - 1));
        if (index < items_.size() && !items_[index].tooltip.isEmpty()) QToolTip::showText(help->globalPos(), items_[index].tooltip, this);
        return true;
    }
    return QWidget::event(event);
}

void NumberStrip::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(QRect(0, 0, width(), 1), color(Role::Border));
    painter.fillRect(QRect(0, height() - 1, width(), 1), color(Role::Border));
    const int perRow = columns();
    const int count = static_cast<int>(items_.size());
    const int rows = std::max(1, (count + perRow - 1) / perRow);
    const int rowHeight = height() / rows;
    const QFont big = uiFont(TextSize::Big), unitFont = uiFont(), small = uiFont(TextSize::Caption);
    const QFontMetrics bigMetrics(big);
    for (int i = 0; i < count; ++i) {
        const Item& item = items_[static_cast<std::size_t>(i)];
        const int column = i % perRow, row = i / perRow;
        const int left = width() * column / perRow, right = width() * (column + 1) / perRow;
        const int top = row * rowHeight;
        const int x = left + (column > 0 ? Spacing::l : 0);
        if (column > 0) painter.fillRect(QRect(left, top + Spacing::l, 1, rowHeight - 2 * Spacing::m), color(Role::Border));
        const int baseline = top + Spacing::m + bigMetrics.ascent();
        painter.setFont(big);
        painter.setPen(color(Role::Text));
        painter.drawText(QPoint(x, baseline), item.value);
        const int unitX = x + bigMetrics.horizontalAdvance(item.value) + Spacing::s;
        painter.setFont(unitFont);
        painter.drawText(QPoint(unitX, baseline),
                         QFontMetrics(unitFont).elidedText(item.unit, Qt::ElideRight, std::max(0, right - unitX - Spacing::xs)));
        painter.setFont(small);
        painter.setPen(color(Role::Muted));
        const QRect detail(x, baseline + 4, right - x - Spacing::s, QFontMetrics(small).height() + 4);
        drawSymbolText(painter, detail, item.detail, small, Qt::AlignLeft);
    }
}

}  // namespace pt2::views
