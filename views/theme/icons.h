#pragma once

#include <QIcon>
#include <QRectF>
#include <QString>

#include "views/theme/roles.h"

class QPainter;

namespace pt2::views {

/// An icon of resources/icons by its file's name without ".svg", painted in the role's colour of the theme in force at paint time.
/// Disabled, active and selected come from the same file.
QIcon icon(const QString& name, Role role = Role::Text);
/// The same, painted straight onto a painter.
void paintIcon(QPainter& painter, const QRectF& rect, const QString& name, Role role = Role::Text);
void paintIcon(QPainter& painter, const QRectF& rect, const QString& name, const QColor& colour);
/// Names of all icons there are.
QStringList iconNames();

}  // namespace pt2::views
