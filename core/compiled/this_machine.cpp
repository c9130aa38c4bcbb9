#include "core/compiled/this_machine.h"

#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <link.h>
#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/base/environment.h"
#include "core/base/file.h"
#include "core/compiled/cpu_features.h"
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
        while (words >> word) features.insert(canonicalCpuFeature(word));
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

const std::vector<std::string>& libraryFolders() {
    static const std::vector<std::string> folders = [] {
        utsname name{};
        return readLibraryFolders(uname(&name) == 0 ? name.machine : "x86_64");
    }();
    return folders;
}

/// Whether the dynamic linker would take the file for a process like this one: it passes over libraries for 32 bits and linker scripts.
bool isLibraryForHere(const fs::path& path) {
    const Result<File> file = File::openForReading(path);
    std::array<std::byte, 20> header{};
    if (!file || file->size() < header.size() || !file->readAt(0, header)) return false;
    static const std::optional<std::array<std::byte, 20>> own = [] {
        std::array<std::byte, 20> bytes{};
        const Result<File> program = File::openForReading("/proc/self/exe");
        return program && program->readAt(0, bytes) ? std::optional(bytes) : std::nullopt;
    }();
    if (!own) return true;
    // Magic, class and byte order, then the machine.
    return std::equal(header.begin(), header.begin() + 6, own->begin()) && std::equal(header.begin() + 18, header.end(), own->begin() + 18);
}

}  // namespace

std::vector<std::string> librariesHere() {
    std::vector<std::string> names;
    for (const std::string& folder : libraryFolders()) {
        std::error_code error;
        for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator(); entry.increment(error)) {
            std::string name = entry->path().filename().string();
            if (name.find(".so") != std::string::npos && isLibraryForHere(entry->path())) names.push_back(std::move(name));
        }
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

namespace {

/// Compute capabilities as NVIDIA's own tool says; without it the GPUs are known only to be there.
std::vector<TargetGpu> askNvidia() {
    std::vector<TargetGpu> gpus;
    const std::string tool = programOnPath("nvidia-smi");
    if (!tool.empty() && tool.find('\'') == std::string::npos) {
        const std::string command = "'" + tool + "' --query-gpu=compute_cap,name --format=csv,noheader 2>/dev/null";
        if (FILE* pipe = ::popen(command.c_str(), "r")) {
            std::array<char, 512> line{};
            while (gpus.size() < 64 && std::fgets(line.data(), static_cast<int>(line.size()), pipe) != nullptr) {
                const std::string text(line.data(), std::string_view(line.data()).find_last_not_of("\r\n") + 1);
                const std::size_t comma = text.find(", ");
                std::string capability = text.substr(0, comma);
                capability.erase(std::remove(capability.begin(), capability.end(), '.'), capability.end());
                if (capability.size() < 2 || capability.size() > 3 || capability.find_first_not_of("0123456789") != std::string::npos) continue;
                gpus.push_back({"cuda", "sm_" + capability, comma == std::string::npos ? std::string() : text.substr(comma + 2)});
            }
            ::pclose(pipe);
        }
    }
    if (gpus.empty()) gpus.push_back({"cuda", {}, {}});
    return gpus;
}

Target readThisMachine() {
    Target target;
    target.here = true;
    target.name = "this machine";
    target.platform = "linux";
    utsname name{};
    if (uname(&name) == 0) target.machine = name.machine;
    if (std::set<std::string> features = readCpuFeatures(); !features.empty()) target.cpuFeatures = std::move(features);
    target.glibc = gnu_get_libc_version();
    target.glibcxx = readGlibcxx();
    std::error_code error;
    const bool nvidia = fs::exists("/dev/nvidiactl", error) || fs::exists("/dev/nvidia0", error) || fs::exists("/dev/dxg", error);
    target.gpus = nvidia ? askNvidia() : std::vector<TargetGpu>();
    return target;
}

}  // namespace

bool isLibraryHere(const std::string& name) { return !systemLibraries({name}).empty(); }

std::vector<std::string> systemLibraries(const std::vector<std::string>& names) {
    std::vector<std::string> paths;
    for (const std::string& name : names) {
        if (name.empty() || name.find('/') != std::string::npos) continue;
        for (const std::string& folder : libraryFolders()) {
            const fs::path path = fs::path(folder) / name;
            if (!isLibraryForHere(path)) continue;
            paths.push_back(path.string());
            break;
        }
    }
    return paths;
}

const Target& thisMachine() {
    static const Target target = readThisMachine();
    return target;
}

Target thisMachineWith(TargetTorch torch) {
    Target target = thisMachine();
    target.torchState = Target::Torch::Present;
    target.torch = std::move(torch);
    return target;
}

Target thisMachineWithoutTorch() {
    Target target = thisMachine();
    target.torchState = Target::Torch::Absent;
    return target;
}

}  // namespace pt2
