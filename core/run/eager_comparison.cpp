#include "core/run/eager_comparison.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/base/text.h"
#include "core/contract/call_changes.h"
#include "core/program/random_operators.h"

namespace pt2 {

namespace {

const std::string kBuffer = "buffer ";

/// Buffers that both sides tell, as outputs of their own.
void addState(const std::vector<StateChange>& compiled, const NamedTensors& eager, NamedTensors& actual, NamedTensors& expected) {
    for (const StateChange& change : compiled) {
        if (change.isInput || isNone(change.after.view())) continue;
        const auto reference = std::find_if(eager.begin(), eager.end(), [&change](const auto& one) { return one.first == change.name; });
        if (reference == eager.end()) continue;
        actual.emplace_back(kBuffer + change.name, change.after);
        expected.emplace_back(kBuffer + change.name, reference->second);
    }
}

/// The first output or buffer of a call that does not hold.
std::string differing(const Comparison& comparison) {
    for (const OutputComparison& output : comparison.outputs) {
        if (output.comparable && output.ok) continue;
        return (output.name.starts_with(kBuffer) ? std::string() : std::string("output ")) + escapeForDisplay(output.name);
    }
    return {};
}

}  // namespace

bool EagerComparison::ok() const { return (comparison.ok() || rounding) && !firstDiffering; }

std::string EagerComparison::verdict() const {
    if (firstDiffering && comparison.ok()) return "differs from call " + std::to_string(*firstDiffering + 1) + " on";
    return rounding && !firstDiffering ? "normal for the dtype" : comparison.verdict();
}

std::string EagerComparison::sentence() const {
    std::string text;
    if (firstDiffering && comparison.ok()) {
        text = "Call " + std::to_string(*firstDiffering + 1) + " of " + std::to_string(calls.size()) + " is the first that differs, in " +
               differing(calls[*firstDiffering]) + ": " + calls[*firstDiffering].sentence();
    } else {
        text = comparison.sentence();
        if (calls.size() > 1 && !firstDiffering) text += " So are all " + std::to_string(calls.size()) + " calls, with the buffers after each.";
    }
    if (const std::string judged = float64Sentence(distances); !judged.empty()) text += " " + judged;
    return text;
}

Result<EagerComparison> compareWithEager(const RunOutcome& outcome, const EagerRun& eager, const ToleranceChoice& tolerances,
                                         const CancelToken& cancel) {
    EagerComparison out;
    auto first = compareOutputs(outcome.outputs, eager.outputs(), tolerances, cancel);
    if (!first) return fail(first.error());
    out.comparison = std::move(*first);
    if (outcome.steps.size() <= 1) return out;
    for (std::size_t i = 0; i < std::min(outcome.steps.size(), eager.calls.size()); ++i) {
        auto expected = pairOutputs(outcome.steps[i], eager.calls[i]);
        if (!expected) return fail(expected.error());
        NamedTensors actual = outcome.steps[i];
        if (i < outcome.stepStates.size() && i < eager.states.size()) addState(outcome.stepStates[i], eager.states[i], actual, *expected);
        auto call = compareOutputs(actual, *expected, tolerances, cancel);
        if (!call) return fail(call.error());
        if (!call->ok() && !out.firstDiffering) out.firstDiffering = i;
        out.calls.push_back(std::move(*call));
    }
    return out;
}

Status judge(EagerComparison& comparison, const RunOutcome& outcome, const EagerRun& eager, const EagerRun& exact, const CancelToken& cancel) {
    auto distances = judgeByFloat64(outcome.outputs, eager.outputs(), exact.outputs(), cancel);
    if (!distances) return fail(distances.error());
    comparison.distances = std::move(*distances);
    comparison.rounding = !comparison.comparison.ok() && isRounding(comparison.comparison, comparison.distances);
    // The first call is then no difference; of later ones float64 knows nothing.
    if (comparison.rounding && comparison.firstDiffering == std::size_t{0}) comparison.firstDiffering.reset();
    return {};
}

std::vector<std::string> changedState(const Document& document, const Contract& contract) {
    std::vector<std::string> names;
    const auto ref = document.program(contract.model);
    if (!ref || !ref.entry->program) return names;
    for (const CallChange& change : callChanges(*ref.entry->program, contract)) {
        const bool state = change.what == CallChange::What::Buffer || change.what == CallChange::What::Parameter;
        if (state && std::find(names.begin(), names.end(), change.name) == names.end()) names.push_back(change.name);
    }
    return names;
}

std::vector<std::string> comparisonWarnings(const Document& document, const Contract& contract, bool isSequence) {
    std::vector<std::string> warnings;
    const auto ref = document.program(contract.model);
    if (!ref || !ref.entry->program) return warnings;
    const Program& program = *ref.entry->program;
    if (std::string random = randomWarning(program); !random.empty()) warnings.push_back(std::move(random));
    if (const std::vector<std::string> state = changedState(document, contract); !state.empty() && !isSequence) {
        warnings.push_back("Each call changes " + escapeForDisplay(join(state, ", ")) +
                           ": the first call after loading is compared; \"pt2 compare --steps N\" compares a sequence.");
    }
    // One value under two names, or an input handed back.
    std::map<std::string_view, std::string> seen;
    for (const ContractInput& input : contract.inputs) {
        if (!input.graphName.empty()) seen.emplace(input.graphName, "input " + escapeForDisplay(input.name));
    }
    for (const ContractOutput& output : contract.outputs) {
        if (!output.isTensor || output.graphName.empty()) continue;
        const auto [at, isNew] = seen.emplace(output.graphName, "output " + escapeForDisplay(output.name));
        if (isNew) continue;
        warnings.push_back("Output " + escapeForDisplay(output.name) + " is " + at->second +
                           " itself, in eager one tensor under two names: writing to one changes both.");
    }
    return warnings;
}

}  // namespace pt2
