#include "core/contract/check.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/text.h"
#include "core/contract/contract_notes.h"
#include "core/contract/coverage.h"
#include "core/contract/guards.h"
#include "core/contract/strides.h"

namespace pt2 {
namespace {

std::string numbersText(const std::vector<std::int64_t>& numbers) {
    std::vector<std::string> texts;
    for (const std::int64_t number : numbers) texts.push_back(std::to_string(number));
    return "(" + join(texts, ", ") + ")";
}

/// Contiguous, channels last, or the numbers.
std::string stridesName(const std::vector<std::int64_t>& strides, const std::vector<std::int64_t>& sizes) {
    if (strides == contiguousStrides(sizes)) return "contiguous";
    if (sizes.size() == 4 && strides[1] == 1 && strides[3] == sizes[1] && strides[2] == sizes[3] * sizes[1]) return "channels last";
    return "strided";
}

std::string deviceType(std::string_view device) { return std::string(device.substr(0, device.find(':'))); }

bool inside(const SymRange& range, std::int64_t value) {
    return (!range.minimum || value >= *range.minimum) && (!range.maximum || value <= *range.maximum);
}

class Checker {
public:
    Checker(const Contract& contract, const InputSet& inputs, std::string_view device) : contract_(contract), set_(inputs), device_(device) {}

    CheckReport run() {
        bindSymbols();
        for (std::size_t i = 0; i < contract_.inputs.size() && i < set_.inputs.size(); ++i) {
            if (contract_.inputs[i].isConstant) {
                checkConstant(i);
            } else {
                checkTensor(i);
            }
        }
        if (contract_.inputsKnown) checkCount();
        checkGuards();
        for (const std::string& name : set_.unknownNames) {
            Breach breach;
            breach.what = Breach::What::Unknown;
            breach.input = name;
            breach.found = name;
            breach.allowed = "no such input";
            breach.sentence = "\"" + escapeForDisplay(name) + "\" was given, and the model has no such input.";
            report_.breaches.push_back(std::move(breach));
        }
        addNotes();
        return std::move(report_);
    }

private:
    const std::vector<std::int64_t>& sizesOf(std::size_t i) const { return set_.inputs[i].tensor.layout.sizes; }
    bool isGiven(std::size_t i) const { return i < set_.inputs.size() && set_.inputs[i].tensor.layout.dtype != DType::Unknown; }

    Breach& add(Breach::What what, std::size_t i, std::optional<std::size_t> dimension, std::string found, std::string allowed,
                std::string sentence) {
        Breach breach;
        breach.what = what;
        breach.contractIndex = i;
        breach.input = contract_.inputs[i].name;
        breach.dimension = dimension;
        breach.found = std::move(found);
        breach.allowed = std::move(allowed);
        breach.sentence = std::move(sentence);
        report_.breaches.push_back(std::move(breach));
        return report_.breaches.back();
    }

    std::string inputText(std::size_t i) const { return "Input \"" + contract_.inputs[i].name + "\""; }
    std::string dimensionText(std::size_t i, std::size_t d) const {
        const ContractDim& dim = contract_.inputs[i].sizes[d];
        std::string text = inputText(i) + ", dimension " + std::to_string(d);
        if (!dim.fixed && dim.text != "?") text += " (" + dim.text + ")";
        return text;
    }

    /// The first place of each symbol decides its value; composite sizes of one unbound symbol are solved afterwards.
    void bindSymbols() {
        for (const bool composite : {false, true}) {
            for (std::size_t i = 0; i < contract_.inputs.size(); ++i) {
                const ContractInput& input = contract_.inputs[i];
                if (input.isConstant || !isGiven(i) || input.sizes.size() != sizesOf(i).size()) continue;
                for (std::size_t d = 0; d < input.sizes.size(); ++d) {
                    const ContractDim& dim = input.sizes[d];
                    if (dim.fixed || !dim.expression || dim.expression->asSymbol().has_value() == composite) continue;
                    const std::vector<std::string> names = dim.expression->symbols();
                    if (names.size() != 1 || symbols_.count(names[0]) != 0) continue;
                    const std::optional<std::int64_t> value = dim.expression->solveFor(names[0], sizesOf(i)[d]);
                    if (!value) continue;
                    symbols_.emplace(names[0], *value);
                    binders_[names[0]] = {i, d};
                }
            }
        }
    }

