#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/compiled/source_tokens.h"
#include "core/tensor/dtype.h"

namespace pt2 {

// What the names in AOTInductor's generated C++ stand for (format.md 4.4).

/// aoti_torch_dtype_float32 or cached_torch_dtype_float32.
std::optional<DType> dtypeOfName(std::string_view name);
/// The element a pointer is cast to for a kernel: float, int64_t, Half.
std::optional<DType> dtypeOfCType(std::string_view name);
/// A call that computes: a fused or template kernel, a launcher of a GPU kernel, an operator of LibTorch or one through the proxy executor.
bool isKernelCall(std::string_view function);
/// A dimension as generated C++ writes it ("32L*s27"), in torch's form ("32*s27").
std::string dimensionText(const std::vector<SourceToken>& tokens, std::size_t begin, std::size_t end);
/// A condition over sizes as generated C++ writes it ("(2L*s3) <= 9L"), sides in torch's form ("2*s3 <= 9").
std::string conditionText(const std::vector<SourceToken>& tokens, std::size_t begin, std::size_t end);
/// LibTorch's number of a device type: 0 "cpu", 1 "cuda"; nullptr for those that no compiled model has.
const char* deviceTypeName(int deviceType);

}  // namespace pt2
