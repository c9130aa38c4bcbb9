#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/tensor/npy.h"
#include "core/tensor/tensor.h"

namespace pt2 {

/// A tensor whose elements are produced when somebody wants them, so that a weight of gigabytes can be saved without holding it.
struct TensorSource {
    DType dtype = DType::Unknown;
    std::vector<std::int64_t> sizes;
    /// Gives all elements in row-major order, little-endian, in pieces. Called more than once by the formats that need a checksum first; what it
    /// refuses or finds cancelled ends the writing.
    std::function<Status(const std::function<Status(Bytes)>& sink)> stream;

    TensorLayout layout() const;  ///< contiguous
    /// stream(), with an Error when the pieces are not as many bytes as dtype and sizes say.
    Status streamWhole(const std::function<Status(Bytes)>& sink) const;
};
using NamedSources = std::vector<std::pair<std::string, TensorSource>>;

TensorSource sourceOf(const Tensor& tensor);
NamedSources sourcesOf(const NamedTensors& tensors);

// The formats, each appearing under its name when complete. dtypes numpy lacks become unsigned integers of the same width in .npy and .npz.
Status writeNpyFile(const std::filesystem::path& path, const TensorSource& tensor, bool force);
Status writeNpzFile(const std::filesystem::path& path, const NamedSources& tensors, bool force);
Status writeSafetensorsFile(const std::filesystem::path& path, const NamedSources& tensors, bool force);
/// A file that torch.load(path, weights_only=True) reads as a dict of tensors, names in order.
Status writeTorchSaveFile(const std::filesystem::path& path, const NamedSources& tensors, bool force);

/// Whether numpy has the dtype; else .npy and .npz hold the same bits as unsigned integers ("uint16" for bfloat16), whose name this is.
const char* numpyStandIn(DType dtype);  ///< nullptr when numpy has it
/// Whether a .safetensors file can hold the dtype.
bool safetensorsHas(DType dtype);

}  // namespace pt2
