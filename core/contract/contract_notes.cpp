#include "core/contract/contract_notes.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <set>
#include <system_error>
#include <utility>
#include <variant>

#include "core/base/text.h"
#include "core/contract/coverage.h"
#include "core/contract/guards.h"
#include "core/contract/tree_values.h"

namespace pt2 {
namespace {

constexpr std::size_t kNamesShown = 6;
constexpr std::size_t kNotesShown = 50;  // a model of 600 inputs has no use for 600 sentences

std::string placeText(const Contract& contract, std::size_t input, std::size_t dimension) {
    return contract.inputs[input].name + " dimension " + std::to_string(dimension);
}

/// "a", "a and b", "a, b and c", "a, b and 4 more".
std::string listed(const std::vector<std::string>& parts) {
    const std::size_t shown = parts.size() > kNamesShown ? kNamesShown : parts.size();
    std::string text;
    for (std::size_t i = 0; i < shown; ++i) {
        const bool last = i + 1 == shown && shown == parts.size();
        text += (i == 0 ? "" : last ? " and " : ", ") + parts[i];
    }
    if (shown < parts.size()) text += " and " + std::to_string(parts.size() - shown) + " more";
    return text;
}

std::vector<std::string> atMost(std::vector<std::string> notes) {
    if (notes.size() <= kNotesShown) return notes;
    const std::size_t left = notes.size() - kNotesShown;
    notes.resize(kNotesShown);
    notes.push_back("And " + std::to_string(left) + " more of this kind.");
    return notes;
}

std::string trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return std::string(text);
}

/// Brackets around the whole, which say nothing.
std::string unbracketed(std::string text) {
    while (text.size() > 2 && text.front() == '(' && text.back() == ')') {
        std::size_t depth = 0;
        for (std::size_t i = 0; i + 1 < text.size(); ++i) {
            if (text[i] == '(') ++depth;
            if (text[i] == ')' && --depth == 0) return text;
        }
        text = trimmed(std::string_view(text).substr(1, text.size() - 2));
    }
    return text;
}

/// Where the one comparison of a condition stands outside of brackets; npos when there is none or more than one.
std::size_t comparisonAt(std::string_view text, std::string_view& op) {
    static constexpr std::array<std::string_view, 6> kOperators = {" == ", " != ", " <= ", " >= ", " < ", " > "};
    std::size_t depth = 0, found = std::string_view::npos;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '(') ++depth;
        if (text[i] == ')' && depth > 0) --depth;
        for (const std::string_view candidate : kOperators) {
            if (depth > 0 || text.substr(i, candidate.size()) != candidate) continue;
            if (found != std::string_view::npos) return std::string_view::npos;
            found = i;
            op = candidate;
        }
    }
    return found;
}

/// "x dimension 0 % 2" with remainder 0 → ("x dimension 0", "2").
std::optional<std::pair<std::string, std::string>> divisibility(const std::string& side) {
    const std::size_t at = side.rfind(" % ");
    if (at == std::string::npos || side.find(" % ") != at) return std::nullopt;
    std::string divisor = side.substr(at + 3);
    if (divisor.empty() || !std::all_of(divisor.begin(), divisor.end(), [](char c) { return c >= '0' && c <= '9'; })) return std::nullopt;
    std::string divided = side.substr(0, at);
    if (divided.find_first_of("+-") != std::string::npos && divided.front() != '(') return std::nullopt;
    return std::pair(std::move(divided), std::move(divisor));
}

}  // namespace

