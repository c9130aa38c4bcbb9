#pragma once

#include <QWidget>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/tensor/tensor.h"
#include "views/widgets/spoken.h"

namespace pt2::views {

/// The first rows and columns of a tensor's last two dimensions as numbers, shaded with the diverging ramp on request. NaN and infinities are hatched
/// words.
class ValueGrid : public QWidget, public SpokenParts {
    Q_OBJECT
public:
    explicit ValueGrid(QWidget* parent = nullptr);
    /// Keeps the tensor; reads only what it shows.
    void setTensor(const Tensor& tensor);
    /// Where a part that was read lies in its tensor, whose last two dimensions are `allRows` by `allColumns`.
    struct Place {
        std::vector<std::int64_t> lead;
        std::int64_t row = 0, column = 0, allRows = 0, allColumns = 0;
    };
    /// Shows a part of a larger tensor, of two dimensions, under the numbers it has there. Where the tensor has fewer than two dimensions, `rank`
    /// says so for the slice's text.
    void setPart(const Tensor& part, Place place, std::size_t rank);
    /// Shows a − b, element by element; both have the same sizes.
    void setDifference(const Tensor& a, const Tensor& b);
    void setShaded(bool shaded);
    /// "out[0:8, 0:3]" without the name.
    QString sliceText() const;
    /// "… 56 more rows", empty when everything is shown.
    QString moreText() const;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {160, sizeHint().height()}; }
    int spokenCount() const override { return rows_ * visibleColumns(); }
    SpokenPart spokenPart(int index) const override;

signals:
    /// Another width shows another number of columns: sliceText() and moreText() changed.
    void sliceChanged();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void fill(const Tensor* minus);
    int visibleColumns() const;
    int cellWidth() const;
    int headWidth() const;
    QRect cellRect(int row, int column) const;
    Tensor tensor_;
    int rows_ = 0, columns_ = 0;
    std::int64_t allRows_ = 0, allColumns_ = 0, firstRow_ = 0, firstColumn_ = 0;
    std::vector<std::int64_t> lead_;
    std::size_t rank_ = 0;
    std::vector<double> values_;
    std::vector<QString> texts_;
    double scale_ = 1;
    bool shaded_ = true;
};

}  // namespace pt2::views
