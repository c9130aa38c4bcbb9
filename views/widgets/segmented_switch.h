#pragma once

#include <QStringList>
#include <QWidget>

#include "views/widgets/spoken.h"

namespace pt2::views {

/// One of a few: "Off | On | Both". Left and Right move the choice.
class SegmentedSwitch : public QWidget, public SpokenParts {
    Q_OBJECT
public:
    explicit SegmentedSwitch(const QStringList& labels, QWidget* parent = nullptr);
    int current() const { return current_; }
    void setCurrent(int index);
    QStringList labels() const { return labels_; }
    void setLabels(const QStringList& labels);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }
    int spokenCount() const override { return static_cast<int>(labels_.size()); }
    SpokenPart spokenPart(int index) const override;
    int spokenCurrent() const override { return current_; }
    void pressSpokenPart(int index) override { setCurrent(index); }

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
