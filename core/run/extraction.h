#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/archive/archive.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/compiled/compiled_model.h"

namespace pt2 {

/// The files a compiled model needs to run, on disk below a private directory of ours (design.md 5). One directory per content, shared by all who
/// use the same one, in this process and in others; removed when the last of them lets go. What a process that crashed left is removed by the next.
class Extraction {
public:
    Extraction(const Extraction&) = delete;
    Extraction& operator=(const Extraction&) = delete;
    ~Extraction();

    const std::filesystem::path& directory() const { return directory_; }
    const std::filesystem::path& library() const { return library_; }
    /// Weights beside the library, or empty (format.md 3.5).
    const std::filesystem::path& blob() const { return blob_; }
    /// sha256 over names and bytes of the compiled model's members, hex.
    const std::string& identity() const { return identity_; }
    std::uint64_t bytes() const { return bytes_; }

private:
    friend class Extractor;
    Extraction() = default;
    std::filesystem::path root_, directory_, library_, blob_;
    std::string identity_;
    std::uint64_t bytes_ = 0;
    int lock_ = -1;  // shared lock on directory_ + ".lock"
};

/// Writes the model's library and its companions, with the executable-stack mark of libraries cleared (format.md 4.4a). The caller has seen that
/// the model has a library. Errors: Unreadable for member names that lead elsewhere and for what the archive says; System "extract.no-place" when no
/// directory is executable and has room.
Result<std::shared_ptr<const Extraction>> extractCompiled(const Archive& archive, const CompiledModel& model, const CancelToken& cancel = {},
                                                          const ProgressSink& progress = {});

/// Directories tried in order: $XDG_RUNTIME_DIR, the cache folder, the temporary folder; ours below each.
std::vector<std::filesystem::path> extractionRoots();
/// Removes what no process holds any more. Called by every extraction; safe beside other processes.
void removeStaleExtractions();
/// Bytes on disk in all of them, for display.
std::uint64_t extractedBytes();

/// Clears the executable-stack mark of a 64-bit little-endian ELF file; true when it was set. A file that is no such ELF is left alone.
Result<bool> clearExecutableStack(const std::filesystem::path& file);

}  // namespace pt2
