#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/contract/contract.h"
#include "core/contract/index_bound.h"

namespace pt2 {
namespace {

/// Bounds that are no bounds: torch writes int64's end, or one less, for "unbounded" (users.md A32).
SymRange withoutNonsense(SymRange range) {
    if (range.maximum && *range.maximum >= INT64_MAX - 1) range.maximum.reset();
    if (range.minimum && *range.minimum <= INT64_MIN + 2) range.minimum.reset();
    return range;
}

class Builder {
public:
    explicit Builder(std::string model) { contract_.model = std::move(model); }

    Contract run(const Program* program, const CompiledModel* compiled) {
        program_ = program;
        compiled_ = compiled;
        if (program_ != nullptr) {
            contract_.hasProgram = true;
            fromProgram();
        }
        if (compiled_ != nullptr) {
            contract_.hasCompiled = true;
            contract_.checksCompiledIn = compiled_->checksCompiledIn;
            contract_.sourceRead = compiled_->sourceRead;
            contract_.device = compiled_->device;
            if (program_ == nullptr) inputsFromCompiled();
            joinCompiled();
            if (program_ == nullptr) outputsFromCompiled();
        }
        collectSymbols();
        return std::move(contract_);
    }

private:
    // The program's side.

    void fromProgram() {
        const ModuleCallEntry* root = nullptr;
        for (const ModuleCallEntry& entry : program_->moduleCallGraph()) {
            if (entry.fqn.empty() && entry.hasSignature) root = &entry;
        }
        std::vector<InputPath> paths;
        std::vector<std::string> outputNames;
        if (root != nullptr) {
            for (const std::string_view name : root->forwardArgNames) contract_.forwardArgNames.emplace_back(name);
            Result<TreeSpec> inSpec = TreeSpec::parse(root->inSpec, program_->namedtupleFields());
            if (inSpec) {
                paths = inputPaths(*inSpec, root->forwardArgNames);
                contract_.inSpec = std::move(*inSpec);
            }
            const Result<TreeSpec> outSpec = TreeSpec::parse(root->outSpec, program_->namedtupleFields());
            if (outSpec) outputNames = outputPaths(*outSpec);
        }
        for (const std::string_view guard : program_->guardsCode()) contract_.guards.emplace_back(guard);
        std::vector<std::size_t> specs;
        for (std::size_t i = 0; i < program_->inputSpecs().size(); ++i) {
            if (program_->inputSpecs()[i].kind == InputKind::UserInput) specs.push_back(i);
        }
        if (paths.size() != specs.size()) {
            if (!paths.empty())
                contract_.notes.emplace_back("The structure of the inputs does not fit their number, so the graph's names are shown.");
            paths.clear();
            contract_.inSpec = {};
        }
        for (std::size_t i = 0; i < specs.size(); ++i) addProgramInput(specs[i], paths.empty() ? nullptr : &paths[i]);
        outputsFromProgram(outputNames);
    }

    void addProgramInput(std::size_t spec, const InputPath* path) {
        const InputSpec& inputSpec = program_->inputSpecs()[spec];
        ContractInput input;
        input.flatIndex = contract_.inputs.size();
        input.graphName = std::string(inputSpec.name);
        input.name = path != nullptr && !path->name.empty() ? path->name : input.graphName;
        input.python = path != nullptr && !path->python.empty() ? path->python : input.graphName;
        input.isKeyword = path != nullptr && path->isKeyword;
        input.origin = Origin::Program;
        const Argument* argument = inputSpec.argument == kNone ? nullptr : &program_->argument(inputSpec.argument);
        if (inputSpec.isConstant || argument == nullptr || argument->value == kNone) {
            input.isConstant = true;
            if (argument != nullptr) describeConstant(*argument, input.constantText, input.constantJson);
        } else {
            const Value& value = program_->value(argument->value);
            if (value.kind == ValueKind::Tensor) {
                describeTensor(value, argument->value, input);
                input.dtypeSource = input.sizesSource = input.stridesSource = input.deviceSource = {Origin::Program};
            } else {
                input.isConstant = true;
                describeNumber(value, input);
            }
        }
        contract_.inputs.push_back(std::move(input));
    }

