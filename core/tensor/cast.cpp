#include "core/tensor/element.h"
#include "core/tensor/tensor.h"

namespace pt2 {

namespace {

/// Truncation towards zero as x86-64's conversion instructions do it, which is what torch shows: what does not fit becomes the smallest
/// value of the intermediate width.
template <typename Integer>
Integer truncateTo(double value) {
    constexpr double limit = sizeof(Integer) == 8 ? 9223372036854775808.0 : 2147483648.0;
    if (!(value > -limit - (sizeof(Integer) == 8 ? 0.0 : 1.0)) || !(value < limit)) return std::numeric_limits<Integer>::min();
    return static_cast<Integer>(value);
}

template <typename Integer>
Integer integerFrom(double value) {
    if constexpr (std::is_same_v<Integer, std::uint64_t>) {
        constexpr double half = 9223372036854775808.0;
        if (!(value >= half)) return static_cast<std::uint64_t>(truncateTo<std::int64_t>(value));
        return static_cast<std::uint64_t>(truncateTo<std::int64_t>(value - half)) ^ (std::uint64_t{1} << 63);
    } else if constexpr (std::is_same_v<Integer, std::int64_t> || std::is_same_v<Integer, std::uint32_t> || std::is_same_v<Integer, std::uint8_t>) {
        return static_cast<Integer>(truncateTo<std::int64_t>(value));
    } else {
        return static_cast<Integer>(truncateTo<std::int32_t>(value));
    }
}

/// Real native value (integer, float, double, bool) to an element type that is not complex.
template <typename To, typename Native>
To realElement(Native value) {
    if constexpr (std::is_same_v<To, BoolByte>) {
        return BoolByte{static_cast<std::uint8_t>(value != Native{})};
    } else if constexpr (std::is_integral_v<To>) {
        if constexpr (std::is_floating_point_v<Native>) {
            return integerFrom<To>(static_cast<double>(value));
        } else {
            return static_cast<To>(value);
        }
    } else if constexpr (std::is_floating_point_v<To>) {
        return static_cast<To>(value);
    } else {
        // The small formats are reached through float32, so a float64 rounds twice; torch does the same.
        return To(static_cast<float>(value));
    }
}

template <typename To, typename From>
To convertElement(const From& element) {
    if constexpr (isComplexElement<To>) {
        using Real = decltype(To{}.re);
        if constexpr (isComplexElement<From>) {
            return To{realElement<Real>(nativeValue(element.re)), realElement<Real>(nativeValue(element.im))};
        } else {
            return To{realElement<Real>(nativeValue(element)), Real{}};
        }
    } else if constexpr (isComplexElement<From>) {
        if constexpr (std::is_same_v<To, BoolByte>) {
            return BoolByte{static_cast<std::uint8_t>(nativeValue(element.re) != 0 || nativeValue(element.im) != 0)};
        } else {
            return realElement<To>(nativeValue(element.re));
        }
    } else {
        return realElement<To>(nativeValue(element));
    }
}

template <typename From, typename To>
void convertAll(const std::byte* from, std::byte* to, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
        const To value = convertElement<To>(loadElement<From>(from));
        std::memcpy(to, &value, sizeof(To));
        from += sizeof(From);
        to += sizeof(To);
    }
}

}  // namespace

Result<Tensor> castTo(const Tensor& tensor, DType dtype) {
    auto source = contiguous(tensor);
    if (!source) return source;
    if (dtype == tensor.layout.dtype) return source;
    auto fresh = allocateTensor(dtype, source->layout.sizes);
    if (!fresh) return tl::unexpected<Error>(fresh.error());
    const std::uint64_t count = source->storage.size() / dtypeSize(source->layout.dtype);
    const std::byte* from = source->storage.data();
    std::byte* to = fresh->bytes.data();
    visitElementType(
        source->layout.dtype,
        [&](auto fromTag) {
            return visitElementType(
                dtype,
                [&](auto toTag) {
                    convertAll<decltype(fromTag), decltype(toTag)>(from, to, count);
                    return true;
                },
                false);
        },
        false);
    return fresh->tensor;
}

}  // namespace pt2
