#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/package/quantized.h"
#include "core/package/weight_carriage.h"
#include "core/package/weight_table.h"
#include "core/report/json_text.h"

namespace pt2 {

/// What was found about weights, a finding a row that was asked for.
struct WeightFinding {
    std::size_t row = 0;
    std::optional<WeightPicture> picture;  ///< statistics, when asked for and readable
    std::optional<Tensor> head;            ///< the first values, when asked for
    std::vector<WeightPart> parts;         ///< of a tensor subclass
    std::optional<Error> error;            ///< why it could not be read
};

struct WeightRequest {
    std::vector<std::size_t> rows;
    bool statistics = false;
    std::uint64_t values = 0;  ///< how many of the first, row-major
};

/// Reads what the request asks of each row, one after the other; a row that cannot be read carries its error. Fails only when cancelled.
Result<std::vector<WeightFinding>> findOutWeights(const WeightTable& table, const WeightRequest& request, const CancelToken& cancel,
                                                  const ProgressSink& progress);

/// The document of `pt2 weights --json`. `carried` has an entry for each row of the table, or is empty.
Json weightTableJson(const WeightTable& table, const WeightRequest& request, const std::vector<WeightFinding>& findings,
                     const std::vector<CarriedBy>& carried, const std::vector<QuantizedWeight>& quantized);

}  // namespace pt2
