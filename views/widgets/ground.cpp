#include "views/widgets/ground.h"

#include <QHBoxLayout>
#include <QPainter>

#include "views/theme/spacing.h"
#include "views/theme/theme.h"

namespace pt2::views {

Hairline::Hairline(Qt::Orientation orientation, QWidget* parent) : QWidget(parent) {
    if (orientation == Qt::Horizontal) {
        setFixedHeight(1);
        setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    } else {
        setFixedWidth(1);
        setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Expanding);
    }
}

void Hairline::paintEvent(QPaintEvent*) { QPainter(this).fillRect(rect(), color(Role::Border)); }

Ground::Ground(Role role, QWidget* parent) : QWidget(parent), role_(role) {}

void Ground::setRole(Role role) {
    role_ = role;
    update();
}

void Ground::setEdges(Qt::Edges edges) {
    edges_ = edges;
    update();
}

void Ground::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), color(role_));
    const QColor line = color(Role::Border);
    if (edges_ & Qt::TopEdge) painter.fillRect(QRect(0, 0, width(), 1), line);
    if (edges_ & Qt::BottomEdge) painter.fillRect(QRect(0, height() - 1, width(), 1), line);
    if (edges_ & Qt::LeftEdge) painter.fillRect(QRect(0, 0, 1, height()), line);
    if (edges_ & Qt::RightEdge) painter.fillRect(QRect(width() - 1, 0, 1, height()), line);
}

PageToolbar::PageToolbar(QWidget* parent) : Ground(Role::Window, parent), row_(new QHBoxLayout(this)) {
    setEdges(Qt::BottomEdge);
    setFixedHeight(Metrics::toolbar);
    setMargins(row_, Spacing::l, 0, Spacing::s);
}

}  // namespace pt2::views