    void checkConstant(std::size_t i) {
        const ContractInput& input = contract_.inputs[i];
        const std::string& given = set_.inputs[i].constantText;
        if (given.empty() || !input.numberSymbol.empty() || input.constantJson.empty()) return;
        const nlohmann::json a = nlohmann::json::parse(given, nullptr, false);
        const nlohmann::json b = nlohmann::json::parse(input.constantJson, nullptr, false);
        if (a.is_discarded() || b.is_discarded() || (a == b && a.is_boolean() == b.is_boolean())) return;
        add(Breach::What::Guard, i, std::nullopt, given, input.constantText,
            inputText(i) + " is " + given + "; the program was made for " + input.constantText + " and has it baked in.");
    }

    void checkTensor(std::size_t i) {
        const ContractInput& input = contract_.inputs[i];
        if (!isGiven(i)) {
            Breach& breach = add(Breach::What::Missing, i, std::nullopt, "nothing", "a tensor", inputText(i) + " is missing.");
            breach.caughtByRuntimeChecks = contract_.hasCompiled;  // the number of inputs is always checked
            return;
        }
        const TensorLayout& tensor = set_.inputs[i].tensor.layout;
        if (input.dtype != DType::Unknown && tensor.dtype != input.dtype) {
            const std::string found = dtypeName(tensor.dtype);
            const std::string allowed = dtypeName(input.dtype);
            Breach& breach =
                add(Breach::What::DType, i, std::nullopt, found, allowed, inputText(i) + " is " + found + "; " + owner() + " takes " + allowed + ".");
            breach.caughtByRuntimeChecks = input.checkedAtRuntime && input.dtypeTestedAtRuntime;
            breach.fix = "cast";
            breach.fixSentence = "Convert the values to " + allowed + ".";
        }
        checkDevice(i);
        if (!input.rankKnown) return;
        if (tensor.sizes.size() != input.sizes.size()) {
            const std::string found = std::to_string(tensor.sizes.size());
            const std::string allowed = std::to_string(input.sizes.size());
            const char* noun = input.sizes.size() == 1 ? " dimension" : " dimensions";
            Breach& breach = add(Breach::What::Rank, i, std::nullopt, found, allowed,
                                 inputText(i) + " has " + found + (tensor.sizes.size() == 1 ? " dimension " : " dimensions ") +
                                     numbersText(tensor.sizes) + "; " + owner() + " takes " + allowed + noun + ".");
            breach.caughtByRuntimeChecks = input.assertedAtRuntime || anyRuntimeTestFails(input, tensor);
            return;
        }
        for (std::size_t d = 0; d < input.sizes.size(); ++d) checkSize(i, d);
        checkStrides(i);
    }

    std::string owner() const { return contract_.hasProgram ? "the program" : "the compiled model"; }

    /// With another number of dimensions the generated tests read the same places of the size array; what lies beyond it is anything.
    static bool anyRuntimeTestFails(const ContractInput& input, const TensorLayout& tensor) {
        for (std::size_t d = 0; d < input.sizes.size() && d < tensor.sizes.size(); ++d) {
            if (failsRuntimeTest(input.sizes[d], tensor.sizes[d])) return true;
            if (input.strides && (*input.strides)[d].testedAtRuntime && (*input.strides)[d].fixed && *(*input.strides)[d].fixed != tensor.strides[d])
                return true;
        }
        return false;
    }
    static bool failsRuntimeTest(const ContractDim& dim, std::int64_t size) { return dim.testedAtRuntime && !inside(dim.compiled, size); }

