#pragma once

#include <string>
#include <vector>

#include "core/compiled/target.h"

namespace pt2 {

/// A LibTorch in a folder with lib/, its exported symbols asked of its libraries without loading them, together with those of libstdc++, the C
/// library and their kin here. Opened once for each folder; the symbols are absent when libtorch_cpu cannot be read. Safe from any thread.
TargetTorch describeTorch(std::string version, std::string variant, std::vector<std::string> devices, const std::string& folder);

}  // namespace pt2
