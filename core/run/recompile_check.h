#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/compare/compare.h"
#include "core/run/eager.h"
#include "core/run/run.h"

namespace pt2 {

/// One try of a freshly compiled model against torch eager.
struct CompiledCheck {
    std::string model;
    std::string sizes;              ///< "s77 = 4"; empty when nothing varies
    Result<Comparison> comparison;  ///< an Error when it could not be run or eager could not
    double seconds = 0;             ///< of the first call
};

/// Opens what recompile() wrote, runs each model at two sizes (the one at export and another legal one; one when nothing varies) and compares with
/// torch eager. Without a run engine the Error says so and the archive stays good.
Result<std::vector<CompiledCheck>> checkRecompiled(const std::filesystem::path& archive, const std::vector<std::string>& models,
                                                   const EagerRequest& eager, const CancelToken& cancel = {}, const ProgressSink& progress = {});

}  // namespace pt2
