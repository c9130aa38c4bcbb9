#include "core/compiled/this_machine.h"

#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <link.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/base/file.h"
#include "core/compiled/elf.h"

namespace pt2 {
namespace {

namespace fs = std::filesystem;

std::set<std::string> readCpuFeatures() {
    std::ifstream file("/proc/cpuinfo");
    std::string line;
    while (std::getline(file, line)) {
        if (line.compare(0, 5, "flags") != 0 && line.compare(0, 8, "Features") != 0) continue;
        const std::size_t colon = line.find(':');
        if (colon == std::string::npos) continue;
        std::istringstream words(line.substr(colon + 1));
        std::set<std::string> features;
        std::string word;
        while (words >> word) features.insert(word);
        return features;
    }
    return {};
}

/// The libstdc++ mapped into this process is the one the worker gets as well.
std::string readGlibcxx() {
    std::string path;
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* out) {
            if (info->dlpi_name != nullptr && std::string_view(info->dlpi_name).find("libstdc++.so") != std::string_view::npos) {
                *static_cast<std::string*>(out) = info->dlpi_name;
                return 1;
            }
            return 0;
        },
        &path);
    if (path.empty()) return {};
    const Result<File> file = File::openForReading(path);
    if (!file) return {};
    const Result<ElfReading> reading = readElf({file->size(), [&](std::uint64_t offset, MutableBytes out) { return file->readAt(offset, out); }});
    if (!reading) return {};
    std::string highest;
    for (const std::string& version : reading->definedVersions) {
        if (version.compare(0, 8, "GLIBCXX_") != 0 || version.size() < 9 || version[8] < '0' || version[8] > '9') continue;
        const std::string number = version.substr(8);
        if (highest.empty() || compareVersions(number, highest) > 0) highest = number;
    }
    return highest;
}

void addFoldersOf(const fs::path& configuration, std::vector<std::string>& folders) {
    std::ifstream file(configuration);
    std::string line;
    while (std::getline(file, line)) {
        if (!line.empty() && line[0] == '/') folders.push_back(line.substr(0, line.find_last_not_of(" \t\r") + 1));
    }
}

std::vector<std::string> readLibraryFolders(const std::string& machine) {
    std::vector<std::string> folders;
    if (const char* path = std::getenv("LD_LIBRARY_PATH")) {
        std::istringstream parts(path);
        std::string part;
        while (std::getline(parts, part, ':')) {
            if (!part.empty()) folders.push_back(part);
        }
    }
    std::error_code error;
    for (fs::directory_iterator entry("/etc/ld.so.conf.d", error); !error && entry != fs::directory_iterator(); entry.increment(error))
        addFoldersOf(entry->path(), folders);
    addFoldersOf("/etc/ld.so.conf", folders);
    for (const char* root : {"/lib/", "/usr/lib/"}) folders.push_back(root + machine + "-linux-gnu");
    for (const char* folder : {"/lib64", "/usr/lib64", "/lib", "/usr/lib", "/usr/local/lib"}) folders.emplace_back(folder);
    return folders;
}

MachineFacts readThisMachine() {
    MachineFacts facts;
    facts.platform = "linux";
    utsname name{};
    if (uname(&name) == 0) facts.machine = name.machine;
    facts.cpuFeatures = readCpuFeatures();
    facts.glibc = gnu_get_libc_version();
    facts.glibcxx = readGlibcxx();
    std::error_code error;
    facts.hasCudaDevice = fs::exists("/dev/nvidiactl", error) || fs::exists("/dev/nvidia0", error) || fs::exists("/dev/dxg", error);
    facts.libraryFolders = readLibraryFolders(facts.machine);
    return facts;
}

}  // namespace

bool MachineFacts::hasLibrary(const std::string& name) const {
    return std::any_of(libraryFolders.begin(), libraryFolders.end(), [&](const std::string& folder) {
        std::error_code error;
        return fs::exists(fs::path(folder) / name, error);
    });
}

const MachineFacts& thisMachine() {
    static const MachineFacts facts = readThisMachine();
    return facts;
}

}  // namespace pt2
