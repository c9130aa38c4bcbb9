#pragma once

#include <cstddef>
#include <memory>

#include "core/archive/archive.h"

namespace pt2 {

/// The plain bytes of one zip member, front to back: stored bytes as they lie, deflated ones by zlib, other methods by libzip.
/// Not thread-safe; the File must outlive it.
class MemberStream {
public:
    virtual ~MemberStream() = default;
    MemberStream() = default;
    MemberStream(const MemberStream&) = delete;
    MemberStream& operator=(const MemberStream&) = delete;

    /// `index` is the member's place in the directory (libzip counts members as we do).
    static Result<std::unique_ptr<MemberStream>> open(const File& file, const Member& member, MemberIndex index);

    /// Fills as much of `out` as there is; 0 at the end. An end before or after the size that the directory names is an Error.
    virtual Result<std::size_t> read(MutableBytes out) = 0;
};

}  // namespace pt2
