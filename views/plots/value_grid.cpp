#include "views/plots/value_grid.h"

#include <QPainter>
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/text.h"
#include "views/plots/histogram_plot.h"
#include "views/theme/fonts.h"
#include "views/theme/spacing.h"
#include "views/theme/theme.h"
#include "views/widgets/text.h"

namespace pt2::views {

namespace {

constexpr int kRows = 8;
constexpr int kColumns = 8;
constexpr int kCellHeight = 24;

QString floatText(double value) {
    if (value == 0) return QStringLiteral("0");
    if (!std::isfinite(value)) return axisNumber(value);
    QString text = std::abs(value) >= 1e5 || std::abs(value) < 1e-4 ? QString::number(value, 'e', 2) : QString::number(value, 'f', 5);
    return text.replace(QLatin1Char('-'), QChar(0x2212));
}

QString valueText(const TensorView& view, std::uint64_t index, double value) {
    if (isFloating(view.layout.dtype)) return floatText(value);
    return toQt(elementText(view, index)).replace(QLatin1Char('-'), QChar(0x2212));
}

}  // namespace

ValueGrid::ValueGrid(QWidget* parent) : QWidget(parent) { setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed); }

void ValueGrid::setTensor(const Tensor& tensor) {
    tensor_ = tensor;
    fill(nullptr);
}

void ValueGrid::setDifference(const Tensor& a, const Tensor& b) {
    tensor_ = a;
    fill(&b);
}

void ValueGrid::setPart(const Tensor& part, Place place, std::size_t rank) {
    tensor_ = part;
    fill(nullptr);
    lead_ = std::move(place.lead);
    firstRow_ = place.row;
    firstColumn_ = place.column;
    allRows_ = place.allRows;
    allColumns_ = place.allColumns;
    rank_ = rank;
    setAccessibleName(tr("Values %1").arg(sliceText()));
    update();
}

void ValueGrid::fill(const Tensor* minus) {
    const Tensor& tensor = tensor_;
    rank_ = tensor.layout.sizes.size();
    lead_.assign(rank_ > 2 ? rank_ - 2 : 0, 0);
    firstRow_ = firstColumn_ = 0;
    values_.clear();
    texts_.clear();
    const std::vector<std::int64_t>& sizes = tensor.layout.sizes;
    allColumns_ = sizes.empty() ? 1 : sizes.back();
    allRows_ = sizes.size() < 2 ? 1 : sizes[sizes.size() - 2];
    rows_ = static_cast<int>(std::clamp<std::int64_t>(allRows_, 0, kRows));
    columns_ = static_cast<int>(std::clamp<std::int64_t>(allColumns_, 0, kColumns));
    if (tensor.layout.elementCount().value_or(0) == 0) rows_ = columns_ = 0;
    const TensorView view = tensor.view();
    scale_ = 0;
    for (int r = 0; r < rows_; ++r) {
        for (int c = 0; c < columns_; ++c) {
            const auto index = static_cast<std::uint64_t>(r) * static_cast<std::uint64_t>(allColumns_) + static_cast<std::uint64_t>(c);
            const double value = elementAsDouble(view, index) - (minus ? elementAsDouble(minus->view(), index) : 0.0);
            values_.push_back(value);
            texts_.push_back(minus ? floatText(value) : valueText(view, index, value));
            if (std::isfinite(value)) scale_ = std::max(scale_, std::abs(value));
        }
    }
    setAccessibleName(tr("Values %1").arg(sliceText()));
    updateGeometry();
    update();
}

void ValueGrid::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    emit sliceChanged();
}

void ValueGrid::setShaded(bool shaded) {
    shaded_ = shaded;
    update();
}

QString ValueGrid::sliceText() const {
    if (rank_ == 0) return QStringLiteral("[]");
    QStringList parts;
    for (const std::int64_t at : lead_) parts << QString::number(at);
    if (rank_ >= 2) parts << QStringLiteral("%1:%2").arg(firstRow_).arg(firstRow_ + rows_);
    parts << QStringLiteral("%1:%2").arg(firstColumn_).arg(firstColumn_ + visibleColumns());
    return QLatin1Char('[') + parts.join(QStringLiteral(", ")) + QLatin1Char(']');
}

