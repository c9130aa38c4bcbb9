#include "views/theme/drawn_parts.h"

#include <QPainter>
#include <QPainterPath>
#include <QStyleOption>
#include <QWidget>

#include "views/theme/icons.h"
#include "views/theme/spacing.h"

namespace pt2::views {

void drawPanel(QPainter& painter, const QRectF& rect, double radius, const QColor& ground, const QColor& outline, double width) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const double inset = width / 2;
    painter.setPen(outline.isValid() && width > 0 ? QPen(outline, width) : QPen(Qt::NoPen));
    painter.setBrush(ground.isValid() ? QBrush(ground) : QBrush(Qt::NoBrush));
    painter.drawRoundedRect(rect.adjusted(inset, inset, -inset, -inset), radius, radius);
    painter.restore();
}

void drawStateCard(QPainter& painter, const QRect& rect, int head, State state, bool bar) {
    painter.setRenderHint(QPainter::Antialiasing);
    drawPanel(painter, QRectF(rect), Metrics::cardRadius, color(Role::Card), QColor(), 0);
    if (head > 0) {
        QPainterPath clip;
        clip.addRoundedRect(QRectF(rect), Metrics::cardRadius, Metrics::cardRadius);
        painter.save();
        painter.setClipPath(clip);
        painter.fillRect(QRect(rect.left(), rect.top(), rect.width(), head), color(stateGround(state)));
        QColor line = color(bar ? stateRole(state) : Role::Border);
        if (bar) {
            painter.fillRect(QRect(rect.left(), rect.top(), Metrics::accentBar, rect.height()), line);
            line.setAlphaF(0.4F);
        }
        painter.fillRect(QRect(rect.left(), rect.top() + head - 1, rect.width(), 1), line);
        painter.restore();
    }
    drawPanel(painter, QRectF(rect), Metrics::cardRadius, QColor(), color(Role::Border));
}

bool has(const QWidget* widget, const char* property) { return widget && widget->property(property).toBool(); }

bool keyboardFocus(const QStyleOption& option) {
    return (option.state & QStyle::State_HasFocus) && (option.state & QStyle::State_KeyboardFocusChange);
}

void drawFieldFrame(QPainter& painter, const QRect& rect, bool focused, bool enabled, bool hovered, bool invalid, const QColor& ground) {
    const QColor outline = invalid    ? color(Role::Error)
                           : focused  ? color(Role::Focus)
                           : !enabled ? color(Role::Border)
                           : hovered  ? color(Role::Text)
                                      : color(Role::Strong);
    drawPanel(painter, QRectF(rect), Metrics::controlRadius, ground, outline, focused || invalid ? 2 : 1);
}

void drawChevron(QPainter& painter, const QPointF& centre, bool up, const QColor& colour, double half) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(colour, 1.4, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    const double dy = up ? -half / 2 : half / 2;
    painter.drawPolyline(QPolygonF({centre + QPointF(-half, -dy), centre + QPointF(0, dy), centre + QPointF(half, -dy)}));
    painter.restore();
}

}  // namespace pt2::views