    static void describeConstant(const Argument& argument, std::string& python, std::string& json) {
        switch (argument.kind) {
            case ArgumentKind::Int: python = json = std::to_string(argument.integer); break;
            case ArgumentKind::Bool:
                python = argument.integer != 0 ? "True" : "False";
                json = argument.integer != 0 ? "true" : "false";
                break;
            case ArgumentKind::Float:
                python = pythonFloatRepr(argument.real);
                json = std::isfinite(argument.real) ? python : "\"" + python + "\"";
                break;
            case ArgumentKind::String:
                python = pythonStringRepr(argument.text);
                json = nlohmann::json(std::string(argument.text)).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
                break;
            default:
                python = "None";
                json = "null";
                break;
        }
    }

    void describeNumber(const Value& value, ContractInput& input) const {
        if (value.kind == ValueKind::SymInt && value.symbolic.isSymbolic()) {
            const std::optional<SymExpr>& expression = program_->expression(value.symbolic.expr);
            if (expression && expression->asSymbol()) input.numberSymbol = *expression->asSymbol();
            if (value.symbolic.hint) input.constantText = input.constantJson = std::to_string(*value.symbolic.hint);
        } else if (value.kind == ValueKind::SymInt) {
            input.constantText = input.constantJson = std::to_string(value.symbolic.integer);
        } else if (value.kind == ValueKind::CustomObj) {
            input.constantText = "<" + std::string(value.classFqn) + ">";
        }
        if (input.constantJson.empty()) input.constantJson = "null";
    }

    ContractDim dimOf(const SymInt& size) const {
        ContractDim dim;
        dim.text = program_->dimText(size);
        if (!size.isSymbolic()) {
            dim.fixed = size.integer;
            return dim;
        }
        dim.expression = program_->expression(size.expr);
        if (dim.expression && dim.expression->asInteger()) {
            dim.fixed = dim.expression->asInteger();
            return dim;
        }
        if (dim.expression && dim.expression->asSymbol()) {
            if (const auto range = program_->rangeOf(*dim.expression->asSymbol())) dim.program = withoutNonsense(*range);
            if (size.hint) hints_.emplace(*dim.expression->asSymbol(), *size.hint);
            return dim;
        }
        for (const auto& [key, range] : program_->rangeConstraints()) {
            if (key == dim.text) dim.program = withoutNonsense(range);
        }
        if (dim.expression && size.hint) {
            const std::vector<std::string> symbols = dim.expression->symbols();
            if (symbols.size() == 1) {
                if (const auto hint = dim.expression->solveFor(symbols[0], *size.hint)) hints_.emplace(symbols[0], *hint);
            }
        }
        return dim;
    }

    void describeTensor(const Value& value, ValueId id, ContractInput& input) {
        input.dtype = value.dtype;
        input.rankKnown = true;
        for (const SymInt& size : program_->sizes(value)) input.sizes.push_back(dimOf(size));
        std::vector<ContractDim> strides;
        for (const SymInt& stride : program_->strides(value)) strides.push_back(dimOf(stride));
        if (strides.size() == input.sizes.size()) input.strides = std::move(strides);
        input.device = std::string(value.device.type);
        input.tensorIndex = tensors_++;
        if (isInteger(value.dtype)) input.indexBound = indexBoundOf(*program_, id);
    }

    void outputsFromProgram(const std::vector<std::string>& names) {
        std::vector<ContractOutput> outputs;
        for (const OutputSpec& spec : program_->outputSpecs()) {
            if (spec.kind != OutputKind::UserOutput && spec.kind != OutputKind::LossOutput) continue;
            ContractOutput output;
            output.kind = spec.kind;
            output.graphName = std::string(spec.name);
            output.target = std::string(spec.target);
            output.origin = Origin::Program;
            const Argument* argument = spec.argument == kNone ? nullptr : &program_->argument(spec.argument);
            output.isTensor = false;
            if (argument != nullptr && argument->value != kNone) {
                const Value& value = program_->value(argument->value);
                if (output.graphName.empty()) output.graphName = std::string(value.name);
                if (value.kind == ValueKind::Tensor) {
                    output.isTensor = true;
                    output.dtype = value.dtype;
                    output.shape = program_->sizesText(value);
                    output.dtypeSource = output.sizesSource = {Origin::Program};
                } else if (value.kind == ValueKind::SymInt) {
                    output.constantText = program_->dimText(value.symbolic);
                }
            } else if (argument != nullptr) {
                std::string json;
                describeConstant(*argument, output.constantText, json);
            }
            outputs.push_back(std::move(output));
        }
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            outputs[i].name = names.size() == outputs.size() ? names[i] : outputs.size() == 1 ? "result" : "[" + std::to_string(i) + "]";
        }
        contract_.outputs = std::move(outputs);
    }

