#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/compiled/kernel_calls.h"

namespace pt2 {

// What the names of generated kernels and of LibTorch's entry points say of operators (format.md 4.4 "Provenance").

/// Operators that a call's name says it computes: "cpp_fused_add_relu_1" gives add and relu, "aoti_torch_cpu_addmm_out" gives addmm_out and addmm.
std::vector<std::string> operatorsOfKernel(const KernelCall& call);
/// The operators that stand in a kernel's name for a node of an exported program: its own, and what torch decomposes it into before it names
/// kernels.
std::vector<std::string_view> namesInKernels(std::string_view nodeOperator);
/// An operator that only gives memory another shape: Inductor makes no code of it, so a value and its view are one place.
bool onlyShapesMemory(std::string_view nodeOperator);

}  // namespace pt2
