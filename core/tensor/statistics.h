#pragma once

#include <cstdint>

#include "core/base/progress.h"
#include "core/tensor/tensor.h"

namespace pt2 {

/// Over finite elements; counts over all. For complex tensors the magnitudes.
struct TensorStatistics {
    std::uint64_t count = 0, nan = 0, positiveInfinity = 0, negativeInfinity = 0, zeros = 0;
    double minimum = 0, maximum = 0, mean = 0, standardDeviation = 0;
    bool hasFinite = false;
};
Result<TensorStatistics> computeStatistics(const TensorView& view, const CancelToken& cancel = {});

/// `bins` equal intervals from minimum to maximum over the finite elements.
struct Histogram {
    double low = 0, high = 0;
    std::vector<std::uint64_t> counts;
};
Result<Histogram> computeHistogram(const TensorView& view, std::size_t bins, const CancelToken& cancel = {});

}  // namespace pt2