    // The compiled model's side.

    void inputsFromCompiled() {
        const std::size_t count = compiled_->inputs.size();
        Result<TreeSpec> spec = TreeSpec::parse(compiled_->inSpec);
        std::vector<InputPath> paths;
        if (spec) {
            paths = inputPaths(*spec, {});
            if (paths.size() == count) {
                contract_.inSpec = std::move(*spec);
            } else if (compiled_->inputCount) {
                contract_.notes.push_back("The caller gives " + std::to_string(paths.size()) + " values and the library takes " +
                                          std::to_string(count) +
                                          " tensors; which of them are constants is known from the program only, so the library's names are shown.");
            }
        }
        for (std::size_t i = 0; i < count; ++i) {
            ContractInput input;
            input.flatIndex = i;
            input.tensorIndex = tensors_++;
            const bool named = paths.size() == count;
            input.name = named ? paths[i].name : compiled_->inputs[i].name;
            input.python = named ? paths[i].python : input.name;
            input.isKeyword = named && paths[i].isKeyword;
            if (input.name.empty()) input.name = "input " + std::to_string(i);
            contract_.inputs.push_back(std::move(input));
        }
        if (!compiled_->inputCount) {
            contract_.inputsKnown = false;
            contract_.notes.emplace_back("Neither a program nor a wrapper source is there, so the inputs are not known and not checked.");
        } else if (compiled_->inputs.size() != static_cast<std::size_t>(*compiled_->inputCount)) {
            contract_.notes.emplace_back("The wrapper source does not describe all inputs.");
        }
    }

    void joinCompiled() {
        if (!compiled_->inputCount) return;
        std::vector<ContractInput*> tensors;
        for (ContractInput& input : contract_.inputs) {
            if (input.tensorIndex) tensors.push_back(&input);
        }
        if (tensors.size() != compiled_->inputs.size()) {
            contract_.notes.push_back("The program has " + std::to_string(tensors.size()) + " tensor inputs and the compiled model takes " +
                                      std::to_string(compiled_->inputs.size()) + ", so they do not belong together.");
            return;
        }
        for (std::size_t i = 0; i < tensors.size(); ++i) joinInput(*tensors[i], compiled_->inputs[i]);
    }

    void joinInput(ContractInput& input, const CompiledInput& compiled) {
        input.compiledName = compiled.name;
        if (!compiled.name.empty()) input.nameSource = {Origin::WrapperSource, compiled.nameLine};
        input.checkedAtRuntime = compiled.checkedAtRuntime;
        input.assertedAtRuntime = compiled.assertedAtRuntime;
        input.dtypeTestedAtRuntime = compiled.dtype.origin == Origin::WrapperSource;
        input.deviceTestedAtRuntime = compiled.device.known();
        if (compiled.dtype.known()) {
            if (input.dtype != DType::Unknown && input.dtype != compiled.dtype.value && compiled.dtype.origin == Origin::WrapperSource) {
                contract_.notes.push_back("Input \"" + input.name + "\" is " + dtypeName(input.dtype) + " in the program and " +
                                          dtypeName(compiled.dtype.value) + " in the compiled model, so they may not belong together.");
            }
            if (input.dtype == DType::Unknown || compiled.dtype.origin == Origin::WrapperSource) {
                input.dtype = compiled.dtype.value;
                input.dtypeSource = sourceOf(compiled.dtype);
            }
            if (input.origin == Origin::Unknown) input.origin = compiled.dtype.origin;
        }
        if (compiled.device.known()) {
            input.device = compiled.device.value;
            input.deviceSource = sourceOf(compiled.device);
        } else if (!compiled_->device.empty()) {
            input.device = compiled_->device;
            input.deviceSource = {Origin::Metadata};
        } else if (!input.device.empty()) {
            input.deviceSource = {Origin::Program};
        }
        if (!compiled.sizes.known()) return;
        if (input.rankKnown && input.sizes.size() != compiled.sizes.value.size()) {
            contract_.notes.push_back("Input \"" + input.name + "\" has " + std::to_string(input.sizes.size()) + " dimensions in the program and " +
                                      std::to_string(compiled.sizes.value.size()) + " in the compiled model, so they may not belong together.");
            input.sizes.clear();
            input.strides.reset();
            input.rankKnown = false;
            input.sizesSource = input.stridesSource = {};
        }
        if (!input.rankKnown) {
            input.rankKnown = true;
            input.sizes.resize(compiled.sizes.value.size());
            input.origin = compiled.sizes.origin;
            input.sizesSource = sourceOf(compiled.sizes);
            for (std::size_t d = 0; d < input.sizes.size(); ++d) sizeFromCompiled(input.sizes[d], compiled.sizes.value[d]);
        }
        for (std::size_t d = 0; d < input.sizes.size(); ++d) {
            joinSize(input.sizes[d], compiled.sizes.value[d]);
            input.sizes[d].compiledSource = sizeSource(input, compiled, d);
        }
        joinStrides(input, compiled);
    }

