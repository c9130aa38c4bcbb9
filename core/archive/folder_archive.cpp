#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "core/archive/containers.h"
#include "core/archive/limited_issues.h"
#include "core/archive/recognise.h"
#include "core/base/text.h"

namespace pt2 {

namespace {

constexpr std::size_t kMemberLimit = 1'000'000;
constexpr std::size_t kDepthLimit = 64;

bool isThere(const std::filesystem::path& path) {
    std::error_code ignored;
    return std::filesystem::exists(path, ignored);
}

bool isArchiveFolder(const std::filesystem::path& folder) {
    return isThere(folder / "archive_format") || isThere(folder / "data" / "aotinductor") || isThere(folder / "serialized_exported_program.json") ||
           (isThere(folder / "models") && isThere(folder / "data"));
}

class FolderArchive final : public Archive {
public:
    FolderArchive(std::filesystem::path path, std::filesystem::path base, std::string root) : base_(std::move(base)) {
        path_ = std::move(path);
        root_ = std::move(root);
        kind_ = ContainerKind::Folder;
    }

    Status load(Issues& issues) {
        LimitedIssues limited(issues);
        std::vector<std::pair<Member, FileIdentity>> found;
        // Pairs of a folder below base_ and its depth; a stack, since the depth is the disk's choice.
        std::vector<std::pair<std::string, std::size_t>> open{{"", 0}};
        while (!open.empty()) {
            const auto [below, depth] = open.back();
            open.pop_back();
            std::error_code error;
            std::filesystem::directory_iterator entries(base_ / below, error);
            if (error) {
                if (below.empty()) return fail(systemError("Cannot list \"" + path_.string() + "\".", path_.string(), error.value()));
                limited.add(Severity::Warning, "archive.unreadable-folder", "file/" + escapeForDisplay(below),
                            "The folder \"" + escapeForDisplay(below) + "\" cannot be listed.", "Check its permissions.");
                continue;
            }
            for (; !error && entries != std::filesystem::directory_iterator(); entries.increment(error)) {
                std::string name = entries->path().filename().string();
                if (!below.empty()) name.insert(0, below + "/");
                struct stat info {};
                if (::lstat(entries->path().c_str(), &info) != 0) continue;
                const std::string where = "file/" + escapeForDisplay(name);
                if (S_ISDIR(info.st_mode)) {
                    if (depth < kDepthLimit) {
                        open.emplace_back(name, depth + 1);
                    } else {
                        limited.add(Severity::Warning, "archive.too-deep", where, "Folders deeper than 64 levels are not read.");
                    }
                    continue;
                }
                if (!S_ISREG(info.st_mode)) {
                    limited.add(Severity::Warning, "archive.link", where,
                                "\"" + escapeForDisplay(name) + "\" is a " + (S_ISLNK(info.st_mode) ? "symbolic link" : "pipe or device") +
                                    " and is left out.",
                                "Put the file itself in its place.");
                    continue;
                }
                if (found.size() >= kMemberLimit) {
                    return fail({ErrorKind::Unreadable,
                                 "archive.too-many",
                                 "The folder holds more than a million files.",
                                 path_.string(),
                                 {},
                                 "Choose the folder of one unpacked archive."});
                }
                Member member;
                member.name = root_.empty() ? name : root_ + "/" + name;
                member.size = member.compressedSize = static_cast<std::uint64_t>(info.st_size);
                fileSize_ += member.size;
                found.emplace_back(std::move(member), identityOf(info));
            }
        }
        limited.finish();
        std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first.name < b.first.name; });
        members_.reserve(found.size());
        for (auto& [member, identity] : found) {
            members_.push_back(std::move(member));
            identities_.push_back(identity);
        }
        finishOpening();
        return checkFormat(*this);
    }

    Status readAt(MemberIndex index, std::uint64_t offset, MutableBytes out) const override {
        Result<File> file = openMember(index);
        if (!file) return tl::unexpected(file.error());
        if (Status inside = checkWindow(members_[index], offset, out.size()); !inside) return inside;
        return file->readAt(offset, out);
    }

    Status stream(MemberIndex index, const std::function<Status(Bytes)>& sink, const CancelToken& cancel) const override {
        Result<File> file = openMember(index);
        if (!file) return tl::unexpected(file.error());
        return streamRange(*file, 0, members_[index].size, sink, cancel);
    }

