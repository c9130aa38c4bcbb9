#include "views/graph/grid_index.h"

#include <algorithm>
#include <cmath>

namespace pt2::views {
namespace {

constexpr int kMaxCells = 1 << 18;
constexpr int kLargeCells = 64;

bool touches(const QRectF& a, const QRectF& b) {  // QRectF::intersects is false for lines
    return a.left() <= b.right() && b.left() <= a.right() && a.top() <= b.bottom() && b.top() <= a.bottom();
}

}  // namespace

GridIndex::GridIndex(const std::vector<QRectF>& rects, double cell) : rects_(rects), cellWidth_(cell), cellHeight_(cell) {
    if (rects_.empty()) return;
    double left = rects_[0].left(), top = rects_[0].top(), right = rects_[0].right(), bottom = rects_[0].bottom();
    for (const QRectF& r : rects_) {
        left = std::min(left, r.left());
        top = std::min(top, r.top());
        right = std::max(right, r.right());
        bottom = std::max(bottom, r.bottom());
    }
    bounds_ = QRectF(left, top, right - left, bottom - top);
    const double cells = (bounds_.width() / cell + 1) * (bounds_.height() / cell + 1);
    if (cells > kMaxCells) cellWidth_ = cellHeight_ = cell * std::sqrt(cells / kMaxCells);
    columns_ = static_cast<int>(bounds_.width() / cellWidth_) + 1;
    rows_ = static_cast<int>(bounds_.height() / cellHeight_) + 1;
    first_.assign(static_cast<std::size_t>(columns_) * static_cast<std::size_t>(rows_) + 1, 0);
    const auto forCells = [&](std::uint32_t i, auto&& visit) {
        int l = 0, t = 0, r = 0, b = 0;
        cellsOf(rects_[i], l, t, r, b);
        if (static_cast<std::int64_t>(r - l + 1) * (b - t + 1) > kLargeCells) return false;
        for (int y = t; y <= b; ++y) {
            for (int x = l; x <= r; ++x) visit(static_cast<std::size_t>(y) * static_cast<std::size_t>(columns_) + static_cast<std::size_t>(x));
        }
        return true;
    };
    for (std::uint32_t i = 0; i < rects_.size(); ++i) {
        if (!forCells(i, [&](std::size_t c) { ++first_[c + 1]; })) large_.push_back(i);
    }
    for (std::size_t c = 1; c < first_.size(); ++c) first_[c] += first_[c - 1];
    items_.resize(first_.back());
    std::vector<std::uint32_t> at(first_.begin(), first_.end() - 1);
    for (std::uint32_t i = 0; i < rects_.size(); ++i) forCells(i, [&](std::size_t c) { items_[at[c]++] = i; });
}

void GridIndex::cellsOf(const QRectF& rect, int& left, int& top, int& right, int& bottom) const {
    const auto column = [&](double x) { return std::clamp(static_cast<int>((x - bounds_.left()) / cellWidth_), 0, columns_ - 1); };
    const auto row = [&](double y) { return std::clamp(static_cast<int>((y - bounds_.top()) / cellHeight_), 0, rows_ - 1); };
    left = column(rect.left());
    right = column(rect.right());
    top = row(rect.top());
    bottom = row(rect.bottom());
}

void GridIndex::query(const QRectF& region, std::vector<std::uint32_t>& found) const {
    if (rects_.empty() || !touches(region, bounds_)) return;
    const std::size_t start = found.size();
    for (const std::uint32_t i : large_) {
        if (touches(rects_[i], region)) found.push_back(i);
    }
    const QRectF inside = region.intersected(bounds_.adjusted(-1, -1, 1, 1));
    int l = 0, t = 0, r = 0, b = 0;
    cellsOf(inside, l, t, r, b);
    for (int y = t; y <= b; ++y) {
        for (int x = l; x <= r; ++x) {
            const std::size_t c = static_cast<std::size_t>(y) * static_cast<std::size_t>(columns_) + static_cast<std::size_t>(x);
            for (std::uint32_t k = first_[c]; k < first_[c + 1]; ++k) {
                if (touches(rects_[items_[k]], region)) found.push_back(items_[k]);
            }
        }
    }
    std::sort(found.begin() + static_cast<std::ptrdiff_t>(start), found.end());
    found.erase(std::unique(found.begin() + static_cast<std::ptrdiff_t>(start), found.end()), found.end());
}

}  // namespace pt2::views
