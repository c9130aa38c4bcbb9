#pragma once

#include <filesystem>

#include "core/tensor/npy.h"

namespace pt2 {

/// Stored outputs to hold a run against: .npz and .safetensors by key, the tensors of a torch.save (.pt) under their keys, else numbered, in the
/// order a reader meets them. A pickle is read as data; nothing in it runs. Usage error for another ending.
Result<NamedTensors> readReferenceFile(const std::filesystem::path& path);

}  // namespace pt2