std::vector<std::string> orderNotes(const Contract& contract) {
    std::vector<std::pair<std::string, std::vector<std::string>>> groups;
    for (const ContractInput& input : contract.inputs) {
        if (input.isConstant || !input.rankKnown || input.dtype == DType::Unknown) continue;
        std::vector<std::string> sizes;
        for (const ContractDim& dim : input.sizes) sizes.push_back(dim.text.empty() && dim.fixed ? std::to_string(*dim.fixed) : dim.text);
        if (std::find(sizes.begin(), sizes.end(), "?") != sizes.end()) continue;  // what is not known is not called equal
        const std::string key = std::string(dtypeName(input.dtype)) + " " + formatShape(sizes);
        auto found = std::find_if(groups.begin(), groups.end(), [&](const auto& group) { return group.first == key; });
        if (found == groups.end()) found = groups.insert(groups.end(), {key, {}});
        found->second.push_back("\"" + input.name + "\"");
    }
    std::vector<std::string> notes;
    for (const auto& [key, names] : groups) {
        if (names.size() > 1)
            notes.push_back("Inputs " + listed(names) + " have the same type and shape (" + key + "); nothing notices when they are swapped.");
    }
    return notes;
}

std::vector<std::string> equalityNotes(const Contract& contract) {
    std::vector<std::string> notes;
    for (const ContractSymbol& symbol : contract.symbols) {
        if (symbol.places.size() < 2) continue;
        std::vector<std::string> places;
        for (const auto& [input, dimension] : symbol.places) places.push_back(placeText(contract, input, dimension));
        notes.push_back(listed(places) + " must be equal (" + symbol.name + ").");
    }
    for (std::size_t i = 0; i < contract.inputs.size(); ++i) {
        for (std::size_t d = 0; d < contract.inputs[i].sizes.size(); ++d) {
            const ContractDim& dim = contract.inputs[i].sizes[d];
            if (dim.fixed || !dim.expression || dim.expression->asSymbol()) continue;
            const std::size_t times = dim.text.find("*s");
            const bool multiple = times != std::string::npos && times > 0 && dim.text.find_first_not_of("0123456789") == times &&
                                  dim.text.find_first_not_of("0123456789", times + 2) == std::string::npos;
            const std::vector<std::string> names = dim.expression->symbols();
            const ContractSymbol* only = names.size() == 1 ? contract.findSymbol(names[0]) : nullptr;
            if (multiple && only != nullptr && only->places.empty()) {
                notes.push_back(placeText(contract, i, d) + " must be a multiple of " + dim.text.substr(0, times) + " (" + dim.text + ").");
                continue;
            }
            std::vector<std::string> where;
            for (const std::string& name : names) {
                const ContractSymbol* symbol = contract.findSymbol(name);
                const bool placed = symbol != nullptr && !symbol->places.empty();
                where.push_back(name +
                                (placed ? " is " + placeText(contract, symbol->places[0].first, symbol->places[0].second) : " is a whole number"));
            }
            notes.push_back(placeText(contract, i, d) + " must be " + dim.text + (where.empty() ? "." : ", where " + listed(where) + "."));
        }
    }
    return atMost(std::move(notes));
}

std::string readableGuard(const Contract& contract, std::string_view guard) {
    std::string text = evaluateGuard(guard, [](const GuardTerm&) -> std::optional<std::int64_t> { return 2; }).readable;
    constexpr std::string_view kFlat = "flat_args[";
    for (std::size_t at = text.find(kFlat); at != std::string::npos; at = text.find(kFlat, at + 1)) {
        const std::size_t close = text.find(']', at);
        if (close == std::string::npos) break;
        std::size_t index = 0;
        const char* begin = text.data() + at + kFlat.size();
        const auto [end, error] = std::from_chars(begin, text.data() + close, index);
        if (error != std::errc() || end != text.data() + close || index >= contract.inputs.size()) continue;
        text.replace(at, close + 1 - at, contract.inputs[index].name);
    }
    return unbracketed(trimmed(text));
}

std::string guardSentence(const Contract& contract, std::string_view guard) { return conditionSentence(readableGuard(contract, guard)); }

