#include "app/pt2/contract_table.h"

#include <algorithm>

#include "app/pt2/table.h"
#include "core/base/text.h"
#include "core/contract/coverage.h"

namespace pt2 {
namespace {

std::string dimRanges(const ContractInput& input, bool compiled) {
    std::vector<std::string> parts;
    for (const ContractDim& dim : input.sizes) {
        if (dim.fixed && !compiled) continue;
        const SymRange& range = compiled ? dim.compiled : dim.program;
        if (compiled && dim.fixed && (!dim.compiledKnown || range == SymRange{dim.fixed, dim.fixed})) continue;  // stands in the type
        if (!compiled && !range.minimum && !range.maximum) continue;
        const std::string name = dim.text.empty() || dim.text == "?" ? std::string("size") : dim.text;
        const std::string part = name + " " + (compiled ? testedRangeText(range) : rangeText(range));
        if (std::find(parts.begin(), parts.end(), part) == parts.end()) parts.push_back(part);
    }
    return join(parts, ", ");
}

/// What the code tests of the sizes: nothing where no source says what it tests.
std::string checkedSizes(const Contract& contract, const ContractInput& input) {
    if (!contract.hasCompiled || input.isConstant) return {};
    if (!contract.sourceRead) return "not known";
    return input.rankKnown ? dimRanges(input, true) : std::string("not checked");
}

/// Of the sizes; the dtype's too where that is another.
std::string knownFrom(const ContractInput& input) {
    const std::string sizes = sourceText(input.sizesSource);
    const std::string dtype = sourceText(input.dtypeSource);
    return sizes == dtype || input.sizesSource.origin == input.dtypeSource.origin ? sizes : sizes + "; dtype: " + dtype;
}

std::string checkedRange(const Contract& contract, const ContractSymbol& symbol) {
    if (!contract.hasCompiled) return {};
    if (!contract.sourceRead) return "not known";
    if (symbol.compiledKnown) return testedRangeText(symbol.compiled);
    for (const auto& [input, dimension] : placesWithin(contract, symbol)) {
        const ContractDim& dim = contract.inputs[input].sizes[dimension];
        if (dim.compiledKnown) return dim.text + " " + testedRangeText(dim.compiled);
    }
    return "not checked";
}

std::string placesText(const Contract& contract, const ContractSymbol& symbol) {
    constexpr std::size_t kShown = 4;
    std::vector<std::string> parts;
    for (const auto& [input, dimension] : symbol.places) {
        if (parts.size() == kShown) {
            parts.push_back(std::to_string(symbol.places.size() - kShown) + " more");
            break;
        }
        if (input < contract.inputs.size()) parts.push_back(contract.inputs[input].name + " dimension " + std::to_string(dimension));
    }
    if (parts.empty()) {  // it stands nowhere alone
        for (const auto& [input, dimension] : placesWithin(contract, symbol))
            parts.push_back(contract.inputs[input].name + " dimension " + std::to_string(dimension) + " is " +
                            contract.inputs[input].sizes[dimension].text);
        if (parts.size() > kShown) parts.resize(kShown);
    }
    return join(parts, ", ");
}

}  // namespace

std::string contractTypeText(const ContractInput& input) {
    if (input.isConstant) return "always " + (input.constantText.empty() ? std::string("?") : input.constantText);
    std::string text = input.dtype == DType::Unknown ? "?" : dtypeName(input.dtype);
    if (!input.rankKnown) return text + " [?]";
    std::vector<std::string> dims;
    for (const ContractDim& dim : input.sizes) {
        dims.push_back(!dim.text.empty() ? dim.text : dim.fixed ? std::to_string(*dim.fixed) : std::string("?"));
    }
    text += " " + formatShape(dims);
    if (!input.device.empty() && input.device != "cpu") text += " " + input.device;
    return text;
}

void printContractInputs(Output& out, const Contract& contract, std::string_view indent) {
    Table table({{"#", Table::Align::Right}, {"INPUT"}, {"TYPE"}, {"SIZES"}, {"COMPILED CODE CHECKS"}, {"NAME IN THE CODE"}, {"KNOWN FROM"}});
    for (const ContractInput& input : contract.inputs) {
        const std::string compiled = checkedSizes(contract, input);
        const bool differs =
            std::any_of(input.sizes.begin(), input.sizes.end(), [](const ContractDim& dim) { return !dim.fixed && !(dim.compiled == dim.program); });
        table.row({std::to_string(input.flatIndex),
                   {input.name + (input.isKeyword ? " (keyword)" : ""), Style::Bold},
                   contractTypeText(input),
                   dimRanges(input, false),
                   {compiled, differs || !input.rankKnown ? Style::Warning : Style::Plain},
                   input.compiledName == input.name ? std::string() : input.compiledName,
                   {input.isConstant ? std::string() : knownFrom(input), Style::Muted}});
    }
    table.print(out, indent);
}

void printContractOutputs(Output& out, const Contract& contract, std::string_view indent) {
    Table table({{"#", Table::Align::Right}, {"OUTPUT"}, {"TYPE"}, {"VALUE"}});
    std::size_t index = 0;
    for (const ContractOutput& output : contract.outputs) {
        std::string type;
        if (output.isTensor) {
            type = output.dtype == DType::Unknown ? "?" : dtypeName(output.dtype);
            type += " " + (output.sizesSource.origin == Origin::Unknown ? std::string("[?]") : formatShape(output.shape));
        }
        const bool named = !output.graphName.empty() && output.graphName != output.name;
        table.row({std::to_string(index++),
                   {output.name, Style::Bold},
                   type,
                   {output.isTensor ? (named ? output.graphName : "") : output.constantText, Style::Muted}});
    }
    table.print(out, indent);
}

void printContractSymbols(Output& out, const Contract& contract, std::string_view indent) {
    Table table({{"SIZE"}, {"PROGRAM"}, {"COMPILED CODE CHECKS"}, {"AT EXPORT", Table::Align::Right}, {"WHERE"}});
    for (const ContractSymbol& symbol : contract.symbols) {
        const bool differs = contract.hasCompiled && contract.hasProgram && !(symbol.compiled == symbol.program);
        table.row({{symbol.name, Style::Bold},
                   contract.hasProgram ? rangeText(symbol.program) : std::string(),
                   {checkedRange(contract, symbol), differs ? Style::Warning : Style::Plain},
                   symbol.hint ? std::to_string(*symbol.hint) : std::string(),
                   placesText(contract, symbol)});
    }
    table.print(out, indent);
}

}  // namespace pt2
