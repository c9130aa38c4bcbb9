#include "views/plots/value_grid.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

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

void ValueGrid::fill(const Tensor* minus) {
    const Tensor& tensor = tensor_;
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
    const std::size_t rank = tensor_.layout.sizes.size();
    if (rank == 0) return QStringLiteral("[]");
    QStringList parts;
    for (std::size_t i = 0; i + 2 < rank; ++i) parts << QStringLiteral("0");
    if (rank >= 2) parts << QStringLiteral("0:%1").arg(rows_);
    parts << QStringLiteral("0:%1").arg(visibleColumns());
    return QLatin1Char('[') + parts.join(QStringLiteral(", ")) + QLatin1Char(']');
}

QString ValueGrid::moreText() const {
    if (rows_ == 0) return tr("The tensor has no elements.");
    QStringList parts;
    if (allRows_ > rows_) parts << tr("%1 more rows").arg(toQt(formatCount(static_cast<std::uint64_t>(allRows_ - rows_))));
    if (allColumns_ > visibleColumns())
        parts << tr("%1 more columns").arg(toQt(formatCount(static_cast<std::uint64_t>(allColumns_ - visibleColumns()))));
    return parts.isEmpty() ? QString() : QStringLiteral("… ") + parts.join(QStringLiteral(", "));
}

int ValueGrid::cellWidth() const {
    const QFontMetrics metrics(codeFont());
    int widest = metrics.horizontalAdvance(QStringLiteral("−0.00000"));
    for (const QString& text : texts_) widest = std::max(widest, metrics.horizontalAdvance(text));
    return widest + 2 * Spacing::s;
}

int ValueGrid::headWidth() const { return QFontMetrics(codeFont(TextSize::Caption)).horizontalAdvance(QStringLiteral("00")) + Spacing::s; }

int ValueGrid::visibleColumns() const { return std::clamp((width() - headWidth()) / cellWidth(), std::min(1, columns_), columns_); }

QSize ValueGrid::sizeHint() const { return {headWidth() + cellWidth() * columns_, kCellHeight * (rows_ + 1)}; }

void ValueGrid::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const int width = cellWidth(), head = headWidth(), shown = visibleColumns();
    painter.setFont(codeFont(TextSize::Caption));
    painter.setPen(color(Role::Muted));
    for (int c = 0; c < shown; ++c) {
        painter.drawText(QRect(head + c * width, 0, width - Spacing::s, kCellHeight), Qt::AlignRight | Qt::AlignVCenter, QString::number(c));
    }
    for (int r = 0; r < rows_; ++r) {
        painter.setFont(codeFont(TextSize::Caption));
        painter.setPen(color(Role::Muted));
        painter.drawText(QRect(0, (r + 1) * kCellHeight, head - Spacing::xs, kCellHeight), Qt::AlignRight | Qt::AlignVCenter, QString::number(r));
        painter.setFont(codeFont());
        for (int c = 0; c < shown; ++c) {
            const auto i = static_cast<std::size_t>(r * columns_ + c);
            const QRect cell(head + c * width, (r + 1) * kCellHeight, width - 1, kCellHeight - 1);
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
