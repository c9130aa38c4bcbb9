#include "core/run/job_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "core/base/environment.h"
#include "core/base/text.h"

namespace pt2 {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "pt2scope-job-";
constexpr int kTries = 100;  // each lost to another process that took the new folder for a stale one

/// torch puts paths into the compilers' command lines as they are, and takes the lines apart at blanks and quotes.
bool isFitForCompilers(const fs::path& path) { return path.native().find_first_of(" \t\n'\"\\") == std::string::npos; }

std::vector<fs::path> parents() {
    std::vector<fs::path> found;
    std::error_code code;
    const fs::path temporary = fs::temp_directory_path(code);
    if (!code) found.push_back(temporary);
    if (fs::path cache = userCacheFolder(); !cache.empty()) found.push_back(std::move(cache));
    for (const char* common : {"/tmp", "/var/tmp"}) {
        if (std::find(found.begin(), found.end(), fs::path(common)) == found.end()) found.emplace_back(common);
    }
    std::stable_partition(found.begin(), found.end(), isFitForCompilers);
    return found;
}

Descriptor openFolder(const fs::path& path) { return Descriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)); }

/// Whether the path still leads to the open folder.
bool isStillThere(const Descriptor& folder, const fs::path& path) {
    struct stat open {
    }, named{};
    return ::fstat(folder.get(), &open) == 0 && ::lstat(path.c_str(), &named) == 0 && open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

void removeUnlessHeld(const fs::path& path) {
    const Descriptor folder = openFolder(path);
    struct stat info {};
    if (!folder || ::fstat(folder.get(), &info) != 0 || info.st_uid != ::geteuid()) return;
    if (::flock(folder.get(), LOCK_EX | LOCK_NB) != 0 || !isStillThere(folder, path)) return;
    std::error_code ignored;
    fs::remove_all(path, ignored);
}

}  // namespace

void removeStaleJobFolders() {
    for (const fs::path& parent : parents()) {
        std::error_code code;
        for (fs::directory_iterator at(parent, fs::directory_options::skip_permission_denied, code), end; !code && at != end; at.increment(code)) {
            if (at->path().filename().string().compare(0, kPrefix.size(), kPrefix) == 0) removeUnlessHeld(at->path());
        }
    }
}

Result<JobFolder> JobFolder::createIn(const fs::path& parent) {
    for (int i = 0; i < kTries; ++i) {
        auto directory = TemporaryDirectory::create(parent, kPrefix);
        if (!directory) return tl::unexpected(directory.error());
        // Between making and locking, another process may take the folder for a stale one: then its lock cannot be had, or it has gone.
        Descriptor lock = openFolder(directory->path());
        if (!lock) continue;
        if (::flock(lock.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK) continue;  // where nothing can be locked nobody removes either
        if (isStillThere(lock, directory->path())) return JobFolder(std::move(lock), std::move(*directory));
    }
    return tl::unexpected(systemError("Cannot keep a folder for the job.", parent.string(), EBUSY));
}

Result<JobFolder> JobFolder::create(std::uint64_t needed) {
    removeStaleJobFolders();
    std::string seen;
    for (const fs::path& parent : parents()) {
        std::error_code code;
        const fs::space_info space = fs::space(parent, code);
        if (code) continue;
        if (space.available < needed) {
            seen += fmt::format("{}{} has {} free", seen.empty() ? "" : ", ", parent.string(), formatBytes(space.available));
            continue;
        }
        auto folder = createIn(parent);
        if (folder) return folder;
        seen += fmt::format("{}{}", seen.empty() ? "" : ", ", folder.error().what);
    }
    return fail({ErrorKind::System,
                 "python.no-space",
                 fmt::format("There is no folder with {} to work in.", formatBytes(needed)),
                 {},
                 seen + ".",
                 "Make room, or name another temporary folder in TMPDIR."});
}

}  // namespace pt2
