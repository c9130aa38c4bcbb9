#pragma once

#include <filesystem>
#include <map>
#include <optional>
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
/// Where engines built on this machine are kept, one folder a LibTorch: pt2scope/engines in the user's data folder (XDG_DATA_HOME, else .local/share
/// at home). Empty without either.
std::filesystem::path engineFolder();
/// PT2SCOPE_WORKER, else `pt2-worker` beside the running binary or in libexec/pt2scope of its installation, else one in engineFolder(): first those
/// whose LibTorch is still there, the latest version of them.
Result<std::string> findWorker();
/// Starts this worker, reads its hello, asks it to leave. That it cannot be used is its `problem`; the only Error is Cancelled.
Result<EngineInfo> describeWorker(const std::string& worker, const CancelToken& cancel = {});
/// Starts the worker, reads its hello, asks it to leave.
Result<EngineInfo> describeEngine(const CancelToken& cancel = {});
/// Starts the worker and asks which of these operators its LibTorch has registered: their schemas by name. Absent: it could not be asked.
std::optional<std::map<std::string, std::string>> askSchemas(const std::string& worker, const std::vector<std::string>& targets);
/// The schemas of all its operators, ascending.
std::optional<std::vector<std::string>> askAllSchemas(const std::string& worker, const CancelToken& cancel = {});
/// This machine as a target, with the LibTorch of its run engine; without one where there is none that can be used.
Target machineWith(const Result<EngineInfo>& engine);

/// A run engine that may be used: every place where one may stand, in the order in which they are tried.
struct FoundEngine {
    EngineInfo info;
    bool chosen = false;  ///< the one that findWorker takes
};
std::vector<FoundEngine> listEngines(const CancelToken& cancel = {});

}  // namespace pt2
