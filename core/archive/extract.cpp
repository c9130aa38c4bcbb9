#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <system_error>
#include <utility>

#include "core/archive/archive.h"
#include "core/base/text.h"

namespace pt2 {

namespace {

/// A descriptor of a folder, closed with the object.
class Folder {
public:
    explicit Folder(int fd) : fd_(fd) {}
    Folder(Folder&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Folder& operator=(Folder&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() {
        if (fd_ >= 0) ::close(fd_);
    }
    int descriptor() const { return fd_; }

private:
    int fd_;
};

Status writeAll(int fd, Bytes bytes, const std::string& where) {
    std::size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t count = ::write(fd, bytes.data() + done, bytes.size() - done);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return fail(systemError("Cannot write \"" + where + "\".", where, errno));
        done += static_cast<std::size_t>(count);
    }
    return {};
}

/// The folder that holds `name` below `base`, made where it is missing. Links on the way are refused: they may lead outside.
Result<Folder> enterParent(const Folder& base, std::string_view name, const std::string& where) {
    Folder folder(::dup(base.descriptor()));
    if (folder.descriptor() < 0) return fail(systemError("Cannot open a folder.", where, errno));
    const std::vector<std::string_view> parts = splitView(name, '/');
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
        const std::string part(parts[i]);
        if (::mkdirat(folder.descriptor(), part.c_str(), 0777) != 0 && errno != EEXIST) {
            return fail(systemError("Cannot make the folder for \"" + where + "\".", where, errno));
        }
        Folder next(::openat(folder.descriptor(), part.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        if (next.descriptor() < 0) {
            const int code = errno;
            if (code == ELOOP || code == ENOTDIR) {
                return fail({ErrorKind::System, "extract.link", "Cannot write \"" + where + "\".", where,
                             "\"" + escapeForDisplay(part) + "\" on the way to it is a link or a file.", "Choose another folder."});
            }
            return fail(systemError("Cannot enter the folder of \"" + where + "\".", where, code));
        }
        folder = std::move(next);
    }
    return folder;
}

Status extractOne(const Archive& archive, MemberIndex index, const Folder& base, bool force, const CancelToken& cancel,
                  const std::function<void(std::uint64_t)>& advanced) {
    const std::string& name = archive.members()[index].name;
    const std::string where = escapeForDisplay(name);
    Result<Folder> parent = enterParent(base, name, where);
    if (!parent) return tl::unexpected(parent.error());
    const std::string leaf = name.substr(name.rfind('/') == std::string::npos ? 0 : name.rfind('/') + 1);
    const std::string temporary = ".pt2scope-" + std::to_string(::getpid()) + "-" + std::to_string(index);
    ::unlinkat(parent->descriptor(), temporary.c_str(), 0);
    const Folder file(::openat(parent->descriptor(), temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
    if (file.descriptor() < 0) return fail(systemError("Cannot write \"" + where + "\".", where, errno));
    Status written = archive.stream(
        index,
        [&](Bytes chunk) -> Status {
            advanced(chunk.size());
            return writeAll(file.descriptor(), chunk, where);
        },
        cancel);
    if (written) {
        const int parentFd = parent->descriptor();
        const int done = force ? ::renameat(parentFd, temporary.c_str(), parentFd, leaf.c_str())
                               : ::renameat2(parentFd, temporary.c_str(), parentFd, leaf.c_str(), RENAME_NOREPLACE);
        if (done == 0) return {};
        const int code = errno;
        if (code == EEXIST && !force) {
            written = fail({ErrorKind::Usage, "output.exists", "\"" + where + "\" exists already.", where,
                            "An existing file is replaced only on request.", "Choose another folder, or add --force."});
        } else {
            written = fail(systemError("Cannot put \"" + where + "\" in its place.", where, code));
        }
    }
    ::unlinkat(parent->descriptor(), temporary.c_str(), 0);
    return written;
}

}  // namespace

bool isSafeMemberName(std::string_view name) {
    constexpr std::size_t kPathLimit = 4096;
    constexpr std::size_t kPartLimit = 255;
    if (name.empty() || name.size() >= kPathLimit || !isValidUtf8(name)) return false;
    if (name.size() >= 2 && name[1] == ':' && std::isalpha(static_cast<unsigned char>(name[0])) != 0) return false;  // a drive letter
    for (std::size_t i = 0; i < name.size(); ++i) {
        const auto c = static_cast<unsigned char>(name[i]);
        if (c < 0x20 || c == 0x7F || c == '\\') return false;
        // U+202A..202E and U+2066..2069 turn the direction of what follows, and so hide what a name is.
        if (c == 0xE2 && i + 2 < name.size()) {
            const auto second = static_cast<unsigned char>(name[i + 1]);
            const auto third = static_cast<unsigned char>(name[i + 2]);
            if ((second == 0x80 && third >= 0xAA && third <= 0xAE) || (second == 0x81 && third >= 0xA6 && third <= 0xA9)) return false;
        }
    }
    for (const std::string_view part : splitView(name, '/')) {
        if (part.empty() || part == "." || part == ".." || part.size() > kPartLimit) return false;
    }
    return true;
}

Status extractMembers(const Archive& archive, const std::vector<MemberIndex>& which, const std::filesystem::path& directory, bool force,
                      const CancelToken& cancel, const ProgressSink& progress) {
    std::vector<MemberIndex> wanted = which;
    if (wanted.empty()) {
        // Of duplicates the one that is shown.
        for (MemberIndex i = 0; i < archive.members().size(); ++i) {
            if (archive.isBelowRoot(i) && archive.find(archive.nameBelowRoot(i)) != i) continue;
            wanted.push_back(i);
        }
    }
    std::string refused;
    std::uint64_t total = 0;
    std::vector<MemberIndex> safe;
    for (const MemberIndex i : wanted) {
        if (i >= archive.members().size())
            return fail({ErrorKind::Usage, "archive.no-member", "There is no such member.", archive.path().string(), {}, {}});
        const Member& member = archive.members()[i];
        if (member.isDirectory) continue;
        if (member.isLink || !isSafeMemberName(member.name)) {
            if (refused.size() < 400) refused += (refused.empty() ? "" : ", ") + escapeForDisplay(elideMiddle(member.name, 80));
            continue;
        }
        safe.push_back(i);
        total += std::min(member.size, std::uint64_t{1} << 62);
    }
    std::error_code error;
    std::filesystem::create_directories(directory, error);
    const Folder base(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (base.descriptor() < 0) return fail(systemError("Cannot write in \"" + directory.string() + "\".", directory.string(), errno));
    if (!force) {
        for (const MemberIndex i : safe) {
            const std::filesystem::path target = directory / archive.members()[i].name;
            std::error_code ignored;
            if (!std::filesystem::exists(std::filesystem::symlink_status(target, ignored))) continue;
            return fail({ErrorKind::Usage, "output.exists", "\"" + target.string() + "\" exists already.", target.string(),
                         "An existing file is replaced only on request.", "Choose another folder, or add --force."});
        }
    }
    std::uint64_t done = 0;
    for (const MemberIndex i : safe) {
        const Status written = extractOne(archive, i, base, force, cancel, [&](std::uint64_t bytes) {
            done += bytes;
            report(progress, {"extracting", done, total, Progress::Unit::Bytes, {}});
        });
        if (!written) return written;
    }
    if (!refused.empty()) {
        return fail({ErrorKind::DoesNotHold, "archive.unsafe-name", "Members were left out, since their names could lead outside of the folder.",
                     archive.path().string(), "Left out: " + refused + ".", "Look at them with pt2 cat."});
    }
    return {};
}

}  // namespace pt2