    void checkDevice(std::size_t i) {
        const ContractInput& input = contract_.inputs[i];
        const std::string run = deviceType(device_);
        const std::string main = contract_.device.empty() ? input.device : contract_.device;
        // An input that the code itself wants on another device than the model's is put there by whoever runs it.
        if (!contract_.hasCompiled || main.empty() || run.empty() || run == main || (input.device != main && !input.device.empty())) return;
        Breach& breach = add(Breach::What::Device, i, std::nullopt, run, main,
                             inputText(i) + " would be on " + run + "; the compiled model takes it on " + main + ".");
        breach.caughtByRuntimeChecks = input.checkedAtRuntime && input.deviceTestedAtRuntime;
        breach.fix = "move";
        breach.fixSentence = "Run on " + main + ".";
    }

    /// Whether the input and all whose sizes hang on the same symbols are generated; values of the user are never replaced by others.
    bool canBeMadeAnew(const Breach& breach) const {
        const ContractInput& input = contract_.inputs[breach.contractIndex];
        const ContractDim& dim = input.sizes[breach.dimension.value_or(0)];
        const std::vector<std::string> symbols = !dim.fixed && dim.expression ? dim.expression->symbols() : std::vector<std::string>();
        for (std::size_t i = 0; i < contract_.inputs.size() && i < set_.inputs.size(); ++i) {
            if (set_.inputs[i].given && (i == breach.contractIndex || dependsOn(contract_.inputs[i], symbols))) return false;
        }
        return true;
    }

    void offerSize(Breach& breach, const SymRange& range, std::int64_t size) const {
        if (!canBeMadeAnew(breach)) return;
        std::int64_t nearest = size;
        if (range.minimum) nearest = std::max(nearest, *range.minimum);
        if (range.maximum) nearest = std::min(nearest, *range.maximum);
        breach.fix = "size";
        breach.fixSentence = "Make the input anew with size " + std::to_string(nearest) + ".";
    }

    void checkSize(std::size_t i, std::size_t d) {
        const ContractInput& input = contract_.inputs[i];
        const ContractDim& dim = input.sizes[d];
        const std::int64_t size = sizesOf(i)[d];
        const std::string found = std::to_string(size);
        if (dim.fixed) {
            if (size == *dim.fixed) return;
            Breach& breach = add(Breach::What::Size, i, d, found, std::to_string(*dim.fixed),
                                 dimensionText(i, d) + " is " + found + "; " + owner() + " takes " + std::to_string(*dim.fixed) + ".");
            breach.caughtByRuntimeChecks = failsRuntimeTest(dim, size) || input.assertedAtRuntime;
            offerSize(breach, {dim.fixed, dim.fixed}, size);
            return;
        }
        const std::optional<std::int64_t> expected = evaluateDim(dim, symbols_);
        if (expected && *expected != size) {
            sizeDiffers(i, d, *expected);
            return;
        }
        if (!expected && dim.expression && notSolvable(i, d)) return;
        if (!inside(dim.program, size)) {
            Breach& breach = add(Breach::What::Range, i, d, found, rangeText(dim.program),
                                 dimensionText(i, d) + " is " + found + "; the program allows " + rangeText(dim.program) + ".");
            breach.caughtByRuntimeChecks = failsRuntimeTest(dim, size);
            offerSize(breach, dim.program, size);
            return;
        }
        if (symbolOutOfRange(i, d)) return;
        if (!dim.compiledKnown || inside(dim.compiled, size)) return;
        const bool specialised = contract_.hasProgram && size == 1 && dim.compiled.minimum == 2;
        if (specialised) {
            report_.notes.push_back(
                dimensionText(i, d) +
                " is 1: the program allows it, the compiled model's own check asks for 2 or more. With runtime checks off the code computes it; "
                "with them on the model refuses it.");
            return;
        }
        Breach& breach = add(Breach::What::Range, i, d, found, testedRangeText(dim.compiled),
                             dimensionText(i, d) + " is " + found + "; the compiled model tests for " + testedRangeText(dim.compiled) + ".");
        breach.caughtByRuntimeChecks = failsRuntimeTest(dim, size);
        offerSize(breach, dim.compiled, size);
    }

