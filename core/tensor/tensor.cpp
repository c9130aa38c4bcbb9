#include "core/tensor/tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/tensor/element.h"

namespace pt2 {

namespace {

Error layoutError(std::string code, std::string why) {
    return {
        ErrorKind::Unreadable, std::move(code), "The tensor's layout is not valid.", {}, std::move(why), "The file is damaged or was made by hand."};
}

/// Dimensions without size 1, neighbours joined where one run of memory continues the other; row-major order stays.
struct Dimensions {
    std::vector<std::int64_t> sizes, strides;
};
Dimensions coalesce(const TensorLayout& layout) {
    Dimensions result;
    for (std::size_t i = 0; i < layout.sizes.size(); ++i) {
        const std::int64_t size = layout.sizes[i];
        const std::int64_t stride = layout.strides[i];
        if (size == 1) continue;
        if (!result.sizes.empty() && result.strides.back() == stride * size) {
            result.sizes.back() *= size;
            result.strides.back() = stride;
        } else {
            result.sizes.push_back(size);
            result.strides.push_back(stride);
        }
    }
    return result;
}

/// Calls visit(firstElementOffset, stride, count) for every innermost run, in row-major order. The layout has been checked.
template <typename Visit>
Status forEachRun(const TensorLayout& layout, Visit&& visit) {
    const Dimensions d = coalesce(layout);
    if (d.sizes.empty()) return visit(layout.storageOffset, std::int64_t{1}, std::int64_t{1});
    const std::size_t outer = d.sizes.size() - 1;
    std::vector<std::int64_t> index(outer, 0);
    std::int64_t offset = layout.storageOffset;
    while (true) {
        if (auto status = visit(offset, d.strides[outer], d.sizes[outer]); !status) return status;
        std::size_t axis = outer;
        while (axis > 0) {
            --axis;
            offset += d.strides[axis];
            if (++index[axis] < d.sizes[axis]) break;
            offset -= d.strides[axis] * d.sizes[axis];
            index[axis] = 0;
            if (axis == 0) return {};
        }
        if (outer == 0) return {};
    }
}

template <std::size_t Size>
void gatherSized(const std::byte* from, std::int64_t strideBytes, std::byte* to, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
        std::memcpy(to, from, Size);
        from += strideBytes;
        to += Size;
    }
}

void gather(const std::byte* from, std::int64_t strideBytes, std::byte* to, std::int64_t count, std::size_t size) {
    switch (size) {
        case 1: gatherSized<1>(from, strideBytes, to, count); break;
        case 2: gatherSized<2>(from, strideBytes, to, count); break;
        case 4: gatherSized<4>(from, strideBytes, to, count); break;
        case 8: gatherSized<8>(from, strideBytes, to, count); break;
        case 16: gatherSized<16>(from, strideBytes, to, count); break;
        default: break;
    }
}

/// Checks that every element lies inside the storage; the number of elements.
Result<std::uint64_t> checkView(const TensorView& view) {
    auto count = view.layout.elementCount();
    if (!count) return count;
    auto needed = view.layout.requiredStorageBytes();
    if (!needed) return needed;
    if (*needed > view.storage.size()) {
        return fail({ErrorKind::Unreadable,
                     "tensor.storage-short",
                     "The tensor's storage is too short for its shape.",
                     {},
                     fmt::format("{} needs {} bytes, and there are {}.", tensorTypeText(view.layout), *needed, view.storage.size()),
                     "The file is cut or damaged; get it again."});
    }
    return count;
}

Result<NewTensor> allocateBytes(TensorLayout layout, std::uint64_t bytes) {
    constexpr std::size_t alignment = 64;
    if (bytes > std::numeric_limits<std::size_t>::max() / 2) {
        return fail({ErrorKind::System, "tensor.memory", "The tensor is too large for memory.", {}, tensorTypeText(layout), "Choose smaller sizes."});
    }
    // calloc gives untouched pages, so that zeros of a large tensor cost nothing until they are written.
    void* block = std::calloc(static_cast<std::size_t>(bytes) + alignment, 1);
    if (block == nullptr) {
        return fail({ErrorKind::System,
                     "tensor.memory",
                     "There is not enough memory for the tensor.",
                     {},
                     fmt::format("{} needs {}.", tensorTypeText(layout), formatBytes(bytes)),
                     "Choose smaller sizes or close other programs."});
    }
    std::shared_ptr<void> owner(block, [](void* p) { std::free(p); });
    void* aligned = block;
    std::size_t space = static_cast<std::size_t>(bytes) + alignment;
    std::align(alignment, static_cast<std::size_t>(bytes), aligned, space);
    const MutableBytes writable(static_cast<std::byte*>(aligned), static_cast<std::size_t>(bytes));
    NewTensor result;
    result.tensor.layout = std::move(layout);
    result.tensor.owner = std::move(owner);
    result.tensor.storage = writable;
    result.bytes = writable;
    return result;
}

}  // namespace

