#pragma once

#include <filesystem>

#include "core/run/python_helper.h"

namespace pt2 {

/// Writes `folder`/program.pt2: one program of the document under the name "model", with its weights and constants and with empty sample inputs
/// (format.md 1.6, 3.4), so that nothing but this program is loaded. Its pickles are written anew from what the scan has read: what Python unpickles
/// is what was scanned. Errors: CannotRun "python.unsafe-pickle" with the names of the globals unless `trust`.
Result<std::filesystem::path> copyForPython(const Document& document, const std::string& model, bool trust, const std::filesystem::path& folder,
                                            const CancelToken& cancel);

/// The error for globals that unsafeGlobals() has found.
Error unsafePickle(const std::string& model, const std::vector<std::string>& names);

}  // namespace pt2
