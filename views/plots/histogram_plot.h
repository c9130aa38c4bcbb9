#pragma once

#include <QString>
#include <QWidget>
#include <optional>
#include <vector>

#include "views/theme/roles.h"
#include "views/widgets/spoken.h"

namespace pt2::views {

/// Bars over equal intervals, with three to five hairlines, ticks at 1-2-5 steps, and dashed marks ("p50"). Arrow keys and the pointer read a bar.
class HistogramPlot : public QWidget, public SpokenParts {
    Q_OBJECT
public:
    struct Data {
        double low = 0, high = 1;
        std::vector<std::uint64_t> counts;
    };
    struct Mark {
        double at = 0;
        QString text;
    };
    explicit HistogramPlot(QWidget* parent = nullptr);
    void setData(Data data);
    /// Ends of the axis when they differ from the data's (two plots on equal axes).
    void setAxis(double low, double high);
    /// Common height of two plots; 0 follows the data.
    void setTop(std::uint64_t top);
    void setMarks(std::vector<Mark> marks);
    /// Index of the series colour; -1 is the neutral grey.
    void setSeries(int series);
    void setAxisTitle(const QString& text);
    std::uint64_t highest() const;
    QSize sizeHint() const override { return {320, 200}; }
    QSize minimumSizeHint() const override { return {240, 140}; }
    int spokenCount() const override { return static_cast<int>(data_.counts.size()); }
    SpokenPart spokenPart(int index) const override;
    int spokenCurrent() const override { return current_; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    QRectF plotArea() const;
    double x(double value) const;
    QString binText(int bin) const;
    void read(int bin);
    Data data_;
    std::optional<std::pair<double, double>> axis_;
    std::uint64_t top_ = 0;
    std::vector<Mark> marks_;
    QString axisTitle_;
    int series_ = -1, current_ = -1;
};

/// Tick values at 1-2-5 steps inside [low, high], about `wanted` of them.
std::vector<double> niceTicks(double low, double high, int wanted);
/// A number of an axis or a cell, with a true minus sign.
QString axisNumber(double value);

}  // namespace pt2::views
