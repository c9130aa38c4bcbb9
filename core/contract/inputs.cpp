#include "core/contract/inputs.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/contract/coverage.h"
#include "core/contract/input_files.h"
#include "core/contract/input_spec.h"
#include "core/contract/legal_size.h"
#include "core/contract/strides.h"

namespace pt2 {
namespace {

constexpr std::int64_t kSmallest = 2;  // torch specialises on sizes 0 and 1
constexpr std::size_t kMostInputs = 1U << 20;

class Maker {
public:
    Maker(const Document& document, const Contract& contract, const InputRequest& request)
        : document_(document), contract_(contract), request_(request) {}

    Result<InputSet> run() {
        if (!contract_.inputsKnown) return byNumber();
        set_.inputs.resize(contract_.inputs.size());
        for (std::size_t i = 0; i < contract_.inputs.size(); ++i) {
            set_.inputs[i].contractIndex = i;
            set_.inputs[i].isTensor = !contract_.inputs[i].isConstant;
        }
        Status done = readSizes();
        for (const auto& [name, value] : symbols_) asked_.insert(name);
        if (done) done = readSpecs();
        if (done && !request_.inputsFile.empty()) done = fromFile();
        if (done) done = fromSamples();
        if (!done) return fail(done.error());
        asked_.clear();
        chooseSymbols();
        for (std::size_t i = 0; i < contract_.inputs.size(); ++i) {
            done = makeOne(i);
            if (!done) return fail(done.error());
        }
        for (const ContractSymbol& symbol : contract_.symbols) {
            const auto found = symbols_.find(symbol.name);
            if (found != symbols_.end()) set_.symbolValues.emplace_back(symbol.name, found->second);
        }
        return std::move(set_);
    }

private:
    // Inputs of which nothing is known: numbers from 0, each with a shape of its own.

    Result<InputSet> byNumber() {
        if (!request_.sizes.empty() || request_.useSample) {
            return usage("input.not-known", "Neither a program nor a wrapper source is there, so sizes and samples have no meaning.",
                         "Give each input by its number, as in --input 0=randn[4,16].");
        }
        std::map<std::size_t, MadeInput> made;
        if (!request_.inputsFile.empty()) {
            Result<std::vector<Tensor>> tensors = readNumberedTensors(request_.inputsFile);
            if (!tensors) return fail(tensors.error());
            for (Tensor& tensor : *tensors) {
                MadeInput& input = made[made.size()];
                input.given = true;
                input.tensor = std::move(tensor);
                input.madeBy = "file " + std::filesystem::path(request_.inputsFile).filename().string();
            }
        }
        std::set<std::size_t> given;
        for (const auto& [name, text] : request_.inputs) {
            std::size_t number = 0;
            const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
            if (name.empty() || error != std::errc() || end != name.data() + name.size() || number > kMostInputs) {
                return usage("input.unknown", "The inputs are not known, so there is no input \"" + escapeForDisplay(name) + "\".",
                             "Give each input by its number, as in --input 0=randn[4,16].");
            }
            if (!given.insert(number).second) return usage("input.twice", "Input " + name + " is given twice.", "Give it once.");
            const Result<InputSpecText> spec = parseInputSpec(text);
            if (!spec) return fail(spec.error());
            if (spec->isGenerator() && !spec->shape) {
                return usage("input.no-shape", "The shape of input " + name + " is not known.",
                             "Give it, as in --input " + name + "=" + spec->name + "[4,16].");
            }
            if (spec->isGenerator()) {
                leaveOpen(made[number], spec->dtype.value_or(spec->fallbackDtype()), *spec->shape, *spec, request_.seed + number);
                continue;
            }
            Result<Tensor> tensor = makeFromSpec(text, DType::Unknown, {}, 0);
            if (!tensor) return fail(tensor.error());
            made[number].given = true;
            made[number].tensor = std::move(*tensor);
            made[number].madeBy = spec->kind == InputSpecText::Kind::File ? "file " + spec->file : "typed in";
        }
        for (auto& [number, input] : made) {
            if (number != set_.inputs.size()) {
                return usage("input.gap", "Input " + std::to_string(set_.inputs.size()) + " is missing.", "Number the inputs from 0 without a gap.");
            }
            input.contractIndex = number;
            set_.inputs.push_back(std::move(input));
        }
        return std::move(set_);
    }

    // --size

