#include "views/graph/edge_path.h"

#include <algorithm>
#include <cmath>

namespace pt2::views {
namespace {

QPointF at(const EdgePoints& points, std::size_t i) { return {points[i].first, points[i].second}; }

QPointF direction(const QPointF& from, const QPointF& to) {
    const double length = std::hypot(to.x() - from.x(), to.y() - from.y());
    return length > 0 ? (to - from) / length : QPointF(0, 1);
}

}  // namespace

QPainterPath roundedPath(const EdgePoints& points, double radius, double shorten) {
    QPainterPath path;
    if (points.size() < 2) return path;
    path.moveTo(at(points, 0));
    for (std::size_t i = 1; i + 1 < points.size(); ++i) {
        const QPointF before = at(points, i - 1), corner = at(points, i), after = at(points, i + 1);
        const double in = std::hypot(corner.x() - before.x(), corner.y() - before.y());
        const double out = std::hypot(after.x() - corner.x(), after.y() - corner.y());
        const double r = std::min({radius, in / 2, out / 2});
        path.lineTo(corner - direction(before, corner) * r);
        path.quadTo(corner, corner + direction(corner, after) * r);
    }
    const QPointF last = at(points, points.size() - 1);
    path.lineTo(last - direction(at(points, points.size() - 2), last) * shorten);
    return path;
}

QPolygonF arrowHead(const EdgePoints& points, double size) {
    if (points.size() < 2) return {};
    const QPointF tip = at(points, points.size() - 1);
    const QPointF along = direction(at(points, points.size() - 2), tip);
    const QPointF across(-along.y(), along.x());
    const QPointF foot = tip - along * size;
    return QPolygonF({tip, foot + across * size * 0.5, foot - across * size * 0.5});
}

}  // namespace pt2::views
