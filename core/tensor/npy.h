#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/tensor/tensor.h"

namespace pt2 {

// NumPy's .npy (versions 1 to 3, C and Fortran order, little and big endian) and .npz (zip of .npy) in and out.
// dtypes numpy lacks (bfloat16, float8) are written as unsigned integers of the same width, as the corpus does;
// the reader gives what the file says.

Result<Tensor> readNpy(Bytes bytes);
Result<Tensor> readNpyFile(const std::filesystem::path& path);
ByteBuffer writeNpy(const TensorView& view);
/// What stands before the elements in a .npy file of version 1.0; row-major order.
std::string npyHeader(const TensorLayout& layout);

using NamedTensors = std::vector<std::pair<std::string, Tensor>>;
/// In file order, keys without ".npy".
Result<NamedTensors> readNpzFile(const std::filesystem::path& path);
Result<Tensor> readNpzEntry(const std::filesystem::path& path, const std::string& key);
/// Stored members; appears under its name when complete.
Status writeNpzFile(const std::filesystem::path& path, const NamedTensors& tensors, bool force);

}  // namespace pt2
