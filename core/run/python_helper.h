#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/contract/inputs.h"
#include "core/package/package.h"
#include "core/tensor/npy.h"

namespace pt2 {

/// A Python with torch: PT2SCOPE_PYTHON, --python, the environment in the build folder, then python3 of the PATH.
struct PythonInfo {
    std::string executable, pythonVersion, torchVersion;
};
Result<PythonInfo> findPython(const std::string& preferred = {}, const CancelToken& cancel = {});

/// Globals outside the allow-list that unpickling this program's weights or constants in Python would import; sample inputs are not counted (Python
/// gets a copy without them). Empty: safe. Otherwise consent is needed (`--trust`, dialog).
Result<std::vector<std::string>> unsafeGlobals(const Document& document, const std::string& model);

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
/// Reasons known without Python why AOTInductor would refuse a program: symbolic integers or floats as inputs, no tensor outputs, ...
std::vector<std::string> knownRefusals(const Program& program);

struct EagerRequest {
    std::string model, python;
    bool trust = false;
    std::uint64_t seed = 0;
};
/// Runs torch eager (ep.module()) in the helper on these inputs; outputs in flat order of user outputs.
Result<NamedTensors> runEager(const Document& document, const Contract& contract, const EagerRequest& request, const InputSet& inputs,
                              const CancelToken& cancel = {}, const ProgressSink& progress = {});

}  // namespace pt2