Result<std::uint64_t> TensorLayout::elementCount() const {
    std::uint64_t count = 1;
    bool empty = false;
    bool fits = true;
    for (const std::int64_t size : sizes) {
        if (size < 0) return fail(layoutError("tensor.negative-size", fmt::format("A size of {} is negative.", formatShape(sizes))));
        if (size == 0) empty = true;
        if (fits) fits = multiplySafe(count, static_cast<std::uint64_t>(size), count);
    }
    if (empty) return std::uint64_t{0};
    if (!fits || count > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
        return fail(layoutError("tensor.too-large", fmt::format("The number of elements of {} does not fit 64 bits.", formatShape(sizes))));
    }
    return count;
}

Result<std::uint64_t> TensorLayout::requiredStorageBytes() const {
    if (sizes.size() != strides.size()) {
        return fail(layoutError("tensor.rank", fmt::format("There are {} sizes and {} strides.", sizes.size(), strides.size())));
    }
    const std::size_t size = dtypeSize(dtype);
    if (size == 0) return fail(layoutError("tensor.dtype", "The dtype is not known."));
    auto count = elementCount();
    if (!count) return count;
    if (storageOffset < 0) return fail(layoutError("tensor.negative-offset", fmt::format("The storage offset {} is negative.", storageOffset)));
    if (*count == 0) return std::uint64_t{0};
    constexpr auto limit = static_cast<UInt128>(std::numeric_limits<std::int64_t>::max());
    UInt128 last = static_cast<UInt128>(storageOffset);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (strides[i] < 0) return fail(layoutError("tensor.negative-stride", fmt::format("The stride {} is negative.", strides[i])));
        last += static_cast<UInt128>(strides[i]) * static_cast<UInt128>(sizes[i] - 1);
        if (last > limit) break;
    }
    const UInt128 bytes = (last + 1) * size;
    if (last > limit || bytes > limit) {
        return fail(layoutError("tensor.too-large", fmt::format("{} with these strides does not fit 64 bits.", formatShape(sizes))));
    }
    return static_cast<std::uint64_t>(bytes);
}

bool TensorLayout::isContiguous() const {
    if (sizes.size() != strides.size()) return false;
    if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) return true;
    std::int64_t expected = 1;
    for (std::size_t i = sizes.size(); i-- > 0;) {
        if (sizes[i] == 1) continue;
        if (strides[i] != expected) return false;
        if (__builtin_mul_overflow(expected, sizes[i], &expected)) return false;
    }
    return true;
}

std::vector<std::int64_t> contiguousStrides(const std::vector<std::int64_t>& sizes) {
    std::vector<std::int64_t> strides(sizes.size(), 1);
    std::int64_t stride = 1;
    for (std::size_t i = sizes.size(); i-- > 0;) {
        strides[i] = stride;
        if (__builtin_mul_overflow(stride, std::max<std::int64_t>(sizes[i], 1), &stride)) stride = std::numeric_limits<std::int64_t>::max();
    }
    return strides;
}

Result<NewTensor> allocateTensor(DType dtype, std::vector<std::int64_t> sizes) {
    auto strides = contiguousStrides(sizes);
    return allocateStrided(dtype, std::move(sizes), std::move(strides));
}

Result<NewTensor> allocateStrided(DType dtype, std::vector<std::int64_t> sizes, std::vector<std::int64_t> strides) {
    TensorLayout layout{dtype, std::move(sizes), std::move(strides), 0};
    auto bytes = layout.requiredStorageBytes();
    if (!bytes) return tl::unexpected<Error>(bytes.error());
    return allocateBytes(std::move(layout), *bytes);
}

Result<Tensor> makeTensor(TensorLayout layout, ByteBuffer storage) {
    auto owned = std::make_shared<const ByteBuffer>(std::move(storage));
    Tensor tensor{std::move(layout), owned, Bytes(*owned)};
    if (auto checked = checkView(tensor.view()); !checked) return tl::unexpected<Error>(checked.error());
    return tensor;
}

Result<Tensor> contiguous(const Tensor& tensor) {
    auto count = checkView(tensor.view());
    if (!count) return tl::unexpected<Error>(count.error());
    const std::size_t size = dtypeSize(tensor.layout.dtype);
    const std::uint64_t bytes = *count * size;  // requiredStorageBytes has bounded it only for strides that are not 0
    if (tensor.layout.isContiguous() && tensor.layout.storageOffset == 0 && tensor.storage.size() == bytes) return tensor;
    if (tensor.layout.isContiguous()) {
        Tensor part = tensor;
        part.layout.storageOffset = 0;
        part.layout.strides = contiguousStrides(part.layout.sizes);
        part.storage = *count == 0 ? Bytes() : tensor.storage.subspan(static_cast<std::size_t>(tensor.layout.storageOffset) * size, bytes);
        return part;
    }
    auto fresh = allocateTensor(tensor.layout.dtype, tensor.layout.sizes);
    if (!fresh) return tl::unexpected<Error>(fresh.error());
    std::size_t position = 0;
    auto status = forEachContiguousChunk(tensor.view(), [&](Bytes chunk) -> Status {
        std::memcpy(fresh->bytes.data() + position, chunk.data(), chunk.size());
        position += chunk.size();
        return {};
    });
    if (!status) return tl::unexpected<Error>(status.error());
    return fresh->tensor;
}

