#include "core/contract/program_asserts.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "core/base/text.h"
#include "core/contract/assert_text.h"
#include "core/contract/contract_notes.h"
#include "core/contract/guards.h"
#include "core/program/operator_family.h"
#include "core/program/printed_form.h"

namespace pt2 {
namespace {

using Kind = ProgramAssert::Kind;
using InCode = ProgramAssert::InCode;

constexpr std::size_t kMostCombinations = 4096;
constexpr std::size_t kMostEvaluations = 1U << 16;  // for all guards of a program together
constexpr std::int64_t kSampledBeyond = 64;         // of a size without an upper limit so many values are tried

std::string withoutSpaces(std::string_view text) {
    std::string packed;
    for (const char c : text) {
        if (c != ' ') packed.push_back(c);
    }
    return packed;
}

/// "Runtime assertion failed for expression u0 >= 2 on node 'ge_1'" → "u0 >= 2"; "" where the message is of another form.
std::string expressionInMessage(std::string_view message) {
    constexpr std::string_view kBefore = "for expression ", kAfter = " on node";
    const std::size_t begin = message.find(kBefore);
    const std::size_t end = begin == std::string_view::npos ? begin : message.find(kAfter, begin);
    if (end == std::string_view::npos) return {};
    return std::string(message.substr(begin + kBefore.size(), end - begin - kBefore.size()));
}

class AssertFinder {
public:
    AssertFinder(const Program& program, const Contract& contract, const CompiledModel* compiled)
        : program_(program), contract_(contract), compiled_(compiled != nullptr && compiled->sourceRead ? compiled : nullptr) {}

    std::vector<ProgramAssert> run() {
        for (NodeId id = 0; id < program_.nodes().size(); ++id) node(id);
        for (const std::string& guard : contract_.guards) this->guard(guard);
        for (const ContractSymbol& symbol : contract_.symbols) bounds(symbol);
        for (ProgramAssert& made : found_) {
            if (made.sentence.empty()) made.sentence = withMakers(assertSentence(contract_, made.condition));
        }
        return std::move(found_);
    }

private:
    const Argument* argumentOf(const Node& node, std::string_view name, std::size_t position) const {
        std::size_t k = 0;
        for (std::uint32_t i = node.inputs.begin; i < node.inputs.end; ++i, ++k) {
            const NamedArgument& argument = program_.namedArguments()[i];
            if (argument.argument != kNone && (argument.name == name || (argument.name.empty() && k == position)))
                return &program_.argument(argument.argument);
        }
        return nullptr;
    }

    void node(NodeId id) {
        const Node& node = program_.node(id);
        constexpr std::string_view kAten = "torch.ops.aten.";
        if (node.target.substr(0, kAten.size()) != kAten) return;
        const std::string_view name = node.target.substr(kAten.size());
        const auto is = [&](std::string_view op) { return name.substr(0, op.size()) == op && name.size() > op.size() && name[op.size()] == '.'; };
        if (is("_assert_scalar")) return scalar(id, node);
        if (is("_assert_tensor_metadata")) return metadata(id, node);
        if (is("_assert_async") || is("_functional_assert_async")) return async(id, node);
        if (is("sym_constrain_range") || is("sym_constrain_range_for_size")) return constrainedRange(id, node);
    }

    ProgramAssert& add(Kind kind, std::string condition, NodeId id) {
        ProgramAssert& made = found_.emplace_back();
        made.kind = kind;
        made.condition = std::move(condition);
        if (id != kNone) made.node = program_.nodeAddress(id);
        if (compiled_ == nullptr)
            made.why = contract_.hasCompiled ? "The wrapper source is not there to look in." : "There is no compiled model here.";
        return made;
    }

