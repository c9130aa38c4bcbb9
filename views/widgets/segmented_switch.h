#pragma once

#include <QStringList>
#include <QWidget>

namespace pt2::views {

/// One of a few: "Off | On | Both". Left and Right move the choice.
class SegmentedSwitch : public QWidget {
    Q_OBJECT
public:
    explicit SegmentedSwitch(const QStringList& labels, QWidget* parent = nullptr);
    int current() const { return current_; }
    void setCurrent(int index);
    QStringList labels() const { return labels_; }
    void setLabels(const QStringList& labels);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

signals:
    void currentChanged(int index);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    QRect segment(int index) const;
    int segmentAt(const QPoint& position) const;
    QStringList labels_;
    int current_ = 0, hovered_ = -1;
};

}  // namespace pt2::views
