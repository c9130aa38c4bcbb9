#pragma once

#include <QTabBar>
#include <QWidget>

namespace pt2::views {

/// Documents as tabs; the open one stands on base with an accent line on top. "+" opens another.
class DocumentTabs : public QTabBar {
    Q_OBJECT
public:
    explicit DocumentTabs(QWidget* parent = nullptr);

signals:
    void newTabRequested();

protected:
    QSize tabSizeHint(int index) const override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;

private:
    QRect closeRect(int index) const;
    QRect plusRect() const;
    QPoint hover_{-1, -1};
    bool byKeyboard_ = false;  ///< the ring is for those who came with the keyboard
};

}  // namespace pt2::views
