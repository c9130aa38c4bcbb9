#include "core/package/weight_stream.h"

#include <algorithm>
#include <cstddef>

namespace pt2 {

namespace {

constexpr std::size_t kZeroPiece = std::size_t{1} << 18;

/// An empty record stands for zeros of the entry's shape.
bool isZeroFilled(const Package& package, const WeightEntry& weight) {
    return weight.member && !weight.usePickle && !weight.isObject && !weight.inTorchSave && weight.layout.dtype != DType::Unknown &&
           package.archive().members()[*weight.member].size == 0;
}

Status streamZeros(const TensorLayout& layout, const std::function<Status(Bytes)>& sink, const CancelToken& cancel) {
    TensorLayout whole = layout;
    whole.strides = contiguousStrides(layout.sizes);
    whole.storageOffset = 0;
    const auto bytes = whole.requiredStorageBytes();
    if (!bytes) return tl::unexpected<Error>(bytes.error());
    const ByteBuffer zeros(static_cast<std::size_t>(std::min<std::uint64_t>(*bytes, kZeroPiece)));
    for (std::uint64_t left = *bytes; left > 0;) {
        if (cancel.requested()) return cancelled();
        const auto piece = static_cast<std::size_t>(std::min<std::uint64_t>(left, zeros.size()));
        if (Status sent = sink(Bytes(zeros).first(piece)); !sent) return sent;
        left -= piece;
    }
    return {};
}

}  // namespace

std::optional<MemberRange> contiguousRange(const Package& package, const WeightEntry& weight) {
    if (!weight.member || weight.usePickle || weight.isObject || weight.inTorchSave || package.byteorder() == "big") return std::nullopt;
    if (!weight.layout.isContiguous() || weight.layout.storageOffset < 0) return std::nullopt;
    const auto count = weight.layout.elementCount();
    const std::uint64_t item = dtypeSize(weight.layout.dtype);
    MemberRange range{*weight.member, 0, 0};
    std::uint64_t end = 0;
    const bool fits = count && *count > 0 && item > 0 && multiplySafe(*count, item, range.length) &&
                      multiplySafe(static_cast<std::uint64_t>(weight.layout.storageOffset), item, range.begin) &&
                      addSafe(range.begin, range.length, end) && end <= package.archive().members()[*weight.member].size;
    return fits ? std::optional(range) : std::nullopt;
}

bool sharesStorage(const WeightEntry& a, const WeightEntry& b) {
    return a.member && a.member == b.member && a.inTorchSave == b.inTorchSave && (!a.inTorchSave || a.pathName == b.pathName);
}

Status streamRange(const Archive& archive, const MemberRange& range, std::size_t unit, const std::function<Status(Bytes)>& sink,
                   const CancelToken& cancel) {
    std::uint64_t position = 0;
    const std::uint64_t end = range.begin + range.length;
    ByteBuffer rest;  // of an element that two pieces of the member share
    return archive.stream(
        range.member,
        [&](Bytes chunk) -> Status {
            if (cancel.requested()) return cancelled();
            const std::uint64_t from = std::max(range.begin, position), to = std::min<std::uint64_t>(end, position + chunk.size());
            Bytes piece = from < to ? chunk.subspan(static_cast<std::size_t>(from - position), static_cast<std::size_t>(to - from)) : Bytes();
            position += chunk.size();
            if (!rest.empty()) {
                const std::size_t missing = std::min(unit - rest.size(), piece.size());
                const std::size_t kept = rest.size();
                rest.resize(kept + missing);  // not insert(): GCC 14 warns of an overflow that cannot be
                std::copy_n(piece.begin(), missing, rest.begin() + static_cast<std::ptrdiff_t>(kept));
                piece = piece.subspan(missing);
                if (rest.size() < unit) return {};
                if (Status sent = sink(rest); !sent) return sent;
                rest.clear();
            }
            const std::size_t whole = piece.size() - piece.size() % unit;
            if (whole > 0) {
                if (Status sent = sink(piece.first(whole)); !sent) return sent;
            }
            rest.assign(piece.begin() + static_cast<std::ptrdiff_t>(whole), piece.end());
            return {};
        },
        cancel);
}

Status streamWeight(const Package& package, const WeightEntry& weight, const std::function<Status(Bytes)>& sink, const CancelToken& cancel) {
    if (const auto range = contiguousRange(package, weight)) {
        return streamRange(package.archive(), *range, dtypeSize(weight.layout.dtype), sink, cancel);
    }
    if (isZeroFilled(package, weight)) return streamZeros(weight.layout, sink, cancel);
    auto tensor = package.loadWeight(weight);
    if (!tensor) return tl::unexpected<Error>(tensor.error());
    return forEachContiguousChunk(tensor->view(), [&](Bytes piece) -> Status {
        if (cancel.requested()) return cancelled();
        return sink(piece);
    });
}

}  // namespace pt2