    static tl::unexpected<Error> usage(const char* code, std::string what, std::string help) {
        return fail({ErrorKind::Usage, code, std::move(what), {}, {}, std::move(help)});
    }

    std::string placeText(std::size_t input, std::size_t dimension) const { return contract_.inputs[input].name + ":" + std::to_string(dimension); }

    std::string symbolCandidates() const {
        std::vector<std::string> names;
        for (const ContractSymbol& symbol : contract_.symbols) {
            std::string text = symbol.name;
            if (!symbol.places.empty())
                text += " (" + placeText(symbol.places[0].first, symbol.places[0].second) + ", " +
                        (contract_.hasProgram ? rangeText(legalRange(symbol)) : testedRangeText(legalRange(symbol))) + ")";
            names.push_back(std::move(text));
        }
        return names.empty() ? "The model has no dynamic sizes." : "The dynamic sizes are " + join(names, ", ") + ".";
    }

    Status setSymbol(const std::string& name, std::int64_t value, const std::string& as) {
        const auto [found, added] = symbols_.emplace(name, value);
        if (!added && found->second != value) {
            return usage("size.twice",
                         "The size " + name + " is given twice, as " + std::to_string(found->second) + " and, by \"" + as + "\", as " +
                             std::to_string(value) + ".",
                         "Give it once.");
        }
        return {};
    }

    Status readSizes() {
        if (request_.useSample && !request_.sizes.empty()) {
            return usage("size.with-sample", "Stored samples have sizes of their own, so --size has no meaning beside --sample.",
                         "Leave one of them out.");
        }
        for (const auto& [name, value] : request_.sizes) {
            if (value < 0) return usage("size.negative", "The size " + name + " is " + std::to_string(value) + ".", "A size is 0 or more.");
            Status done;
            if (contract_.findSymbol(name) != nullptr) {
                done = setSymbol(name, value, name);
            } else if (name.find(':') != std::string::npos) {
                done = sizeAtPlace(name, value);
            } else if (name == "batch") {
                done = batchSize(value);
            } else {
                std::vector<std::string> known;
                for (const ContractSymbol& symbol : contract_.symbols) known.push_back(symbol.name);
                const std::string nearest = nearestName(name, known);
                return usage("size.unknown", "There is no dynamic size \"" + escapeForDisplay(name) + "\".",
                             (nearest.empty() ? std::string() : "Did you mean " + nearest + "? ") + symbolCandidates() +
                                 " Names of dimensions are not stored in a .pt2; a size can be named by its place, as in x:0=8.");
            }
            if (!done) return done;
        }
        return {};
    }

    Status sizeAtPlace(const std::string& place, std::int64_t value) {
        const std::size_t colon = place.rfind(':');
        const Result<std::size_t> input = contract_.findInput(std::string_view(place).substr(0, colon));
        if (!input) return fail(input.error());
        std::size_t dimension = 0;
        const char* end = place.data() + place.size();
        const auto [at, error] = std::from_chars(place.data() + colon + 1, end, dimension);
        const ContractInput& found = contract_.inputs[*input];
        if (error != std::errc() || at != end || dimension >= found.sizes.size()) {
            return usage("size.no-dimension",
                         "Input \"" + found.name + "\" has no dimension \"" + escapeForDisplay(std::string_view(place).substr(colon + 1)) + "\".",
                         found.rankKnown ? "Its dimensions are 0 to " + std::to_string(found.sizes.size()) + ", the last one left out."
                                         : "Its shape is not known; give it with --input.");
        }
        const ContractDim& dim = found.sizes[dimension];
        if (!dim.fixed && dim.expression) {
            const std::vector<std::string> symbols = dim.expression->symbols();
            if (symbols.size() == 1) {
                if (const std::optional<std::int64_t> solved = dim.expression->solveFor(symbols[0], value))
                    return setSymbol(symbols[0], *solved, place);
            }
        }
        overrides_[{*input, dimension}] = value;
        return {};
    }

    Status batchSize(std::int64_t value) {
        std::vector<std::string> candidates;
        std::set<std::string> names;
        for (const ContractSymbol& symbol : contract_.symbols) {
            for (const auto& [input, dimension] : symbol.places) {
                if (dimension != 0 || !names.insert(symbol.name).second) continue;
                candidates.push_back(symbol.name + " (" + placeText(input, 0) + ")");
            }
        }
        if (names.size() == 1) return setSymbol(*names.begin(), value, "batch");
        if (names.empty()) return usage("size.no-batch", "No dynamic size stands at dimension 0 of an input.", symbolCandidates());
        return usage("size.ambiguous", "\"batch\" could be any of " + std::to_string(names.size()) + " sizes.",
                     "Name one of " + join(candidates, ", ") + ".");
    }

