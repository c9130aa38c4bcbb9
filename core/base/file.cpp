#include "core/base/file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>
#include <vector>

#include "core/base/environment.h"
#include "core/base/text.h"

namespace pt2 {

namespace {

FileIdentity identityOf(const struct stat& info) {
    return {static_cast<std::uint64_t>(info.st_dev), static_cast<std::uint64_t>(info.st_ino), static_cast<std::uint64_t>(info.st_size),
            static_cast<std::int64_t>(info.st_mtim.tv_sec) * 1'000'000'000 + info.st_mtim.tv_nsec};
}

Status writeAll(int fd, Bytes bytes, const std::string& where) {
    std::size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t n = ::write(fd, bytes.data() + done, bytes.size() - done);
        if (n < 0) {
            if (errno == EINTR) continue;
            return tl::unexpected(systemError("Cannot write \"" + where + "\".", where, errno));
        }
        done += static_cast<std::size_t>(n);
    }
    return {};
}

}  // namespace

Error systemError(std::string what, std::string where, int errnoValue) {
    Error error{ErrorKind::System, "system.error", std::move(what), std::move(where), std::string(std::strerror(errnoValue)) + ".", {}};
    switch (errnoValue) {
        case ENOENT:
            error.code = "system.missing";
            error.why = "There is no such file or folder.";
            error.help = "Check the spelling and the folder.";
            break;
        case EACCES:
        case EPERM:
            error.code = "system.no-permission";
            error.why = "The system does not permit it.";
            error.help = "Check the permissions of the file and its folder.";
            break;
        case ENOSPC:
        case EDQUOT:
            error.code = "system.no-space";
            error.why = "The disk or its quota is full.";
            error.help = "Make room or choose another folder.";
            break;
        case EROFS:
            error.code = "system.read-only";
            error.why = "The file system is read-only.";
            error.help = "Choose a folder that can be written.";
            break;
        case EMFILE:
        case ENFILE:
            error.code = "system.too-many-files";
            error.help = "Close other programs or raise the limit of open files (ulimit -n).";
            break;
        default: break;
    }
    return error;
}

Result<File> File::openForReading(const std::filesystem::path& path) {
    const std::string name = path.string();
    const int fd = ::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);  // O_NONBLOCK: a named pipe must not hang the caller
    if (fd < 0) {
        Error error = systemError("Cannot open \"" + name + "\".", name, errno);
        if (error.code == "system.missing" || error.code == "system.no-permission") error.kind = ErrorKind::Unreadable;
        return fail(std::move(error));
    }
    File file;
    file.fd_ = fd;
    file.name_ = name;
    struct stat info {};
    if (::fstat(fd, &info) != 0) return fail(systemError("Cannot examine \"" + name + "\".", name, errno));
    file.identity_ = identityOf(info);
    if (!S_ISREG(info.st_mode)) {
        const char* kind = S_ISDIR(info.st_mode) ? "a folder" : S_ISFIFO(info.st_mode) ? "a pipe" : S_ISCHR(info.st_mode) ? "a device" : "not a file";
        return fail({ErrorKind::Unreadable, "file.not-regular", "Cannot read \"" + name + "\" as a file.", name, std::string("It is ") + kind + ".",
                     "Give the name of a .pt2 file, or \"-\" to read standard input."});
    }
    return file;
}

namespace {

constexpr std::uint64_t kLookEvery = std::uint64_t{64} << 20;
constexpr std::uint64_t kLeaveFree = std::uint64_t{512} << 20;
constexpr int kWaitMilliseconds = 100;

/// Other programs need the folder of temporary files too.
Status leavesRoom(int fd, std::uint64_t written) {
    struct statvfs system {};
    if (::fstatvfs(fd, &system) != 0) return {};
    const std::uint64_t free = static_cast<std::uint64_t>(system.f_bavail) * system.f_frsize;
    const std::uint64_t all = static_cast<std::uint64_t>(system.f_blocks) * system.f_frsize;
    if (free > std::min(kLeaveFree, all / 10) + kLookEvery) return {};
    return fail({ErrorKind::System, "system.no-space", "Standard input does not fit into the folder of temporary files.", "-",
                 formatBytes(written) + " were read, and " + formatBytes(free) + " are left there.",
                 "Save it as a file and open that, or let TMPDIR name a folder with more room."});
}

}  // namespace

