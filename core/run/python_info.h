#pragma once

#include <string>

#include "core/base/progress.h"
#include "core/base/result.h"

namespace pt2 {

/// A Python that has torch.
struct PythonInfo {
    std::string executable, pythonVersion, torchVersion;
};
/// The one of `preferred` (--python), else PT2SCOPE_PYTHON; without either that of the build folder, then python3 of the PATH. Nothing is imported.
/// Errors: System "python.none", which says what was tried; Cancelled.
Result<PythonInfo> findPython(const std::string& preferred = {}, const CancelToken& cancel = {});

}  // namespace pt2