    // What is given binds the symbols of its shape.

    Status bind(std::size_t index, const std::vector<std::int64_t>& sizes) {
        const ContractInput& input = contract_.inputs[index];
        if (input.sizes.size() != sizes.size()) return {};
        for (std::size_t d = 0; d < sizes.size(); ++d) {
            const ContractDim& dim = input.sizes[d];
            if (const auto asked = overrides_.find({index, d}); asked != overrides_.end() && asked->second != sizes[d])
                return contradiction(index, d, sizes[d], std::to_string(asked->second));
            if (dim.fixed || !dim.expression) continue;
            const std::vector<std::string> symbols = dim.expression->symbols();
            if (symbols.size() != 1) continue;
            const std::optional<std::int64_t> solved = dim.expression->solveFor(symbols[0], sizes[d]);
            if (asked_.count(symbols[0]) != 0 && solved != symbols_.at(symbols[0]))
                return contradiction(index, d, sizes[d], symbols[0] + " = " + std::to_string(symbols_.at(symbols[0])));
            if (solved) symbols_.emplace(symbols[0], *solved);
        }
        return {};
    }

    /// A size was asked for that what is given does not have. Neither is dropped in silence.
    Status contradiction(std::size_t index, std::size_t dimension, std::int64_t size, const std::string& asked) const {
        return usage("size.contradiction",
                     "--size asks for " + asked + ", and what is given for input \"" + contract_.inputs[index].name + "\" has " +
                         std::to_string(size) + " at dimension " + std::to_string(dimension) + ".",
                     "Leave one of them out; a size is for what is generated.");
    }

    Status place(std::size_t index, Tensor tensor, std::string madeBy) {
        if (Status bound = bind(index, tensor.layout.sizes); !bound) return bound;
        set_.inputs[index].given = true;
        set_.inputs[index].tensor = std::move(tensor);
        set_.inputs[index].madeBy = std::move(madeBy);
        given_.insert(index);
        return {};
    }

    Status readSpecs() {
        for (const auto& [name, text] : request_.inputs) {
            const Result<std::size_t> index = contract_.findInput(name);
            if (!index) return fail(index.error());
            if (given_.count(*index) != 0 || open_.count(*index) != 0) {
                return usage("input.twice", "Input \"" + contract_.inputs[*index].name + "\" is given twice.", "Give it once.");
            }
            const ContractInput& input = contract_.inputs[*index];
            if (input.isConstant) {
                if (!nlohmann::json::accept(text)) {
                    return usage("input.bad-constant", "Input \"" + input.name + "\" is no tensor but the constant " + input.constantText + ".",
                                 "Leave it out, or give it as JSON.");
                }
                set_.inputs[*index].constantText = text;
                set_.inputs[*index].madeBy = "given";
                given_.insert(*index);
                continue;
            }
            const Result<InputSpecText> spec = parseInputSpec(text);
            if (!spec) return fail(spec.error());
            Status done;
            if (spec->kind == InputSpecText::Kind::File) {
                Result<Tensor> tensor = tensorFromFile(spec->file, spec->key);
                if (!tensor) return fail(tensor.error());
                done = place(*index, reinterpretStored(std::move(*tensor), input.dtype),
                             "file " + std::filesystem::path(spec->file).filename().string());
            } else if (spec->kind == InputSpecText::Kind::Literal) {
                Result<Tensor> tensor = tensorFromLiteral(spec->literal, input.dtype);
                if (!tensor) return fail(tensor.error());
                done = place(*index, std::move(*tensor), "typed in");
                toWantedStrides_.insert(*index);
            } else {
                if (spec->shape) done = bind(*index, *spec->shape);
                open_.emplace(*index, *spec);
            }
            if (!done) return done;
        }
        return {};
    }

