#include "app/pt2/run_report.h"

#include <algorithm>

#include "app/pt2/table.h"
#include "core/base/text.h"
#include "core/compare/compare.h"
#include "core/report/tensor_json.h"
#include "core/run/constants_file.h"
#include "core/run/run_text.h"
#include "core/run/sandbox.h"
#include "core/tensor/statistics.h"

namespace pt2 {
namespace {

/// Outputs up to this many elements are written out in JSON; larger ones have --save.
constexpr std::uint64_t kValuesInJson = 1024;
constexpr std::uint64_t kValuesShown = 4;

Json statisticsOf(const TensorView& view) {
    const auto statistics = computeStatistics(view);
    return statistics ? statisticsJson(*statistics) : Json();
}

Json tensorsJson(const NamedTensors& tensors) {
    Json out = Json::array();
    for (const auto& [name, tensor] : tensors) {
        if (isNone(tensor.view())) {
            out.push_back({{"name", name}, {"dtype", nullptr}, {"shape", nullptr}, {"stats", nullptr}, {"values", nullptr}});
            continue;
        }
        Json item = {
            {"name", name}, {"dtype", dtypeName(tensor.layout.dtype)}, {"shape", tensor.layout.sizes}, {"stats", statisticsOf(tensor.view())}};
        const auto count = tensor.layout.elementCount();
        if (count && *count <= kValuesInJson) item["values"] = valuesJson(tensor.view());
        out.push_back(std::move(item));
    }
    return out;
}

Json tensorJson(const Tensor& tensor) {
    if (isNone(tensor.view())) return {};
    Json item = {{"dtype", dtypeName(tensor.layout.dtype)}, {"shape", tensor.layout.sizes}, {"stats", statisticsOf(tensor.view())}};
    const auto count = tensor.layout.elementCount();
    if (count && *count <= kValuesInJson) item["values"] = valuesJson(tensor.view());
    return item;
}

/// Whether a call changed them, null where that cannot be seen, and their values where it can.
Json stateJson(const std::vector<StateChange>& state) {
    Json out = Json::array();
    for (const StateChange& one : state) {
        Json item = {{"name", one.name}, {"changed", one.changed ? Json(*one.changed) : Json()}};
        if (one.changed.value_or(false)) {
            item["before"] = tensorJson(one.before);
            item["after"] = tensorJson(one.after);
        }
        out.push_back(std::move(item));
    }
    return out;
}

Json growthJson(const std::optional<double>& perLoad) { return perLoad ? Json(*perLoad) : Json(); }

/// What was asked for beyond outputs and times.
void addMore(const RunOutcome& outcome, Json& out) {
    if (outcome.throughput) {
        out["throughput"] = {{"runners", outcome.throughput->runners},
                             {"calls", outcome.throughput->calls},
                             {"seconds", outcome.throughput->seconds},
                             {"per_second", outcome.throughput->perSecond()}};
    }
    if (!outcome.curve.seconds.empty()) out["memory_curve"] = {{"seconds", outcome.curve.seconds}, {"bytes", outcome.curve.bytes}};
    if (outcome.soak) {
        out["soak"] = {{"loads", outcome.soak->bytes.size()},
                       {"bytes", outcome.soak->bytes},
                       {"mappings", outcome.soak->mappings},
                       {"bytes_per_load", growthJson(outcome.soak->bytesPerLoad())},
                       {"mappings_per_load", growthJson(outcome.soak->mappingsPerLoad())}};
    }
    if (outcome.constants) {
        out["constants"] = {{"replaced", outcome.constants->replaced},
                            {"kept", outcome.constants->kept},
                            {"ineffective", outcome.constants->ineffective},
                            {"unknown", outcome.constants->unknown}};
    }
}

std::string headText(const TensorView& view) {
    const auto count = view.layout.elementCount();
    if (!count || *count == 0) return "no elements";
    std::vector<std::string> parts;
    for (std::uint64_t i = 0; i < std::min(*count, kValuesShown); ++i) {
        parts.push_back(isFloating(view.layout.dtype) ? formatFloat(elementAsDouble(view, i)) : elementText(view, i));
    }
    return join(parts, ", ") + (*count > kValuesShown ? ", …" : "");
}

void printTensors(Output& out, const NamedTensors& tensors) {
    Table table({{"OUTPUT"},
                 {"TYPE"},
                 {"MIN", Table::Align::Right},
                 {"MAX", Table::Align::Right},
                 {"MEAN", Table::Align::Right},
                 {"STD", Table::Align::Right},
                 {"NAN", Table::Align::Right},
                 {"INF", Table::Align::Right},
                 {"FIRST VALUES"}});
    for (const auto& [name, tensor] : tensors) {
        if (isNone(tensor.view())) {
            table.row({{name, Style::Bold}, "None"});
            continue;
        }
        const auto statistics = computeStatistics(tensor.view());
        const bool finite = statistics && statistics->hasFinite;
        const auto number = [&](double TensorStatistics::*member) { return finite ? formatFloat((*statistics).*member) : std::string("-"); };
        const std::uint64_t infinite = statistics ? statistics->positiveInfinity + statistics->negativeInfinity : 0;
        table.row({{name, Style::Bold},
                   tensorTypeText(tensor.layout),
                   number(&TensorStatistics::minimum),
                   number(&TensorStatistics::maximum),
                   number(&TensorStatistics::mean),
                   number(&TensorStatistics::standardDeviation),
                   {statistics ? std::to_string(statistics->nan) : "-", statistics && statistics->nan > 0 ? Style::Warning : Style::Plain},
                   {std::to_string(infinite), infinite > 0 ? Style::Warning : Style::Plain},
                   {headText(tensor.view()), Style::Muted}});
    }
    if (table.empty()) {
        out.line("No tensor outputs.");
    } else {
        table.print(out);
    }
}

/// "total from 0 to 3.5", or the name alone where its values are many or not known.
std::string changeText(const StateChange& change) {
    const std::string name = escapeForDisplay(change.name);
    const auto count = change.after.layout.elementCount();
    if (isNone(change.after.view()) || !count || *count > kValuesShown) return name;
    if (isNone(change.before.view())) return name + " to " + headText(change.after.view());
    return name + " from " + headText(change.before.view()) + " to " + headText(change.after.view());
}

void printState(Output& out, const std::vector<StateChange>& state, const std::string& begin) {
    std::vector<std::string> changed;
    for (const StateChange& one : state) {
        if (one.changed.value_or(false)) changed.push_back(changeText(one));
    }
    if (changed.empty()) return;
    out.line("");
    out.line(begin + oneLine(join(changed, "; ")) + ".");
}

}  // namespace

Json outcomeJson(const RunOutcome& outcome) {
    Json out = Json::object();
    out["outputs"] = tensorsJson(outcome.outputs);
    if (outcome.steps.size() > 1) {
        Json steps = Json::array();
        for (const NamedTensors& step : outcome.steps) steps.push_back(tensorsJson(step));
        out["steps"] = std::move(steps);
        Json states = Json::array();
        for (const std::vector<StateChange>& state : outcome.stepStates) states.push_back(stateJson(state));
        out["step_states"] = std::move(states);
    }
    out["state"] = stateJson(outcome.state);
    Json seconds = {{"start", outcome.seconds.start}, {"load", outcome.seconds.load}, {"first", outcome.seconds.first}};
    const bool repeated = !outcome.seconds.samples.empty();
    seconds["median"] = repeated ? Json(outcome.seconds.median()) : Json();
    seconds["p90"] = repeated ? Json(outcome.seconds.percentile(0.90)) : Json();
    seconds["p99"] = repeated ? Json(outcome.seconds.percentile(0.99)) : Json();
    seconds["min"] = repeated ? Json(outcome.seconds.minimum()) : Json();
    out["seconds"] = std::move(seconds);
    out["peak_memory"] = outcome.memory.peak;
    const auto bytes = [](std::uint64_t value) { return value > 0 ? Json(value) : Json(); };
    out["memory"] = {{"started", bytes(outcome.memory.started)}, {"loaded", bytes(outcome.memory.loaded)}, {"peak", bytes(outcome.memory.peak)}};
    out["library_names"] = {{"inputs", outcome.library.inputs}, {"outputs", outcome.library.outputs}};
    addMore(outcome, out);
    out["engine"] = "aoti";
    out["torch_version"] = outcome.torchVersion;
    out["device"] = outcome.device;
    out["runtime_checks"] = outcome.checksOn ? "on" : "off";
    if (!outcome.log.empty()) out["log"] = outcome.log;
    out["contained"] = outcome.contained;
    out["python_mapped"] = outcome.pythonMapped;
    return out;
}

void printMadeInputs(Output& out, const RunPlan& plan) {
    Table table({{"INPUT"}, {"TYPE"}, {"FROM"}});
    for (const MadeInput& made : plan.inputs.inputs) {
        const bool known = made.contractIndex < plan.contract.inputs.size();
        table.row({{known ? plan.contract.inputs[made.contractIndex].name : std::to_string(made.contractIndex), Style::Bold},
                   made.isTensor ? tensorTypeText(made.tensor.layout) : made.constantText,
                   {made.madeBy, Style::Muted}});
    }
    table.print(out);
}

void printOutcome(Output& out, const Contract& contract, const RunOutcome& outcome) {
    if (outcome.steps.size() > 1) {
        for (std::size_t i = 0; i < outcome.steps.size(); ++i) {
            out.line((i == 0 ? "" : "\n") + out.paint(Style::Bold, "Call " + std::to_string(i + 1)));
            printTensors(out, outcome.steps[i]);
            if (i < outcome.stepStates.size()) printState(out, outcome.stepStates[i], "This call changed ");
        }
    } else {
        printTensors(out, outcome.outputs);
    }
    if (outcome.steps.size() <= 1) printState(out, outcome.state, "State: the first call changed ");
    out.line("");
    std::string time = "Time: start " + formatDuration(outcome.seconds.start) + ", load " + formatDuration(outcome.seconds.load) + ", first call " +
                       formatDuration(outcome.seconds.first);
    out.line(time);
    if (const auto& samples = outcome.seconds.samples; !samples.empty()) {
        out.line(formatCount(samples.size()) + " further calls: median " + formatDuration(outcome.seconds.median()) + ", p90 " +
                 formatDuration(outcome.seconds.percentile(0.90)) + ", p99 " + formatDuration(outcome.seconds.percentile(0.99)) + ", min " +
                 formatDuration(outcome.seconds.minimum()));
    }
    if (const auto& throughput = outcome.throughput; throughput && throughput->runners > 1) {
        out.line("Throughput: " + formatFloat(throughput->perSecond()) + " calls a second, " + std::to_string(throughput->runners) + " at once");
    }
    if (outcome.constants) out.line("Constants: " + constantsText(*outcome.constants));
    if (outcome.soak) out.line("Soak: " + soakText(*outcome.soak));
    if (const std::string memory = memoryText(outcome.memory); !memory.empty()) out.line("Memory: " + memory);
    out.line(containmentText(outcome.contained));
    if (const std::string names = libraryNamesText(contract, outcome.library); !names.empty()) out.line("Names: " + names);
}

}  // namespace pt2
