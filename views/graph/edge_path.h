#pragma once

#include <QPainterPath>
#include <QPolygonF>
#include <utility>
#include <vector>

namespace pt2::views {

using EdgePoints = std::vector<std::pair<float, float>>;

/// An orthogonal line with rounded corners, cut short at its end by `shorten` to make room for the arrow head.
QPainterPath roundedPath(const EdgePoints& points, double radius, double shorten);
/// A triangle at the line's last point, in its last direction.
QPolygonF arrowHead(const EdgePoints& points, double size);

}  // namespace pt2::views
