#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "core/tensor/dtype.h"

namespace pt2 {

// The element types C++ lacks, and one place that turns a DType into a C++ type. Conversions are those of torch 2.13: to nearest, ties to even;
// what is too large becomes infinity where the format has one, the largest number in float8_e4m3fn, else NaN.

static_assert(std::endian::native == std::endian::little, "tensor bytes are little-endian and read in place");

/// Offsets of a file's strides are added up in 128 bits before they are compared with what there is.
__extension__ typedef unsigned __int128 UInt128;

/// Rules of a format of at most 16 bits: sign, exponent and mantissa bits, and what its special patterns are.
struct SmallFloatFormat {
    int exponentBits, mantissaBits, bias;
    bool hasInfinity;   // IEEE: exponent all ones is infinity or NaN
    bool unsignedZero;  // "uz": no negative zero, its pattern is the only NaN
};
inline constexpr SmallFloatFormat kFloat16{5, 10, 15, true, false};
inline constexpr SmallFloatFormat kBFloat16{8, 7, 127, true, false};
inline constexpr SmallFloatFormat kFloat8E4M3FN{4, 3, 7, false, false};
inline constexpr SmallFloatFormat kFloat8E5M2{5, 2, 15, true, false};
inline constexpr SmallFloatFormat kFloat8E4M3FNUZ{4, 3, 8, false, true};
inline constexpr SmallFloatFormat kFloat8E5M2FNUZ{5, 2, 16, false, true};

float decodeSmallFloat(const SmallFloatFormat& format, std::uint32_t bits);
std::uint32_t encodeSmallFloat(const SmallFloatFormat& format, float value);

/// A stored element of a small float format; converts to and from float.
template <const SmallFloatFormat& Format, typename Bits>
struct SmallFloat {
    Bits bits = 0;
    SmallFloat() = default;
    explicit SmallFloat(float value) : bits(static_cast<Bits>(encodeSmallFloat(Format, value))) {}
    explicit operator float() const { return decodeSmallFloat(Format, bits); }
};
using Half = SmallFloat<kFloat16, std::uint16_t>;
using BrainHalf = SmallFloat<kBFloat16, std::uint16_t>;
using Float8A = SmallFloat<kFloat8E4M3FN, std::uint8_t>;
using Float8B = SmallFloat<kFloat8E5M2, std::uint8_t>;
using Float8C = SmallFloat<kFloat8E4M3FNUZ, std::uint8_t>;
using Float8D = SmallFloat<kFloat8E5M2FNUZ, std::uint8_t>;

/// float8_e8m0fnu: an exponent alone; 255 is NaN, no sign, no zero.
struct Exponent8 {
    std::uint8_t bits = 0;
    Exponent8() = default;
    explicit Exponent8(float value);
    explicit operator float() const;
};

/// A bool of a file may hold any byte; not zero is true.
struct BoolByte {
    std::uint8_t bits = 0;
};

template <typename Real>
struct ComplexElement {
    Real re{}, im{};
};

/// Calls visit(T{}) with the element type of `dtype`; returns visit's value, or `otherwise` for Unknown.
template <typename Visit, typename Value>
Value visitElementType(DType dtype, Visit&& visit, Value otherwise) {
    switch (dtype) {
        case DType::UInt8: return visit(std::uint8_t{});
        case DType::Int8: return visit(std::int8_t{});
        case DType::Int16: return visit(std::int16_t{});
        case DType::Int32: return visit(std::int32_t{});
        case DType::Int64: return visit(std::int64_t{});
        case DType::UInt16: return visit(std::uint16_t{});
        case DType::UInt32: return visit(std::uint32_t{});
        case DType::UInt64: return visit(std::uint64_t{});
        case DType::Float16: return visit(Half{});
        case DType::BFloat16: return visit(BrainHalf{});
        case DType::Float32: return visit(float{});
        case DType::Float64: return visit(double{});
        case DType::Complex32: return visit(ComplexElement<Half>{});
        case DType::Complex64: return visit(ComplexElement<float>{});
        case DType::Complex128: return visit(ComplexElement<double>{});
        case DType::Bool: return visit(BoolByte{});
        case DType::Float8E4M3FN: return visit(Float8A{});
        case DType::Float8E5M2: return visit(Float8B{});
        case DType::Float8E4M3FNUZ: return visit(Float8C{});
        case DType::Float8E5M2FNUZ: return visit(Float8D{});
        case DType::Float8E8M0FNU: return visit(Exponent8{});
        case DType::Unknown: break;
    }
    return otherwise;
}

template <typename T>
T loadElement(const std::byte* at) {
    T value;
    std::memcpy(&value, at, sizeof(T));
    return value;
}

template <typename T>
inline constexpr bool isComplexElement = false;
template <typename Real>
inline constexpr bool isComplexElement<ComplexElement<Real>> = true;

/// Real types: integers as themselves, floats as float or double, bool as bool.
template <typename T>
auto nativeValue(const T& element) {
    if constexpr (std::is_arithmetic_v<T>) {
        return element;
    } else if constexpr (std::is_same_v<T, BoolByte>) {
        return element.bits != 0;
    } else {
        return static_cast<float>(element);
    }
}

/// Real types as double; the real part of complex ones.
template <typename T>
double realPart(const T& element) {
    if constexpr (isComplexElement<T>) {
        return static_cast<double>(nativeValue(element.re));
    } else {
        return static_cast<double>(nativeValue(element));
    }
}
template <typename T>
double imaginaryPart(const T& element) {
    if constexpr (isComplexElement<T>) {
        return static_cast<double>(nativeValue(element.im));
    } else {
        (void)element;
        return 0.0;
    }
}

}  // namespace pt2
