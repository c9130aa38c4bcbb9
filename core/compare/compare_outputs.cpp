#include "core/compare/compare_outputs.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/base/text.h"

namespace pt2 {

namespace {

constexpr std::size_t kNamesShown = 12;

std::string namesText(const NamedTensors& tensors) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < std::min(tensors.size(), kNamesShown); ++i) names.push_back(tensors[i].first);
    if (tensors.size() > kNamesShown) names.emplace_back("...");
    return names.empty() ? "nothing" : escapeForDisplay(join(names, ", "));
}

const Tensor* byName(const NamedTensors& tensors, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
        const auto found = std::find_if(tensors.begin(), tensors.end(), [&](const auto& tensor) { return tensor.first == name; });
        if (found != tensors.end()) return &found->second;
    }
    return nullptr;
}

Tensor withDtypeOf(const Tensor& output, Tensor reference) {
    if (isNumpyStandIn(output.layout.dtype, reference.layout.dtype)) reference.layout.dtype = output.layout.dtype;
    return reference;
}

}  // namespace

std::optional<Tolerance> ToleranceChoice::of(const std::string& output, DType dtype) const {
    if (const auto found = outputs.find(output); found != outputs.end()) return found->second;
    if (!rtol && !atol) return std::nullopt;
    const Tolerance usual = defaultTolerance(dtype);
    return Tolerance{rtol.value_or(usual.rtol), atol.value_or(usual.atol)};
}

Result<NamedTensors> pairOutputs(const NamedTensors& outputs, const NamedTensors& reference) {
    NamedTensors paired;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const auto& [name, output] = outputs[i];
        const std::string index = std::to_string(i);
        const Tensor* found = byName(reference, {name, "out_" + index, index});
        if (found == nullptr && !isNone(output.view())) break;
        paired.emplace_back(name, found == nullptr ? Tensor() : withDtypeOf(output, *found));
    }
    if (paired.size() == outputs.size()) return paired;
    // By place, among what both sides have.
    std::vector<const Tensor*> given;
    for (const auto& [name, tensor] : reference) {
        if (!isNone(tensor.view())) given.push_back(&tensor);
    }
    const auto wanted = std::count_if(outputs.begin(), outputs.end(), [](const auto& output) { return !isNone(output.second.view()); });
    if (static_cast<std::size_t>(wanted) != given.size()) {
        return fail({ErrorKind::Usage,
                     "compare.names",
                     "The reference does not have the outputs of the model.",
                     {},
                     "The model gives " + namesText(outputs) + "; the reference holds " + namesText(reference) + ".",
                     "Name its tensors as the outputs, or out_0, out_1, ..., or give as many as there are outputs."});
    }
    paired.clear();
    std::size_t next = 0;
    for (const auto& [name, output] : outputs) paired.emplace_back(name, isNone(output.view()) ? Tensor() : withDtypeOf(output, *given[next++]));
    return paired;
}

NamedTensors withoutNone(NamedTensors outputs) {
    outputs.erase(std::remove_if(outputs.begin(), outputs.end(), [](const auto& output) { return isNone(output.second.view()); }), outputs.end());
    return outputs;
}

Result<Comparison> compareOutputs(const NamedTensors& actual, const NamedTensors& reference, const ToleranceChoice& tolerances,
                                  const CancelToken& cancel) {
    const Result<NamedTensors> expected = pairOutputs(actual, reference);
    if (!expected) return tl::unexpected(expected.error());
    Comparison comparison;
    for (std::size_t i = 0; i < actual.size(); ++i) {
        const auto& [name, tensor] = actual[i];
        Result<OutputComparison> output =
            compareTensors(name, tensor.view(), (*expected)[i].second.view(), tolerances.of(name, tensor.layout.dtype), cancel);
        if (!output) return tl::unexpected(output.error());
        comparison.outputs.push_back(std::move(*output));
    }
    return comparison;
}

}  // namespace pt2