std::string conditionSentence(std::string_view condition) {
    const std::string text = unbracketed(trimmed(condition));
    std::string_view op;
    const std::size_t at = comparisonAt(text, op);
    const bool joined = text.find(" and ") != std::string::npos || text.find(" or ") != std::string::npos || text.find("not ") != std::string::npos;
    if (at == std::string_view::npos || joined) return "It must hold that " + text + ".";
    const std::string left = unbracketed(trimmed(std::string_view(text).substr(0, at)));
    const std::string right = unbracketed(trimmed(std::string_view(text).substr(at + op.size())));
    if (op == " == " && right == "0") {
        if (const auto parts = divisibility(left)) return parts->first + " must be a multiple of " + parts->second + ".";
    }
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kWords = {{{" == ", " must equal "},
                                                                                             {" != ", " must not be "},
                                                                                             {" <= ", " must be at most "},
                                                                                             {" >= ", " must be at least "},
                                                                                             {" < ", " must be less than "},
                                                                                             {" > ", " must be more than "}}};
    for (const auto& [sign, words] : kWords) {
        if (sign == op) return left + std::string(words) + right + ".";
    }
    return text + ".";
}

namespace {

std::optional<std::size_t> inputOf(const Contract& contract, const GuardTerm& term) {
    constexpr std::string_view kFlat = "flat_args[";
    std::string path = term.path;
    if (path.compare(0, kFlat.size(), kFlat) == 0 && path.back() == ']') path = path.substr(kFlat.size(), path.size() - kFlat.size() - 1);
    const Result<std::size_t> index = contract.findInput(path);
    if (!index || term.dimension >= contract.inputs[*index].sizes.size()) return std::nullopt;
    return *index;
}

/// "x dimension 0" of every size that a guard reads.
std::vector<std::string> placesOf(const Contract& contract, const std::string& guard) {
    std::vector<std::string> places;
    for (const GuardTerm& term : evaluateGuard(guard, [](const GuardTerm&) -> std::optional<std::int64_t> { return 2; }).terms) {
        if (const auto input = inputOf(contract, term)) places.push_back(placeText(contract, *input, term.dimension));
    }
    return places;
}

/// A guard that says of two sides that they are equal, and that the sizes of the inputs make true by themselves: it holds for any values of the
/// symbols. Polynomials that agree at so many scattered places are equal, and remainders that are always 0 are.
bool saidBySizes(const Contract& contract, const std::string& guard) {
    if (guard.find(" == ") == std::string::npos || guard.find_first_of("<>!") != std::string::npos || guard.find(" or ") != std::string::npos ||
        guard.find("not ") != std::string::npos)
        return false;
    constexpr std::uint64_t kTries = 48, kSpread = 4999;
    for (std::uint64_t k = 0; k < kTries; ++k) {
        const auto valueOf = [k](std::string_view symbol) {
            std::uint64_t x = k * 0x9E3779B97F4A7C15U + 1;
            for (const char c : symbol) x = (x ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
            x ^= x >> 29U;
            return static_cast<std::int64_t>(x % kSpread) + 2;
        };
        const GuardResult result = evaluateGuard(guard, [&](const GuardTerm& term) -> std::optional<std::int64_t> {
            const std::optional<std::size_t> index = inputOf(contract, term);
            if (!index) return std::nullopt;
            const ContractDim& dim = contract.inputs[*index].sizes[term.dimension];
            if (dim.fixed || !dim.expression) return dim.fixed;
            const auto value = dim.expression->evaluate([&](std::string_view name) -> std::optional<SymExpr::Value> { return valueOf(name); });
            if (!value || !std::holds_alternative<std::int64_t>(*value)) return std::nullopt;
            return std::get<std::int64_t>(*value);
        });
        if (!result.holds.value_or(false)) return false;
    }
    return true;
}

}  // namespace

std::vector<ConditionNote> conditionNotes(const Contract& contract) {
    std::vector<ConditionNote> notes;
    for (std::string& sentence : equalityNotes(contract)) notes.push_back({std::move(sentence), false, {}});
    const std::size_t equalities = notes.size();
    for (const std::string& guard : contract.guards) {
        std::string sentence = guardSentence(contract, guard);
        const auto same = std::find_if(notes.begin(), notes.end(), [&](const ConditionNote& note) { return note.sentence == sentence; });
        if (same != notes.end()) {
            same->guards.push_back(guard);
            continue;
        }
        if (equalities > 0 && saidBySizes(contract, guard)) {
            const std::vector<std::string> places = placesOf(contract, guard);
            const auto about = std::find_if(notes.begin(), notes.begin() + static_cast<std::ptrdiff_t>(equalities), [&](const ConditionNote& note) {
                return std::any_of(places.begin(), places.end(),
                                   [&](const std::string& place) { return note.sentence.find(place) != std::string::npos; });
            });
            if (about != notes.begin() + static_cast<std::ptrdiff_t>(equalities)) {
                about->guards.push_back(guard);
                continue;
            }
        }
        notes.push_back({std::move(sentence), true, {guard}});
    }
    return notes;
}

std::vector<std::string> sizeOneNotes(const Contract& contract) {
    std::vector<std::string> notes, starts, fixed;
    for (const ContractSymbol& symbol : contract.symbols) {
        const bool program = contract.hasProgram && symbol.program.minimum == 2;
        const bool compiled = symbol.compiledKnown && symbol.compiled.minimum == 2;
        if (program || (compiled && !contract.hasProgram)) starts.push_back(symbol.name);
    }
    if (!starts.empty()) {
        notes.push_back(
            listed(starts) + (starts.size() == 1 ? " starts" : " start") +
            " at 2: torch takes sizes of 0 and 1 for constants (0/1 specialisation), so a size that it makes dynamic starts at 2 unless a "
            "lower one was asked for.");
    }
    for (std::size_t i = 0; i < contract.inputs.size(); ++i) {
        const ContractInput& input = contract.inputs[i];
        if (!input.isConstant && input.sizes.size() > 1 && input.sizes[0].fixed == 1) fixed.push_back(placeText(contract, i, 0));
    }
    if (!fixed.empty()) {
        notes.push_back(
            listed(fixed) + (fixed.size() == 1 ? " is" : " are") +
            " fixed at 1. Where that was meant to be dynamic: torch.export takes a size of 0 or 1 for a constant, so the sample needs 2 or "
            "more.");
    }
    return notes;
}

std::vector<std::string> boundNotes(const Contract& contract) {
    std::vector<std::string> notes;
    if (!contract.hasProgram || !contract.hasCompiled) return notes;
    for (const ContractSymbol& symbol : contract.symbols) {
        if (!symbol.compiledKnown || symbol.compiled == symbol.program || symbol.places.empty()) continue;
        std::string note = placeText(contract, symbol.places[0].first, symbol.places[0].second) + " (" + symbol.name + "): the program allows " +
                           rangeText(symbol.program) + ", the compiled code tests " + testedRangeText(symbol.compiled) + ".";
        if (symbol.compiled.minimum == 2 && symbol.program.minimum.value_or(0) < 2) {
            note += " torch compiles for sizes of 2 and more and treats 1 apart; with runtime checks on, 1 is refused.";
        }
        notes.push_back(std::move(note));
    }
    return atMost(std::move(notes));
}

std::vector<std::string> uncheckedNotes(const Contract& contract) {
    std::vector<std::string> notes;
    if (!contract.hasCompiled || !contract.sourceRead) return notes;
    if (!contract.checksCompiledIn) {
        notes.emplace_back("The compiled code tests nothing of its inputs but their number.");
        return notes;
    }
    std::vector<std::string> ranks;
    for (const ContractInput& input : contract.inputs) {
        if (input.isConstant) continue;
        const std::string name = "\"" + input.name + "\"";
        if (!input.checkedAtRuntime && !input.assertedAtRuntime) {
            notes.push_back("Input " + name + " is not tested at all.");
            continue;
        }
        if (!input.dtypeTestedAtRuntime) notes.push_back("The dtype of input " + name + " is not tested.");
        if (!input.deviceTestedAtRuntime) notes.push_back("The device of input " + name + " is not tested.");
        if (!input.assertedAtRuntime) ranks.push_back(name);
        for (std::size_t d = 0; d < input.sizes.size(); ++d) {
            const ContractDim& dim = input.sizes[d];
            const std::string where = "Input " + name + ", dimension " + std::to_string(d) + (dim.fixed ? "" : " (" + dim.text + ")");
            if (dim.fixed) {
                if (!dim.testedAtRuntime && !input.assertedAtRuntime) notes.push_back(where + ": the size is not tested.");
                continue;
            }
            if (!dim.compiled.minimum) notes.push_back(where + ": no lower bound is tested.");
            if (!dim.compiled.maximum && (dim.program.maximum || !contract.hasProgram)) notes.push_back(where + ": no upper bound is tested.");
        }
    }
    if (!ranks.empty()) notes.push_back("The number of dimensions of " + listed(ranks) + " is not tested.");
    for (const ContractSymbol& symbol : contract.symbols) {
        std::vector<std::string> loose;
        for (const auto& [input, dimension] : symbol.places) {
            if (!contract.inputs[input].assertedAtRuntime) loose.push_back(placeText(contract, input, dimension));
        }
        if (symbol.places.size() > 1 && !loose.empty()) {
            std::vector<std::string> places;
            for (const auto& [input, dimension] : symbol.places) places.push_back(placeText(contract, input, dimension));
            notes.push_back("That " + listed(places) + " are equal is not tested.");
        }
    }
    return atMost(std::move(notes));
}

std::vector<std::string> fixedSizeNotes(const Document& document, const Contract& contract) {
    std::vector<std::string> notes;
    if (!contract.hasProgram) return notes;
    std::set<std::pair<std::size_t, std::size_t>> said;
    const auto isFixed = [&](std::size_t i, std::size_t d) {
        return i < contract.inputs.size() && d < contract.inputs[i].sizes.size() && contract.inputs[i].sizes[d].fixed.has_value();
    };
    const Document::ProgramRef program = document.program(contract.model);
    if (program && program.entry->sampleInputs) {
        const Result<TorchSaveFile> samples = program.package->loadSampleInputs(*program.entry);
        if (samples && samples->root()) {
            const auto leaves = flattenInputs(contract, *samples->root());
            for (std::size_t i = 0; leaves && i < leaves->size() && i < contract.inputs.size(); ++i) {
                if ((*leaves)[i] == nullptr) continue;
                for (const std::int64_t marked : (*leaves)[i]->markedDynamic) {
                    const auto d = static_cast<std::size_t>(marked);
                    if (!isFixed(i, d) || !said.emplace(i, d).second) continue;
                    const std::int64_t fixed = *contract.inputs[i].sizes[d].fixed;
                    notes.push_back(
                        placeText(contract, i, d) + " was marked as dynamic on the sample input, and the program fixes it at " +
                        std::to_string(fixed) +
                        (fixed < 2 ? ". torch.export takes sizes of 0 and 1 for constants." : ". Something in the model asks for that size."));
                }
            }
        }
    }
    for (std::size_t i = 0; i < contract.inputs.size(); ++i) {
        for (std::size_t d = 0; d < contract.inputs[i].sizes.size(); ++d) {
            const ContractDim& dim = contract.inputs[i].sizes[d];
            if (!dim.fixed || *dim.fixed < 2 || said.count({i, d}) != 0) continue;
            for (const ContractSymbol& symbol : contract.symbols) {
                const auto twin = std::find_if(symbol.places.begin(), symbol.places.end(),
                                               [&](const auto& place) { return place.second == d && place.first != i; });
                if (symbol.hint != dim.fixed || twin == symbol.places.end()) continue;
                said.emplace(i, d);
                notes.push_back(placeText(contract, i, d) + " is fixed at " + std::to_string(*dim.fixed) + ", which is also the size of " +
                                placeText(contract, twin->first, twin->second) + " (" + symbol.name +
                                ") at export. If they are one size, only that one works.");
                break;
            }
        }
    }
    return atMost(std::move(notes));
}

}  // namespace pt2