    Status fromFile() {
        Result<InputFile> file = readInputFile(request_.inputsFile, contract_);
        if (!file) return fail(file.error());
        for (std::size_t i = 0; i < contract_.inputs.size(); ++i) {
            if (given_.count(i) != 0 || open_.count(i) != 0) continue;
            if (contract_.inputs[i].isConstant) {
                if (file->literals[i].empty()) continue;
                set_.inputs[i].constantText = file->literals[i];
                set_.inputs[i].madeBy = file->label;
                given_.insert(i);
            } else if (file->tensors[i]) {
                const Status done = place(i, std::move(*file->tensors[i]), file->label);
                if (!done) return done;
            } else {
                given_.insert(i);  // a whole set without it: missing, which the check says
                set_.inputs[i].madeBy = "missing in " + file->label;
            }
        }
        set_.unknownNames = std::move(file->unknownNames);
        return {};
    }

    Status fromSamples() {
        const bool wanted = request_.sizes.empty() && request_.seed == 0 && request_.inputsFile.empty();
        if (!request_.useSample && !wanted) return {};
        Result<InputFile> samples = readSamples(document_, contract_);
        if (!samples) {
            if (request_.useSample) return fail(samples.error());
            return {};
        }
        for (std::size_t i = 0; i < contract_.inputs.size(); ++i) {
            if (given_.count(i) != 0 || open_.count(i) != 0) continue;
            if (contract_.inputs[i].isConstant || !samples->tensors[i]) continue;
            if (!request_.useSample && !agrees(i, samples->tensors[i]->layout.sizes)) continue;
            const Status done = place(i, std::move(*samples->tensors[i]), "sample");
            if (!done) return done;
        }
        return {};
    }

    /// Whether a sample has the sizes that the symbols bound so far ask for.
    bool agrees(std::size_t index, const std::vector<std::int64_t>& sizes) const {
        const ContractInput& input = contract_.inputs[index];
        if (input.sizes.size() != sizes.size()) return true;
        for (std::size_t d = 0; d < sizes.size(); ++d) {
            const std::optional<std::int64_t> wanted = evaluateDim(input.sizes[d], symbols_);
            if (wanted && *wanted != sizes[d]) return false;
        }
        return true;
    }

    // Sizes nobody gave.

    void chooseSymbols() {
        for (const ContractSymbol& symbol : contract_.symbols) {
            if (symbols_.count(symbol.name) != 0) continue;
            symbols_.emplace(symbol.name, nearestLegalSize(symbol, symbol.hint.value_or(kSmallest)));
        }
    }

    std::optional<std::vector<std::int64_t>> sizesOf(std::size_t index) const {
        const ContractInput& input = contract_.inputs[index];
        if (!input.rankKnown) return std::nullopt;
        std::vector<std::int64_t> sizes;
        for (std::size_t d = 0; d < input.sizes.size(); ++d) {
            const ContractDim& dim = input.sizes[d];
            const auto asked = overrides_.find({index, d});
            std::optional<std::int64_t> size = asked != overrides_.end() ? std::optional(asked->second) : evaluateDim(dim, symbols_);
            if (!size) size = std::max(dim.compiled.minimum.value_or(kSmallest), kSmallest);
            sizes.push_back(std::max<std::int64_t>(*size, 0));
        }
        return sizes;
    }

    Status makeOne(std::size_t index) {
        const ContractInput& input = contract_.inputs[index];
        MadeInput& made = set_.inputs[index];
        if (input.isConstant) {
            if (made.constantText.empty()) {
                const auto number = symbols_.find(input.numberSymbol);
                made.constantText = number != symbols_.end() ? std::to_string(number->second) : input.constantJson;
                made.madeBy = "constant";
            }
            return {};
        }
        if (given_.count(index) != 0) {
            if (toWantedStrides_.count(index) != 0) return layOut(index);
            return {};
        }
        const auto open = open_.find(index);
        const std::optional<std::vector<std::int64_t>> sizes = sizesOf(index);
        const std::uint64_t seed = request_.seed + input.flatIndex;
        if (open != open_.end()) {
            const InputSpecText& spec = open->second;
            if (!spec.shape && !sizes) {
                return usage("input.no-shape", "The shape of input \"" + input.name + "\" is not known.",
                             "Give it, as in --input " + input.name + "=" + spec.name + "[4,16].");
            }
            const DType fallback = input.dtype != DType::Unknown ? input.dtype : spec.fallbackDtype();
            leaveOpen(made, spec.dtype.value_or(fallback), spec.shape ? *spec.shape : *sizes, spec, seed);
            return layOut(index);
        }
        if (!sizes || input.dtype == DType::Unknown) {
            return usage("input.not-known", "Input \"" + input.name + "\" must be given: the file does not say its " + (sizes ? "type." : "shape."),
                         "Give it, as in --input " + input.name + "=randn[4,16]:float32, or attach the program it was compiled from.");
        }
        made.tensor.layout = {input.dtype, *sizes, contiguousStrides(*sizes), 0};
        made.generate = defaultGenerator(input.indexBound, seed);
        made.madeBy = defaultGeneratorText(input.dtype, input.indexBound);
        return layOut(index);
    }

