#pragma once

#include <filesystem>

#include "core/tensor/npy.h"

namespace pt2 {

Result<NamedTensors> readSafetensorsFile(const std::filesystem::path& path);
Status writeSafetensorsFile(const std::filesystem::path& path, const NamedTensors& tensors, bool force);

}  // namespace pt2
