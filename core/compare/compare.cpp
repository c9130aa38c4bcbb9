#include "core/compare/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/base/text.h"
#include "core/tensor/element.h"

namespace pt2 {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// One pair of elements, reduced to what the judgement needs.
struct ElementPair {
    double error = 0;      // |actual - expected|, finite
    double reference = 0;  // |expected|
    bool agree = false;    // equal, or NaN on both sides
    bool finite = false;   // both sides finite
};

template <typename Real>
bool isNan(const ComplexElement<Real>& e) {
    return std::isnan(realPart(e)) || std::isnan(imaginaryPart(e));
}

template <typename T>
ElementPair pairOf(const T& actual, const T& expected) {
    ElementPair pair;
    if constexpr (std::is_integral_v<T>) {
        // Exact for 64-bit integers, which doubles are not.
        const T larger = std::max(actual, expected);
        const T smaller = std::min(actual, expected);
        pair.error = static_cast<double>(static_cast<std::uint64_t>(larger) - static_cast<std::uint64_t>(smaller));
        pair.reference = std::abs(static_cast<double>(expected));
        pair.agree = actual == expected;
        pair.finite = true;
    } else if constexpr (isComplexElement<T>) {
        const double ar = realPart(actual), ai = imaginaryPart(actual), er = realPart(expected), ei = imaginaryPart(expected);
        pair.finite = std::isfinite(ar) && std::isfinite(ai) && std::isfinite(er) && std::isfinite(ei);
        pair.agree = (ar == er && ai == ei) || (isNan(actual) && isNan(expected));
        if (pair.finite) {
            pair.error = std::hypot(ar - er, ai - ei);
            pair.reference = std::hypot(er, ei);
        }
    } else {
        const double a = realPart(actual), e = realPart(expected);
        pair.finite = std::isfinite(a) && std::isfinite(e);
        pair.agree = a == e || (std::isnan(a) && std::isnan(e));
        if (pair.finite) {
            pair.error = std::abs(a - e);
            pair.reference = std::abs(e);
        }
    }
    return pair;
}

/// Everything that is gathered in one pass.
struct Sums {
    double errors = 0, squaredErrors = 0, squaredReferences = 0, squaredActuals = 0, products = 0;
    std::uint64_t finite = 0;
    std::uint64_t worst = 0;
    double worstRatio = -1, worstError = -1;
};

template <typename T>
void addPair(const T& actual, const T& expected, std::uint64_t index, const Tolerance& tolerance, OutputComparison& out, Sums& sums) {
    const ElementPair pair = pairOf(actual, expected);
    const double allowed = tolerance.atol + tolerance.rtol * pair.reference;
    const bool close = pair.agree || (pair.finite && std::isfinite(pair.error) && pair.error <= allowed);
    if (!close) ++out.mismatched;
    double ratio = 0, error = pair.error;
    if (pair.finite) {
        ++sums.finite;
        sums.errors += error;
        sums.squaredErrors += error * error;
        sums.squaredReferences += pair.reference * pair.reference;
        const double ar = realPart(actual), ai = imaginaryPart(actual), er = realPart(expected), ei = imaginaryPart(expected);
        sums.squaredActuals += ar * ar + ai * ai;
        sums.products += ar * er + ai * ei;
        out.maxAbs = std::max(out.maxAbs, error);
        if (error > 0 && pair.reference > 0) out.maxRel = std::max(out.maxRel, error / pair.reference);
        if (error > tolerance.atol) {
            const double needed = pair.reference > 0 ? (error - tolerance.atol) / pair.reference : kInfinity;
            out.neededRtol = std::max(out.neededRtol, needed);
        }
        if (error > 0) ratio = allowed > 0 ? error / allowed : kInfinity;
    } else if (!pair.agree) {
        ++out.nanMismatch;
        out.neededRtol = kInfinity;
        ratio = error = kInfinity;
    }
    if (ratio > sums.worstRatio || (ratio == sums.worstRatio && error > sums.worstError)) {
        sums.worstRatio = ratio;
        sums.worstError = error;
        sums.worst = index;
    }
}

std::string shapeText(const TensorLayout& layout) {
    const std::string text = tensorTypeText(layout);
    return text.substr(text.find(' ') + 1);
}

}  // namespace

