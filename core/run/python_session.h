#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/run/python_info.h"
#include "core/run/python_process.h"

namespace pt2 {

/// The helper script, wherever findResource finds it.
Result<std::filesystem::path> helperScript();
/// Starts the helper with a Python that has torch and hears its hello. Everything it writes for itself (caches, temporary files) goes below `work`,
/// which is also its working directory.
Result<PythonProcess> startHelper(const PythonInfo& python, const std::filesystem::path& work,
                                  const std::vector<std::pair<std::string, std::string>>& environment, const CancelToken& cancel,
                                  const ProgressSink& progress);
/// What an answer with "ok": false means to the reader. `doing` completes "Python failed while ...".
Error errorFromAnswer(const nlohmann::json& answer, const std::string& doing);

/// Variables of this process that change what AOTInductor makes (TORCHINDUCTOR_*, TORCH_*), then the requested ones; each name once, sorted.
std::vector<std::pair<std::string, std::string>> compilerEnvironment(const std::vector<std::pair<std::string, std::string>>& requested);

}  // namespace pt2