Result<File> File::spoolStandardInput(const CancelToken& cancel) {
    std::string pattern = (temporaryFolder() / "pt2scope-stdin-XXXXXX").string();
    const int fd = ::mkostemp(pattern.data(), O_CLOEXEC);
    if (fd < 0) return fail(systemError("Cannot keep standard input in a temporary file.", pattern, errno));
    ::unlink(pattern.c_str());
    File file;
    file.fd_ = fd;
    file.name_ = "standard input";
    std::vector<std::byte> chunk(1 << 20);
    std::uint64_t total = 0, looked = 0;
    for (;;) {
        if (cancel.requested()) return cancelled();
        if (total >= looked) {
            if (Status room = leavesRoom(fd, total); !room) return tl::unexpected(room.error());
            looked = total + kLookEvery;
        }
        pollfd waiting{STDIN_FILENO, POLLIN, 0};
        if (::poll(&waiting, 1, kWaitMilliseconds) == 0) continue;  // a pipe into which nobody writes must not outlast a cancel
        const ssize_t n = ::read(STDIN_FILENO, chunk.data(), chunk.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return fail(systemError("Cannot read standard input.", "-", errno));
        if (n == 0) break;
        if (Status written = writeAll(fd, Bytes(chunk.data(), static_cast<std::size_t>(n)), "a temporary copy of standard input"); !written) {
            return tl::unexpected(written.error());
        }
        total += static_cast<std::uint64_t>(n);
    }
    struct stat info {};
    if (::fstat(fd, &info) != 0) return fail(systemError("Cannot examine standard input.", "-", errno));
    file.identity_ = identityOf(info);
    return file;
}

File::File(File&& other) noexcept : fd_(std::exchange(other.fd_, -1)), identity_(other.identity_), name_(std::move(other.name_)) {}

File& File::operator=(File&& other) noexcept {
    std::swap(fd_, other.fd_);
    std::swap(identity_, other.identity_);
    std::swap(name_, other.name_);
    return *this;
}

File::~File() {
    if (fd_ >= 0) ::close(fd_);
}

Status File::verifyUnchanged() const {
    struct stat info {};
    if (::fstat(fd_, &info) != 0) return fail(systemError("Cannot examine \"" + name_ + "\".", name_, errno));
    if (!(identityOf(info) == identity_)) {
        return fail({ErrorKind::System, "file.changed", "\"" + name_ + "\" changed while it was open.", name_,
                     "Another program wrote to it, so what was read before no longer fits.", "Reload the file."});
    }
    return {};
}

Status File::readAt(std::uint64_t offset, MutableBytes out) const {
    std::size_t done = 0;
    while (done < out.size()) {
        const ssize_t n = ::pread(fd_, out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
        if (n < 0) {
            if (errno == EINTR) continue;
            return fail(systemError("Cannot read \"" + name_ + "\".", name_, errno));
        }
        if (n == 0) {
            if (Status same = verifyUnchanged(); !same) return same;
            return fail({ErrorKind::Unreadable, "file.short", "\"" + name_ + "\" ends too early.", name_,
                         "It holds " + std::to_string(identity_.size) + " bytes, and byte " + std::to_string(offset + out.size()) + " was needed.",
                         "The file is cut; copy or download it again."});
        }
        done += static_cast<std::size_t>(n);
    }
    return {};
}

namespace {

std::filesystem::path folderOf(const std::filesystem::path& target) {
    return target.has_parent_path() ? target.parent_path() : std::filesystem::path(".");
}

}  // namespace

Status checkOutputPlace(const std::filesystem::path& target, bool force) {
    std::error_code ignored;
    const std::string name = target.string();
    if (std::filesystem::is_directory(target, ignored)) {
        return fail({ErrorKind::System, "output.folder", "\"" + name + "\" is a folder.", name, {}, "Give the name of a file in it."});
    }
    if (!force && std::filesystem::exists(std::filesystem::symlink_status(target, ignored))) {
        return fail({ErrorKind::Usage, "output.exists", "\"" + name + "\" exists already.", name, "An existing file is replaced only on request.",
                     "Choose another name, or add --force."});
    }
    const std::string folder = folderOf(target).string();
    if (!std::filesystem::is_directory(folder, ignored)) {
        return fail({ErrorKind::System, "system.missing", "The folder \"" + folder + "\" does not exist.", folder, {}, "Make it first."});
    }
    if (::access(folder.c_str(), W_OK | X_OK) != 0) return fail(systemError("Cannot write in \"" + folder + "\".", folder, errno));
    return {};
}

Result<AtomicFile> AtomicFile::create(const std::filesystem::path& target, bool force) {
    if (Status place = checkOutputPlace(target, force); !place) return tl::unexpected(place.error());
    const std::filesystem::path parent = folderOf(target);
    std::string pattern = (parent / ("." + target.filename().string() + ".XXXXXX")).string();
    const int fd = ::mkostemp(pattern.data(), O_CLOEXEC);
    if (fd < 0) return fail(systemError("Cannot write in \"" + parent.string() + "\".", parent.string(), errno));
    const mode_t mask = ::umask(0);
    ::umask(mask);
    ::fchmod(fd, 0666 & ~mask);
    AtomicFile file;
    file.fd_ = fd;
    file.target_ = target;
    file.temporary_ = pattern;
    file.force_ = force;
    return file;
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      position_(other.position_),
      target_(std::move(other.target_)),
      temporary_(std::move(other.temporary_)),
      force_(other.force_) {
    other.temporary_.clear();
}

AtomicFile::~AtomicFile() {
    if (fd_ >= 0) ::close(fd_);
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Status AtomicFile::write(Bytes bytes) {
    if (Status written = writeAll(fd_, bytes, target_.string()); !written) return written;
    position_ += bytes.size();
    return {};
}

Status AtomicFile::commit() {
    if (::fsync(fd_) != 0) return fail(systemError("Cannot write \"" + target_.string() + "\".", target_.string(), errno));
    // Without force the target must still not exist: link() refuses where rename() would replace.
    const bool done = force_ ? ::rename(temporary_.c_str(), target_.c_str()) == 0 : ::link(temporary_.c_str(), target_.c_str()) == 0;
    if (!done && errno == EEXIST) {
        return fail({ErrorKind::Usage, "output.exists", "\"" + target_.string() + "\" exists already.", target_.string(),
                     "Another program made it in the meantime.", "Choose another name, or add --force."});
    }
    if (!done && !force_ && (errno == EPERM || errno == ENOTSUP)) {  // file systems without hard links
        if (::rename(temporary_.c_str(), target_.c_str()) == 0) {
            temporary_.clear();
            return {};
        }
    }
    if (!done) return fail(systemError("Cannot put \"" + target_.string() + "\" in its place.", target_.string(), errno));
    if (!force_) ::unlink(temporary_.c_str());
    temporary_.clear();
    return {};
}

Result<TemporaryDirectory> TemporaryDirectory::create(const std::filesystem::path& parent, std::string_view prefix) {
    std::string pattern = (parent / (std::string(prefix) + "XXXXXX")).string();
    if (::mkdtemp(pattern.data()) == nullptr) {
        return fail(systemError("Cannot make a temporary folder in \"" + parent.string() + "\".", parent.string(), errno));
    }
    TemporaryDirectory directory;
    directory.path_ = pattern;
    return directory;
}

TemporaryDirectory::TemporaryDirectory(TemporaryDirectory&& other) noexcept : path_(std::move(other.path_)) { other.path_.clear(); }

TemporaryDirectory& TemporaryDirectory::operator=(TemporaryDirectory&& other) noexcept {
    std::swap(path_, other.path_);
    return *this;
}

TemporaryDirectory::~TemporaryDirectory() {
    if (path_.empty()) return;
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

Result<std::string> readTextFile(const std::filesystem::path& path, std::uint64_t limit) {
    Result<File> file = File::openForReading(path);
    if (!file) return tl::unexpected(file.error());
    if (file->size() > limit) {
        return fail({ErrorKind::Unreadable,
                     "file.too-large",
                     "\"" + path.string() + "\" is too large.",
                     path.string(),
                     "It holds " + std::to_string(file->size()) + " bytes; at most " + std::to_string(limit) + " are read here.",
                     {}});
    }
    std::string text(file->size(), '\0');
    if (Status read = file->readAt(0, std::as_writable_bytes(std::span(text))); !read) return tl::unexpected(read.error());
    return text;
}

}  // namespace pt2
