#include "core/compiled/kernel_operators.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/program/operator_family.h"

namespace pt2 {
namespace {

template <std::size_t N>
bool isOneOf(std::string_view name, const std::array<std::string_view, N>& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// "add_native_layer_norm_view" in the operators it is made of, longest first; words that are no operator stand alone.
std::vector<std::string> splitFusedName(std::string_view body) {
    std::vector<std::string> found;
    std::size_t begin = 0;
    while (begin < body.size()) {
        std::size_t best = 0;
        for (std::size_t end = begin + 1; end <= body.size(); ++end) {
            const bool boundary = end == body.size() || (body[end] == '_' && end > begin + 1);
            if (boundary && isOperatorName(body.substr(begin, end - begin))) best = end;
        }
        if (best == 0) {
            best = body.find('_', begin + 1);
            if (best == std::string_view::npos) best = body.size();
        }
        found.emplace_back(body.substr(begin, best - begin));
        begin = best + 1;
    }
    return found;
}

}  // namespace

bool onlyShapesMemory(std::string_view name) {
    static constexpr std::array<std::string_view, 29> kNames = {
        "view",    "reshape",   "transpose",  "permute",         "t",       "unsqueeze",        "squeeze", "expand", "slice",  "select", "alias",
        "detach",  "detach_",   "contiguous", "_unsafe_view",    "flatten", "unflatten",        "split",   "chunk",  "unbind", "narrow", "as_strided",
        "view_as", "expand_as", "numpy_T",    "lift_fresh_copy", "dropout", "split_with_sizes", "movedim"};
    return isOneOf(name, kNames);
}

std::vector<std::string_view> namesInKernels(std::string_view op) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 46> kDecomposed = {{
        {"linear", "addmm"},
        {"linear", "mm"},
        {"linear", "bmm"},
        {"matmul", "mm"},
        {"matmul", "bmm"},
        {"matmul", "mv"},
        {"matmul", "dot"},
        {"conv1d", "convolution"},
        {"conv2d", "convolution"},
        {"conv3d", "convolution"},
        {"conv_transpose2d", "convolution"},
        {"layer_norm", "native_layer_norm"},
        {"group_norm", "native_group_norm"},
        {"batch_norm", "_native_batch_norm_legit_functional"},
        {"batch_norm", "_native_batch_norm_legit_no_training"},
        {"batch_norm", "native_batch_norm"},
        {"rms_norm", "_fused_rms_norm"},
        {"softmax", "_softmax"},
        {"log_softmax", "_log_softmax"},
        {"to", "_to_copy"},
        {"scaled_dot_product_attention", "_scaled_dot_product_flash_attention_for_cpu"},
        {"scaled_dot_product_attention", "_scaled_dot_product_attention_math_for_mps"},
        {"scaled_dot_product_attention", "_scaled_dot_product_efficient_attention"},
        {"scaled_dot_product_attention", "_scaled_dot_product_flash_attention"},
        {"max_pool1d", "max_pool2d_with_indices"},
        {"max_pool2d", "max_pool2d_with_indices"},
        {"max_pool2d", "_low_memory_max_pool_with_offsets"},
        {"adaptive_avg_pool1d", "_adaptive_avg_pool2d"},
        {"adaptive_avg_pool2d", "_adaptive_avg_pool2d"},
        {"adaptive_avg_pool2d", "mean"},
        {"relu6", "hardtanh"},
        {"masked_fill", "masked_fill"},
        {"repeat_interleave", "repeat_interleave"},
        {"one_hot", "scatter"},
        {"nll_loss", "nll_loss_forward"},
        {"cross_entropy_loss", "nll_loss_forward"},
        {"cross_entropy_loss", "_log_softmax"},
        {"mse_loss", "mse_loss"},
        {"square", "pow"},
        {"diff", "sub"},
        {"where", "where"},
        {"std", "var"},
        {"rsub", "sub"},
        {"stack", "cat"},
        {"embedding_bag", "_embedding_bag"},
        {"_embedding_bag", "_embedding_bag"},
    }};
    std::vector<std::string_view> names = {op};
    if (op.size() > 1 && op.back() == '_') names.push_back(op.substr(0, op.size() - 1));  // in place
    for (const auto& [from, to] : kDecomposed) {
        if (from == op) names.push_back(to);
    }
    return names;
}

std::vector<std::string> operatorsOfKernel(const KernelCall& call) {
    std::string_view name = call.name;
    if (call.kind == KernelCall::Kind::Proxy) {
        const std::size_t colon = name.rfind(':');
        name = name.substr(colon == std::string_view::npos ? 0 : colon + 1);
        return {std::string(name.substr(0, name.find('.')))};
    }
    if (call.kind == KernelCall::Kind::Extern) {
        for (const std::string_view prefix : {"aoti_torch_cpu_", "aoti_torch_cuda_", "aoti_torch_xpu_", "aoti_torch_mps_", "aoti_torch_"}) {
            if (!name.starts_with(prefix)) continue;
            name = name.substr(prefix.size());
            break;
        }
        std::vector<std::string> names = {std::string(name)};
        if (name.size() > 4 && name.substr(name.size() - 4) == "_out") names.emplace_back(name.substr(0, name.size() - 4));
        // An overload is part of the function's name: "add_Tensor".
        for (std::size_t end = name.rfind('_'); end != std::string_view::npos && end > 0; end = name.rfind('_', end - 1)) {
            const std::string_view shorter = name.substr(0, end);
            if (isOperatorName(shorter) && std::find(names.begin(), names.end(), shorter) == names.end()) names.emplace_back(shorter);
        }
        return names;
    }
    // "cpp_fused_add_relu_1", "call_triton_poi_fused_add_relu_1"
    const std::size_t fused = name.find("fused_");
    if (fused == std::string_view::npos) return {};
    std::string_view body = name.substr(fused + 6);
    const std::size_t number = body.rfind('_');
    if (number == std::string_view::npos) return {};
    return splitFusedName(body.substr(0, number));
}

}  // namespace pt2
