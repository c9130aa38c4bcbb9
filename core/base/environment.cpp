#include "core/base/environment.h"

#include <unistd.h>

#include <cstdlib>
#include <string_view>
#include <system_error>

#include "core/base/text.h"

namespace pt2 {

std::string environmentValue(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

std::filesystem::path folderVariable(const char* name) {
    std::filesystem::path folder = environmentValue(name);
    return folder.is_absolute() ? folder : std::filesystem::path();
}

std::filesystem::path userCacheFolder() {
    if (std::filesystem::path cache = folderVariable("XDG_CACHE_HOME"); !cache.empty()) return cache;
    const std::filesystem::path home = folderVariable("HOME");
    return home.empty() ? home : home / ".cache";
}

std::filesystem::path temporaryFolder() {
    const std::string named = environmentValue("TMPDIR");
    return named.empty() ? "/tmp" : named;
}

std::string programOnPath(const std::string& name) {
    const auto isProgram = [](const std::filesystem::path& file) {
        std::error_code code;
        return ::access(file.c_str(), X_OK) == 0 && !std::filesystem::is_directory(file, code);
    };
    if (name.empty()) return {};
    if (name.find('/') != std::string::npos) return isProgram(name) ? name : std::string();
    const std::string path = environmentValue("PATH");
    for (const std::string_view folder : splitView(path, ':')) {
        const std::filesystem::path candidate = std::filesystem::path(folder.empty() ? "." : std::string(folder)) / name;
        if (isProgram(candidate)) return candidate.string();
    }
    return {};
}

std::filesystem::path folderOfBinary() {
    std::error_code code;
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", code);
    return code ? std::filesystem::path() : self.parent_path();
}

}  // namespace pt2