    /// Sizes that a run makes ("u0") are said with the node that makes them.
    std::string withMakers(std::string sentence) const {
        constexpr std::size_t kMostNamed = 3;
        if (makers_.empty() && !makersRead_) readMakers();
        std::vector<std::string> said;
        for (std::size_t i = 0; i < sentence.size() && said.size() < kMostNamed; ++i) {
            const auto wordAt = [&](std::size_t k) {
                return k < sentence.size() && (std::isalnum(static_cast<unsigned char>(sentence[k])) != 0 || sentence[k] == '_');
            };
            if (!wordAt(i) || (i > 0 && (wordAt(i - 1) || sentence[i - 1] == '.'))) continue;
            std::size_t end = i;
            while (wordAt(end)) ++end;
            const auto maker = makers_.find(sentence.substr(i, end - i));
            if (maker == makers_.end()) continue;
            std::string part = maker->first + " is made by " + maker->second;
            if (std::find(said.begin(), said.end(), part) == said.end()) said.push_back(std::move(part));
        }
        if (said.empty() || sentence.back() != '.') return sentence;
        sentence.pop_back();
        return sentence + ", where " + join(said, " and ") + ".";
    }

    void readMakers() const {
        makersRead_ = true;
        for (const Value& value : program_.values()) {
            if (value.graph != 0 || value.kind != ValueKind::SymInt || value.producer == kNone || !value.symbolic.isSymbolic()) continue;
            const std::string name = program_.dimText(value.symbolic);
            if (name.size() > 1 && name[0] == 'u' && name.find_first_not_of("0123456789", 1) == std::string::npos)
                makers_.emplace(name, std::string(program_.displayName(value.producer)));
        }
    }

    const CompiledAssert* inSource(std::string_view condition, std::string_view message) const {
        for (const CompiledAssert& held : compiled_->asserts) {
            if (!condition.empty() && withoutSpaces(held.condition) == withoutSpaces(condition)) return &held;
            if (!message.empty() && held.message.find(message) != std::string::npos) return &held;
        }
        return nullptr;
    }

    void decide(ProgramAssert& made, std::string_view condition, std::string_view message) const {
        if (compiled_ == nullptr) return;
        if (const CompiledAssert* held = inSource(condition, message)) {
            made.inCode = InCode::Kept;
            made.source = {Origin::WrapperSource, held->line};
            made.why = "The code tests it while it runs, whatever the runtime checks are set to.";
        } else {
            made.inCode = InCode::Lost;
            made.why = "The generated code does not test it.";
        }
    }

    std::string conditionOf(const Argument* argument) const {
        if (argument == nullptr) return {};
        if (argument->value != kNone) {
            const Value& value = program_.value(argument->value);
            if (value.kind == ValueKind::SymBool && value.symbolic.isSymbolic()) return program_.dimText(value.symbolic);
            return {};
        }
        return argument->kind == ArgumentKind::Bool ? (argument->integer != 0 ? "True" : "False") : std::string();
    }

    void scalar(NodeId id, const Node& node) {
        const Argument* text = argumentOf(node, "assert_msg", 1);
        const std::string message = text != nullptr && text->kind == ArgumentKind::String ? std::string(text->text) : std::string();
        const std::string stated = expressionInMessage(message);
        std::string condition = conditionOf(argumentOf(node, "self", 0));
        if (condition.empty() || condition.find_first_of("<>=") == std::string::npos) condition = !stated.empty() ? stated : condition;
        ProgramAssert& made = add(Kind::Scalar, condition.empty() ? message : condition, id);
        decide(made, condition, message);
        if (made.inCode == InCode::Lost && !stated.empty() && stated != condition) decide(made, stated, {});
    }

    void constrainedRange(NodeId id, const Node& node) {
        const Argument* size = argumentOf(node, "size", 0);
        const std::string name =
            size == nullptr || size->value == kNone ? std::string("a size") : program_.dimText(program_.value(size->value).symbolic);
        for (const bool lower : {true, false}) {
            const Argument* bound = argumentOf(node, lower ? "min" : "max", lower ? 1 : 2);
            if (bound == nullptr || bound->kind != ArgumentKind::Int) continue;
            const std::string condition = name + (lower ? " >= " : " <= ") + std::to_string(bound->integer);
            decide(add(Kind::Range, condition, id), condition, {});
        }
    }

