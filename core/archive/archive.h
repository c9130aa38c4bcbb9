#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/file.h"
#include "core/base/issue.h"
#include "core/base/progress.h"
#include "core/base/result.h"

namespace pt2 {

/// One record of an archive. Sizes are bytes; offsets count from the start of the archive file.
struct Member {
    std::string name;  ///< as stored, with the root ("tiny/models/model.json"); escape before showing
    std::uint64_t size = 0;
    std::uint64_t compressedSize = 0;
    std::uint32_t crc32 = 0;
    std::uint16_t method = 0;  ///< zip method: 0 stored, 8 deflated
    std::uint16_t flags = 0;
    std::uint64_t headerOffset = 0;
    std::uint64_t dataOffset = 0;  ///< where the bytes begin; 0 in folders
    bool isDirectory = false;
    bool isLink = false;  ///< a symbolic link; never followed
};

/// What holds the members (cli.md, "container"); decided by content, never by the file's name (format.md 5b).
enum class ContainerKind { Pt2Archive, ExportZip, AotiZip, Folder, Library };
const char* containerName(ContainerKind kind);  ///< "pt2-archive", "export-zip", "aoti-zip", "folder", "library"

using MemberIndex = std::uint32_t;

/// A zip file, an unpacked folder or a bare library, as a list of members that can be read when somebody looks.
/// Immutable after open; every method may be called from any thread. Nothing is unpacked to disk.
///
/// The zip directory is read by our own bounds-checked view (format.md 1.5): offsets, flags, duplicates and prefixes are
/// seen as they are; what is odd becomes an Issue, what makes reading impossible an Error of kind Unreadable.
class Archive {
public:
    virtual ~Archive() = default;

    /// Opens a file, folder, bare `.so`, or standard input when `path` is "-". Reads the directory only, never a payload.
    /// Something else under this name (TorchScript, torch.save, ONNX, HTML, Git LFS pointer, cut download, ...) is an
    /// Error that names what it is and what to do.
    static Result<std::shared_ptr<const Archive>> open(const std::filesystem::path& path, Issues& issues, const CancelToken& cancel = {});

    ContainerKind kind() const { return kind_; }
    const std::filesystem::path& path() const { return path_; }
    std::uint64_t fileSize() const { return fileSize_; }
    /// What precedes "models/", "data/" and "archive_format" ("tiny"; "exported/v1/tiny" after repacking), without the final slash; taken from
    /// the file, empty in rootless archives (format.md 1.3).
    const std::string& root() const { return root_; }

    /// In directory order.
    const std::vector<Member>& members() const { return members_; }
    /// By name below the root ("models/model.json"); the last of duplicates. Members beside the root are not found here.
    std::optional<MemberIndex> find(std::string_view nameBelowRoot) const;
    /// By full name, by name below the root, or by a unique suffix; Usage error with candidates otherwise.
    Result<MemberIndex> resolve(std::string_view nameOrSuffix) const;
    /// Name without the root; the full name of a member beside the root.
    std::string_view nameBelowRoot(MemberIndex member) const;
    bool isBelowRoot(MemberIndex member) const;

    /// All bytes of a member, inflated; error "archive.member-too-large" above `limit`. The CRC is verified.
    Result<ByteBuffer> read(MemberIndex member, std::uint64_t limit = kReadLimit) const;
    /// The same, but a wrong CRC is an Issue "archive.bad-crc" and the bytes are returned as they are: torch does not verify it.
    Result<ByteBuffer> read(MemberIndex member, Issues& issues, std::uint64_t limit = kReadLimit) const;
    /// A window of a member. For stored members this is one pread; deflated members are inflated up to the window.
    virtual Status readAt(MemberIndex member, std::uint64_t offset, MutableBytes out) const = 0;
    /// Streams all bytes in chunks of at most 1 MiB, verifying the CRC at the end.
    virtual Status stream(MemberIndex member, const std::function<Status(Bytes)>& sink, const CancelToken& cancel = {}) const = 0;
    /// sha256 of the archive file as it stands on disk; empty text for folders.
    virtual Result<std::string> sha256(const CancelToken& cancel = {}, const ProgressSink& progress = {}) const = 0;
    /// The file underneath, for copying members as they stand; nullptr for folders.
    virtual const File* file() const = 0;
    /// Error "file.changed" if another program changed the file since it was opened.
    virtual Status verifyUnchanged() const = 0;

    static constexpr std::uint64_t kReadLimit = std::uint64_t{1} << 31;

protected:
    void finishOpening();  ///< builds the name index and the root; called once by the implementations

    ContainerKind kind_ = ContainerKind::Pt2Archive;
    std::filesystem::path path_;
    std::uint64_t fileSize_ = 0;
    std::string root_;
    std::vector<Member> members_;

private:
    std::vector<std::pair<std::string_view, MemberIndex>> byName_;  // sorted by name below the root
};

/// Writes members to `directory` (all when `which` is empty), never outside of it: names with "..", absolute names, drive
/// letters, NUL or links are refused. Existing files are replaced only with `force`.
Status extractMembers(const Archive& archive, const std::vector<MemberIndex>& which, const std::filesystem::path& directory, bool force,
                      const CancelToken& cancel = {}, const ProgressSink& progress = {});
/// Whether a member name may be used as a path below a folder of ours.
bool isSafeMemberName(std::string_view name);

}  // namespace pt2