    template <typename T>
    static FactSource sourceOf(const Fact<T>& fact) {
        return {fact.origin, fact.line};
    }

    /// The test of this very size where there is one, else the assertion of all sizes, else where run_impl binds its symbol.
    FactSource sizeSource(const ContractInput& input, const CompiledInput& compiled, std::size_t d) const {
        for (const RuntimeCheck& check : compiled_->checks) {
            const bool ofSize =
                check.what == RuntimeCheck::What::Size || check.what == RuntimeCheck::What::Minimum || check.what == RuntimeCheck::What::Maximum;
            if (ofSize && check.input == input.tensorIndex && check.dimension == d) return {Origin::WrapperSource, check.line};
        }
        const CompiledDim& dim = compiled.sizes.value[d];
        if (compiled.assertedAtRuntime && (dim.fixed || !dim.symbol.empty())) return {Origin::WrapperSource, compiled.sizes.line};
        if (dim.symbolLine != 0) return {Origin::WrapperSource, dim.symbolLine};
        return {};
    }

    static void sizeFromCompiled(ContractDim& dim, const CompiledDim& compiled) {
        dim.fixed = compiled.fixed;
        dim.text = compiled.fixed ? std::to_string(*compiled.fixed) : compiled.symbol.empty() ? "?" : compiled.symbol;
        if (!compiled.fixed && !compiled.symbol.empty()) {
            if (const Result<SymExpr> expression = SymExpr::parse(compiled.symbol)) dim.expression = *expression;
        }
    }

    static void joinSize(ContractDim& dim, const CompiledDim& compiled) {
        dim.compiledKnown = compiled.tested || compiled.fixed;
        dim.testedAtRuntime = compiled.tested;
        dim.compiled = withoutNonsense({compiled.minimum, compiled.maximum});
        if (compiled.fixed) dim.compiled = {compiled.fixed, compiled.fixed};
    }

    /// The compiled code's strides where it states them, else the program's; "?" where neither does.
    void joinStrides(ContractInput& input, const CompiledInput& compiled) const {
        if (!compiled.strides.known()) return;
        bool sameNames = true;  // a model compiled elsewhere may name its symbols otherwise
        for (std::size_t d = 0; d < input.sizes.size(); ++d) {
            const std::string& symbol = compiled.sizes.value[d].symbol;
            sameNames = sameNames && (symbol.empty() || symbol == input.sizes[d].text);
        }
        std::vector<ContractDim> strides(input.sizes.size());
        for (std::size_t d = 0; d < strides.size(); ++d) {
            ContractDim& stride = strides[d];
            const std::string text = compiled.strideTexts.value[d];
            if (compiled.strides.value[d]) {
                stride.fixed = compiled.strides.value[d];
                stride.text = std::to_string(*stride.fixed);
            } else if (!text.empty() && (sameNames || !input.strides)) {
                stride.text = text;
                if (const Result<SymExpr> expression = SymExpr::parse(text)) stride.expression = *expression;
            } else if (input.strides) {
                stride = (*input.strides)[d];
            } else {
                stride.text = "?";
            }
            stride.testedAtRuntime = compiled.strideTested[d];
            if (compiled.strides.value[d] || (!text.empty() && stride.text == text)) stride.compiledSource = strideSource(input, compiled, d);
        }
        input.strides = std::move(strides);
        input.stridesSource = sourceOf(compiled.strides);
    }

