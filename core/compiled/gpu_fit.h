#pragma once

#include <vector>

#include "core/compiled/runnable.h"

namespace pt2 {

/// The reasons about a model compiled for CUDA (format.md 4.5): is there a GPU and a LibTorch for it, and do the kernels fit its architecture.
std::vector<RunReason> judgeCuda(const CompiledNeeds& needs, const Target& target, bool hasLibrary);

/// Whether machine code for `code` ("sm_86") runs on a GPU of `gpu`: same major version and no later minor one; "sm_90a" on its own only.
bool gpuCodeFits(const std::string& code, const std::string& gpu);

}  // namespace pt2
