#pragma once

#include <cstdint>
#include <filesystem>
#include <utility>

#include "core/base/file.h"
#include "core/base/result.h"
#include "core/run/descriptor.h"

namespace pt2 {

/// A private folder for one Python job (program copies, caches, compiled members), locked while in use and removed with all it holds. What a process
/// that was killed left is known by its lock being free, and removed by the next.
class JobFolder {
public:
    /// With at least `needed` bytes free: below the system's temporary folder, else below the user's cache folder; one with a blank in its path only
    /// where there is no other, since torch's compile commands cannot name it. Removes what killed jobs left
    /// there. Errors: System "python.no-space" with what was looked at.
    static Result<JobFolder> create(std::uint64_t needed);
    const std::filesystem::path& path() const { return directory_.path(); }

private:
    JobFolder(Descriptor lock, TemporaryDirectory directory) : lock_(std::move(lock)), directory_(std::move(directory)) {}
    static Result<JobFolder> createIn(const std::filesystem::path& parent);
    Descriptor lock_;  // let go after the folder has gone
    TemporaryDirectory directory_;
};

/// Removes this user's job folders that no process holds. Safe beside other processes; called by JobFolder::create() and by every extraction.
void removeStaleJobFolders();

}  // namespace pt2
