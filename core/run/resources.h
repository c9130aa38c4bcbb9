#pragma once

#include <filesystem>
#include <optional>

namespace pt2 {

/// A file or folder that comes with the programs: "python/pt2scope_helper.py", "worker", "sample/sample.pt2". Below the folder of PT2SCOPE_RESOURCES,
/// else ../share/pt2scope beside the folder of the running binary, else, for a program that runs where it was built, the source tree's resources/.
/// Nothing when it is in none of them.
std::optional<std::filesystem::path> findResource(const std::filesystem::path& name);

}  // namespace pt2
