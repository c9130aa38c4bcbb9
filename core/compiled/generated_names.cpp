#include "core/compiled/generated_names.h"

#include <algorithm>
#include <array>

#include "core/symbol/expression.h"

namespace pt2 {

/// "torch_dtype_float32" inside aoti_torch_dtype_float32() or cached_torch_dtype_float32.
std::optional<DType> dtypeOfName(std::string_view name) {
    const std::size_t at = name.find("torch_dtype_");
    if (at == std::string_view::npos) return std::nullopt;
    const std::optional<DType> dtype = dtypeFromName(name.substr(at + 12));
    return dtype && *dtype != DType::Unknown ? dtype : std::nullopt;
}

std::optional<DType> dtypeOfCType(std::string_view name) {
    static constexpr std::array<std::pair<std::string_view, DType>, 15> kTypes = {{{"float", DType::Float32},
                                                                                   {"double", DType::Float64},
                                                                                   {"int64_t", DType::Int64},
                                                                                   {"int32_t", DType::Int32},
                                                                                   {"int16_t", DType::Int16},
                                                                                   {"int8_t", DType::Int8},
                                                                                   {"uint8_t", DType::UInt8},
                                                                                   {"uint16_t", DType::UInt16},
                                                                                   {"uint32_t", DType::UInt32},
                                                                                   {"uint64_t", DType::UInt64},
                                                                                   {"bool", DType::Bool},
                                                                                   {"half", DType::Float16},
                                                                                   {"Half", DType::Float16},
                                                                                   {"bfloat16", DType::BFloat16},
                                                                                   {"BFloat16", DType::BFloat16}}};
    for (const auto& [text, dtype] : kTypes) {
        if (text == name) return dtype;
    }
    return std::nullopt;
}

bool isKernelCall(std::string_view function) {
    const auto starts = [&](std::string_view prefix) { return function.substr(0, prefix.size()) == prefix; };
    if (starts("cpp_fused") || starts("call_triton_") || starts("call_")) return true;
    if (function == "launchKernel" || function == "aoti_torch_proxy_executor_call_function") return true;
    static constexpr std::array<std::string_view, 4> kDevices = {"aoti_torch_cpu_", "aoti_torch_cuda_", "aoti_torch_xpu_", "aoti_torch_mps_"};
    if (std::any_of(kDevices.begin(), kDevices.end(), starts)) return true;
    // Before 2.5 the entry points had no device in their names.
    static constexpr std::array<std::string_view, 12> kPlain = {"aoti_torch_addmm_out",   "aoti_torch_mm_out",
                                                                "aoti_torch_bmm_out",     "aoti_torch_convolution",
                                                                "aoti_torch_nonzero",     "aoti_torch_repeat_interleave_Tensor",
                                                                "aoti_torch_scatter_out", "aoti_torch_scatter_reduce_out",
                                                                "aoti_torch_copy_",       "aoti_torch_index_put_out",
                                                                "aoti_torch__mm_plus_mm", "aoti_torch__embedding_bag"};
    return std::any_of(kPlain.begin(), kPlain.end(), [&](std::string_view plain) { return plain == function; }) ||
           starts("aoti_torch__scaled_dot_product") || starts("aoti_torch__fft_") || starts("aoti_torch__scaled_mm");
}

std::string dimensionText(const std::vector<SourceToken>& tokens, std::size_t begin, std::size_t end) {
    std::string text;
    for (std::size_t i = begin; i < end; ++i) {
        if (tokens[i].is("static_cast") && i + 4 < end && tokens[i + 1].is("<") && tokens[i + 3].is(">")) {
            i += 3;
            continue;
        }
        if ((tokens[i].is("c10") || tokens[i].is("std")) && i + 1 < end && tokens[i + 1].is("::")) {
            ++i;
            continue;
        }
        if (tokens[i].is("div_floor_integer")) {
            text += "FloorDiv";
        } else if (tokens[i].is("max")) {
            text += "Max";
        } else if (tokens[i].is("min")) {
            text += "Min";
        } else if (const std::optional<std::int64_t> value = integerOfToken(tokens[i])) {
            text += std::to_string(*value);
        } else {
            text += tokens[i].text;
        }
    }
    const Result<SymExpr> parsed = SymExpr::parse(text);
    return parsed ? parsed->print() : text;
}

const char* deviceTypeName(int deviceType) {
    switch (deviceType) {
        case 0: return "cpu";
        case 1: return "cuda";
        case 12: return "xpu";
        case 13: return "mps";
        default: return nullptr;
    }
}

std::string conditionText(const std::vector<SourceToken>& tokens, std::size_t begin, std::size_t end) {
    static constexpr std::array<std::string_view, 8> kBetween = {"==", "!=", "<", ">", "<=", ">=", "&&", "||"};
    std::string text;
    std::size_t side = begin, depth = 0;
    for (std::size_t i = begin; i < end; ++i) {
        if (tokens[i].is("static_cast") && i + 4 < end && tokens[i + 1].is("<")) i += 4;  // its angle brackets compare nothing
        if (tokens[i].is("(") || tokens[i].is("[")) ++depth;
        if ((tokens[i].is(")") || tokens[i].is("]")) && depth > 0) --depth;
        const bool between = depth == 0 && std::any_of(kBetween.begin(), kBetween.end(), [&](std::string_view op) { return tokens[i].is(op); });
        if (!between) continue;
        text += dimensionText(tokens, side, i) + " " + std::string(tokens[i].text) + " ";
        side = i + 1;
    }
    return text + dimensionText(tokens, side, end);
}

}  // namespace pt2