bool isNone(const TensorView& output) { return output.layout.dtype == DType::Unknown && output.storage.empty(); }

bool isNumpyStandIn(DType actual, DType expected) {
    const bool lacking = actual == DType::BFloat16 || actual == DType::Complex32 || (isFloating(actual) && dtypeSize(actual) == 1);
    const bool unsignedKind = expected == DType::UInt8 || expected == DType::UInt16 || expected == DType::UInt32;
    return lacking && unsignedKind && dtypeSize(actual) == dtypeSize(expected);
}

Tolerance defaultTolerance(DType dtype) {
    switch (dtype) {
        case DType::Float16:
        case DType::Complex32: return {1e-3, 1e-5};
        case DType::BFloat16: return {1.6e-2, 1e-5};
        case DType::Float32:
        case DType::Complex64: return {1.3e-6, 1e-5};
        case DType::Float64:
        case DType::Complex128: return {1e-7, 1e-7};
        default: return {0, 0};
    }
}

Result<OutputComparison> compareTensors(std::string name, const TensorView& actual, const TensorView& expected, std::optional<Tolerance> tolerance,
                                        const CancelToken& cancel) {
    OutputComparison out;
    out.name = std::move(name);
    out.dtype = actual.layout.dtype;
    out.tolerance = tolerance.value_or(defaultTolerance(out.dtype));
    // The negation also catches NaN.
    if (!(out.tolerance.rtol >= 0) || !(out.tolerance.atol >= 0)) {
        return fail({ErrorKind::Usage,
                     "compare.tolerance",
                     "A tolerance must be a number of at least 0.",
                     {},
                     fmt::format("rtol is {} and atol {}.", out.tolerance.rtol, out.tolerance.atol),
                     "Give --rtol and --atol as numbers such as 1e-5."});
    }
    const auto notComparable = [&out](std::string reason) {
        out.comparable = false;
        out.reason = std::move(reason);
        return out;
    };
    const bool none = isNone(actual), noneExpected = isNone(expected);
    if (none != noneExpected) return notComparable(none ? "The model gives None and the reference a tensor." : "The reference has None there.");
    if (none) {
        out.ok = out.identical = true;
        return out;
    }
    if (actual.layout.sizes != expected.layout.sizes) {
        return notComparable(fmt::format("The shape is {} and should be {}.", shapeText(actual.layout), shapeText(expected.layout)));
    }
    TensorLayout expectedLayout = expected.layout;
    if (isNumpyStandIn(out.dtype, expectedLayout.dtype)) expectedLayout.dtype = out.dtype;
    if (out.dtype != expectedLayout.dtype) {
        return notComparable(fmt::format("The dtype is {} and should be {}.", dtypeName(out.dtype), dtypeName(expectedLayout.dtype)));
    }
    const auto a = contiguous({actual.layout, nullptr, actual.storage});
    if (!a) return tl::unexpected<Error>(a.error());
    const auto e = contiguous({std::move(expectedLayout), nullptr, expected.storage});
    if (!e) return tl::unexpected<Error>(e.error());
    const std::size_t size = dtypeSize(out.dtype);
    out.total = a->storage.size() / size;
    out.identical = out.total == 0 || std::memcmp(a->storage.data(), e->storage.data(), a->storage.size()) == 0;
    Sums sums;
    bool stopped = false;
    visitElementType(
        out.dtype,
        [&](auto tag) {
            using T = decltype(tag);
            for (std::uint64_t i = 0; i < out.total && !stopped; ++i) {
                addPair(loadElement<T>(a->storage.data() + i * size), loadElement<T>(e->storage.data() + i * size), i, out.tolerance, out, sums);
                if ((i & 0xFFFFF) == 0) stopped = cancel.requested();
            }
            return true;
        },
        false);
    if (stopped) return cancelled();
    out.ok = out.mismatched == 0;
    if (sums.finite > 0) {
        out.meanAbs = sums.errors / static_cast<double>(sums.finite);
        const double norm = std::sqrt(sums.squaredActuals) * std::sqrt(sums.squaredReferences);
        const bool bothZero = sums.squaredActuals == 0 && sums.squaredReferences == 0;
        out.cosine = norm > 0 && std::isfinite(norm) ? std::clamp(sums.products / norm, -1.0, 1.0) : bothZero || sums.squaredErrors == 0 ? 1.0 : 0.0;
        const double ratio = sums.squaredReferences / sums.squaredErrors;
        if (sums.squaredErrors > 0 && sums.squaredReferences > 0 && std::isfinite(ratio) && ratio > 0) out.sqnrDb = 10 * std::log10(ratio);
    }
    if (out.total > 0) {
        out.worstIndex = unravelIndex(a->layout.sizes, sums.worst);
        out.worstActual = elementText(a->view(), sums.worst);
        out.worstExpected = elementText(e->view(), sums.worst);
    }
    return out;
}

