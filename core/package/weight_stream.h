#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "core/base/bytes.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/package/package.h"

namespace pt2 {

/// A part of a member in which elements lie as they are read: row-major, without gaps.
struct MemberRange {
    MemberIndex member = 0;
    std::uint64_t begin = 0, length = 0;
};

/// Where a weight's elements lie in its record, when they can be read there piece by piece; nullopt for transposed and strided ones, pickles,
/// objects, records that are short, and big-endian archives.
std::optional<MemberRange> contiguousRange(const Package& package, const WeightEntry& weight);

/// Whether two entries are views of one storage: a record of its own, or a storage of the torch.save record that holds them all.
bool sharesStorage(const WeightEntry& a, const WeightEntry& b);

/// All bytes of a range in pieces that are whole multiples of `unit` (an element's size). The CRC of a record that is read to its end is verified.
Status streamRange(const Archive& archive, const MemberRange& range, std::size_t unit, const std::function<Status(Bytes)>& sink,
                   const CancelToken& cancel);

/// A weight's elements in row-major order, in pieces of whole elements. Contiguous records are never held in memory, and an empty record gives zeros
/// (format.md 3.1); others are held whole.
Status streamWeight(const Package& package, const WeightEntry& weight, const std::function<Status(Bytes)>& sink, const CancelToken& cancel = {});

}  // namespace pt2
