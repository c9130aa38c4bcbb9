#include "core/tensor/pickle_globals.h"

#include <algorithm>
#include <array>

namespace pt2 {

namespace {

struct StorageRow {
    const char* name;
    DType dtype;
};
constexpr std::array<StorageRow, 12> kStorages{{
    {"DoubleStorage", DType::Float64},
    {"FloatStorage", DType::Float32},
    {"HalfStorage", DType::Float16},
    {"LongStorage", DType::Int64},
    {"IntStorage", DType::Int32},
    {"ShortStorage", DType::Int16},
    {"CharStorage", DType::Int8},
    {"ByteStorage", DType::UInt8},
    {"BoolStorage", DType::Bool},
    {"BFloat16Storage", DType::BFloat16},
    {"ComplexDoubleStorage", DType::Complex128},
    {"ComplexFloatStorage", DType::Complex64},
}};

constexpr std::array<std::string_view, 27> kSafe{{
    "collections.OrderedDict",
    "collections.Counter",
    "torch.nn.parameter.Parameter",
    "torch.serialization._get_layout",
    "torch.Size",
    "torch.Tensor",
    "torch.device",
    "_codecs.encode",
    "builtins.bytearray",
    "builtins.set",
    "builtins.complex",
    "torch._utils._rebuild_parameter",
    "torch._utils._rebuild_parameter_with_state",
    "torch._utils._rebuild_qtensor",
    "torch._utils._rebuild_tensor",
    "torch._utils._rebuild_tensor_v2",
    "torch._utils._rebuild_tensor_v3",
    "torch._utils._rebuild_sparse_tensor",
    "torch._utils._rebuild_meta_tensor_no_storage",
    "torch._utils._rebuild_nested_tensor",
    "torch._utils._rebuild_wrapper_subclass",
    "torch._utils._rebuild_device_tensor_from_numpy",
    "torch._utils._rebuild_device_tensor_from_cpu_tensor",
    "torch._tensor._rebuild_from_type_v2",
    "torch.storage.UntypedStorage",
    "torch.storage.TypedStorage",
    "torch.per_tensor_affine",
}};

/// Values of the torch module that are dtypes or schemes of quantization: data, not code.
bool isTorchValue(std::string_view name) {
    constexpr std::array<std::string_view, 13> others{{"quint8", "qint8", "qint32", "quint4x2", "quint2x4", "bits1x8", "bits2x4", "bits4x2", "bits8",
                                                       "bits16", "float4_e2m1fn_x2", "per_tensor_symmetric", "per_channel_affine"}};
    if (std::find(others.begin(), others.end(), name) != others.end()) return true;
    if (name == "per_channel_symmetric" || name == "per_channel_affine_float_qparams") return true;
    if ((name.substr(0, 3) == "int" && name.size() == 4 && name[3] >= '1' && name[3] <= '7') ||
        (name.substr(0, 4) == "uint" && name.size() == 5 && name[4] >= '1' && name[4] <= '7')) {
        return true;
    }
    for (int i = 1; i <= static_cast<int>(DType::Float8E8M0FNU); ++i) {
        if (name == dtypeName(static_cast<DType>(i))) return true;
    }
    return false;
}

bool isStorageName(std::string_view name) {
    if (name == "QUInt8Storage" || name == "QInt8Storage" || name == "QInt32Storage" || name == "QUInt4x2Storage" || name == "QUInt2x4Storage")
        return true;
    return std::any_of(kStorages.begin(), kStorages.end(), [name](const StorageRow& row) { return name == row.name; });
}

/// Without "torch." or "torch.cuda."; empty if it is neither.
std::string_view belowTorch(std::string_view name) {
    for (const std::string_view prefix : {std::string_view("torch.cuda."), std::string_view("torch.")}) {
        if (name.substr(0, prefix.size()) == prefix) return name.substr(prefix.size());
    }
    return {};
}

}  // namespace

bool isSafeGlobal(std::string_view name) {
    if (std::find(kSafe.begin(), kSafe.end(), name) != kSafe.end()) return true;
    if (isStorageName(belowTorch(name))) return true;
    constexpr std::string_view torch = "torch.";
    return name.substr(0, torch.size()) == torch && isTorchValue(name.substr(torch.size()));
}

DType dtypeOfStorageClass(std::string_view name) {
    const std::string_view below = belowTorch(name);
    for (const StorageRow& row : kStorages) {
        if (below == row.name) return row.dtype;
    }
    return DType::Unknown;
}

const char* storageClassFor(DType dtype) {
    for (const StorageRow& row : kStorages) {
        if (row.dtype == dtype) return row.name;
    }
    return nullptr;
}

}  // namespace pt2
