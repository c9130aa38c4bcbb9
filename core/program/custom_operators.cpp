#include "core/program/custom_operators.h"

#include <algorithm>
#include <array>
#include <set>

#include "core/program/operator_family.h"

namespace pt2 {

bool isTorchNamespace(std::string_view ns) {
    // As torch 2.13 lists its schemas, with its Python modules of operators imported; and names of earlier releases.
    static constexpr std::array<std::string_view, 43> kOwn{"aten",
                                                           "prim",
                                                           "prims",
                                                           "higher_order",
                                                           "inductor",
                                                           "inductor_prims",
                                                           "quantized",
                                                           "_quantized",
                                                           "quantization",
                                                           "mkl",
                                                           "mkldnn",
                                                           "mkldnn_prepacked",
                                                           "onednn",
                                                           "sparse",
                                                           "c10d",
                                                           "_c10d_functional",
                                                           "symm_mem",
                                                           "fsdp",
                                                           "profiler",
                                                           "debugprims",
                                                           "rngprims",
                                                           "export",
                                                           "onnx",
                                                           "onnx_symbolic",
                                                           "_native",
                                                           "streams",
                                                           "_dtensor",
                                                           "debug_mode_ops",
                                                           "static_runtime",
                                                           "_test",
                                                           "flex_lib",
                                                           "c10d_functional",
                                                           "torch_attn",
                                                           "dtensor",
                                                           "nvprims",
                                                           "_nested",
                                                           "xnnpack",
                                                           "vulkan",
                                                           "vulkan_prepack",
                                                           "metal",
                                                           "_inductor_test",
                                                           "quantized_decomposed",
                                                           "_c10d_functional_autograd"};
    return std::find(kOwn.begin(), kOwn.end(), ns) != kOwn.end();
}

std::vector<std::string> customOperators(const Program& program) {
    std::vector<std::string> names;
    std::set<std::string_view> seen;
    for (const Node& node : program.nodes()) {
        if (!node.target.starts_with("torch.ops.") || !seen.insert(node.target).second) continue;
        const OperatorName name = splitOperatorName(node.target);
        if (name.ns.empty() || isTorchNamespace(name.ns)) continue;
        std::string full = std::string(name.ns) + "::" + std::string(name.name);
        if (std::find(names.begin(), names.end(), full) == names.end()) names.push_back(std::move(full));
    }
    return names;
}

}  // namespace pt2
