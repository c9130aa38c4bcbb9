#pragma once

#include <string_view>

#include "core/tensor/dtype.h"

namespace pt2 {

/// Whether torch's own safe unpickler (torch._weights_only_unpickler of 2.13) lets a global pass without being asked.
bool isSafeGlobal(std::string_view name);
/// dtype of a typed storage class ("torch.FloatStorage"); Unknown for untyped and quantized ones.
DType dtypeOfStorageClass(std::string_view name);
/// The legacy typed storage class of a dtype ("FloatStorage"); nullptr where only the untyped one serves.
const char* storageClassFor(DType dtype);

}  // namespace pt2
