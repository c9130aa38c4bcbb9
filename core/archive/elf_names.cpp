#include <algorithm>

#include "core/archive/recognise.h"
#include "core/base/text.h"

namespace pt2 {

namespace {

constexpr std::size_t kHeaderSize = 64;
constexpr std::size_t kProgramHeaderSize = 56;
constexpr std::size_t kDynamicSize = 16;
constexpr std::uint32_t kLoad = 1;
constexpr std::uint32_t kDynamic = 2;
constexpr std::uint64_t kStringTable = 5;
constexpr std::uint64_t kStringTableSize = 10;
constexpr std::uint64_t kTableLimit = std::uint64_t{64} << 20;

struct Segment {
    std::uint32_t type = 0;
    std::uint64_t offset = 0, address = 0, size = 0;
};

Error damaged(const File& file, std::string why) {
    return {ErrorKind::Unreadable, "library.damaged", "\"" + file.name() + "\" is a damaged shared library.",
            file.name(),           std::move(why),    "Copy or download the file again."};
}

}  // namespace

Result<bool> isCompiledLibrary(const File& file) {
    if (file.size() < kHeaderSize) return fail(damaged(file, "It has only " + std::to_string(file.size()) + " bytes."));
    std::byte header[kHeaderSize];
    if (Status read = file.readAt(0, header); !read) return tl::unexpected(read.error());
    const Bytes head(header);
    if (head[4] != std::byte{2} || head[5] != std::byte{1}) {
        return fail({ErrorKind::Unreadable, "library.other-machine", "\"" + file.name() + "\" is a library for a 32-bit or big-endian machine.",
                     file.name(), "Compiled models are 64-bit and little-endian.", "Open the .pt2 of the program and compile it for this machine."});
    }
    const auto tableOffset = loadLittle<std::uint64_t>(head, 32);
    const auto entrySize = loadLittle<std::uint16_t>(head, 54);
    const auto count = loadLittle<std::uint16_t>(head, 56);
    std::uint64_t tableEnd = 0;
    if (entrySize != kProgramHeaderSize || !addSafe(tableOffset, std::uint64_t{count} * entrySize, tableEnd) || tableEnd > file.size()) {
        return fail(damaged(file, "Its program headers lie outside of the file."));
    }
    ByteBuffer table(static_cast<std::size_t>(count) * entrySize);
    if (Status read = file.readAt(tableOffset, table); !read) return tl::unexpected(read.error());
    std::vector<Segment> segments(count);
    for (std::size_t i = 0; i < count; ++i) {
        const Bytes entry = Bytes(table).subspan(i * entrySize, entrySize);
        segments[i] = {loadLittle<std::uint32_t>(entry, 0), loadLittle<std::uint64_t>(entry, 8), loadLittle<std::uint64_t>(entry, 16),
                       loadLittle<std::uint64_t>(entry, 32)};
    }
    const auto dynamic = std::find_if(segments.begin(), segments.end(), [](const Segment& s) { return s.type == kDynamic; });
    std::uint64_t end = 0;
    if (dynamic == segments.end()) return false;
    if (!addSafe(dynamic->offset, dynamic->size, end) || end > file.size() || dynamic->size > kTableLimit) {
        return fail(damaged(file, "Its dynamic section lies outside of the file; the library is cut."));
    }
    ByteBuffer entries(static_cast<std::size_t>(dynamic->size));
    if (Status read = file.readAt(dynamic->offset, entries); !read) return tl::unexpected(read.error());
    std::uint64_t address = 0;
    std::uint64_t size = 0;
    for (std::size_t at = 0; at + kDynamicSize <= entries.size(); at += kDynamicSize) {
        const auto tag = loadLittle<std::uint64_t>(entries, at);
        if (tag == 0) break;
        if (tag == kStringTable) address = loadLittle<std::uint64_t>(entries, at + 8);
        if (tag == kStringTableSize) size = loadLittle<std::uint64_t>(entries, at + 8);
    }
    for (const Segment& segment : segments) {
        if (segment.type != kLoad || address < segment.address || address - segment.address >= segment.size) continue;
        std::uint64_t offset = 0;
        if (!addSafe(segment.offset, address - segment.address, offset) || !addSafe(offset, size, end) || end > file.size() || size > kTableLimit) {
            return fail(damaged(file, "Its symbol names lie outside of the file; the library is cut."));
        }
        ByteBuffer names(static_cast<std::size_t>(size));
        if (Status read = file.readAt(offset, names); !read) return tl::unexpected(read.error());
        return asText(names).find("AOTInductorModelContainerCreate") != std::string_view::npos;
    }
    return false;
}

}  // namespace pt2