    FactSource strideSource(const ContractInput& input, const CompiledInput& compiled, std::size_t d) const {
        for (const RuntimeCheck& check : compiled_->checks) {
            if (check.what == RuntimeCheck::What::Stride && check.input == input.tensorIndex && check.dimension == d)
                return {Origin::WrapperSource, check.line};
        }
        return sourceOf(compiled.strides);
    }

    void outputsFromCompiled() {
        std::vector<std::string> names;
        if (const Result<TreeSpec> spec = TreeSpec::parse(compiled_->outSpec)) names = outputPaths(*spec);
        for (std::size_t i = 0; i < compiled_->outputs.size(); ++i) {
            const CompiledOutput& compiled = compiled_->outputs[i];
            ContractOutput output;
            output.name = names.size() == compiled_->outputs.size() ? names[i] : compiled.name;
            output.graphName = compiled.name;
            if (compiled.dtype.known()) output.dtype = compiled.dtype.value;
            if (compiled.sizes.known()) output.shape = compiled.sizes.value;
            output.dtypeSource = sourceOf(compiled.dtype);
            output.sizesSource = sourceOf(compiled.sizes);
            output.origin = compiled.dtype.known() ? compiled.dtype.origin : compiled.sizes.origin;
            contract_.outputs.push_back(std::move(output));
        }
    }

    // Symbols of both.

    ContractSymbol& symbol(const std::string& name) {
        for (ContractSymbol& found : contract_.symbols) {
            if (found.name == name) return found;
        }
        ContractSymbol added;
        added.name = name;
        if (program_ != nullptr) {
            if (const auto range = program_->rangeOf(name)) added.program = withoutNonsense(*range);
        }
        const auto hint = hints_.find(name);
        if (hint != hints_.end()) added.hint = hint->second;
        contract_.symbols.push_back(std::move(added));
        return contract_.symbols.back();
    }

    void collectSymbols() {
        for (std::size_t i = 0; i < contract_.inputs.size(); ++i) {
            const ContractInput& input = contract_.inputs[i];
            if (!input.numberSymbol.empty()) symbol(input.numberSymbol);
            for (std::size_t d = 0; d < input.sizes.size(); ++d) {
                const ContractDim& dim = input.sizes[d];
                if (dim.fixed || !dim.expression) continue;
                const std::optional<std::string> bare = dim.expression->asSymbol();
                for (const std::string& name : dim.expression->symbols()) symbol(name);
                if (!bare) continue;
                ContractSymbol& found = symbol(*bare);
                found.places.emplace_back(i, d);
                if (!dim.compiledKnown) continue;
                found.compiled = intersectRanges(found.compiled, dim.compiled);
                found.compiledKnown = true;
            }
        }
    }

    Contract contract_;
    const Program* program_ = nullptr;
    const CompiledModel* compiled_ = nullptr;
    std::size_t tensors_ = 0;
    mutable std::map<std::string, std::int64_t> hints_;
};

}  // namespace

Result<Contract> buildContract(const Document& document, std::string_view model) {
    Result<std::string> name = document.resolveModel(model);
    if (!name) return fail(name.error());
    const Document::ProgramRef program = document.program(*name);
    const Document::CompiledRef compiled = document.compiled(*name);
    const Program* readable = program ? program.entry->program.get() : nullptr;
    if (readable == nullptr && !compiled) {
        return fail({ErrorKind::Unreadable,
                     "contract.no-model",
                     "The model \"" + *name + "\" could not be read, so its inputs are not known.",
                     {},
                     {},
                     "Look at the file's problems."});
    }
    return Builder(*name).run(readable, compiled ? compiled.model : nullptr);
}

}  // namespace pt2
