#include "core/contract/contract.h"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "core/base/text.h"

namespace pt2 {
namespace {

std::optional<std::size_t> indexOfText(std::string_view text) {
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
    if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return index;
}

}  // namespace

Result<std::size_t> Contract::findInput(std::string_view nameOrIndex) const {
    for (const auto field : {&ContractInput::name, &ContractInput::python, &ContractInput::graphName, &ContractInput::compiledName}) {
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            if (!nameOrIndex.empty() && inputs[i].*field == nameOrIndex) return i;
        }
    }
    const std::optional<std::size_t> index = indexOfText(nameOrIndex);
    if (index && *index < inputs.size()) return *index;
    std::vector<std::string> names;
    for (const ContractInput& input : inputs) names.push_back(input.name);
    const std::string nearest = nearestName(nameOrIndex, names);
    std::string help = names.empty() ? "The model takes no inputs." : "The inputs are " + join(names, ", ") + ", or their numbers from 0.";
    if (!nearest.empty()) help = "Did you mean \"" + nearest + "\"? " + help;
    return fail({ErrorKind::Usage, "input.unknown", "There is no input \"" + escapeForDisplay(nameOrIndex) + "\".", {}, {}, std::move(help)});
}

const ContractSymbol* Contract::findSymbol(std::string_view name) const {
    const auto found = std::find_if(symbols.begin(), symbols.end(), [&](const ContractSymbol& symbol) { return symbol.name == name; });
    return found == symbols.end() ? nullptr : &*found;
}

std::size_t Contract::tensorCount() const {
    return static_cast<std::size_t>(
        std::count_if(inputs.begin(), inputs.end(), [](const ContractInput& input) { return input.tensorIndex.has_value(); }));
}

std::string sourceText(const FactSource& source) {
    std::string text = originName(source.origin);
    if (source.origin == Origin::Inferred) text = "inferred from the wrapper source";
    if (source.line != 0) text += ", line " + std::to_string(source.line);
    return text;
}

std::string rangeText(const SymRange& range) {
    if (range.minimum && range.maximum) {
        if (*range.minimum == *range.maximum) return std::to_string(*range.minimum);
        return std::to_string(*range.minimum) + " to " + std::to_string(*range.maximum);
    }
    if (range.minimum) return std::to_string(*range.minimum) + " or more, no upper limit";
    if (range.maximum) return "at most " + std::to_string(*range.maximum);
    return "any size";
}

SymRange intersectRanges(const SymRange& a, const SymRange& b) {
    SymRange both = a;
    if (b.minimum && (!both.minimum || *b.minimum > *both.minimum)) both.minimum = b.minimum;
    if (b.maximum && (!both.maximum || *b.maximum < *both.maximum)) both.maximum = b.maximum;
    return both;
}

}  // namespace pt2
