#pragma once

#include <filesystem>
#include <string>

namespace pt2 {

/// A variable of this process's environment; empty when it is not set.
std::string environmentValue(const char* name);
/// A variable that names a folder; empty when it is not set or no absolute path.
std::filesystem::path folderVariable(const char* name);
/// XDG_CACHE_HOME, else .cache at home; empty without either.
std::filesystem::path userCacheFolder();
/// TMPDIR as it stands, else /tmp.
std::filesystem::path temporaryFolder();
/// The file that a shell would start for this name: itself when there is a slash in it, else the first on the PATH; empty when there is none.
std::string programOnPath(const std::string& name);
/// The folder of the running binary; empty when the system does not say.
std::filesystem::path folderOfBinary();

}  // namespace pt2
