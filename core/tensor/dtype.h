#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace pt2 {

/// Element types by torch's names. The numbers are ours; use the functions below at the borders.
enum class DType : std::uint8_t {
    Unknown,
    UInt8,
    Int8,
    Int16,
    Int32,
    Int64,
    Float16,
    Float32,
    Float64,
    Complex32,
    Complex64,
    Complex128,
    Bool,
    BFloat16,
    UInt16,
    UInt32,
    UInt64,
    Float8E4M3FN,
    Float8E5M2,
    Float8E4M3FNUZ,
    Float8E5M2FNUZ,
    Float8E8M0FNU,
};

const char* dtypeName(DType dtype);                         ///< torch's name without "torch.": "float32", "float8_e4m3fn"
const char* dtypeShortName(DType dtype);                    ///< "f32", "i64", "bf16", "b8" for bool (format.md 2.8)
std::size_t dtypeSize(DType dtype);                         ///< bytes of one element, 0 for Unknown
std::optional<DType> dtypeFromName(std::string_view name);  ///< accepts "float32", "torch.float32", "f32"
/// The serialised ScalarType numbers of the ExportedProgram JSON (format.md 2.2), not c10's.
DType dtypeFromSchema(int scalarType);
int dtypeToSchema(DType dtype);
/// c10::ScalarType numbers, which AOTInductor's code and messages use.
DType dtypeFromC10(int scalarType);
int dtypeToC10(DType dtype);
bool isFloating(DType dtype);
bool isComplex(DType dtype);
bool isInteger(DType dtype);  ///< without bool

}  // namespace pt2
