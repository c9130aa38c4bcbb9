#include "core/contract/coverage.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/contract/guards.h"

namespace pt2 {
namespace {

constexpr std::size_t kNamesShown = 6;

/// "type", "type and shape", "type, shape and strides".
std::string listed(const std::vector<std::string>& parts) {
    std::string text;
    for (std::size_t i = 0; i < parts.size(); ++i) text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
    return text;
}

/// Inputs of which the same is known, in the order of the first of each.
class Groups {
public:
    void add(std::string what, const std::string& input) {
        auto found = std::find_if(groups_.begin(), groups_.end(), [&](const auto& group) { return group.first == what; });
        if (found == groups_.end()) found = groups_.insert(groups_.end(), {std::move(what), {}});
        found->second.push_back("\"" + input + "\"");
    }
    std::vector<std::string> phrases() const {
        std::vector<std::string> out;
        for (const auto& [what, names] : groups_) {
            if (names.size() <= kNamesShown) {
                out.push_back(what + " of " + listed(names));
            } else {
                out.push_back(what + " of " + names.front() + " and " + std::to_string(names.size() - 1) + " others");
            }
        }
        return out;
    }

private:
    std::vector<std::pair<std::string, std::vector<std::string>>> groups_;
};

bool isOpen(const ContractDim& dim) {
    return !dim.fixed && !dim.expression && !dim.program.minimum && !dim.program.maximum && !dim.compiled.minimum && !dim.compiled.maximum;
}

}  // namespace

ContractCoverage contractCoverage(const Contract& contract) {
    ContractCoverage coverage;
    if (!contract.inputsKnown) {
        coverage.notChecked.emplace_back("Neither a program nor a wrapper source is there, so the inputs are not known and not checked.");
        return coverage;
    }
    coverage.checked.emplace_back("the number of inputs");
    Groups known, values;
    for (const ContractInput& input : contract.inputs) {
        if (input.isConstant) {
            if (input.numberSymbol.empty() && !input.constantJson.empty()) values.add("the value", input.name);
            continue;
        }
        std::vector<std::string> parts, open;
        const auto sort = [&](bool is, const char* what) { (is ? parts : open).emplace_back(what); };
        sort(input.dtype != DType::Unknown, "type");
        sort(input.rankKnown, "shape");
        // A program alone takes any strides.
        if (contract.hasCompiled && input.rankKnown) {
            const bool all = input.strides && std::all_of(input.strides->begin(), input.strides->end(),
                                                          [](const ContractDim& stride) { return stride.fixed || stride.expression; });
            sort(all, "strides");
        }
        if (!parts.empty()) known.add(listed(parts), input.name);
        if (!open.empty())
            coverage.notChecked.push_back("Neither program nor wrapper source says the " + listed(open) + " of input \"" + input.name +
                                          "\", so it was not checked.");
        std::vector<std::string> dimensions;
        for (std::size_t d = 0; d < input.sizes.size(); ++d) {
            if (isOpen(input.sizes[d])) dimensions.push_back(std::to_string(d));
        }
        if (!dimensions.empty()) {
            coverage.notChecked.push_back("Nothing says the size of input \"" + input.name + "\" in " +
                                          (dimensions.size() == 1 ? "dimension " : "dimensions ") + listed(dimensions) + ", so it was not checked.");
        }
    }
    std::size_t unknown = 0;
    for (const std::string& guard : contract.guards)
        unknown += evaluateGuard(guard, [](const GuardTerm&) -> std::optional<std::int64_t> { return 2; }).holds ? 0 : 1;
    if (unknown > 0) {
        coverage.notChecked.push_back(std::to_string(unknown) + (unknown == 1 ? " condition" : " conditions") +
                                      " of the program could not be evaluated and may not hold.");
    }
    if (unknown < contract.guards.size()) {
        const std::size_t count = contract.guards.size() - unknown;
        coverage.checked.push_back(std::to_string(count) + (count == 1 ? " condition" : " conditions") + " of the program");
    }
    for (std::string& phrase : known.phrases()) coverage.checked.push_back(std::move(phrase));
    for (std::string& phrase : values.phrases()) coverage.checked.push_back(std::move(phrase));
    return coverage;
}

std::vector<std::pair<std::size_t, std::size_t>> placesWithin(const Contract& contract, const ContractSymbol& symbol) {
    std::vector<std::pair<std::size_t, std::size_t>> places;
    for (std::size_t i = 0; i < contract.inputs.size(); ++i) {
        for (std::size_t d = 0; d < contract.inputs[i].sizes.size(); ++d) {
            const ContractDim& dim = contract.inputs[i].sizes[d];
            if (dim.fixed || !dim.expression || dim.expression->asSymbol()) continue;
            const std::vector<std::string> names = dim.expression->symbols();
            if (std::find(names.begin(), names.end(), symbol.name) != names.end()) places.emplace_back(i, d);
        }
    }
    return places;
}

bool sizesKnown(const Contract& contract) {
    return contract.inputsKnown && std::all_of(contract.inputs.begin(), contract.inputs.end(), [](const ContractInput& input) {
               return input.isConstant || (input.rankKnown && std::all_of(input.sizes.begin(), input.sizes.end(), [](const ContractDim& dim) {
                                               return dim.fixed || (!dim.text.empty() && dim.text != "?");
                                           }));
           });
}

std::string testedRangeText(const SymRange& range) {
    if (range.minimum && range.maximum) return rangeText(range);
    if (range.minimum) return std::to_string(*range.minimum) + " or more, upper bound not checked";
    if (range.maximum) return "at most " + std::to_string(*range.maximum) + ", lower bound not checked";
    return "not checked";
}

}  // namespace pt2
