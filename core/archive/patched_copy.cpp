#include "core/archive/patched_copy.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "core/archive/zip_directory.h"
#include "core/archive/zip_layout.h"
#include "core/base/text.h"

namespace pt2 {

namespace {

constexpr std::size_t kChunk = 1 << 20;
// Where the CRC-32 stands in the records (APPNOTE.TXT 4.3.7, 4.3.12).
constexpr std::uint64_t kLocalCrc = 14, kCentralCrc = 16;

using PlacedBytes = std::map<std::uint64_t, std::byte>;  // by offset in the file

/// Applies what lies in [offset, offset + bytes).
void apply(const PlacedBytes& placed, std::uint64_t offset, MutableBytes bytes) {
    for (auto at = placed.lower_bound(offset); at != placed.end() && at->first - offset < bytes.size(); ++at) {
        bytes[static_cast<std::size_t>(at->first - offset)] = at->second;
    }
}

void placeLittle(PlacedBytes& placed, std::uint64_t offset, std::uint32_t value) {
    for (unsigned i = 0; i < 4; ++i) placed[offset + i] = static_cast<std::byte>(value >> 8 * i & 0xff);
}

Result<std::uint32_t> patchedChecksum(const Archive& archive, MemberIndex member, const PlacedBytes& placed, const CancelToken& cancel) {
    std::uint64_t offset = archive.members()[member].dataOffset;
    uLong crc = ::crc32(0, nullptr, 0);
    ByteBuffer patched;
    const Status streamed = archive.stream(
        member,
        [&](Bytes chunk) -> Status {
            patched.assign(chunk.begin(), chunk.end());
            apply(placed, offset, patched);
            crc = ::crc32_z(crc, reinterpret_cast<const Bytef*>(patched.data()), patched.size());
            offset += chunk.size();
            return {};
        },
        cancel);
    if (!streamed) return fail(streamed.error());
    return static_cast<std::uint32_t>(crc);
}

/// The new checksum goes wherever the zip states the old one.
Status placeChecksums(const Archive& archive, const std::set<MemberIndex>& members, PlacedBytes& placed, const CancelToken& cancel) {
    Issues known;  // they were told when the archive was opened
    const auto directory = readZipDirectory(*archive.file(), known);
    if (!directory) return fail(directory.error());
    for (const MemberIndex index : members) {
        const Member& member = archive.members()[index];
        const auto crc = patchedChecksum(archive, index, placed, cancel);
        if (!crc) return fail(crc.error());
        for (const ZipEntry& entry : directory->entries) {
            if (entry.headerOffset == member.headerOffset) placeLittle(placed, entry.recordOffset + kCentralCrc, *crc);
        }
        std::array<std::byte, 4> word{};
        const std::uint64_t local = member.headerOffset + kLocalCrc;
        if (const Status read = archive.file()->readAt(local, word); !read) return read;
        // With a data descriptor the header's own may be 0, and stays so.
        if (loadLittle<std::uint32_t>(word, 0) == member.crc32) placeLittle(placed, local, *crc);
        if ((member.flags & zip::kFlagDescriptor) == 0) continue;
        std::uint64_t descriptor = member.dataOffset + member.compressedSize;
        if (const Status read = archive.file()->readAt(descriptor, word); !read) return read;
        if (loadLittle<std::uint32_t>(word, 0) == zip::kDescriptorSignature) {
            descriptor += 4;
            if (const Status read = archive.file()->readAt(descriptor, word); !read) return read;
        }
        if (loadLittle<std::uint32_t>(word, 0) == member.crc32) placeLittle(placed, descriptor, *crc);
    }
    return {};
}

}  // namespace

Status writePatchedCopy(const Archive& archive, const std::vector<BytePatch>& patches, const std::filesystem::path& target, bool force,
                        const CancelToken& cancel, const ProgressSink& progress) {
    const File* file = archive.file();
    if (file == nullptr) {
        return fail(
            {ErrorKind::Usage, "copy.folder", "A folder cannot be copied as one file.", archive.path().string(), {}, "Give the archive itself."});
    }
    if (Status place = checkOutputPlace(target, force); !place) return place;
    PlacedBytes placed;
    std::set<MemberIndex> members;
    for (const BytePatch& patch : patches) {
        const Member& member = archive.members()[patch.member];
        if (member.method != zip::kStored) {
            return fail({ErrorKind::Usage, "copy.compressed", "A compressed member cannot be changed in place.", escapeForDisplay(member.name),
                         "torch stores what it writes; another program has compressed this file.",
                         "Store the members of the archive without compression first."});
        }
        if (patch.offset >= member.size) {
            return fail(
                {ErrorKind::Unreadable, "copy.short", "A member ends before the byte that is to change.", escapeForDisplay(member.name), {}, {}});
        }
        placed[member.dataOffset + patch.offset] = patch.value;
        members.insert(patch.member);
    }
    if (archive.kind() != ContainerKind::Library) {
        if (Status status = placeChecksums(archive, members, placed, cancel); !status) return status;
    }
    auto out = AtomicFile::create(target, force);
    if (!out) return fail(out.error());
    ByteBuffer buffer(kChunk);
    for (std::uint64_t offset = 0; offset < file->size();) {
        if (cancel.requested()) return cancelled();
        const MutableBytes chunk = MutableBytes(buffer).first(static_cast<std::size_t>(std::min<std::uint64_t>(kChunk, file->size() - offset)));
        if (Status read = file->readAt(offset, chunk); !read) return read;
        apply(placed, offset, chunk);
        if (Status written = out->write(chunk); !written) return written;
        offset += chunk.size();
        report(progress, {"copying", offset, file->size(), Progress::Unit::Bytes, {}});
    }
    if (Status same = archive.verifyUnchanged(); !same) return same;
    return out->commit();
}

}  // namespace pt2