    Result<std::string> sha256(const CancelToken&, const ProgressSink&) const override { return std::string(); }
    const File* file() const override { return nullptr; }

    Status verifyUnchanged() const override {
        for (MemberIndex i = 0; i < members_.size(); ++i) {
            struct stat info {};
            if (::lstat(location(i).c_str(), &info) != 0 || !(identityOf(info) == identities_[i])) return changed(i);
        }
        return {};
    }

private:
    static FileIdentity identityOf(const struct stat& info) {
        return {static_cast<std::uint64_t>(info.st_dev), static_cast<std::uint64_t>(info.st_ino), static_cast<std::uint64_t>(info.st_size),
                static_cast<std::int64_t>(info.st_mtim.tv_sec) * 1'000'000'000 + info.st_mtim.tv_nsec};
    }

    std::filesystem::path location(MemberIndex index) const { return base_ / nameBelowRoot(index); }

    Status changed(MemberIndex index) const {
        return fail({ErrorKind::System, "file.changed", "\"" + location(index).string() + "\" changed while it was open.",
                     "file/" + escapeForDisplay(nameBelowRoot(index)), "Another program wrote to it, so what was read before no longer fits.",
                     "Reload the folder."});
    }

    Result<File> openMember(MemberIndex index) const {
        if (index >= members_.size()) {
            return fail({ErrorKind::Usage, "archive.no-member", "There is no such member.", path_.string(), {}, "List the members with pt2 ls."});
        }
        Result<File> file = File::openForReading(location(index));
        if (file && !(file->identity() == identities_[index])) return tl::unexpected(changed(index).error());
        return file;
    }

    std::filesystem::path base_;
    std::vector<FileIdentity> identities_;
};

}  // namespace

Result<std::shared_ptr<const Archive>> openFolderArchive(const std::filesystem::path& path, Issues& issues) {
    const auto openAs = [&](const std::filesystem::path& base, std::string root) -> Result<std::shared_ptr<const Archive>> {
        auto archive = std::make_shared<FolderArchive>(path, base, std::move(root));
        if (Status loaded = archive->load(issues); !loaded) return tl::unexpected(loaded.error());
        return std::shared_ptr<const Archive>(std::move(archive));
    };
    if (isArchiveFolder(path)) return openAs(path, "");

    // The parent of an unpacked archive: exactly one folder in it is one.
    std::vector<std::string> roots;
    std::vector<std::string> files;
    std::error_code error;
    std::size_t looked = 0;
    std::filesystem::directory_iterator entries(path, error);
    if (error) {
        Error listing = systemError("Cannot list \"" + path.string() + "\".", path.string(), error.value());
        if (listing.code == "system.no-permission") listing.kind = ErrorKind::Unreadable;
        return fail(std::move(listing));
    }
    for (; !error && entries != std::filesystem::directory_iterator() && looked < 10'000; entries.increment(error), ++looked) {
        const std::string name = entries->path().filename().string();
        std::error_code ignored;
        if (entries->is_directory(ignored) && !entries->is_symlink(ignored)) {
            if (isArchiveFolder(entries->path())) roots.push_back(name);
        } else if (name.ends_with(".pt2")) {
            files.push_back(name);
        }
    }
    std::sort(roots.begin(), roots.end());
    std::sort(files.begin(), files.end());
    if (roots.size() == 1) return openAs(path / roots.front(), roots.front());
    const auto listed = [](const std::vector<std::string>& names) {
        std::string text;
        for (std::size_t i = 0; i < names.size() && i < 5; ++i) text += (i == 0 ? "" : ", ") + escapeForDisplay(names[i]);
        return text + (names.size() > 5 ? ", ..." : "");
    };
    const std::string name = "\"" + path.string() + "\"";
    if (roots.size() > 1) {
        return fail({ErrorKind::Unreadable, "archive.several", name + " holds several unpacked archives.", path.string(),
                     "Found: " + listed(roots) + ".", "Open one of them."});
    }
    return fail({ErrorKind::Unreadable, "archive.no-archive", name + " is a folder without an unpacked .pt2 archive.", path.string(),
                 files.empty() ? "Neither it nor a folder in it holds archive_format, models/ or data/aotinductor/."
                               : "It holds .pt2 files: " + listed(files) + ".",
                 files.empty() ? "Choose a .pt2 file or the folder it was unpacked to." : "Open one of these files."});
}

}  // namespace pt2
