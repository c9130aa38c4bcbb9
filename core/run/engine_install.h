#pragma once

#include <filesystem>

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/run/engine_discovery.h"
#include "core/run/libtorch_folder.h"

namespace pt2 {

/// Builds a run engine for a LibTorch of this machine from the sources that come with the programs (share/pt2scope/worker), starts it to see that it
/// works, and only then puts it into engineFolder()/VERSION-VARIANT, where findWorker finds it. An engine for the same version is replaced. The build
/// takes place in a folder of its own that is removed; after a failure its log is kept as engineFolder()/build.log.
///
/// Progress: stages in words, steps while compiling, each line of the tools as log.
/// Errors: those of findLibTorch; System "engine.no-sources", "engine.no-compiler", "engine.no-cmake", "engine.no-build-tool", "engine.no-headers",
/// "engine.no-space", "engine.build-failed", "engine.no-home"; CannotRun "engine.unusable" when the one that was built does not start; Cancelled,
/// which leaves everything as it was.
Result<EngineInfo> installEngine(const LibTorchWish& wish, const CancelToken& cancel = {}, const ProgressSink& progress = {});

}  // namespace pt2
