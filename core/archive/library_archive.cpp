#include "core/archive/containers.h"
#include "core/base/text.h"

namespace pt2 {

namespace {

/// A bare compiled library, as torch before 2.6 made them: one member, the file itself.
class LibraryArchive final : public Archive {
public:
    LibraryArchive(File file, std::filesystem::path path) : file_(std::move(file)) {
        path_ = std::move(path);
        fileSize_ = file_.size();
        kind_ = ContainerKind::Library;
        Member member;
        member.name = path_ == "-" ? "library.so" : path_.filename().string();
        member.size = member.compressedSize = file_.size();
        members_.push_back(std::move(member));
        finishOpening();
    }

    Status readAt(MemberIndex index, std::uint64_t offset, MutableBytes out) const override {
        if (Status known = checkIndex(index); !known) return known;
        if (Status inside = checkWindow(members_.front(), offset, out.size()); !inside) return inside;
        return file_.readAt(offset, out);
    }
    Status stream(MemberIndex index, const std::function<Status(Bytes)>& sink, const CancelToken& cancel) const override {
        if (Status known = checkIndex(index); !known) return known;
        return streamRange(file_, 0, file_.size(), sink, cancel);
    }
    Result<std::string> sha256(const CancelToken& cancel, const ProgressSink& progress) const override { return hashFile(file_, cancel, progress); }
    const File* file() const override { return &file_; }
    Status verifyUnchanged() const override { return file_.verifyUnchanged(); }

private:
    Status checkIndex(MemberIndex index) const {
        if (index == 0) return {};
        return fail({ErrorKind::Usage, "archive.no-member", "There is no such member.", path_.string(), "A library has one member, itself.", {}});
    }

    File file_;
};

}  // namespace

Result<std::shared_ptr<const Archive>> openLibraryArchive(File file, const std::filesystem::path& path) {
    return std::shared_ptr<const Archive>(std::make_shared<LibraryArchive>(std::move(file), path));
}

}  // namespace pt2
