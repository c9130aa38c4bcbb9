#pragma once

#include <QRectF>
#include <cstdint>
#include <vector>

namespace pt2::views {

/// Rectangles in a uniform grid: those that touch a region are found in time of what is found. Built once, read from any thread.
class GridIndex {
public:
    GridIndex() = default;
    GridIndex(const std::vector<QRectF>& rects, double cell);
    /// Adds the numbers of rectangles that touch `region`, each once, ascending.
    void query(const QRectF& region, std::vector<std::uint32_t>& found) const;
    std::size_t size() const { return rects_.size(); }

private:
    void cellsOf(const QRectF& rect, int& left, int& top, int& right, int& bottom) const;
    std::vector<QRectF> rects_;
    QRectF bounds_;
    double cellWidth_ = 512, cellHeight_ = 512;
    int columns_ = 0, rows_ = 0;
    std::vector<std::uint32_t> first_, items_;
    std::vector<std::uint32_t> large_;  ///< those that would stand in too many cells
};

}  // namespace pt2::views
