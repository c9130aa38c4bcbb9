#include "views/widgets/share_bar.h"

#include <QFontMetrics>
#include <QPainter>
#include <algorithm>

#include "views/theme/drawn_parts.h"
#include "views/theme/fonts.h"
#include "views/theme/spacing.h"
#include "views/theme/theme.h"

namespace pt2::views {

namespace {
constexpr int kBar = 10, kSquare = 8, kLine = 24, kPercent = 56;
}

ShareBar::ShareBar(QWidget* parent) : QWidget(parent) { setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed); }

void ShareBar::setParts(std::vector<Part> parts) {
    parts_ = std::move(parts);
    QStringList words;
    for (const Part& part : parts_) words << QStringLiteral("%1 %2 %3").arg(part.name, part.amount, part.percent).trimmed();
    setAccessibleName(words.join(QStringLiteral(", ")));
    updateGeometry();
    update();
}

QSize ShareBar::sizeHint() const {
    return {240, kBar + Spacing::s + std::max(kLine, fontMetrics().height() + Spacing::s) * static_cast<int>(parts_.size())};
}

void ShareBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    double x = 0;
    const double gap = 2, usable = width() - gap * std::max<double>(0, static_cast<double>(parts_.size()) - 1);
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        const double w = std::max(2.0, usable * parts_[i].share);
        drawPanel(painter, QRectF(x, 0, std::min(w, width() - x), kBar), 2, seriesColor(static_cast<int>(i)), QColor(), 0);
        x += w + gap;
    }
    const int line = std::max(kLine, fontMetrics().height() + Spacing::s);
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        const Part& part = parts_[i];
        const int top = kBar + Spacing::s + static_cast<int>(i) * line;
        drawPanel(painter, QRectF(0, top + (line - kSquare) / 2.0, kSquare, kSquare), 2, seriesColor(static_cast<int>(i)), QColor(), 0);
        const QFont numbers = codeFont();
        const int amountWidth = QFontMetrics(numbers).horizontalAdvance(QStringLiteral("0000 bytes"));
        const QRect percent(width() - kPercent, top, kPercent, line), amount(width() - kPercent - amountWidth, top, amountWidth, line);
        const QRect name(kSquare + Spacing::s, top, amount.left() - kSquare - 2 * Spacing::s, line);
        painter.setFont(uiFont());
        painter.setPen(color(Role::Text));
        painter.drawText(name, Qt::AlignVCenter | Qt::TextSingleLine, QFontMetrics(uiFont()).elidedText(part.name, Qt::ElideRight, name.width()));
        painter.setFont(numbers);
        painter.drawText(amount, Qt::AlignVCenter | Qt::AlignRight | Qt::TextSingleLine, part.amount);
        painter.setPen(color(Role::Muted));
        painter.drawText(percent, Qt::AlignVCenter | Qt::AlignRight | Qt::TextSingleLine, part.percent);
    }
}

}  // namespace pt2::views
