#pragma once

#include <QWidget>

#include "views/theme/theme.h"

class QHBoxLayout;

namespace pt2::views {

/// 1 px in the border colour, horizontal or vertical.
class Hairline : public QWidget {
    Q_OBJECT
public:
    explicit Hairline(Qt::Orientation orientation = Qt::Horizontal, QWidget* parent = nullptr);

protected:
    void paintEvent(QPaintEvent* event) override;
};

/// A widget filled with one role's colour.
class Ground : public QWidget {
    Q_OBJECT
public:
    explicit Ground(Role role, QWidget* parent = nullptr);
    void setRole(Role role);
    /// A hairline along these edges.
    void setEdges(Qt::Edges edges);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    Role role_;
    Qt::Edges edges_;
};

/// Row of controls at a page's top: 40 high, window ground, hairline below. Add widgets to its layout.
class PageToolbar : public Ground {
    Q_OBJECT
public:
    explicit PageToolbar(QWidget* parent = nullptr);
    QHBoxLayout* row() const { return row_; }

private:
    QHBoxLayout* row_;
};

}  // namespace pt2::views