    /// Another input (or this one) has decided the symbol, and this size does not agree.
    void sizeDiffers(std::size_t i, std::size_t d, std::int64_t expected) {
        const ContractInput& input = contract_.inputs[i];
        const ContractDim& dim = input.sizes[d];
        const std::int64_t size = sizesOf(i)[d];
        std::string because;
        for (const std::string& name : dim.expression->symbols()) {
            const auto binder = binders_.find(name);
            if (binder == binders_.end()) continue;
            because += (because.empty() ? ", as " : " and ") + name + " is " + std::to_string(symbols_.at(name)) + " by input \"" +
                       contract_.inputs[binder->second.first].name + "\", dimension " + std::to_string(binder->second.second);
        }
        Breach& breach = add(Breach::What::Size, i, d, std::to_string(size), dim.text + " = " + std::to_string(expected),
                             dimensionText(i, d) + " is " + std::to_string(size) + "; it must be " + std::to_string(expected) + because + ".");
        breach.caughtByRuntimeChecks = input.assertedAtRuntime || failsRuntimeTest(dim, size);
        offerSize(breach, {expected, expected}, size);
    }

    /// 2*s0 is 7: no whole s0 makes it so.
    bool notSolvable(std::size_t i, std::size_t d) {
        const ContractDim& dim = contract_.inputs[i].sizes[d];
        const std::vector<std::string> names = dim.expression->symbols();
        if (names.size() != 1 || symbols_.count(names[0]) != 0) return false;
        // Only for linear forms does the lack of a solution say anything: at 0 and 1 both must solve back.
        const auto at = [&](std::int64_t value) { return evaluateDim(dim, {{names[0], value}}); };
        const std::optional<std::int64_t> zero = at(0), one = at(1), two = at(2);
        if (!zero || !one || !two || *two - *one != *one - *zero || *one == *zero) return false;
        const std::int64_t step = std::abs(*one - *zero);
        const std::int64_t size = sizesOf(i)[d];
        const std::string allowed = *zero == 0 ? "a multiple of " + std::to_string(step) : dim.text + " for a whole " + names[0];
        Breach& breach = add(Breach::What::Size, i, d, std::to_string(size), allowed,
                             dimensionText(i, d) + " is " + std::to_string(size) + "; it must be " + allowed + ".");
        breach.caughtByRuntimeChecks = failsRuntimeTest(dim, size);
        if (canBeMadeAnew(breach)) {
            breach.fix = "size";
            breach.fixSentence = "Make the input anew with a size that fits.";
        }
        return true;
    }

    /// A composite size may be legal while the symbol behind it is not.
    bool symbolOutOfRange(std::size_t i, std::size_t d) {
        const ContractDim& dim = contract_.inputs[i].sizes[d];
        if (!dim.expression || dim.expression->asSymbol()) return false;
        for (const std::string& name : dim.expression->symbols()) {
            const ContractSymbol* symbol = contract_.findSymbol(name);
            const auto value = symbols_.find(name);
            const auto binder = binders_.find(name);
            if (symbol == nullptr || value == symbols_.end() || inside(symbol->program, value->second)) continue;
            if (binder == binders_.end() || binder->second != std::pair(i, d)) continue;  // said where it was decided
            Breach& breach = add(Breach::What::Range, i, d, std::to_string(sizesOf(i)[d]), dim.text + ", " + name + " " + rangeText(symbol->program),
                                 dimensionText(i, d) + " is " + std::to_string(sizesOf(i)[d]) + ", which makes " + name + " " +
                                     std::to_string(value->second) + "; the program allows " + rangeText(symbol->program) + ".");
            breach.caughtByRuntimeChecks = failsRuntimeTest(dim, sizesOf(i)[d]);
            return true;
        }
        return false;
    }

    static bool isOfSize(const Breach& breach, std::size_t i) {
        return breach.contractIndex == i && (breach.what == Breach::What::Size || breach.what == Breach::What::Range);
    }

