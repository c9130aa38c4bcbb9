#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/compare/compare_outputs.h"
#include "core/compare/float64_judge.h"
#include "core/run/eager.h"
#include "core/run/run.h"

namespace pt2 {

/// A run held against torch eager: the outputs of the first call, every call of a sequence with the buffers after it, and what is to be said of it.
struct EagerComparison {
    Comparison comparison;  ///< of the first call
    /// Of a sequence (RunRequest::steps > 1): outputs, then the buffers that the compiled model lets be seen, under "buffer NAME".
    std::vector<Comparison> calls;
    std::optional<std::size_t> firstDiffering;  ///< call, from 0
    std::vector<Float64Distance> distances;     ///< by torch in float64, where it was asked
    bool rounding = false;                      ///< beyond tolerance, and no farther from float64 than eager: normal for the dtype
    bool ok() const;
    /// "normal for the dtype", or as Comparison's.
    std::string verdict() const;
    std::string sentence() const;
};

/// Compares call by call. Errors: as compareOutputs.
Result<EagerComparison> compareWithEager(const RunOutcome& outcome, const EagerRun& eager, const ToleranceChoice& tolerances = {},
                                         const CancelToken& cancel = {});
/// Has the outputs judged by torch in float64.
Status judge(EagerComparison& comparison, const RunOutcome& outcome, const EagerRun& eager, const EagerRun& exact, const CancelToken& cancel = {});

/// What makes a comparison mean less than it seems: operators that draw random numbers, state that a call changes, outputs that are one tensor or an
/// input (users.md A63).
std::vector<std::string> comparisonWarnings(const Document& document, const Contract& contract, bool isSequence);
/// FQNs of the buffers and parameters that a call changes, of which both sides can be asked.
std::vector<std::string> changedState(const Document& document, const Contract& contract);

}  // namespace pt2
