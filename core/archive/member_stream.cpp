#include "core/archive/member_stream.h"

#include <fcntl.h>
#include <unistd.h>
#include <zip.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>

#include "core/archive/zip_layout.h"
#include "core/base/text.h"

namespace pt2 {

namespace {

Error unreadable(const Member& member, std::string code, std::string why) {
    return {ErrorKind::Unreadable,
            std::move(code),
            "Member \"" + escapeForDisplay(elideMiddle(member.name, 200)) + "\" cannot be read.",
            "file/" + escapeForDisplay(member.name),
            std::move(why),
            "The file is damaged; copy or download it again."};
}

class StoredStream final : public MemberStream {
public:
    StoredStream(const File& file, const Member& member) : file_(file), at_(member.dataOffset), left_(member.size) {}

    Result<std::size_t> read(MutableBytes out) override {
        const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), left_));
        if (count == 0) return count;
        if (Status read = file_.readAt(at_, out.first(count)); !read) return tl::unexpected(read.error());
        at_ += count;
        left_ -= count;
        return count;
    }

private:
    const File& file_;
    std::uint64_t at_, left_;
};

class InflatedStream final : public MemberStream {
public:
    InflatedStream(const File& file, const Member& member) : file_(file), member_(member), at_(member.dataOffset), left_(member.compressedSize) {
        ready_ = inflateInit2(&zlib_, -MAX_WBITS) == Z_OK;  // raw deflate: a zip has no zlib header
    }
    ~InflatedStream() override {
        if (ready_) inflateEnd(&zlib_);
    }
    InflatedStream(const InflatedStream&) = delete;
    InflatedStream& operator=(const InflatedStream&) = delete;

    Result<std::size_t> read(MutableBytes out) override {
        if (!ready_) return fail({ErrorKind::System, "system.memory", "zlib cannot start.", {}, "There is not enough memory.", {}});
        std::size_t filled = 0;
        while (filled < out.size() && !ended_) {
            if (zlib_.avail_in == 0 && left_ > 0) {
                const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(input_.size(), left_));
                if (Status read = file_.readAt(at_, MutableBytes(input_).first(count)); !read) return tl::unexpected(read.error());
                at_ += count;
                left_ -= count;
                zlib_.next_in = reinterpret_cast<Bytef*>(input_.data());
                zlib_.avail_in = static_cast<uInt>(count);
            }
            const auto room = static_cast<uInt>(std::min<std::size_t>(out.size() - filled, 1U << 30));
            zlib_.next_out = reinterpret_cast<Bytef*>(out.data() + filled);
            zlib_.avail_out = room;
            const int status = inflate(&zlib_, Z_NO_FLUSH);
            filled += room - zlib_.avail_out;
            if (status == Z_STREAM_END) {
                ended_ = true;
            } else if (status == Z_BUF_ERROR || (status == Z_OK && zlib_.avail_out != 0 && zlib_.avail_in == 0 && left_ == 0)) {
                return fail(unreadable(member_, "archive.bad-deflate", "Its compressed data end before they are complete."));
            } else if (status != Z_OK) {
                return fail(unreadable(member_, "archive.bad-deflate",
                                       std::string("Its compressed data are invalid (") + (zlib_.msg != nullptr ? zlib_.msg : "zlib error") + ")."));
            }
        }
        produced_ += filled;
        if (produced_ > member_.size || (ended_ && produced_ < member_.size)) {
            return fail(unreadable(member_, "archive.size-mismatch",
                                   "It unpacks to " + std::string(ended_ ? "" : "more than ") + std::to_string(ended_ ? produced_ : member_.size) +
                                       " bytes, and the directory names " + std::to_string(member_.size) + "."));
        }
        return filled;
    }

private:
    const File& file_;
    const Member& member_;
    std::uint64_t at_, left_;
    std::uint64_t produced_ = 0;
    bool ready_ = false;
    bool ended_ = false;
    z_stream zlib_{};
    ByteBuffer input_ = ByteBuffer(std::size_t{64} << 10);
};

class LibzipStream final : public MemberStream {
public:
    LibzipStream(zip_t* archive, zip_file_t* stream, const Member& member) : archive_(archive), stream_(stream), member_(member) {}
    ~LibzipStream() override {
        zip_fclose(stream_);
        zip_discard(archive_);
    }
    LibzipStream(const LibzipStream&) = delete;
    LibzipStream& operator=(const LibzipStream&) = delete;

    Result<std::size_t> read(MutableBytes out) override {
        std::size_t filled = 0;
        while (filled < out.size()) {
            const zip_int64_t count = zip_fread(stream_, out.data() + filled, out.size() - filled);
            if (count < 0)
                return fail(unreadable(member_, "archive.bad-compression", std::string("libzip says: ") + zip_file_strerror(stream_) + "."));
            if (count == 0) break;
            filled += static_cast<std::size_t>(count);
        }
        produced_ += filled;
        if (produced_ > member_.size || (filled < out.size() && produced_ < member_.size)) {
            return fail(unreadable(member_, "archive.size-mismatch", "It unpacks to another size than the directory names."));
        }
        return filled;
    }

    static Result<std::unique_ptr<MemberStream>> open(const File& file, const Member& member, MemberIndex index) {
        const auto refuse = [&](const std::string& detail) {
            return fail(unreadable(member, "archive.unknown-method", "It uses zip method " + std::to_string(member.method) + " (" + detail + ")."));
        };
        // A descriptor of its own: libzip moves the file position, which a duplicate would share with other threads.
        const int fd = ::open(("/proc/self/fd/" + std::to_string(file.descriptor())).c_str(), O_RDONLY | O_CLOEXEC);
        if (fd < 0) return fail(systemError("Cannot open \"" + file.name() + "\" a second time.", file.name(), errno));
        int code = 0;
        zip_t* archive = zip_fdopen(fd, 0, &code);
        if (archive == nullptr) {
            ::close(fd);
            return refuse("libzip error " + std::to_string(code));
        }
        const char* name = zip_get_name(archive, index, ZIP_FL_ENC_RAW);
        zip_file_t* stream = name != nullptr && member.name == name ? zip_fopen_index(archive, index, 0) : nullptr;
        if (stream == nullptr) {
            const std::string detail = zip_strerror(archive);
            zip_discard(archive);
            return refuse(detail);
        }
        return std::make_unique<LibzipStream>(archive, stream, member);
    }

private:
    zip_t* archive_;
    zip_file_t* stream_;
    const Member& member_;
    std::uint64_t produced_ = 0;
};

}  // namespace

Result<std::unique_ptr<MemberStream>> MemberStream::open(const File& file, const Member& member, MemberIndex index) {
    if (member.method == zip::kStored) return std::make_unique<StoredStream>(file, member);
    if (member.method == zip::kDeflated) return std::make_unique<InflatedStream>(file, member);
    return LibzipStream::open(file, member, index);
}

}  // namespace pt2
