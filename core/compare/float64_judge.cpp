#include "core/compare/float64_judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "core/base/text.h"
#include "core/compare/compare_outputs.h"
#include "core/tensor/element.h"

namespace pt2 {

namespace {

constexpr double kMeanFactor = 1.5, kWorstFactor = 2;

/// The distance from 1 to the next number.
double unitInTheLastPlace(DType dtype) {
    switch (dtype) {
        case DType::BFloat16: return 0x1p-7;
        case DType::Float16:
        case DType::Complex32: return 0x1p-10;
        case DType::Float32:
        case DType::Complex64: return 0x1p-23;
        case DType::Float64:
        case DType::Complex128: return 0x1p-52;
        default: return 0x1p-2;  // the eight-bit ones
    }
}

struct Distance {
    double rms = 0, max = 0, scale = 0;
};

/// Elements that are not finite on any side are left out: the comparison itself has them.
Result<std::optional<Distance>> distanceOf(const Tensor& tensor, const Tensor& exact, const CancelToken& cancel) {
    if (tensor.layout.sizes != exact.layout.sizes) return std::optional<Distance>();
    const std::uint64_t count = exact.layout.elementCount().value_or(0);
    const TensorView a = tensor.view(), e = exact.view();
    Distance distance;
    double squares = 0, references = 0;
    std::uint64_t finite = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
        if ((i & 0xFFFFF) == 0 && cancel.requested()) return cancelled();
        const double actual = elementAsDouble(a, i), reference = elementAsDouble(e, i);
        if (!std::isfinite(actual) || !std::isfinite(reference)) continue;
        const double error = std::abs(actual - reference);
        ++finite;
        squares += error * error;
        references += reference * reference;
        distance.max = std::max(distance.max, error);
    }
    if (finite > 0) {
        distance.rms = std::sqrt(squares / static_cast<double>(finite));
        distance.scale = std::sqrt(references / static_cast<double>(finite));
    }
    return std::optional(distance);
}

}  // namespace

Result<std::vector<Float64Distance>> judgeByFloat64(const NamedTensors& compiled, const NamedTensors& eager, const NamedTensors& exact,
                                                    const CancelToken& cancel) {
    const auto eagerPaired = pairOutputs(compiled, eager), exactPaired = pairOutputs(compiled, exact);
    if (!eagerPaired) return fail(eagerPaired.error());
    if (!exactPaired) return fail(exactPaired.error());
    std::vector<Float64Distance> distances;
    for (std::size_t i = 0; i < compiled.size(); ++i) {
        const Tensor& tensor = compiled[i].second;
        if (isNone(tensor.view()) || !isFloating(tensor.layout.dtype)) continue;
        Float64Distance out;
        out.name = compiled[i].first;
        out.dtype = tensor.layout.dtype;
        const Tensor& truth = (*exactPaired)[i].second;
        if (truth.layout.dtype != DType::Float64) {
            out.why = "Torch gave no float64 for it.";
            distances.push_back(std::move(out));
            continue;
        }
        const auto ours = distanceOf(tensor, truth, cancel), theirs = distanceOf((*eagerPaired)[i].second, truth, cancel);
        if (!ours) return fail(ours.error());
        if (!theirs) return fail(theirs.error());
        if (!*ours || !*theirs) {
            out.why = "The shapes differ.";
        } else {
            out.compiledRms = (*ours)->rms;
            out.compiledMax = (*ours)->max;
            out.eagerRms = (*theirs)->rms;
            out.eagerMax = (*theirs)->max;
            const double unit = unitInTheLastPlace(out.dtype) * (*ours)->scale;
            out.noFarther = out.compiledRms <= std::max(kMeanFactor * out.eagerRms, unit / 2) &&
                            out.compiledMax <= std::max(kWorstFactor * out.eagerMax, 2 * unit);
        }
        distances.push_back(std::move(out));
    }
    return distances;
}

bool isRounding(const Comparison& comparison, const std::vector<Float64Distance>& distances) {
    bool any = false;
    for (const OutputComparison& output : comparison.outputs) {
        if (!output.comparable || output.nanMismatch > 0) return false;
        if (output.ok) continue;
        const auto judged =
            std::find_if(distances.begin(), distances.end(), [&output](const Float64Distance& distance) { return distance.name == output.name; });
        if (judged == distances.end() || !judged->noFarther) return false;
        any = true;
    }
    return any;
}

std::string float64Sentence(const std::vector<Float64Distance>& distances) {
    const Float64Distance *farthest = nullptr, *unjudged = nullptr;
    std::set<std::string> dtypes;
    for (const Float64Distance& distance : distances) {
        if (!distance.why.empty()) {
            unjudged = &distance;
            continue;
        }
        dtypes.insert(dtypeName(distance.dtype));
        const auto badness = [](const Float64Distance& d) { return d.eagerRms > 0 ? d.compiledRms / d.eagerRms : d.compiledRms > 0 ? 1e300 : 0; };
        if (farthest == nullptr || (farthest->noFarther && !distance.noFarther) ||
            (farthest->noFarther == distance.noFarther && badness(distance) > badness(*farthest))) {
            farthest = &distance;
        }
    }
    if (farthest == nullptr) return unjudged != nullptr ? "Float64 cannot judge it: " + unjudged->why : std::string();
    const std::string numbers = fmt::format("{}: {} against {}, root mean square", escapeForDisplay(farthest->name),
                                            formatFloat(farthest->compiledRms), formatFloat(farthest->eagerRms));
    if (farthest->noFarther) {
        return "Normal for " + join({dtypes.begin(), dtypes.end()}, " and ") + ": no output is farther from float64 than eager is (" + numbers + ").";
    }
    return "More than rounding: the compiled model is farther from float64 than eager is (" + numbers + ").";
}

}  // namespace pt2
