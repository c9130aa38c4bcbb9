#pragma once

#include <QColor>
#include <QRectF>

#include "views/theme/theme.h"

class QPainter;
class QStyleOption;
class QWidget;

namespace pt2::views {

/// A rounded rectangle with a hairline, crisp at any pixel ratio.
void drawPanel(QPainter& painter, const QRectF& rect, double radius, const QColor& ground, const QColor& outline, double width = 1);

/// A card whose head, `head` pixels high, is on the ground of a state; `bar` adds the state's bar at the left edge.
void drawStateCard(QPainter& painter, const QRect& rect, int head, State state, bool bar);

/// Outline of a field: red when invalid, accent when focused, else strong.
void drawFieldFrame(QPainter& painter, const QRect& rect, bool focused, bool enabled, bool hovered, bool invalid, const QColor& ground);
void drawChevron(QPainter& painter, const QPointF& centre, bool up, const QColor& colour, double half = 3.5);
/// Whether a widget carries this property as true.
bool has(const QWidget* widget, const char* property);
/// Focus that came by the keyboard and is shown.
bool keyboardFocus(const QStyleOption& option);

}  // namespace pt2::views