    void metadata(NodeId id, const Node& node) {
        const Argument* tensor = argumentOf(node, "a", 0);
        const Argument* dtype = argumentOf(node, "dtype", 3);
        const std::string_view name = tensor != nullptr && tensor->value != kNone ? program_.value(tensor->value).name : std::string_view();
        std::string condition = (name.empty() ? std::string("a tensor") : std::string(name)) + " is as at export";
        if (dtype != nullptr && dtype->kind != ArgumentKind::None) {
            for (std::uint32_t i = node.inputs.begin; i < node.inputs.end; ++i) {
                const NamedArgument& argument = program_.namedArguments()[i];
                if (argument.name == "dtype") condition = std::string(name) + " is " + printArgument(program_, argument.argument);
            }
        }
        ProgramAssert& made = add(Kind::Metadata, std::move(condition), id);
        describeMetadata(made, tensor, node);
        if (compiled_ == nullptr) return;
        const auto input = std::find_if(contract_.inputs.begin(), contract_.inputs.end(),
                                        [&](const ContractInput& i) { return !name.empty() && i.graphName == name && !i.isConstant; });
        if (input != contract_.inputs.end() && input->dtypeTestedAtRuntime) {
            made.inCode = InCode::Kept;
            made.source = input->dtypeSource;
            made.why = "It is about an input, whose dtype the runtime checks test.";
        } else {
            made.inCode = InCode::Lost;
            made.why = "The generated code does not test it.";
        }
    }

    /// A type that is not the caller's to give cannot be another than the program has it.
    void describeMetadata(ProgramAssert& made, const Argument* tensor, const Node& node) const {
        if (tensor == nullptr || tensor->value == kNone) return;
        const Value& value = program_.value(tensor->value);
        std::string asserted;
        bool others = false;  // sizes, strides or a device are asserted too
        for (std::uint32_t i = node.inputs.begin; i < node.inputs.end; ++i) {
            const NamedArgument& argument = program_.namedArguments()[i];
            if (i == node.inputs.begin || argument.argument == kNone || program_.argument(argument.argument).kind == ArgumentKind::None) continue;
            if (argument.name == "dtype") {
                asserted = printArgument(program_, argument.argument);
            } else if (argument.name != "device" && argument.name != "layout") {
                others = true;
            }
        }
        constexpr std::string_view kTorch = "torch.";
        const std::string dtype = asserted.substr(0, kTorch.size()) == kTorch ? asserted.substr(kTorch.size()) : asserted;
        const bool ofCaller = value.graph == 0 && value.inputIndex < program_.inputSpecs().size() &&
                              program_.inputSpecs()[value.inputIndex].kind == InputKind::UserInput;
        made.fixedByProgram = !ofCaller && !others && (asserted.empty() || dtype == dtypeName(value.dtype));
        std::string name(value.name);
        for (const ContractInput& input : contract_.inputs) {
            if (ofCaller && input.graphName == value.name) name = input.name;
        }
        made.sentence = (ofCaller ? "Input \"" : "The value \"") + name + "\" must be " + (dtype.empty() || others ? "as at export" : dtype) + ".";
    }

    /// The comparison that a truth value came from: "x <= y"; empty where none made it.
    std::string comparisonOf(ValueId value) const {
        static constexpr std::pair<std::string_view, std::string_view> kSigns[] = {{"eq", " == "}, {"ne", " != "}, {"le", " <= "},
                                                                                   {"lt", " < "},  {"ge", " >= "}, {"gt", " > "}};
        constexpr int kMostSteps = 8;
        for (int step = 0; step < kMostSteps && value != kNone; ++step) {
            const NodeId producer = program_.value(value).producer;
            if (producer == kNone) return {};
            const Node& node = program_.node(producer);
            const OperatorName op = splitOperatorName(node.target);
            if (op.ns != "aten" || node.inputs.size() == 0) return {};
            for (const auto& [name, sign] : kSigns) {
                if (op.name != name || node.inputs.size() != 2) continue;
                return printArgument(program_, program_.namedArguments()[node.inputs.begin].argument) + std::string(sign) +
                       printArgument(program_, program_.namedArguments()[node.inputs.begin + 1].argument);
            }
            if (op.name != "all" && op.name != "alias" && op.name != "detach" && op.name != "to" && op.name != "_to_copy") return {};
            value = program_.argument(program_.namedArguments()[node.inputs.begin].argument).value;
        }
        return {};
    }

