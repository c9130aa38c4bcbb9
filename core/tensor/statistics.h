#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/progress.h"
#include "core/tensor/dtype.h"
#include "core/tensor/tensor.h"

namespace pt2 {

/// Over finite elements; counts over all. For complex tensors the magnitudes.
struct TensorStatistics {
    std::uint64_t count = 0, nan = 0, positiveInfinity = 0, negativeInfinity = 0, zeros = 0;
    double minimum = 0, maximum = 0, mean = 0, standardDeviation = 0;
    bool hasFinite = false;
};

/// The same for elements that come in pieces, so that a tensor need not be held: each piece is a whole number of little-endian elements.
class StatisticsStream {
public:
    explicit StatisticsStream(DType dtype) : dtype_(dtype) {}
    void add(Bytes elements);
    TensorStatistics result() const;

private:
    DType dtype_;
    TensorStatistics sums_;
    std::uint64_t finite_ = 0;
    double squares_ = 0;  ///< sum of squared distances from the running mean (Welford), so that a large offset loses no digits
};

Result<TensorStatistics> computeStatistics(const TensorView& view, const CancelToken& cancel = {});

/// `bins` equal intervals from minimum to maximum over the finite elements.
struct Histogram {
    double low = 0, high = 0;
    std::vector<std::uint64_t> counts;
};

/// Counts elements that come in pieces into `bins` intervals between two ends that are known (from statistics).
class HistogramStream {
public:
    HistogramStream(DType dtype, double low, double high, std::size_t bins);
    void add(Bytes elements);
    const Histogram& result() const { return histogram_; }

private:
    DType dtype_;
    Histogram histogram_;
};

Result<Histogram> computeHistogram(const TensorView& view, std::size_t bins, const CancelToken& cancel = {});

}  // namespace pt2
