#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/package/package.h"

namespace pt2 {

/// Writes a copy of the package in which no library asks for an executable stack any more (format.md 4.4a), so that programs of the user's load it
/// under glibc 2.41 and later too: one bit in each library and its checksum differ, nothing else. Returns the names of the members that differ.
/// Errors: DoesNotHold "repair.nothing" when no library asks for one, and those of writePatchedCopy.
Result<std::vector<std::string>> writeWithoutExecutableStacks(const Package& package, const std::filesystem::path& target, bool force,
                                                              const CancelToken& cancel = {}, const ProgressSink& progress = {});

}  // namespace pt2
