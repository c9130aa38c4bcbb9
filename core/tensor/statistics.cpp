#include "core/tensor/statistics.h"

#include <algorithm>

#include "core/tensor/element.h"

namespace pt2 {

namespace {

/// Streams every element as a double (magnitude of complex ones) in row-major order, a chunk at a time.
template <typename Visit>
Status forEachValue(const TensorView& view, const CancelToken& cancel, Visit&& visit) {
    return forEachContiguousChunk(view, [&](Bytes chunk) -> Status {
        if (cancel.requested()) return cancelled();
        visitElementType(
            view.layout.dtype,
            [&](auto tag) {
                using T = decltype(tag);
                for (std::size_t at = 0; at + sizeof(T) <= chunk.size(); at += sizeof(T)) {
                    const T element = loadElement<T>(chunk.data() + at);
                    if constexpr (isComplexElement<T>) {
                        visit(std::hypot(realPart(element), imaginaryPart(element)));
                    } else {
                        visit(realPart(element));
                    }
                }
                return true;
            },
            false);
        return {};
    });
}

}  // namespace

Result<TensorStatistics> computeStatistics(const TensorView& view, const CancelToken& cancel) {
    TensorStatistics s;
    std::uint64_t finite = 0;
    double squares = 0;  // sum of squared distances from the running mean (Welford), so that a large offset loses no digits
    auto status = forEachValue(view, cancel, [&](double value) {
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
    if (!status) return tl::unexpected<Error>(status.error());
    s.hasFinite = finite > 0;
    if (finite > 1) s.standardDeviation = std::sqrt(squares / static_cast<double>(finite - 1));
    return s;
}

Result<Histogram> computeHistogram(const TensorView& view, std::size_t bins, const CancelToken& cancel) {
    auto statistics = computeStatistics(view, cancel);
    if (!statistics) return tl::unexpected<Error>(statistics.error());
    Histogram histogram;
    histogram.low = statistics->minimum;
    histogram.high = statistics->maximum;
    histogram.counts.assign(std::max<std::size_t>(bins, 1), 0);
    if (!statistics->hasFinite) return histogram;
    const std::size_t last = histogram.counts.size() - 1;
    // Halves keep the width finite when the ends are near the largest doubles.
    const double width = histogram.high / 2 - histogram.low / 2;
    auto status = forEachValue(view, cancel, [&](double value) {
        if (!std::isfinite(value)) return;
        std::size_t bin = 0;
        if (width > 0) {
            const double place = (value / 2 - histogram.low / 2) / width * static_cast<double>(histogram.counts.size());
            bin = std::min(last, static_cast<std::size_t>(std::max(0.0, place)));
        }
        ++histogram.counts[bin];
    });
    if (!status) return tl::unexpected<Error>(status.error());
    return histogram;
}

}  // namespace pt2
