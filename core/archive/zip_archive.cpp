#include <zlib.h>

#include <algorithm>
#include <mutex>

#include "core/archive/containers.h"
#include "core/archive/member_stream.h"
#include "core/archive/recognise.h"
#include "core/archive/zip_directory.h"
#include "core/archive/zip_layout.h"
#include "core/base/text.h"

namespace pt2 {

namespace {

constexpr std::size_t kChunk = std::size_t{1} << 20;

class ZipArchive final : public Archive {
public:
    ZipArchive(File file, std::filesystem::path path) : file_(std::move(file)) {
        path_ = std::move(path);
        fileSize_ = file_.size();
    }

    Status load(Bytes head, Issues& issues) {
        const std::size_t firstIssue = issues.size();
        Result<ZipDirectory> directory = readZipDirectory(file_, issues);
        if (!directory) return fail(notAnArchive(file_, head, directory.error()));
        members_.reserve(directory->entries.size());
        problems_.resize(directory->entries.size());
        for (std::size_t i = 0; i < directory->entries.size(); ++i) {
            ZipEntry& entry = directory->entries[i];
            members_.push_back({std::move(entry.name), entry.size, entry.compressedSize, entry.crc32, entry.method, entry.flags, entry.headerOffset,
                                entry.dataOffset, entry.isDirectory, entry.isLink});
            problems_[i] = {std::move(entry.problemCode), std::move(entry.problem)};
        }
        Result<ZipKind> kind = recogniseZip(members_, path_.string(), issues);
        if (!kind) return tl::unexpected(kind.error());
        kind_ = kind->kind;
        root_ = kind->root;
        finishOpening();
        if (Status format = checkFormat(*this); !format) return format;
        // Issues name members below the root, as addresses do.
        const std::string prefix = "file/" + escapeForDisplay(root_) + "/";
        for (std::size_t i = firstIssue; i < issues.size() && !root_.empty(); ++i) {
            if (issues[i].where.starts_with(prefix)) issues[i].where.erase(5, prefix.size() - 5);
        }
        return {};
    }

    Status readAt(MemberIndex index, std::uint64_t offset, MutableBytes out) const override {
        if (Status readable = checkReadable(index); !readable) return readable;
        const Member& member = members_[index];
        if (Status inside = checkWindow(member, offset, out.size()); !inside) return inside;
        if (out.empty()) return {};
        if (member.method == zip::kStored) return file_.readAt(member.dataOffset + offset, out);
        return readCompressed(index, offset, out);
    }

    Status stream(MemberIndex index, const std::function<Status(Bytes)>& sink, const CancelToken& cancel) const override {
        if (Status readable = checkReadable(index); !readable) return readable;
        const Member& member = members_[index];
        Result<std::unique_ptr<MemberStream>> source = MemberStream::open(file_, member, index);
        if (!source) return tl::unexpected(source.error());
        ByteBuffer chunk(static_cast<std::size_t>(std::min<std::uint64_t>(kChunk, std::max<std::uint64_t>(member.size, 1))));
        uLong crc = ::crc32(0, nullptr, 0);
        for (;;) {
            if (cancel.requested()) return cancelled();
            Result<std::size_t> count = (*source)->read(chunk);
            if (!count) return tl::unexpected(count.error());
            if (*count == 0) break;
            crc = ::crc32(crc, reinterpret_cast<const Bytef*>(chunk.data()), static_cast<uInt>(*count));
            if (Status taken = sink(Bytes(chunk).first(*count)); !taken) return taken;
        }
        if (crc != member.crc32) return badCrc(member);
        return {};
    }

    Result<std::string> sha256(const CancelToken& cancel, const ProgressSink& progress) const override { return hashFile(file_, cancel, progress); }
    const File* file() const override { return &file_; }
    Status verifyUnchanged() const override { return file_.verifyUnchanged(); }

private:
    struct Problem {
        std::string code, text;
    };
    /// Where the last window of a compressed member ended: the next one usually begins there, and going back to the start each time would make
    /// scrolling quadratic.
    struct Cursor {
        MemberIndex member = 0;
        std::uint64_t position = 0;
        std::unique_ptr<MemberStream> stream;
    };

    Status checkReadable(MemberIndex index) const {
        if (index >= members_.size()) {
            return fail({ErrorKind::Usage, "archive.no-member", "There is no such member.", path_.string(), {}, "List the members with ls."});
        }
        if (problems_[index].code.empty()) return {};
        const Member& member = members_[index];
        return fail({ErrorKind::Unreadable, problems_[index].code,
                     "Member \"" + escapeForDisplay(elideMiddle(member.name, 200)) + "\" cannot be read.",
                     "file/" + escapeForDisplay(nameBelowRoot(index)), "In the archive " + problems_[index].text,
                     problems_[index].code == "archive.encrypted" ? "Unpack it with its password and pack it again without."
                                                                  : "The file is damaged; copy or download it again."});
    }

    Status badCrc(const Member& member) const {
        return fail({ErrorKind::Unreadable, "archive.bad-crc",
                     "The bytes of member \"" + escapeForDisplay(elideMiddle(member.name, 200)) + "\" are not those that were saved.",
                     "file/" + escapeForDisplay(member.name), "Their checksum (CRC-32) differs from the recorded one; torch does not notice this.",
                     "Copy or download the file again."});
    }

    Status readCompressed(MemberIndex index, std::uint64_t offset, MutableBytes out) const {
        const std::lock_guard<std::mutex> lock(cursorMutex_);
        if (cursor_.stream == nullptr || cursor_.member != index || cursor_.position > offset) {
            Result<std::unique_ptr<MemberStream>> source = MemberStream::open(file_, members_[index], index);
            if (!source) return tl::unexpected(source.error());
            cursor_ = {index, 0, std::move(*source)};
        }
        ByteBuffer skipped(static_cast<std::size_t>(std::min<std::uint64_t>(kChunk, offset - cursor_.position)));
        const auto pull = [&](MutableBytes target) -> Status {
            Result<std::size_t> count = cursor_.stream->read(target);
            if (count && *count == target.size()) {
                cursor_.position += *count;
                return {};
            }
            cursor_.stream.reset();
            if (!count) return tl::unexpected(count.error());
            return fail({ErrorKind::Unreadable,
                         "archive.size-mismatch",
                         "A member ends before the size that the directory names.",
                         "file/" + escapeForDisplay(members_[index].name),
                         {},
                         "Copy or download the file again."});
        };
        while (cursor_.position < offset) {
            const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(skipped.size(), offset - cursor_.position));
            if (Status step = pull(MutableBytes(skipped).first(count)); !step) return step;
        }
        return pull(out);
    }

    File file_;
    std::vector<Problem> problems_;
    mutable std::mutex cursorMutex_;
    mutable Cursor cursor_;
};

}  // namespace

Result<std::shared_ptr<const Archive>> openZipArchive(File file, Bytes head, const std::filesystem::path& path, Issues& issues) {
    auto archive = std::make_shared<ZipArchive>(std::move(file), path);
    if (Status loaded = archive->load(head, issues); !loaded) return tl::unexpected(loaded.error());
    return std::shared_ptr<const Archive>(std::move(archive));
}

}  // namespace pt2