    void async(NodeId id, const Node& node) {
        const Argument* value = argumentOf(node, "self", 0);
        if (value == nullptr) value = argumentOf(node, "val", 0);
        const std::string name = value != nullptr && value->value != kNone ? std::string(program_.value(value->value).name) : "a tensor";
        ProgramAssert& made = add(Kind::Async, name + " is true", id);
        const std::string comparison = value != nullptr && value->value != kNone ? comparisonOf(value->value) : std::string();
        if (!comparison.empty()) {
            made.sentence = assertSentence(contract_, comparison);
            made.sentence.insert(made.sentence.size() - 1, ", in every element");
        } else {
            made.sentence =
                value != nullptr && value->value != kNone ? "The value \"" + name + "\" must be true." : "A value of the graph must be true.";
        }
        if (compiled_ == nullptr) return;
        const auto holds = [](const std::string& called) { return called.find("assert_async") != std::string::npos; };
        const bool kept = std::any_of(compiled_->kernels.begin(), compiled_->kernels.end(), holds) ||
                          std::any_of(compiled_->externalOperators.begin(), compiled_->externalOperators.end(), holds);
        made.inCode = kept ? InCode::Kept : InCode::Lost;
        made.why = kept ? "The code calls the operator that asserts." : "The generated code does not call the operator that asserts.";
    }

    // Guards: what the code's own tests of sizes leave over.

    /// One size a guard reads, as the code ties it: an expression over symbols, or a variable of its own.
    struct Term {
        ContractDim dim;
        std::string variable;  ///< of its own where nothing ties it
    };

    std::optional<std::pair<std::size_t, std::size_t>> placeOf(const GuardTerm& term) const {
        constexpr std::string_view kFlat = "flat_args[";
        std::string path = term.path;
        if (path.compare(0, kFlat.size(), kFlat) == 0 && path.back() == ']') path = path.substr(kFlat.size(), path.size() - kFlat.size() - 1);
        const Result<std::size_t> index = contract_.findInput(path);
        if (!index || term.dimension >= contract_.inputs[*index].sizes.size()) return std::nullopt;
        return std::pair(*index, term.dimension);
    }

    const CompiledInput* compiledInput(const ContractInput& input) const {
        if (!input.tensorIndex || *input.tensorIndex >= compiled_->inputs.size() || contract_.tensorCount() != compiled_->inputs.size())
            return nullptr;
        const CompiledInput& found = compiled_->inputs[*input.tensorIndex];
        return found.sizes.known() && found.sizes.value.size() == input.sizes.size() ? &found : nullptr;
    }

    void guard(const std::string& text) {
        std::vector<std::pair<std::size_t, std::size_t>> places;
        bool placed = true;
        const GuardResult reading = evaluateGuard(text, [&](const GuardTerm& term) -> std::optional<std::int64_t> {
            const auto place = placeOf(term);
            placed = placed && place.has_value();
            if (place && std::find(places.begin(), places.end(), *place) == places.end()) places.push_back(*place);
            return 2;
        });
        ProgramAssert& made = add(Kind::Guard, readableGuard(contract_, text), kNone);
        if (compiled_ == nullptr) return;
        if (!placed || places.empty() || !reading.holds) {
            made.why = "The condition was not understood.";
            return;
        }
        decideGuard(made, text, places);
    }

    void decideGuard(ProgramAssert& made, const std::string& text, const std::vector<std::pair<std::size_t, std::size_t>>& places) const {
        std::map<std::string, SymRange> variables;
        std::map<std::pair<std::size_t, std::size_t>, Term> terms;
        FactSource tested;
        for (const auto& [i, d] : places) {
            const ContractInput& input = contract_.inputs[i];
            const CompiledInput* compiled = compiledInput(input);
            if (compiled == nullptr) {
                made.why = "The code does not say how large the input may be.";
                return;
            }
            const CompiledDim& dim = compiled->sizes.value[d];
            Term term;
            if (dim.fixed) {
                term.dim.fixed = dim.fixed;
            } else {
                const Result<SymExpr> expression = SymExpr::parse(dim.symbol);
                // Equal names are one size only where something compares them: the assertion at first use does.
                if (compiled->assertedAtRuntime && expression) term.dim.expression = *expression;
                if (!term.dim.expression) term.variable = "#" + std::to_string(i) + ":" + std::to_string(d);
            }
            if (input.sizes[d].compiledSource.line != 0 && tested.line == 0) tested = input.sizes[d].compiledSource;
            const std::vector<std::string> names = term.dim.expression ? term.dim.expression->symbols() : std::vector<std::string>();
            for (const std::string& name : names) variables.emplace(name, testedRange(name));
            if (!term.variable.empty()) variables.emplace(term.variable, SymRange{dim.minimum, dim.maximum});
            terms.emplace(std::pair(i, d), std::move(term));
        }
        tryCombinations(made, text, variables, terms, tested);
    }