    /// A size that breaks the contract makes other strides. Where they are those of the expected order, dense, they are no fault of their own.
    bool followsFromSize(std::size_t i, const std::vector<std::optional<std::int64_t>>& expected) const {
        if (std::none_of(report_.breaches.begin(), report_.breaches.end(), [&](const Breach& breach) { return isOfSize(breach, i); })) return false;
        if (!std::all_of(expected.begin(), expected.end(), [](const std::optional<std::int64_t>& stride) { return stride.has_value(); }))
            return false;
        const TensorLayout& tensor = set_.inputs[i].tensor.layout;
        std::vector<std::size_t> order;  // from the outermost dimension
        for (std::size_t d = 0; d < expected.size(); ++d) order.push_back(d);
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return *expected[a] > *expected[b]; });
        std::int64_t dense = 1;
        for (std::size_t k = order.size(); k-- > 0;) {
            const std::size_t d = order[k];
            if (tensor.sizes[d] != 1 && tensor.strides[d] != dense) return false;
            if (__builtin_mul_overflow(dense, std::max<std::int64_t>(tensor.sizes[d], 1), &dense)) return false;
        }
        return true;
    }

    /// The code walks memory by fixed strides. A stride of a size-1 dimension is never walked, though runtime checks compare it.
    void checkStrides(std::size_t i) {
        const ContractInput& input = contract_.inputs[i];
        if (!contract_.hasCompiled || !input.strides) return;
        const TensorLayout& tensor = set_.inputs[i].tensor.layout;
        const std::vector<std::optional<std::int64_t>> expected = expectedStrides(input, tensor.sizes, symbols_);
        const bool empty = std::any_of(tensor.sizes.begin(), tensor.sizes.end(), [](std::int64_t size) { return size == 0; });
        std::optional<std::size_t> first;
        bool caught = false;
        bool onlySizeOne = false;
        for (std::size_t d = 0; d < expected.size(); ++d) {
            if (!expected[d] || *expected[d] == tensor.strides[d]) continue;
            const bool tested = (*input.strides)[d].testedAtRuntime;
            if (tensor.sizes[d] == 1 || empty) {
                onlySizeOne = onlySizeOne || tested;
                caught = caught || tested;
                continue;
            }
            if (!first) first = d;
            caught = caught || tested || input.assertedAtRuntime;
        }
        if (!first) {
            if (onlySizeOne) {
                report_.notes.push_back(
                    inputText(i) +
                    " has another stride than the compiled model expects where its size is 1. That does no harm, but the runtime checks refuse it.");
            }
            return;
        }
        if (followsFromSize(i, expected)) {
            const auto size =
                std::find_if(report_.breaches.begin(), report_.breaches.end(), [&](const Breach& breach) { return isOfSize(breach, i); });
            size->caughtByRuntimeChecks = size->caughtByRuntimeChecks || caught;
            return;
        }
        std::vector<std::int64_t> wanted = tensor.strides;
        for (std::size_t d = 0; d < expected.size(); ++d) {
            if (expected[d]) wanted[d] = *expected[d];
        }
        const std::string found = numbersText(tensor.strides);
        const std::string allowed = numbersText(wanted);
        Breach& breach =
            add(Breach::What::Stride, i, first, found, allowed,
                inputText(i) + " has strides " + found + ", " + stridesName(tensor.strides, tensor.sizes) + "; the compiled model reads it with " +
                    allowed + ", " + stridesName(wanted, tensor.sizes) + ", and would compute with values in the wrong places.");
        breach.caughtByRuntimeChecks = caught;
        breach.fix = "contiguous";
        breach.fixSentence = "Copy the values into strides " + allowed + ".";
    }

    void checkCount() {
        for (std::size_t i = set_.inputs.size(); i < contract_.inputs.size(); ++i) {
            if (contract_.inputs[i].isConstant) continue;
            Breach& breach = add(Breach::What::Missing, i, std::nullopt, "nothing", "a tensor", inputText(i) + " is missing.");
            breach.caughtByRuntimeChecks = contract_.hasCompiled;
        }
        for (std::size_t i = contract_.inputs.size(); i < set_.inputs.size(); ++i) {
            Breach breach;
            breach.what = Breach::What::Unknown;
            breach.contractIndex = i;
            breach.input = std::to_string(i);
            breach.found = std::to_string(set_.inputs.size()) + " inputs";
            breach.allowed = std::to_string(contract_.inputs.size());
            breach.caughtByRuntimeChecks = contract_.hasCompiled;
            breach.sentence = "Input number " + std::to_string(i) + " is too many; the model takes " + std::to_string(contract_.inputs.size()) + ".";
            report_.breaches.push_back(std::move(breach));
        }
    }

