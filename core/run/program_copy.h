#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/package/package.h"

namespace pt2 {

/// Writes `folder`/program.pt2: one program of the document under the name "model", with its weights and constants and with empty sample inputs
/// (format.md 1.6, 3.4), so that nothing but this program is loaded. Its pickles are written anew from what the scan has read: what Python unpickles
/// is what was scanned. Errors: CannotRun "python.unsafe-pickle" with the names of the globals unless `trust`.
Result<std::filesystem::path> copyForPython(const Document& document, const std::string& model, bool trust, const std::filesystem::path& folder,
                                            const CancelToken& cancel);

/// Globals outside the allow-list that unpickling this program's weights or constants in Python would import; sample inputs are not counted (Python
/// gets a copy without them). Empty: safe. Otherwise consent is needed (`--trust`, dialog).
Result<std::vector<std::string>> unsafeGlobals(const Document& document, const std::string& model);
/// The error for globals that unsafeGlobals() has found.
Error unsafePickle(const std::string& model, const std::vector<std::string>& names);

}  // namespace pt2
