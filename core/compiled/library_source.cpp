#include "core/compiled/library_source.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace pt2 {
namespace {

constexpr std::uint64_t kMostInflated = std::uint64_t{1} << 30;  // of a deflated library, which has to be held to be read in windows

}  // namespace

Result<ByteSource> libraryBytes(const Archive& archive, MemberIndex member, ByteBuffer& held) {
    const Member& record = archive.members()[member];
    ByteSource source;
    if (record.method == 0) {
        source.size = record.size;
        source.readAt = [&archive, member](std::uint64_t offset, MutableBytes out) { return archive.readAt(member, offset, out); };
        return source;
    }
    Result<ByteBuffer> bytes = archive.read(member, kMostInflated);
    if (!bytes) return fail(bytes.error());
    held = std::move(*bytes);
    source.size = held.size();
    source.readAt = [&held](std::uint64_t offset, MutableBytes out) -> Status {
        if (offset > held.size() || out.size() > held.size() - offset) {
            return fail({ErrorKind::Unreadable, "elf.damaged", "The library is damaged.", {}, "It is shorter than its tables say.", {}});
        }
        std::copy_n(held.begin() + static_cast<std::ptrdiff_t>(offset), out.size(), out.begin());
        return {};
    };
    return source;
}

AppendedConstants findAppendedConstants(const ByteSource& source, std::uint64_t offset) {
    AppendedConstants found;
    ByteBuffer head(16), last(8);
    if (source.size < 24 || offset > source.size - 16) return found;
    if (!source.readAt(offset, head) || !source.readAt(source.size - 8, last)) return found;
    const auto length = loadLittle<std::uint64_t>(head, 0);
    if (loadLittle<std::uint64_t>(last, 0) != loadLittle<std::uint64_t>(head, 8) || length < 8 || length > source.size) {
        found.state = AppendedConstants::State::Broken;
        return found;
    }
    return {AppendedConstants::State::Found, source.size - length, length - 8};
}

}  // namespace pt2
