#pragma once

#include <cstdint>

#include "core/archive/archive.h"

namespace pt2 {

/// Reads every byte of every member, which opening never does, and compares it with the archive's CRC-32; torch compares none of them.
/// What cannot be read or differs is added to `issues`, once a member and kind. Returns the bytes that were read; error only when cancelled.
/// Progress is in bytes of the members.
Result<std::uint64_t> readEveryByte(const Archive& archive, Issues& issues, const CancelToken& cancel = {}, const ProgressSink& progress = {});

}  // namespace pt2
