#pragma once

#include <QPixmap>
#include <QWidget>
#include <array>
#include <vector>

#include "core/program/operator_family.h"
#include "views/widgets/spoken.h"

namespace pt2::views {

class GraphCanvas;
class GraphScene;

/// Families that occur, with their counts; a click keeps one at full strength, the title folds it.
class GraphLegend : public QWidget, public SpokenParts {
    Q_OBJECT
public:
    explicit GraphLegend(QWidget* parent = nullptr);
    void setScene(const GraphScene* scene);
    void setFolded(bool folded);
    void setCurrent(int family);
    QSize sizeHint() const override;
    QAccessible::Role spokenRole() const override { return QAccessible::List; }
    int spokenCount() const override { return folded_ ? 0 : static_cast<int>(entries_.size()); }
    SpokenPart spokenPart(int index) const override;
    int spokenCurrent() const override { return hovered_; }
    void pressSpokenPart(int index) override;

signals:
    void familyClicked(int family);
    void resized();

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    struct Entry {
        int family = 0, count = 0;
    };
    std::vector<Entry> entries_;
    int current_ = -1, hovered_ = -1;
    bool folded_ = false;
};

/// The whole drawing small, with a frame around what is in view; a press moves there.
class GraphMinimap : public QWidget {
    Q_OBJECT
public:
    explicit GraphMinimap(GraphCanvas& canvas);
    void setScene(const GraphScene* scene);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;

private:
    void render();
    QRectF drawn() const;
    void jump(QPointF position);
    GraphCanvas& canvas_;
    const GraphScene* scene_ = nullptr;
    QPixmap picture_;
    int generation_ = -1;
};

}  // namespace pt2::views