Result<Tensor> withStrides(const Tensor& tensor, const std::vector<std::int64_t>& strides) {
    auto count = checkView(tensor.view());
    if (!count) return tl::unexpected<Error>(count.error());
    auto fresh = allocateStrided(tensor.layout.dtype, tensor.layout.sizes, strides);
    if (!fresh) return tl::unexpected<Error>(fresh.error());
    if (*count == 0) return fresh->tensor;
    const std::size_t size = dtypeSize(tensor.layout.dtype);
    const auto& sizes = tensor.layout.sizes;
    const std::size_t rank = sizes.size();
    std::vector<std::int64_t> index(rank, 0);
    auto from = static_cast<std::uint64_t>(tensor.layout.storageOffset);
    std::uint64_t to = 0;
    while (true) {
        std::memcpy(fresh->bytes.data() + to * size, tensor.storage.data() + from * size, size);
        std::size_t axis = rank;
        bool advanced = false;
        while (axis > 0 && !advanced) {
            --axis;
            from += static_cast<std::uint64_t>(tensor.layout.strides[axis]);
            to += static_cast<std::uint64_t>(strides[axis]);
            if (++index[axis] < sizes[axis]) {
                advanced = true;
            } else {
                from -= static_cast<std::uint64_t>(tensor.layout.strides[axis]) * static_cast<std::uint64_t>(sizes[axis]);
                to -= static_cast<std::uint64_t>(strides[axis]) * static_cast<std::uint64_t>(sizes[axis]);
                index[axis] = 0;
            }
        }
        if (!advanced) return fresh->tensor;
    }
}

Status forEachContiguousChunk(const TensorView& view, const std::function<Status(Bytes)>& sink) {
    auto count = checkView(view);
    if (!count) return tl::unexpected<Error>(count.error());
    if (*count == 0) return {};
    constexpr std::size_t chunkBytes = std::size_t{1} << 18;
    const std::size_t size = dtypeSize(view.layout.dtype);
    ByteBuffer buffer;
    auto flush = [&]() -> Status {
        if (buffer.empty()) return {};
        auto status = sink(buffer);
        buffer.clear();
        return status;
    };
    auto status = forEachRun(view.layout, [&](std::int64_t offset, std::int64_t stride, std::int64_t length) -> Status {
        const std::byte* from = view.storage.data() + static_cast<std::size_t>(offset) * size;
        if (stride == 1 && static_cast<std::uint64_t>(length) * size >= chunkBytes) {
            if (auto flushed = flush(); !flushed) return flushed;
            std::size_t left = static_cast<std::size_t>(length) * size;
            while (left > 0) {
                const std::size_t part = std::min(left, chunkBytes);
                if (auto sent = sink(Bytes(from, part)); !sent) return sent;
                from += part;
                left -= part;
            }
            return {};
        }
        std::int64_t left = length;
        while (left > 0) {
            const auto part = std::min<std::int64_t>(left, static_cast<std::int64_t>(chunkBytes / size));
            const std::size_t at = buffer.size();
            buffer.resize(at + static_cast<std::size_t>(part) * size);
            gather(from, stride * static_cast<std::int64_t>(size), buffer.data() + at, part, size);
            left -= part;
            // The pointer may only move while elements are left: past the last one it could leave the storage.
            if (left > 0) from += stride * part * static_cast<std::int64_t>(size);
            if (buffer.size() >= chunkBytes) {
                if (auto flushed = flush(); !flushed) return flushed;
            }
        }
        return {};
    });
    if (!status) return status;
    return flush();
}

Result<std::string> tensorSha256(const TensorView& view) {
    Sha256 hash;
    auto status = forEachContiguousChunk(view, [&](Bytes chunk) -> Status {
        hash.update(chunk);
        return {};
    });
    if (!status) return tl::unexpected<Error>(status.error());
    return hash.hex();
}

std::vector<std::int64_t> unravelIndex(const std::vector<std::int64_t>& sizes, std::uint64_t linearIndex) {
    std::vector<std::int64_t> index(sizes.size(), 0);
    for (std::size_t i = sizes.size(); i-- > 0;) {
        const auto size = static_cast<std::uint64_t>(std::max<std::int64_t>(sizes[i], 1));
        index[i] = static_cast<std::int64_t>(linearIndex % size);
        linearIndex /= size;
    }
    return index;
}

std::string tensorTypeText(const TensorLayout& layout) { return fmt::format("{} {}", dtypeName(layout.dtype), formatShape(layout.sizes)); }

}  // namespace pt2
