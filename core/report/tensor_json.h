#pragma once

#include <cstdint>

#include "core/report/json_text.h"
#include "core/tensor/statistics.h"
#include "core/tensor/tensor.h"

namespace pt2 {

/// {"min","max","mean","std","count","nan","inf","positive_inf","negative_inf","zeros"}; null where no element is finite.
Json statisticsJson(const TensorStatistics& statistics);
/// One element: a number, true or false, or text for complex values, NaN and infinities.
Json elementJson(const TensorView& view, std::uint64_t linearIndex);
/// All elements as nested lists in the tensor's shape.
Json valuesJson(const TensorView& view);

}  // namespace pt2