bool Comparison::ok() const {
    return !outputs.empty() && std::all_of(outputs.begin(), outputs.end(), [](const OutputComparison& o) { return o.comparable && o.ok; });
}

std::string Comparison::verdict() const {
    const auto any = [this](auto&& what) { return std::any_of(outputs.begin(), outputs.end(), what); };
    if (outputs.empty() || any([](const OutputComparison& o) { return !o.comparable; })) return "not comparable";
    if (any([](const OutputComparison& o) { return !o.ok; })) return "beyond tolerance";
    return any([](const OutputComparison& o) { return !o.identical; }) ? "within tolerance" : "identical";
}

std::string Comparison::sentence() const {
    if (outputs.empty()) return "There is no output to compare.";
    const std::size_t count = outputs.size();
    for (const OutputComparison& o : outputs) {
        if (!o.comparable) return fmt::format("Output \"{}\" cannot be compared: {}", escapeForDisplay(o.name), o.reason);
    }
    const OutputComparison* worst = nullptr;
    std::size_t beyond = 0;
    for (const OutputComparison& o : outputs) {
        if (!o.ok) ++beyond;
        const bool larger = worst == nullptr || (!o.ok && worst->ok) || (o.ok == worst->ok && o.neededRtol > worst->neededRtol) ||
                            (o.ok == worst->ok && o.neededRtol == worst->neededRtol && o.maxAbs > worst->maxAbs);
        if (larger) worst = &o;
    }
    const std::string shown = escapeForDisplay(worst->name);
    const std::string inForce = fmt::format("rtol {}, atol {}", formatFloat(worst->tolerance.rtol), formatFloat(worst->tolerance.atol));
    if (beyond > 0) {
        return fmt::format("{} of {} elements of output \"{}\" are beyond the tolerance ({}); the largest difference is {}{}.",
                           formatCount(worst->mismatched), formatCount(worst->total), shown, inForce,
                           worst->nanMismatch > 0 ? "NaN or infinity" : formatFloat(worst->maxAbs),
                           beyond > 1 ? fmt::format(", and {} of {} outputs are affected", beyond, count) : std::string());
    }
    if (verdict() == "identical") return count == 1 ? "The output is equal to the bit." : fmt::format("All {} outputs are equal to the bit.", count);
    return fmt::format("{} within the tolerance ({}); the largest difference is {} in output \"{}\".",
                       count == 1 ? std::string("The output is") : fmt::format("All {} outputs are", count), inForce, formatFloat(worst->maxAbs),
                       shown);
}

}  // namespace pt2
