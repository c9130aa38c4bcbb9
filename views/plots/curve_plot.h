#pragma once

#include <QString>
#include <QWidget>
#include <vector>

#include "views/widgets/spoken.h"

namespace pt2::views {

/// A curve of bytes over something that counts up (seconds, loads), from 0 when that leaves it readable. Arrow keys and the pointer read a point.
class CurvePlot : public QWidget, public SpokenParts {
    Q_OBJECT
public:
    explicit CurvePlot(QWidget* parent = nullptr);
    /// `xs` ascend; both are of one length.
    void setCurve(std::vector<double> xs, std::vector<double> bytes);
    void setAxisTitle(const QString& text);
    QSize sizeHint() const override { return {320, 160}; }
    QSize minimumSizeHint() const override { return {240, 120}; }
    int spokenCount() const override { return static_cast<int>(xs_.size()); }
    SpokenPart spokenPart(int index) const override;
    int spokenCurrent() const override { return current_; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    QRectF plotArea() const;
    QPointF place(std::size_t index) const;
    QString pointText(int index) const;
    void read(int index);
    std::vector<double> xs_, bytes_;
    double low_ = 0, high_ = 1;  ///< of the axis of bytes
    QString axisTitle_;
    int current_ = -1;
};

}  // namespace pt2::views
