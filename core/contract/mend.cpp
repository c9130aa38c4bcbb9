#include <algorithm>

#include "core/contract/check.h"
#include "core/contract/input_spec.h"
#include "core/contract/legal_size.h"
#include "core/contract/strides.h"

namespace pt2 {
namespace {

tl::unexpected<Error> noMend(const Breach& breach) {
    return fail({ErrorKind::Usage,
                 "check.no-mend",
                 "There is no mend for this: " + breach.sentence,
                 {},
                 {},
                 breach.fix == "move" ? "Choose the device the model was compiled for." : "Give the input anew."});
}

Result<InputSet> relaid(const Contract& contract, InputSet set, std::size_t index) {
    Tensor& tensor = set.inputs[index].tensor;
    const SymbolValues symbols(set.symbolValues.begin(), set.symbolValues.end());
    const std::vector<std::optional<std::int64_t>> expected = expectedStrides(contract.inputs[index], tensor.layout.sizes, symbols);
    std::vector<std::int64_t> strides = contiguousStrides(tensor.layout.sizes);
    for (std::size_t d = 0; d < strides.size(); ++d) strides[d] = expected[d].value_or(strides[d]);
    if (set.inputs[index].generate) {
        tensor.layout.strides = strides;
        return set;
    }
    Result<Tensor> moved = withStrides(tensor, strides);
    if (!moved) return fail(moved.error());
    tensor = std::move(*moved);
    set.inputs[index].madeBy += ", copied into the expected strides";
    return set;
}

Result<InputSet> cast(const Contract& contract, InputSet set, std::size_t index) {
    Tensor& tensor = set.inputs[index].tensor;
    if (set.inputs[index].generate) {
        tensor.layout.dtype = contract.inputs[index].dtype;
        return set;
    }
    const std::vector<std::int64_t> strides = tensor.layout.strides;
    Result<Tensor> converted = castTo(tensor, contract.inputs[index].dtype);
    if (!converted) return fail(converted.error());
    tensor = std::move(*converted);
    if (tensor.layout.strides != strides) {
        Result<Tensor> moved = withStrides(tensor, strides);
        if (!moved) return fail(moved.error());
        tensor = std::move(*moved);
    }
    set.inputs[index].madeBy += std::string(", converted to ") + dtypeName(tensor.layout.dtype);
    return set;
}

/// Every input that depends on the size is made anew, so that they agree.
Result<InputSet> resized(const Contract& contract, InputSet set, const Breach& breach) {
    const ContractInput& input = contract.inputs[breach.contractIndex];
    const std::size_t d = breach.dimension.value_or(0);
    if (d >= input.sizes.size()) return noMend(breach);
    SymbolValues symbols(set.symbolValues.begin(), set.symbolValues.end());
    std::vector<std::string> changed;
    const ContractDim& dim = input.sizes[d];
    const std::vector<std::int64_t>& sizes = set.inputs[breach.contractIndex].tensor.layout.sizes;
    if (!dim.fixed && dim.expression) {
        changed = dim.expression->symbols();
        for (const std::string& name : changed) {
            const ContractSymbol* symbol = contract.findSymbol(name);
            if (symbol == nullptr) return noMend(breach);
            std::optional<std::int64_t> now;
            if (dim.expression->asSymbol() && d < sizes.size()) now = sizes[d];
            const auto known = symbols.find(name);
            if (!now && known != symbols.end()) now = known->second;
            symbols[name] = nearestLegalSize(*symbol, now.value_or(symbol->hint.value_or(2)));
        }
    }
    for (std::size_t i = 0; i < contract.inputs.size(); ++i) {
        const ContractInput& other = contract.inputs[i];
        if (other.isConstant || !other.rankKnown) continue;
        const bool depends = i == breach.contractIndex || dependsOn(other, changed);
        if (!depends) continue;
        if (set.inputs[i].given) return noMend(breach);
        std::vector<std::int64_t> wanted;
        for (const ContractDim& size : other.sizes) {
            const std::optional<std::int64_t> value = evaluateDim(size, symbols);
            if (!value || *value < 0) return noMend(breach);
            wanted.push_back(*value);
        }
        const DType dtype = other.dtype != DType::Unknown ? other.dtype : set.inputs[i].tensor.layout.dtype;
        MadeInput& made = set.inputs[i];
        made.tensor = Tensor{{dtype, wanted, wantedStrides(other, wanted, symbols), 0}, nullptr, {}};
        if (made.generate) continue;
        made.generate = defaultGenerator(other.indexBound, other.flatIndex);
        made.madeBy = defaultGeneratorText(dtype, other.indexBound);
    }
    set.symbolValues.clear();
    for (const auto& [name, value] : symbols) set.symbolValues.emplace_back(name, value);
    return set;
}

}  // namespace

Result<InputSet> mend(const Contract& contract, const InputSet& inputs, const Breach& breach) {
    const std::size_t index = breach.contractIndex;
    if (index >= inputs.inputs.size() || index >= contract.inputs.size() || contract.inputs[index].isConstant) return noMend(breach);
    if (breach.fix == "size") return resized(contract, inputs, breach);
    if (inputs.inputs[index].tensor.layout.dtype == DType::Unknown) return noMend(breach);
    if (breach.fix == "contiguous") return relaid(contract, inputs, index);
    if (breach.fix == "cast") return cast(contract, inputs, index);
    return noMend(breach);
}

}  // namespace pt2
