#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "core/archive/archive.h"

namespace pt2 {

/// One byte of a stored member that is to be another.
struct BytePatch {
    MemberIndex member = 0;
    std::uint64_t offset = 0;  ///< in the member
    std::byte value{};
};

/// Writes a copy of an archive's file in which only these bytes differ, and the members' CRC-32 wherever the zip states it (directory, local header,
/// data descriptor: APPNOTE.TXT 4.3). Errors: Usage "copy.folder", "copy.compressed" for a member that is not stored, "output.exists"; Unreadable
/// when a patched member is damaged already, since a right checksum would hide it.
Status writePatchedCopy(const Archive& archive, const std::vector<BytePatch>& patches, const std::filesystem::path& target, bool force,
                        const CancelToken& cancel = {}, const ProgressSink& progress = {});

}  // namespace pt2