    static void leaveOpen(MadeInput& made, DType dtype, const std::vector<std::int64_t>& sizes, const InputSpecText& spec, std::uint64_t seed) {
        made.tensor.layout = {dtype, sizes, contiguousStrides(sizes), 0};
        made.generate = [spec, seed](const TensorLayout& layout, const CancelToken& cancel) {
            return generate(spec, layout.dtype, layout.sizes, seed, cancel);
        };
        made.madeBy = spec.name;
    }

    /// What we made ourselves is laid out as the contract wants it, so that a default run does not break its own contract.
    Status layOut(std::size_t index) {
        Tensor& tensor = set_.inputs[index].tensor;
        const std::vector<std::int64_t> strides = wantedStrides(contract_.inputs[index], tensor.layout.sizes, symbols_);
        if (strides == tensor.layout.strides) return {};
        if (set_.inputs[index].generate) {
            tensor.layout.strides = strides;
            return {};
        }
        Result<Tensor> moved = withStrides(tensor, strides);
        if (!moved) return fail(moved.error());
        tensor = std::move(*moved);
        return {};
    }

    const Document& document_;
    const Contract& contract_;
    const InputRequest& request_;
    InputSet set_;
    SymbolValues symbols_;
    std::map<std::pair<std::size_t, std::size_t>, std::int64_t> overrides_;
    std::set<std::string> asked_;  ///< symbols that --size names
    std::set<std::size_t> given_, toWantedStrides_;
    std::map<std::size_t, InputSpecText> open_;
};

}  // namespace

std::vector<Tensor> InputSet::tensors() const {
    std::vector<Tensor> all;
    for (const MadeInput& input : inputs) {
        if (input.isTensor) all.push_back(input.tensor);
    }
    return all;
}

Result<InputSet> planInputs(const Document& document, const Contract& contract, const InputRequest& request) {
    return Maker(document, contract, request).run();
}

Status fillInputs(InputSet& inputs, const CancelToken& cancel) {
    std::uint64_t needed = 0;
    for (const MadeInput& input : inputs.inputs) {
        if (!input.generate) continue;
        const Result<std::uint64_t> bytes = input.tensor.layout.requiredStorageBytes();
        if (!bytes || __builtin_add_overflow(needed, *bytes, &needed)) {
            return fail({ErrorKind::Usage,
                         "size.too-large",
                         "No memory holds an input of " + tensorTypeText(input.tensor.layout) + ".",
                         {},
                         bytes ? std::string() : bytes.error().why,
                         "Choose smaller sizes."});
        }
    }
    if (const std::optional<std::uint64_t> free = availableMemory(); free && needed > *free) {
        return fail({ErrorKind::System,
                     "input.memory",
                     "The inputs need more memory than is free.",
                     {},
                     "They take " + formatBytes(needed) + "; " + formatBytes(*free) + " are free.",
                     "Choose smaller sizes, or close other programs."});
    }
    for (MadeInput& input : inputs.inputs) {
        if (!input.generate) continue;
        if (cancel.requested()) return cancelled();
        Result<Tensor> made = input.generate(input.tensor.layout, cancel);
        if (made && made->layout.strides != input.tensor.layout.strides) made = withStrides(*made, input.tensor.layout.strides);
        if (!made) return fail(made.error());
        input.tensor = std::move(*made);
        input.generate = nullptr;
    }
    return {};
}

Result<InputSet> makeInputs(const Document& document, const Contract& contract, const InputRequest& request, const CancelToken& cancel) {
    Result<InputSet> inputs = planInputs(document, contract, request);
    if (!inputs) return inputs;
    if (Status filled = fillInputs(*inputs, cancel); !filled) return fail(filled.error());
    return inputs;
}

}  // namespace pt2