    /// What the code tests of a symbol, at every place where it stands bare.
    SymRange testedRange(const std::string& name) const {
        SymRange range;
        for (const CompiledInput& input : compiled_->inputs) {
            for (const CompiledDim& dim : input.sizes.value) {
                if (dim.fixed) continue;
                if (dim.symbol == name) {
                    range = intersectRanges(range, {dim.minimum, dim.maximum});
                } else if (const Result<SymExpr> expression = SymExpr::parse(dim.symbol);
                           input.assertedAtRuntime && expression && expression->symbols() == std::vector<std::string>{name}) {
                    range = intersectRanges(range, solvedRange(*expression, name, dim));
                }
            }
        }
        return range;
    }

    /// 4 <= 2*s44 <= 100 → 2 <= s44 <= 50, for forms that grow with their one symbol.
    static SymRange solvedRange(const SymExpr& expression, const std::string& name, const CompiledDim& dim) {
        const auto at = [&](std::int64_t number) {
            return expression.evaluate([&](std::string_view) -> std::optional<SymExpr::Value> { return number; });
        };
        const auto one = at(1), two = at(2);
        if (!one || !two || !std::holds_alternative<std::int64_t>(*one) || !std::holds_alternative<std::int64_t>(*two) ||
            std::get<std::int64_t>(*two) <= std::get<std::int64_t>(*one))
            return {};
        SymRange range;
        if (dim.minimum) range.minimum = expression.solveFor(name, *dim.minimum);
        if (dim.maximum) range.maximum = expression.solveFor(name, *dim.maximum);
        return range;
    }

    void tryCombinations(ProgramAssert& made, const std::string& text, const std::map<std::string, SymRange>& variables,
                         const std::map<std::pair<std::size_t, std::size_t>, Term>& terms, const FactSource& tested) const {
        struct Counter {
            std::string name;
            std::int64_t low = 0, count = 1, at = 0;
        };
        std::vector<Counter> counters;
        bool complete = true;
        for (const auto& [name, range] : variables) {
            Counter counter;
            counter.name = name;
            counter.low = std::max<std::int64_t>(range.minimum.value_or(0), 0);
            const std::int64_t high = range.maximum.value_or(counter.low > INT64_MAX - kSampledBeyond ? INT64_MAX : counter.low + kSampledBeyond);
            complete = complete && range.maximum.has_value();
            if (high < counter.low) return;
            counter.count = std::min<std::int64_t>(high - counter.low, static_cast<std::int64_t>(kMostCombinations)) + 1;
            complete = complete && counter.count <= static_cast<std::int64_t>(kMostCombinations);
            counters.push_back(std::move(counter));
        }
        for (std::size_t step = 0; step < kMostCombinations && evaluations_ < kMostEvaluations; ++step, ++evaluations_) {
            std::map<std::string, std::int64_t, std::less<>> values;
            for (const Counter& counter : counters) values.emplace(counter.name, counter.low + counter.at);
            std::string sizes;
            const GuardResult result = evaluateGuard(text, [&](const GuardTerm& guardTerm) { return sizeAt(guardTerm, terms, values, sizes); });
            if (!result.holds) {
                made.why = "The condition could not be evaluated for the sizes that the code allows.";
                return;
            }
            if (!*result.holds) {
                made.inCode = InCode::Lost;
                made.why = "The generated code takes " + sizes + ", for which it does not hold.";
                return;
            }
            std::size_t k = 0;
            while (k < counters.size() && ++counters[k].at == counters[k].count) counters[k++].at = 0;
            if (k < counters.size()) continue;
            if (complete) {
                made.inCode = InCode::Kept;
                made.source = tested;
                made.why = "It holds for all sizes that the runtime checks let pass.";
                return;
            }
            break;
        }
        made.why = "It holds for the sizes that were tried; there are more than could be.";
    }

