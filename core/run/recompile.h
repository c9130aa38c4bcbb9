#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/base/progress.h"
#include "core/package/package.h"

namespace pt2 {

/// Where the weights of a compiled model go.
enum class ConstantsPlace { Library, Disk, None };

struct RecompileRequest {
    std::vector<std::string> models;  ///< empty: all programs
    std::string device;               ///< empty: as exported
    bool maxAutotune = false, freezing = false, compiledOnly = false, force = false, trust = false;
    bool discardParameters = false;  ///< with freezing: torch lets go of the program's own weights
    bool cppOnly = false;            ///< sources and a CMake project instead of a library
    ConstantsPlace constants = ConstantsPlace::Library;
    std::string cpuIsa;  ///< "avx512", "avx2", "neon", "sve256", "scalar"; empty: the best this machine has
    std::vector<std::pair<std::string, std::string>> config, environment;
    std::string python;
    /// An empty or new folder that gets the log, the settings, the generated sources and a script that does it again, should the compilation fail.
    std::filesystem::path keepOnFailure;
    bool minify = false;  ///< with keepOnFailure: also torch's minifier launcher for what failed
};
/// The names that `cpuIsa` takes.
const std::vector<std::string>& cpuIsaNames();
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
