#include "core/tensor/dtype.h"

#include <array>

namespace pt2 {

namespace {

struct DTypeRow {
    DType dtype;
    const char* name;
    const char* shortName;
    std::uint8_t size;
    std::int8_t schema;  // ScalarType of the ExportedProgram JSON (format.md 2.2)
    std::int8_t c10;     // c10::ScalarType
};

constexpr std::array<DTypeRow, 22> kRows{{
    {DType::Unknown, "unknown", "?", 0, 0, -1},
    {DType::UInt8, "uint8", "u8", 1, 1, 0},
    {DType::Int8, "int8", "i8", 1, 2, 1},
    {DType::Int16, "int16", "i16", 2, 3, 2},
    {DType::Int32, "int32", "i32", 4, 4, 3},
    {DType::Int64, "int64", "i64", 8, 5, 4},
    {DType::Float16, "float16", "f16", 2, 6, 5},
    {DType::Float32, "float32", "f32", 4, 7, 6},
    {DType::Float64, "float64", "f64", 8, 8, 7},
    {DType::Complex32, "complex32", "c32", 4, 9, 8},
    {DType::Complex64, "complex64", "c64", 8, 10, 9},
    {DType::Complex128, "complex128", "c128", 16, 11, 10},
    {DType::Bool, "bool", "b8", 1, 12, 11},
    {DType::BFloat16, "bfloat16", "bf16", 2, 13, 15},
    {DType::UInt16, "uint16", "u16", 2, 28, 27},
    {DType::UInt32, "uint32", "u32", 4, 34, 28},
    {DType::UInt64, "uint64", "u64", 8, 35, 29},
    {DType::Float8E4M3FN, "float8_e4m3fn", "f8e4m3fn", 1, 29, 24},
    {DType::Float8E5M2, "float8_e5m2", "f8e5m2", 1, 30, 23},
    {DType::Float8E4M3FNUZ, "float8_e4m3fnuz", "f8e4m3fnuz", 1, 31, 26},
    {DType::Float8E5M2FNUZ, "float8_e5m2fnuz", "f8e5m2fnuz", 1, 32, 25},
    {DType::Float8E8M0FNU, "float8_e8m0fnu", "f8e8m0fnu", 1, 33, 44},
}};

const DTypeRow& row(DType dtype) {
    const auto index = static_cast<std::size_t>(dtype);
    return index < kRows.size() ? kRows[index] : kRows[0];
}

}  // namespace

const char* dtypeName(DType dtype) { return row(dtype).name; }
const char* dtypeShortName(DType dtype) { return row(dtype).shortName; }
std::size_t dtypeSize(DType dtype) { return row(dtype).size; }

std::optional<DType> dtypeFromName(std::string_view name) {
    constexpr std::string_view prefix = "torch.";
    if (name.substr(0, prefix.size()) == prefix) name.remove_prefix(prefix.size());
    for (const DTypeRow& r : kRows) {
        if (r.dtype != DType::Unknown && (name == r.name || name == r.shortName)) return r.dtype;
    }
    // torch's other spellings of the same types.
    struct Alias {
        std::string_view name;
        DType dtype;
    };
    constexpr std::array<Alias, 9> aliases{{
        {"float", DType::Float32},
        {"double", DType::Float64},
        {"half", DType::Float16},
        {"int", DType::Int32},
        {"long", DType::Int64},
        {"short", DType::Int16},
        {"chalf", DType::Complex32},
        {"cfloat", DType::Complex64},
        {"cdouble", DType::Complex128},
    }};
    for (const Alias& alias : aliases) {
        if (name == alias.name) return alias.dtype;
    }
    return std::nullopt;
}

DType dtypeFromSchema(int scalarType) {
    for (const DTypeRow& r : kRows) {
        if (r.schema == scalarType) return r.dtype;
    }
    return DType::Unknown;
}

int dtypeToSchema(DType dtype) { return row(dtype).schema; }

DType dtypeFromC10(int scalarType) {
    for (const DTypeRow& r : kRows) {
        if (r.dtype != DType::Unknown && r.c10 == scalarType) return r.dtype;
    }
    return DType::Unknown;
}

int dtypeToC10(DType dtype) { return row(dtype).c10; }

bool isComplex(DType dtype) { return dtype == DType::Complex32 || dtype == DType::Complex64 || dtype == DType::Complex128; }

bool isInteger(DType dtype) {
    switch (dtype) {
        case DType::UInt8:
        case DType::Int8:
        case DType::Int16:
        case DType::Int32:
        case DType::Int64:
        case DType::UInt16:
        case DType::UInt32:
        case DType::UInt64: return true;
        default: return false;
    }
}

bool isFloating(DType dtype) { return dtype != DType::Unknown && dtype != DType::Bool && !isInteger(dtype) && !isComplex(dtype); }

}  // namespace pt2
