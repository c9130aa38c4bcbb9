#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/base/progress.h"
#include "core/package/package.h"

namespace pt2 {

struct RecompileRequest {
    std::vector<std::string> models;  ///< empty: all programs
    std::string device;               ///< empty: as exported
    bool maxAutotune = false, freezing = false, compiledOnly = false, force = false, trust = false;
    std::vector<std::pair<std::string, std::string>> config, environment;
    std::string python;
};
struct RecompileReport {
    std::filesystem::path output;
    std::vector<std::string> models;
    double seconds = 0;
    std::uint64_t libraryBytes = 0;
    std::vector<std::pair<std::string, std::string>> inheritedEnvironment;  ///< TORCHINDUCTOR_* and TORCH_*
    std::string log;
};
/// Compiles the program(s) with AOTInductor and writes program members byte for byte plus the compiled members to `output` (must end in .pt2).
/// What AOTInductor refuses is said before compiling where it can be known (CannotRun). Log lines come through `progress.line`. Cancel ends the
/// compilers too.
Result<RecompileReport> recompile(const Document& document, const std::filesystem::path& output, const RecompileRequest& request,
                                  const CancelToken& cancel = {}, const ProgressSink& progress = {});

}  // namespace pt2
