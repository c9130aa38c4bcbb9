#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/bytes.h"
#include "core/base/progress.h"
#include "core/base/result.h"

namespace pt2 {

/// What a file was when it was opened; a later difference means another program changed it underneath.
struct FileIdentity {
    std::uint64_t device = 0, inode = 0, size = 0;
    std::int64_t modifiedNs = 0;
    bool operator==(const FileIdentity&) const = default;
};

/// An open file, read with pread; never mapped, since another program may cut it (SIGBUS). Thread-safe to read.
class File {
public:
    static Result<File> openForReading(const std::filesystem::path& path);
    /// Copies all of standard input into an unlinked temporary file and opens that. Ends with Cancelled when asked to, and with an error before the
    /// file system of temporary files is full.
    static Result<File> spoolStandardInput(const CancelToken& cancel = {});
    File() = default;
    File(File&& other) noexcept;
    File& operator=(File&& other) noexcept;
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    ~File();

    std::uint64_t size() const { return identity_.size; }
    const FileIdentity& identity() const { return identity_; }
    /// Error "file.changed" when the open file is no longer what it was at opening.
    Status verifyUnchanged() const;
    /// Fills `out` from `offset`; an end before that is an error ("file.short").
    Status readAt(std::uint64_t offset, MutableBytes out) const;
    int descriptor() const { return fd_; }
    const std::string& name() const { return name_; }

private:
    int fd_ = -1;
    FileIdentity identity_;
    std::string name_;
};

/// Whether a file can be written there, asked before the work that makes it: Usage "output.exists" when it exists and `force` is false, System errors
/// when its folder is missing or must not be written, or when a folder has that name.
Status checkOutputPlace(const std::filesystem::path& target, bool force);

/// A file written beside its place and renamed when complete; it is never half there. Without commit() nothing remains.
class AtomicFile {
public:
    /// Fails with Usage "output.exists" when the target exists and `force` is false.
    static Result<AtomicFile> create(const std::filesystem::path& target, bool force);
    AtomicFile(AtomicFile&& other) noexcept;
    AtomicFile& operator=(AtomicFile&&) = delete;
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;
    ~AtomicFile();
    Status write(Bytes bytes);
    std::uint64_t position() const { return position_; }
    int descriptor() const { return fd_; }
    /// fsync, then rename onto the target.
    Status commit();

private:
    AtomicFile() = default;
    int fd_ = -1;
    std::uint64_t position_ = 0;
    std::filesystem::path target_, temporary_;
    bool force_ = false;
};

/// A private directory (mode 0700) removed with all it holds when the object goes.
class TemporaryDirectory {
public:
    static Result<TemporaryDirectory> create(const std::filesystem::path& parent, std::string_view prefix);
    TemporaryDirectory(TemporaryDirectory&& other) noexcept;
    TemporaryDirectory& operator=(TemporaryDirectory&& other) noexcept;
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
    ~TemporaryDirectory();
    const std::filesystem::path& path() const { return path_; }

private:
    TemporaryDirectory() = default;
    std::filesystem::path path_;
};

Result<std::string> readTextFile(const std::filesystem::path& path, std::uint64_t limit);
/// An Error of kind System from errno, with advice for the usual causes (no space, no permission, missing).
Error systemError(std::string what, std::string where, int errnoValue);

}  // namespace pt2