    std::optional<std::int64_t> sizeAt(const GuardTerm& guardTerm, const std::map<std::pair<std::size_t, std::size_t>, Term>& terms,
                                       const std::map<std::string, std::int64_t, std::less<>>& values, std::string& sizes) const {
        const auto place = placeOf(guardTerm);
        const auto term = place ? terms.find(*place) : terms.end();
        if (term == terms.end()) return std::nullopt;
        std::optional<std::int64_t> size = term->second.dim.fixed;
        if (!term->second.variable.empty()) size = values.at(term->second.variable);
        if (term->second.dim.expression) {
            const auto value = term->second.dim.expression->evaluate([&](std::string_view name) -> std::optional<SymExpr::Value> {
                const auto found = values.find(name);
                return found == values.end() ? std::nullopt : std::optional<SymExpr::Value>(found->second);
            });
            if (value && std::holds_alternative<std::int64_t>(*value)) size = std::get<std::int64_t>(*value);
        }
        if (!size) return std::nullopt;
        const std::string text = contract_.inputs[place->first].name + " dimension " + std::to_string(place->second) + " = " + std::to_string(*size);
        if (sizes.find(text) == std::string::npos) sizes += (sizes.empty() ? "" : ", ") + text;
        return size;
    }

    // Bounds of the sizes of inputs.

    void bounds(const ContractSymbol& symbol) {
        if (symbol.places.empty()) return;
        if (symbol.program.minimum && *symbol.program.minimum > 0) bound(symbol, true, *symbol.program.minimum);
        if (symbol.program.maximum) bound(symbol, false, *symbol.program.maximum);
    }

    void bound(const ContractSymbol& symbol, bool lower, std::int64_t number) {
        ProgramAssert& made = add(Kind::Bound, symbol.name + (lower ? " >= " : " <= ") + std::to_string(number), kNone);
        if (compiled_ == nullptr) return;
        made.inCode = InCode::Lost;
        made.why = lower ? "The generated code tests no lower bound that is as high." : "The generated code tests no upper bound that is as low.";
        for (const auto& [i, d] : symbol.places) {
            const ContractDim& dim = contract_.inputs[i].sizes[d];
            const std::optional<std::int64_t> tested = lower ? dim.compiled.minimum : dim.compiled.maximum;
            if (!dim.testedAtRuntime || !tested || (lower ? *tested < number : *tested > number)) continue;
            made.inCode = InCode::Kept;
            made.source = boundSource(contract_.inputs[i], d, lower, dim);
            made.why = "The runtime checks test " + contract_.inputs[i].name + " dimension " + std::to_string(d) + (lower ? " >= " : " <= ") +
                       std::to_string(*tested) + ".";
            return;
        }
    }

    FactSource boundSource(const ContractInput& input, std::size_t d, bool lower, const ContractDim& dim) const {
        for (const RuntimeCheck& check : compiled_->checks) {
            if (check.what == (lower ? RuntimeCheck::What::Minimum : RuntimeCheck::What::Maximum) && check.input == input.tensorIndex &&
                check.dimension == d)
                return {Origin::WrapperSource, check.line};
        }
        return dim.compiledSource;
    }

    const Program& program_;
    const Contract& contract_;
    const CompiledModel* compiled_;
    std::vector<ProgramAssert> found_;
    mutable std::size_t evaluations_ = 0;
    mutable std::map<std::string, std::string> makers_;  // "u0" → "item"
    mutable bool makersRead_ = false;
};

}  // namespace

const char* assertKindName(Kind kind) {
    switch (kind) {
        case Kind::Scalar: return "assert";
        case Kind::Metadata: return "metadata";
        case Kind::Range: return "range";
        case Kind::Async: return "async";
        case Kind::Guard: return "guard";
        case Kind::Bound: return "bound";
    }
    return "";
}

const char* assertStateName(InCode inCode) {
    switch (inCode) {
        case InCode::Unknown: return "unknown";
        case InCode::Kept: return "kept";
        case InCode::Lost: return "lost";
    }
    return "";
}

std::vector<ProgramAssert> programAsserts(const Program& program, const Contract& contract, const CompiledModel* compiled) {
    return AssertFinder(program, contract, compiled).run();
}

}  // namespace pt2
