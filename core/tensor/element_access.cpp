#include <charconv>

#include "core/base/text.h"
#include "core/tensor/element.h"
#include "core/tensor/tensor.h"

namespace pt2 {

namespace {

/// Place of an element, or null when it lies outside the storage.
const std::byte* elementAt(const TensorView& view, std::uint64_t linearIndex) {
    const std::size_t size = dtypeSize(view.layout.dtype);
    if (size == 0 || view.layout.sizes.size() != view.layout.strides.size()) return nullptr;
    auto offset = static_cast<UInt128>(view.layout.storageOffset);
    for (std::size_t i = view.layout.sizes.size(); i-- > 0;) {
        if (view.layout.sizes[i] <= 0 || view.layout.strides[i] < 0) return nullptr;
        const auto length = static_cast<std::uint64_t>(view.layout.sizes[i]);
        offset += static_cast<UInt128>(linearIndex % length) * static_cast<UInt128>(view.layout.strides[i]);
        linearIndex /= length;
    }
    if (linearIndex != 0 || view.layout.storageOffset < 0) return nullptr;
    if ((offset + 1) * size > view.storage.size()) return nullptr;
    return view.storage.data() + static_cast<std::size_t>(offset) * size;
}

/// Python's repr form of the shortest text that reads back as the same float32.
std::string floatRepr(float value) {
    if (std::isnan(value) || std::isinf(value)) return pythonFloatRepr(static_cast<double>(value));
    char text[64];
    const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific).ptr;
    // The shortest float digits read as a double give that double's shortest digits too, so Python's layout rules apply to them.
    double widened = 0;
    std::from_chars(text, end, widened);
    return pythonFloatRepr(widened);
}

template <typename Real>
std::string realRepr(const Real& element) {
    if constexpr (std::is_same_v<Real, double>) {
        return pythonFloatRepr(element);
    } else {
        return floatRepr(static_cast<float>(element));
    }
}

std::string withoutPointZero(std::string text) {
    if (text.size() > 2 && text.compare(text.size() - 2, 2, ".0") == 0) text.resize(text.size() - 2);
    return text;
}

template <typename Real>
std::string complexRepr(const ComplexElement<Real>& value) {
    const std::string imaginary = withoutPointZero(realRepr(value.im));
    const double re = realPart(value);
    if (re == 0 && !std::signbit(re)) return imaginary + "j";
    const bool hasSign = imaginary[0] == '-';
    return "(" + withoutPointZero(realRepr(value.re)) + (hasSign ? "" : "+") + imaginary + "j)";
}

}  // namespace

double elementAsDouble(const TensorView& view, std::uint64_t linearIndex) {
    const std::byte* at = elementAt(view, linearIndex);
    if (at == nullptr) return std::numeric_limits<double>::quiet_NaN();
    return visitElementType(
        view.layout.dtype, [at](auto tag) { return realPart(loadElement<decltype(tag)>(at)); }, std::numeric_limits<double>::quiet_NaN());
}

std::complex<double> elementAsComplex(const TensorView& view, std::uint64_t linearIndex) {
    const std::byte* at = elementAt(view, linearIndex);
    const std::complex<double> none(std::numeric_limits<double>::quiet_NaN(), 0);
    if (at == nullptr) return none;
    return visitElementType(
        view.layout.dtype,
        [at](auto tag) {
            const auto element = loadElement<decltype(tag)>(at);
            return std::complex<double>(realPart(element), imaginaryPart(element));
        },
        none);
}

std::string elementText(const TensorView& view, std::uint64_t linearIndex) {
    const std::byte* at = elementAt(view, linearIndex);
    if (at == nullptr) return "?";
    return visitElementType(
        view.layout.dtype,
        [at](auto tag) -> std::string {
            using T = decltype(tag);
            const T element = loadElement<T>(at);
            if constexpr (std::is_integral_v<T>) {
                return std::to_string(element);
            } else if constexpr (std::is_same_v<T, BoolByte>) {
                return element.bits != 0 ? "True" : "False";
            } else if constexpr (isComplexElement<T>) {
                return complexRepr(element);
            } else {
                return realRepr(element);
            }
        },
        std::string("?"));
}

}  // namespace pt2
