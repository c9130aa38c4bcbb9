#pragma once

#include <vector>

#include "core/base/progress.h"
#include "core/package/package.h"
#include "core/report/json_text.h"

namespace pt2 {

/// {fqn: {dtype, shape, stride, storage_offset, ..., sha256}} of weights or constants. With `hash` every storage is read once, however many
/// entries share it, and without a second copy in memory; without it nothing is read and "sha256" is absent.
Result<Json> weightsJson(const Package& package, const std::vector<WeightEntry>& entries, bool hash, const CancelToken& cancel,
                         const ProgressSink& progress);

}  // namespace pt2
