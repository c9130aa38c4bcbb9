#include "views/frame/document_tabs.h"

#include <QMouseEvent>
#include <QPainter>
#include <algorithm>

#include "views/theme/drawn_parts.h"
#include "views/theme/fonts.h"
#include "views/theme/icons.h"
#include "views/theme/spacing.h"
#include "views/theme/theme.h"

namespace pt2::views {

DocumentTabs::DocumentTabs(QWidget* parent) : QTabBar(parent) {
    setDrawBase(false);
    setExpanding(false);
    setMovable(true);
    setMouseTracking(true);
    setElideMode(Qt::ElideMiddle);
    setFixedHeight(std::max(Metrics::tabBar, fontMetrics().height() + 2 * Spacing::s));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Documents"));
}

QSize DocumentTabs::tabSizeHint(int index) const {
    const int text = QFontMetrics(uiFont(TextSize::Strong)).horizontalAdvance(tabText(index));
    return {std::clamp(text + 16 + 16 + 2 * Spacing::l + Spacing::m, 100, 320), height()};
}

QRect DocumentTabs::closeRect(int index) const {
    const QRect tab = tabRect(index);
    return {tab.right() - 24 - Spacing::xs, tab.center().y() - 11, 24, 24};
}

QRect DocumentTabs::plusRect() const {
    const int left = count() > 0 ? tabRect(count() - 1).right() + Spacing::s : Spacing::s;
    return {left, (height() - 24) / 2, 24, 24};
}

void DocumentTabs::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), color(Role::TabBar));
    painter.fillRect(QRect(0, height() - 1, width(), 1), color(Role::Border));
    for (int i = 0; i < count(); ++i) {
        const QRect tab = tabRect(i);
        const bool on = i == currentIndex();
        if (on) {
            painter.fillRect(tab, color(Role::Base));
            painter.fillRect(QRect(tab.left(), 0, tab.width(), 2), color(Role::Accent));
        }
        painter.fillRect(QRect(tab.right(), on ? 0 : Spacing::s, 1, on ? tab.height() : tab.height() - 2 * Spacing::s), color(Role::Border));
        paintIcon(painter, QRectF(tab.left() + Spacing::m, tab.center().y() - 7, 16, 16), QStringLiteral("archive"), on ? Role::Accent : Role::Muted);
        const QFont font = uiFont(on ? TextSize::Strong : TextSize::Body);
        painter.setFont(font);
        painter.setPen(color(on ? Role::Text : Role::Muted));
        const QRect text = tab.adjusted(Spacing::m + 16 + Spacing::s, 0, -32, 0);
        painter.drawText(text, Qt::AlignVCenter | Qt::TextSingleLine, QFontMetrics(font).elidedText(tabText(i), Qt::ElideMiddle, text.width()));
        const QRect close = closeRect(i);
        const bool hovered = close.contains(hover_);
        if (hovered) drawPanel(painter, QRectF(close), Metrics::controlRadius, color(Role::GroupRow), QColor(), 0);
        paintIcon(painter, QRectF(close.center().x() - 7, close.center().y() - 7, 16, 16), QStringLiteral("close"),
                  hovered ? Role::Text : Role::Muted);
        if (on && hasFocus() && byKeyboard_)
            drawPanel(painter, QRectF(tab.adjusted(2, 3, -2, -3)), Metrics::controlRadius, QColor(), color(Role::Focus), 2);
    }
    const QRect plus = plusRect();
    if (plus.contains(hover_)) drawPanel(painter, QRectF(plus), Metrics::controlRadius, color(Role::Alt), QColor(), 0);
    paintIcon(painter, QRectF(plus.center().x() - 7, plus.center().y() - 7, 16, 16), QStringLiteral("plus"), Role::Muted);
}

void DocumentTabs::mousePressEvent(QMouseEvent* event) {
    const QPoint at = event->position().toPoint();
    if (plusRect().contains(at)) return;
    for (int i = 0; i < count(); ++i) {
        if (closeRect(i).contains(at)) return;
    }
    QTabBar::mousePressEvent(event);
}

void DocumentTabs::mouseReleaseEvent(QMouseEvent* event) {
    const QPoint at = event->position().toPoint();
    if (event->button() == Qt::LeftButton && plusRect().contains(at)) {
        emit newTabRequested();
        return;
    }
    for (int i = 0; i < count(); ++i) {
        const bool middle = event->button() == Qt::MiddleButton && tabRect(i).contains(at);
        if (middle || (event->button() == Qt::LeftButton && closeRect(i).contains(at))) {
            emit tabCloseRequested(i);
            return;
        }
    }
    QTabBar::mouseReleaseEvent(event);
}

void DocumentTabs::mouseMoveEvent(QMouseEvent* event) {
    hover_ = event->position().toPoint();
    update();
    QTabBar::mouseMoveEvent(event);
}

void DocumentTabs::focusInEvent(QFocusEvent* event) {
    byKeyboard_ = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason;
    QTabBar::focusInEvent(event);
}

void DocumentTabs::leaveEvent(QEvent* event) {
    hover_ = {-1, -1};
    update();
    QTabBar::leaveEvent(event);
}

}  // namespace pt2::views
