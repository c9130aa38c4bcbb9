#include "core/archive/writer.h"

#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <set>

#include "core/archive/containers.h"
#include "core/archive/zip_directory.h"
#include "core/archive/zip_layout.h"
#include "core/archive/zip_records.h"
#include "core/base/text.h"

namespace pt2 {

namespace {

std::uint32_t checksum(std::uint32_t crc, Bytes bytes) {
    return static_cast<std::uint32_t>(::crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace

struct ArchiveWriter::State {
    AtomicFile out;
    std::string root;
    std::uint64_t position = 0;
    std::vector<ZipRecord> records;
    std::set<std::string, std::less<>> names;
    bool broken = false;  // a failed step leaves half a member behind, so nothing may follow

    Status write(Bytes bytes) {
        if (Status written = out.write(bytes); !written) return written;
        position += bytes.size();
        return {};
    }

    /// Checks the name and writes the local header; the data come next.
    Result<ZipRecord> begin(std::string_view nameBelowRoot, std::uint64_t size) {
        ZipRecord record;
        record.name = root.empty() ? std::string(nameBelowRoot) : root + "/" + std::string(nameBelowRoot);
        const std::string shown = "\"" + escapeForDisplay(elideMiddle(nameBelowRoot, 200)) + "\"";
        if (broken) {
            return fail(
                {ErrorKind::System, "writer.broken", "The archive cannot be continued.", record.name, "An earlier member could not be written.", {}});
        }
        if (!isSafeMemberName(record.name)) {
            return fail({ErrorKind::Usage,
                         "writer.bad-name",
                         "The member name " + shown + " cannot be written.",
                         {},
                         "Names are relative, without \"..\", backslashes and control characters.",
                         "Choose another name."});
        }
        if (!names.insert(record.name).second) {
            return fail(
                {ErrorKind::Usage, "writer.duplicate", "The archive would hold two members named " + shown + ".", {}, {}, "Leave one of them out."});
        }
        record.size = size;
        record.headerOffset = position;
        if (Status header = write(localHeader(record)); !header) return tl::unexpected(header.error());
        return record;
    }

    Status end(ZipRecord record) {
        if (Status descriptor = write(dataDescriptor(record)); !descriptor) return descriptor;
        records.push_back(std::move(record));
        return {};
    }

    /// A member whose bytes come piece by piece through `stream(sink)`, which must deliver exactly `size` of them.
    template <typename Stream>
    Status addStreamed(std::string_view nameBelowRoot, std::uint64_t size, const Stream& stream) {
        Result<ZipRecord> record = begin(nameBelowRoot, size);
        if (!record) return tl::unexpected(record.error());
        std::uint64_t received = 0;
        const Status done = stream([&](Bytes chunk) -> Status {
            received += chunk.size();
            record->crc32 = checksum(record->crc32, chunk);
            return write(chunk);
        });
        if (done && received == size) return end(std::move(*record));
        broken = true;
        if (!done) return done;
        return fail({ErrorKind::System, "file.changed", "A source changed while it was copied.", escapeForDisplay(nameBelowRoot),
                     formatCount(received) + " bytes came instead of " + formatCount(size) + ".", "Try again when no other program writes to it."});
    }

    /// Lets the kernel copy `size` bytes of `from`, which shares them on file systems that can. False: not here, nothing was written.
    Result<bool> copyByKernel(const File& from, std::uint64_t offset, std::uint64_t size, const CancelToken& cancel) {
        constexpr std::uint64_t kChunk = std::uint64_t{64} << 20;
        std::uint64_t left = size;
        auto source = static_cast<off64_t>(offset);
        while (left > 0) {
            if (cancel.requested()) return cancelled();
            const ssize_t count =
                ::copy_file_range(from.descriptor(), &source, out.descriptor(), nullptr, static_cast<std::size_t>(std::min(left, kChunk)), 0);
            if (count < 0 && errno == EINTR) continue;
            if (count <= 0) {
                if (left == size && (count == 0 || errno == EXDEV || errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP || errno == EPERM))
                    return false;
                if (count == 0) {
                    if (Status same = from.verifyUnchanged(); !same) return tl::unexpected(same.error());
                    return fail({ErrorKind::Unreadable, "file.short", "\"" + from.name() + "\" ends too early.", from.name(), {}, {}});
                }
                return fail(systemError("Cannot copy from \"" + from.name() + "\".", from.name(), errno));
            }
            left -= static_cast<std::uint64_t>(count);
            position += static_cast<std::uint64_t>(count);
        }
        return true;
    }

    /// The file as it will be, read anew: every entry where and as it was written, every byte with its checksum.
    Status verify() const {
        Result<File> written = File::openForReading("/proc/self/fd/" + std::to_string(out.descriptor()));
        if (!written) return tl::unexpected(written.error());
        const auto wrong = [](std::string why) {
            return fail({ErrorKind::System,
                         "writer.verify",
                         "The archive that was written does not read back as it should.",
                         {},
                         std::move(why),
                         "The disk may be faulty or full; choose another place."});
        };
        Issues issues;
        Result<ZipDirectory> directory = readZipDirectory(*written, issues);
        if (!directory) return wrong(directory.error().what + " " + directory.error().why);
        if (!issues.empty()) return wrong(issues.front().message);
        if (directory->entries.size() != records.size()) return wrong("The number of members differs.");
        for (std::size_t i = 0; i < records.size(); ++i) {
            const ZipRecord& record = records[i];
            const ZipEntry& entry = directory->entries[i];
            if (entry.name != record.name || entry.size != record.size || entry.crc32 != record.crc32 || entry.dataOffset % zip::kAlignment != 0) {
                return wrong("The directory entry of \"" + escapeForDisplay(record.name) + "\" differs.");
            }
            std::uint32_t crc = 0;
            const Status read = streamRange(*written, entry.dataOffset, entry.size,
                                            [&](Bytes chunk) -> Status {
                                                crc = checksum(crc, chunk);
                                                return {};
                                            },
                                            {});
            if (!read) return read;
            if (crc != record.crc32) return wrong("The bytes of \"" + escapeForDisplay(record.name) + "\" differ.");
        }
        return {};
    }
};

ArchiveWriter::ArchiveWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
ArchiveWriter::ArchiveWriter(ArchiveWriter&&) noexcept = default;
ArchiveWriter::~ArchiveWriter() = default;

Result<ArchiveWriter> ArchiveWriter::create(const std::filesystem::path& target, std::string root, bool force) {
    if (!isSafeMemberName(root)) {
        return fail({ErrorKind::Usage,
                     "writer.bad-root",
                     "The root folder \"" + escapeForDisplay(elideMiddle(root, 200)) + "\" cannot be written.",
                     {},
                     "It is relative, not empty, without \"..\", backslashes and control characters.",
                     "Choose another name."});
    }
    Result<AtomicFile> out = AtomicFile::create(target, force);
    if (!out) return tl::unexpected(out.error());
    return ArchiveWriter(std::unique_ptr<State>(new State{std::move(*out), std::move(root), 0, {}, {}, false}));
}

Status ArchiveWriter::add(std::string_view nameBelowRoot, Bytes bytes) {
    return state_->addStreamed(nameBelowRoot, bytes.size(), [&](const auto& sink) { return sink(bytes); });
}

Status ArchiveWriter::copy(const Archive& from, MemberIndex member, std::string_view nameBelowRoot, const CancelToken& cancel) {
    if (member >= from.members().size()) return fail({ErrorKind::Usage, "archive.no-member", "There is no such member.", {}, {}, {}});
    const Member& source = from.members()[member];
    // What cannot be read is found out here, before anything is written.
    if (Status readable = from.readAt(member, 0, {}); !readable) return readable;
    if (from.file() == nullptr || source.method != zip::kStored || source.dataOffset == 0) {
        return state_->addStreamed(nameBelowRoot, source.size, [&](const auto& sink) { return from.stream(member, sink, cancel); });
    }
    if (Status same = from.verifyUnchanged(); !same) return same;
    Result<ZipRecord> record = state_->begin(nameBelowRoot, source.size);
    if (!record) return tl::unexpected(record.error());
    const std::uint64_t dataOffset = state_->position;
    const auto takeChecksum = [&](Bytes chunk) -> Status {
        record->crc32 = checksum(record->crc32, chunk);
        return {};
    };
    const auto whole = [&]() -> Status {
        Result<bool> copied = state_->copyByKernel(*from.file(), source.dataOffset, source.size, cancel);
        if (!copied) return tl::unexpected(copied.error());
        if (!*copied) {
            return streamRange(
                *from.file(), source.dataOffset, source.size,
                [&](Bytes chunk) -> Status {
                    if (Status taken = takeChecksum(chunk); !taken) return taken;
                    return state_->write(chunk);
                },
                cancel);
        }
        // The checksum is that of the bytes that were copied: the source's record of it may be wrong, and torch would not notice.
        Result<File> written = File::openForReading("/proc/self/fd/" + std::to_string(state_->out.descriptor()));
        if (!written) return tl::unexpected(written.error());
        return streamRange(*written, dataOffset, source.size, takeChecksum, cancel);
    };
    Status done = whole();
    if (done) done = from.verifyUnchanged();
    if (done) done = state_->end(std::move(*record));
    state_->broken = state_->broken || !done;
    return done;
}

Status ArchiveWriter::addFile(std::string_view nameBelowRoot, const std::filesystem::path& source, const CancelToken& cancel) {
    Result<File> file = File::openForReading(source);
    if (!file) return tl::unexpected(file.error());
    return state_->addStreamed(nameBelowRoot, file->size(), [&](const auto& sink) -> Status {
        if (Status read = streamRange(*file, 0, file->size(), sink, cancel); !read) return read;
        return file->verifyUnchanged();
    });
}

Status ArchiveWriter::finish() {
    const auto has = [&](std::string_view name) { return state_->names.find(state_->root + "/" + std::string(name)) != state_->names.end(); };
    const std::pair<std::string_view, std::string_view> markers[] = {
        {"archive_format", "pt2"}, {"archive_version", "0"}, {".data/version", "6\n"}, {"byteorder", "little"}};
    for (const auto& [name, content] : markers) {
        if (has(name)) continue;
        if (Status added = add(name, asBytes(content)); !added) return added;
    }
    if (!has(".data/serialization_id")) {
        const std::string id = serializationId(state_->records, state_->root);
        if (Status added = add(".data/serialization_id", asBytes(id)); !added) return added;
    }
    if (Status directory = state_->write(centralDirectory(state_->records, state_->position)); !directory) return directory;
    state_->broken = true;  // nothing may follow the directory
    if (Status good = state_->verify(); !good) return good;
    return state_->out.commit();
}

}  // namespace pt2
