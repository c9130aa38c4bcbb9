#pragma once

#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/compiled/target.h"

namespace pt2 {

/// Where the run engine is: a worker binary built for exactly one LibTorch.
struct EngineInfo {
    std::string workerPath;
    std::string torchVersion;          ///< of the build, "2.13.0"
    std::string variant;               ///< "cpu", "cu130"; empty when LibTorch does not say
    std::string libtorchPath;          ///< folder with lib/
    std::vector<std::string> devices;  ///< "cpu", "cuda:0"
    std::string problem;               ///< why it cannot be used; empty when it can
};
/// PT2SCOPE_WORKER, else `pt2-worker` beside the running binary, else the user's data folder.
Result<std::string> findWorker();
/// Starts the worker, reads its hello, asks it to leave.
Result<EngineInfo> describeEngine(const CancelToken& cancel = {});
/// This machine as a target, with the LibTorch of its run engine; without one where there is none that can be used.
Target machineWith(const Result<EngineInfo>& engine);

/// A run engine that may be used: every place where one may stand, in the order in which they are tried.
struct FoundEngine {
    EngineInfo info;
    bool chosen = false;  ///< the one that findWorker takes
};
std::vector<FoundEngine> listEngines(const CancelToken& cancel = {});

}  // namespace pt2
