#include "core/tensor/element.h"

namespace pt2 {

namespace {

std::uint32_t nanPattern(const SmallFloatFormat& f, bool negative) {
    const std::uint32_t sign = std::uint32_t{negative} << (f.exponentBits + f.mantissaBits);
    if (f.unsignedZero) return std::uint32_t{1} << (f.exponentBits + f.mantissaBits);
    const std::uint32_t exponent = ((std::uint32_t{1} << f.exponentBits) - 1) << f.mantissaBits;
    // IEEE formats: a quiet NaN; the others have all ones only.
    if (f.hasInfinity) return sign | exponent | (std::uint32_t{1} << (f.mantissaBits - 1));
    return sign | exponent | ((std::uint32_t{1} << f.mantissaBits) - 1);
}

/// Infinity, or what stands for a number that is too large: the largest one where all ones is NaN, else NaN.
std::uint32_t overflowPattern(const SmallFloatFormat& f, bool negative) {
    const std::uint32_t sign = std::uint32_t{negative} << (f.exponentBits + f.mantissaBits);
    if (f.hasInfinity) return sign | (((std::uint32_t{1} << f.exponentBits) - 1) << f.mantissaBits);
    return f.unsignedZero ? nanPattern(f, negative) : nanPattern(f, negative) - 1;
}

}  // namespace

float decodeSmallFloat(const SmallFloatFormat& f, std::uint32_t bits) {
    const std::uint32_t mantissa = bits & ((std::uint32_t{1} << f.mantissaBits) - 1);
    const std::uint32_t exponentMask = (std::uint32_t{1} << f.exponentBits) - 1;
    const std::uint32_t exponent = (bits >> f.mantissaBits) & exponentMask;
    const bool negative = ((bits >> (f.mantissaBits + f.exponentBits)) & 1) != 0;
    const float sign = negative ? -1.0F : 1.0F;
    if (f.unsignedZero && negative && exponent == 0 && mantissa == 0) return std::numeric_limits<float>::quiet_NaN();
    if (f.hasInfinity && exponent == exponentMask) {
        if (mantissa == 0) return sign * std::numeric_limits<float>::infinity();
        return std::copysign(std::numeric_limits<float>::quiet_NaN(), sign);
    }
    if (!f.hasInfinity && !f.unsignedZero && exponent == exponentMask && mantissa == (std::uint32_t{1} << f.mantissaBits) - 1) {
        return std::copysign(std::numeric_limits<float>::quiet_NaN(), sign);
    }
    if (exponent == 0) return sign * std::ldexp(static_cast<float>(mantissa), 1 - f.bias - f.mantissaBits);
    const std::uint32_t significand = mantissa | (std::uint32_t{1} << f.mantissaBits);
    return sign * std::ldexp(static_cast<float>(significand), static_cast<int>(exponent) - f.bias - f.mantissaBits);
}

std::uint32_t encodeSmallFloat(const SmallFloatFormat& f, float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const bool negative = (bits >> 31) != 0;
    const std::uint32_t signBit = std::uint32_t{negative} << (f.exponentBits + f.mantissaBits);
    const std::uint32_t sourceExponent = (bits >> 23) & 0xFF;
    const std::uint32_t sourceMantissa = bits & 0x7FFFFF;
    const std::uint32_t exponentMask = (std::uint32_t{1} << f.exponentBits) - 1;
    if (sourceExponent == 0xFF) {
        return sourceMantissa != 0 ? nanPattern(f, negative) : overflowPattern(f, negative);
    }
    // value = significand * 2^(exponent - 23)
    const std::uint64_t significand = sourceExponent == 0 ? sourceMantissa : sourceMantissa | 0x800000U;
    const int exponent = (sourceExponent == 0 ? 1 : static_cast<int>(sourceExponent)) - 127;
    // The target's quantum at this exponent: its smallest normal exponent holds for all subnormals.
    const int targetExponent = exponent < 1 - f.bias ? 1 - f.bias : exponent;
    const int shift = (targetExponent - f.mantissaBits) - (exponent - 23);
    std::uint64_t rounded = 0;
    if (shift <= 0) {
        rounded = significand << -shift;
    } else if (shift < 40) {
        const std::uint64_t half = std::uint64_t{1} << (shift - 1);
        const std::uint64_t rest = significand & ((std::uint64_t{1} << shift) - 1);
        rounded = significand >> shift;
        if (rest > half || (rest == half && (rounded & 1) != 0)) ++rounded;
    }
    if (rounded == 0) return f.unsignedZero ? 0 : signBit;
    // A carry out of the significand moves into the exponent by plain addition.
    const std::uint64_t hidden = std::uint64_t{1} << f.mantissaBits;
    const std::uint64_t magnitude =
        rounded < hidden ? rounded : rounded - hidden + (static_cast<std::uint64_t>(targetExponent + f.bias) << f.mantissaBits);
    const std::uint64_t tooLarge = f.hasInfinity    ? std::uint64_t{exponentMask} << f.mantissaBits
                                   : f.unsignedZero ? std::uint64_t{1} << (f.exponentBits + f.mantissaBits)
                                                    : (std::uint64_t{1} << (f.exponentBits + f.mantissaBits)) - 1;
    if (magnitude >= tooLarge) return overflowPattern(f, negative);
    return signBit | static_cast<std::uint32_t>(magnitude);
}

Exponent8::Exponent8(float value) {
    const auto source = std::bit_cast<std::uint32_t>(value);
    std::uint32_t exponent = (source >> 23) & 0xFF;
    const std::uint32_t mantissa = source & 0x7FFFFF;
    if (exponent != 0xFF) {
        // Halfway rounds up for normal numbers and down for subnormal ones: the implied bit decides the tie.
        const std::uint32_t half = 0x400000;
        if (mantissa > half || (mantissa == half && exponent > 0)) ++exponent;
    }
    bits = static_cast<std::uint8_t>(exponent);
}

Exponent8::operator float() const {
    if (bits == 0) return std::bit_cast<float>(std::uint32_t{0x00400000});
    if (bits == 0xFF) return std::numeric_limits<float>::quiet_NaN();
    return std::bit_cast<float>(std::uint32_t{bits} << 23);
}

}  // namespace pt2