    std::optional<std::size_t> inputAt(const std::string& path) const {
        constexpr std::string_view kFlat = "flat_args[";
        if (path.compare(0, kFlat.size(), kFlat) == 0 && path.back() == ']') {
            const Result<std::size_t> index = contract_.findInput(path.substr(kFlat.size(), path.size() - kFlat.size() - 1));
            return index ? std::optional(*index) : std::nullopt;
        }
        const Result<std::size_t> index = contract_.findInput(path);
        return index ? std::optional(*index) : std::nullopt;
    }

    void checkGuards() {
        std::size_t unknown = 0;
        for (const std::string& guard : contract_.guards) {
            std::vector<std::size_t> read;
            const GuardResult result = evaluateGuard(guard, [&](const GuardTerm& term) -> std::optional<std::int64_t> {
                const std::optional<std::size_t> i = inputAt(term.path);
                if (!i || !isGiven(*i) || term.dimension >= sizesOf(*i).size()) return std::nullopt;
                read.push_back(*i);
                return sizesOf(*i)[term.dimension];
            });
            if (!result.holds) ++unknown;
            if (result.holds.value_or(true)) continue;
            const bool saidAlready = std::any_of(report_.breaches.begin(), report_.breaches.end(), [&](const Breach& breach) {
                const bool aboutSizes = breach.what == Breach::What::Size || breach.what == Breach::What::Range || breach.what == Breach::What::Rank;
                return aboutSizes && std::find(read.begin(), read.end(), breach.contractIndex) != read.end();
            });
            if (saidAlready || read.empty()) continue;
            std::string sizes;
            for (const GuardTerm& term : result.terms) {
                const std::optional<std::size_t> i = inputAt(term.path);
                const std::string text =
                    term.path + " dimension " + std::to_string(term.dimension) + " is " + std::to_string(sizesOf(*i)[term.dimension]);
                if (sizes.find(text) == std::string::npos) sizes += (sizes.empty() ? "" : ", ") + text;
            }
            add(Breach::What::Guard, read.front(), std::nullopt, sizes, result.readable,
                "The program holds only where " + result.readable + "; here " + sizes + ".");
        }
        if (unknown > 0) {
            report_.notes.push_back(std::to_string(unknown) + (unknown == 1 ? " condition" : " conditions") +
                                    " of the program could not be evaluated and may not hold.");
        }
    }

    void addNotes() {
        for (const std::string& note : contract_.notes) report_.notes.push_back(note);
        if (contract_.hasCompiled && contract_.inputsKnown && !contract_.checksCompiledIn) {
            report_.notes.emplace_back(
                "No runtime checks are known to be compiled into the model, so it takes any input; only this check stands before it.");
        }
        for (std::string& sentence : contractCoverage(contract_).notChecked) {
            if (std::find(report_.notes.begin(), report_.notes.end(), sentence) == report_.notes.end()) report_.notes.push_back(std::move(sentence));
        }
        for (std::string& note : orderNotes(contract_)) report_.notes.push_back(std::move(note));
    }

    const Contract& contract_;
    const InputSet& set_;
    std::string_view device_;
    CheckReport report_;
    SymbolValues symbols_;
    std::map<std::string, std::pair<std::size_t, std::size_t>, std::less<>> binders_;
};

}  // namespace

const char* breachName(Breach::What what) {
    switch (what) {
        case Breach::What::Rank: return "rank";
        case Breach::What::Size: return "size";
        case Breach::What::DType: return "dtype";
        case Breach::What::Stride: return "stride";
        case Breach::What::Device: return "device";
        case Breach::What::Range: return "range";
        case Breach::What::Guard: return "guard";
        case Breach::What::Missing: return "missing";
        case Breach::What::Unknown: return "unknown";
    }
    return "unknown";
}

CheckReport checkInputs(const Contract& contract, const InputSet& inputs, std::string_view device) { return Checker(contract, inputs, device).run(); }

}  // namespace pt2
