#pragma once

#include <cstdint>

#include "core/archive/archive.h"
#include "core/compiled/elf.h"

namespace pt2 {

/// A member as bytes to read in windows. A stored one is read where it lies; a deflated one is inflated into `held`, which must outlive the source.
Result<ByteSource> libraryBytes(const Archive& archive, MemberIndex member, ByteBuffer& held);

/// Constants that are appended to a library: 16 bytes stand in their place, an i64 length + 8 and an i64 mark, and the file ends with the mark
/// (format.md 3.5).
struct AppendedConstants {
    enum class State { None, Found, Broken } state = State::None;  ///< None: the bytes that would say so cannot be read
    std::uint64_t begin = 0, length = 0;                           ///< in the file, without the mark; of Found
};
/// `offset` is where the 16 bytes stand.
AppendedConstants findAppendedConstants(const ByteSource& source, std::uint64_t offset);

}  // namespace pt2
