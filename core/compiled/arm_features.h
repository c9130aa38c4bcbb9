#pragma once

#include <cstdint>
#include <optional>

#include "core/compiled/cpu_features.h"

namespace pt2 {

/// What an AArch64 instruction needs beyond Armv8.0, by its encoding (Arm ARM, "A64 instruction set encoding"), for those that Capstone 4 does not
/// know or does not tell apart. Nothing: it is none of them, and Capstone decides.
std::optional<CpuFeatureSet> laterArmFeatures(std::uint32_t word);

}  // namespace pt2
