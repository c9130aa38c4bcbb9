#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/tensor/dtype.h"

namespace pt2 {

/// Where the elements of a tensor lie in a storage. Sizes, strides and offset count elements.
struct TensorLayout {
    DType dtype = DType::Unknown;
    std::vector<std::int64_t> sizes;
    std::vector<std::int64_t> strides;
    std::int64_t storageOffset = 0;

    /// Number of elements, or an error when it does not fit or a size is negative.
    Result<std::uint64_t> elementCount() const;
    /// Bytes of storage that must exist so that every element is inside; 0 for tensors without elements. Checked in 128 bits.
    Result<std::uint64_t> requiredStorageBytes() const;
    bool isContiguous() const;
    bool operator==(const TensorLayout&) const = default;
};

/// Row-major strides for the sizes, as torch computes them (size 0 counts as 1).
std::vector<std::int64_t> contiguousStrides(const std::vector<std::int64_t>& sizes);

/// A layout over bytes owned by someone else, who outlives the view. The constructor's caller has checked that
/// layout.requiredStorageBytes() <= storage.size().
struct TensorView {
    TensorLayout layout;
    Bytes storage;
};

/// A tensor that owns (or shares) its storage. Copies are cheap and share bytes; `name` is free for the holder's use.
struct Tensor {
    TensorLayout layout;
    std::shared_ptr<const void> owner;  ///< keeps `storage` alive
    Bytes storage;
    TensorView view() const { return {layout, storage}; }
};

/// A new zero-filled contiguous tensor with writable bytes in `bytes`.
struct NewTensor {
    Tensor tensor;
    MutableBytes bytes;
};
Result<NewTensor> allocateTensor(DType dtype, std::vector<std::int64_t> sizes);
/// The same for given strides (storage just large enough, offset 0).
Result<NewTensor> allocateStrided(DType dtype, std::vector<std::int64_t> sizes, std::vector<std::int64_t> strides);
/// Fails with Unreadable "tensor.storage-short" when the layout needs more bytes than there are.
Result<Tensor> makeTensor(TensorLayout layout, ByteBuffer storage);

/// Elements in row-major order as one contiguous little-endian block; the same tensor when it is so already.
Result<Tensor> contiguous(const Tensor& tensor);
/// A copy with the same values, laid out with the given strides.
Result<Tensor> withStrides(const Tensor& tensor, const std::vector<std::int64_t>& strides);
/// Value conversion as torch's `.to(dtype)` does.
Result<Tensor> castTo(const Tensor& tensor, DType dtype);
/// Streams the elements in row-major order in chunks (for hashing and statistics, without a second copy).
Status forEachContiguousChunk(const TensorView& view, const std::function<Status(Bytes)>& sink);
/// sha256 over the row-major little-endian elements, as the corpus' facts have it.
Result<std::string> tensorSha256(const TensorView& view);

/// One element as double (real part of complex) by linear row-major index; integers beyond 2^53 lose digits.
double elementAsDouble(const TensorView& view, std::uint64_t linearIndex);
std::complex<double> elementAsComplex(const TensorView& view, std::uint64_t linearIndex);
/// One element as text that reads back ("0.5", "-3", "True", "(1+2j)").
std::string elementText(const TensorView& view, std::uint64_t linearIndex);
/// Index per dimension of a linear row-major index.
std::vector<std::int64_t> unravelIndex(const std::vector<std::int64_t>& sizes, std::uint64_t linearIndex);

/// "float32 [1, 128]".
std::string tensorTypeText(const TensorLayout& layout);

}  // namespace pt2