QString ValueGrid::moreText() const {
    if (rows_ == 0) return tr("The tensor has no elements.");
    QStringList parts;
    if (const std::int64_t more = allRows_ - firstRow_ - rows_; more > 0)
        parts << tr("%1 more rows").arg(toQt(formatCount(static_cast<std::uint64_t>(more))));
    if (const std::int64_t more = allColumns_ - firstColumn_ - visibleColumns(); more > 0)
        parts << tr("%1 more columns").arg(toQt(formatCount(static_cast<std::uint64_t>(more))));
    return parts.isEmpty() ? QString() : QStringLiteral("… ") + parts.join(QStringLiteral(", "));
}

int ValueGrid::cellWidth() const {
    const QFontMetrics metrics(codeFont());
    int widest = metrics.horizontalAdvance(QStringLiteral("−0.00000"));
    for (const QString& text : texts_) widest = std::max(widest, metrics.horizontalAdvance(text));
    return widest + 2 * Spacing::s;
}

int ValueGrid::headWidth() const {
    const QString widest = QString::number(std::max<std::int64_t>(10, firstRow_ + rows_));
    return QFontMetrics(codeFont(TextSize::Caption)).horizontalAdvance(widest) + Spacing::s;
}

int ValueGrid::visibleColumns() const { return std::clamp((width() - headWidth()) / cellWidth(), std::min(1, columns_), columns_); }

QRect ValueGrid::cellRect(int row, int column) const {
    const int width = cellWidth();
    return {headWidth() + column * width, (row + 1) * kCellHeight, width - 1, kCellHeight - 1};
}

/// "0.25" at "[2, 0, 7]".
SpokenPart ValueGrid::spokenPart(int index) const {
    const int shown = visibleColumns();
    SpokenPart part;
    if (shown <= 0 || index < 0 || index >= rows_ * shown) return part;
    const int row = index / shown, column = index % shown;
    QStringList at;
    for (const std::int64_t lead : lead_) at << QString::number(lead);
    if (rank_ >= 2) at << QString::number(firstRow_ + row);
    if (rank_ >= 1) at << QString::number(firstColumn_ + column);
    part.name = texts_[static_cast<std::size_t>(row * columns_ + column)];
    part.description = QLatin1Char('[') + at.join(QStringLiteral(", ")) + QLatin1Char(']');
    part.place = cellRect(row, column);
    return part;
}

QSize ValueGrid::sizeHint() const { return {headWidth() + cellWidth() * columns_, kCellHeight * (rows_ + 1)}; }

void ValueGrid::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const int width = cellWidth(), head = headWidth(), shown = visibleColumns();
    painter.setFont(codeFont(TextSize::Caption));
    painter.setPen(color(Role::Muted));
    for (int c = 0; c < shown; ++c) {
        painter.drawText(QRect(head + c * width, 0, width - Spacing::s, kCellHeight), Qt::AlignRight | Qt::AlignVCenter,
                         QString::number(firstColumn_ + c));
    }
    for (int r = 0; r < rows_; ++r) {
        painter.setFont(codeFont(TextSize::Caption));
        painter.setPen(color(Role::Muted));
        painter.drawText(QRect(0, (r + 1) * kCellHeight, head - Spacing::xs, kCellHeight), Qt::AlignRight | Qt::AlignVCenter,
                         QString::number(firstRow_ + r));
        painter.setFont(codeFont());
        for (int c = 0; c < shown; ++c) {
            const auto i = static_cast<std::size_t>(r * columns_ + c);
            const QRect cell = cellRect(r, c);
            QColor pen = color(Role::Text);
            if (!std::isfinite(values_[i])) {
                painter.fillRect(cell, QBrush(color(Role::DimEdge), Qt::BDiagPattern));
            } else if (shaded_ && scale_ > 0) {
                const QColor ground = divergingColor(values_[i] / scale_);
                painter.fillRect(cell, ground);
                pen = textOn(ground);
            }
            painter.setPen(pen);
            painter.drawText(cell.adjusted(0, 0, -Spacing::s, 0), Qt::AlignRight | Qt::AlignVCenter, texts_[i]);
        }
    }
}

}  // namespace pt2::views
