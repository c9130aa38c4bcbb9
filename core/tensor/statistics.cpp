#include "core/tensor/statistics.h"

#include <algorithm>

#include "core/tensor/element.h"

namespace pt2 {

namespace {

/// Every element of a piece as a double (magnitude of complex ones), in order.
template <typename Visit>
void forEachValue(DType dtype, Bytes piece, Visit&& visit) {
    visitElementType(
        dtype,
        [&](auto tag) {
            using T = decltype(tag);
            for (std::size_t at = 0; at + sizeof(T) <= piece.size(); at += sizeof(T)) {
                const T element = loadElement<T>(piece.data() + at);
                if constexpr (isComplexElement<T>) {
                    visit(std::hypot(realPart(element), imaginaryPart(element)));
                } else {
                    visit(realPart(element));
                }
            }
            return true;
        },
        false);
}

/// Feeds a stream with all elements in row-major order, a chunk at a time.
template <typename Stream>
Status feed(const TensorView& view, const CancelToken& cancel, Stream& stream) {
    return forEachContiguousChunk(view, [&](Bytes chunk) -> Status {
        if (cancel.requested()) return cancelled();
        stream.add(chunk);
        return {};
    });
}

}  // namespace

void StatisticsStream::add(Bytes elements) {
    // Locals keep the sums in registers.
    TensorStatistics s = sums_;
    std::uint64_t finite = finite_;
    double squares = squares_;
    forEachValue(dtype_, elements, [&](double value) {
        ++s.count;
        if (std::isnan(value)) {
            ++s.nan;
        } else if (std::isinf(value)) {
            ++(value > 0 ? s.positiveInfinity : s.negativeInfinity);
        } else {
            if (value == 0) ++s.zeros;
            s.minimum = finite == 0 ? value : std::min(s.minimum, value);
            s.maximum = finite == 0 ? value : std::max(s.maximum, value);
            ++finite;
            const double distance = value - s.mean;
            s.mean += distance / static_cast<double>(finite);
            squares += distance * (value - s.mean);
        }
    });
    sums_ = s;
    finite_ = finite;
    squares_ = squares;
}

TensorStatistics StatisticsStream::result() const {
    TensorStatistics s = sums_;
    s.hasFinite = finite_ > 0;
    if (finite_ > 1) s.standardDeviation = std::sqrt(squares_ / static_cast<double>(finite_ - 1));
    return s;
}

HistogramStream::HistogramStream(DType dtype, double low, double high, std::size_t bins) : dtype_(dtype) {
    histogram_.low = low;
    histogram_.high = high;
    histogram_.counts.assign(std::max<std::size_t>(bins, 1), 0);
}

void HistogramStream::add(Bytes elements) {
    const std::size_t last = histogram_.counts.size() - 1;
    // Halves keep the width finite when the ends are near the largest doubles.
    const double low = histogram_.low / 2;
    const double width = histogram_.high / 2 - low;
    forEachValue(dtype_, elements, [&](double value) {
        if (!std::isfinite(value)) return;
        std::size_t bin = 0;
        if (width > 0) {
            const double place = (value / 2 - low) / width * static_cast<double>(last + 1);
            // The comparison comes before the cast: values beyond the ends must not overflow it.
            bin = place >= static_cast<double>(last) ? last : static_cast<std::size_t>(std::max(0.0, place));
        }
        ++histogram_.counts[bin];
    });
}

Result<TensorStatistics> computeStatistics(const TensorView& view, const CancelToken& cancel) {
    StatisticsStream stream(view.layout.dtype);
    if (auto status = feed(view, cancel, stream); !status) return tl::unexpected<Error>(status.error());
    return stream.result();
}

Result<Histogram> computeHistogram(const TensorView& view, std::size_t bins, const CancelToken& cancel) {
    auto statistics = computeStatistics(view, cancel);
    if (!statistics) return tl::unexpected<Error>(statistics.error());
    HistogramStream stream(view.layout.dtype, statistics->minimum, statistics->maximum, bins);
    if (!statistics->hasFinite) return stream.result();
    if (auto status = feed(view, cancel, stream); !status) return tl::unexpected<Error>(status.error());
    return stream.result();
}

}  // namespace pt2
