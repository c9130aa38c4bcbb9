#include "app/pt2/run_report.h"

#include <algorithm>

#include "app/pt2/table.h"
#include "core/base/text.h"
#include "core/compare/compare.h"
#include "core/report/tensor_json.h"
#include "core/run/run_text.h"
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

/// Whether the first call changed them; null where that cannot be seen.
Json stateJson(const RunOutcome& outcome) {
    Json out = Json::array();
    for (const StateChange& one : outcome.state) out.push_back({{"name", one.name}, {"changed", one.changed ? Json(*one.changed) : Json()}});
    return out;
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

}  // namespace

Json outcomeJson(const RunOutcome& outcome) {
    Json out = Json::object();
    out["outputs"] = tensorsJson(outcome.outputs);
    if (outcome.steps.size() > 1) {
        Json steps = Json::array();
        for (const NamedTensors& step : outcome.steps) steps.push_back(tensorsJson(step));
        out["steps"] = std::move(steps);
    }
    out["state"] = stateJson(outcome);
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
    out["engine"] = "aoti";
    out["torch_version"] = outcome.torchVersion;
    out["device"] = outcome.device;
    out["runtime_checks"] = outcome.checksOn ? "on" : "off";
    if (!outcome.log.empty()) out["log"] = outcome.log;
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
        }
    } else {
        printTensors(out, outcome.outputs);
    }
    std::vector<std::string> changed;
    for (const StateChange& one : outcome.state) {
        if (one.changed.value_or(false)) changed.push_back(one.name);
    }
    if (!changed.empty()) {
        out.line("");
        out.line("State: the first call changed " + oneLine(join(changed, ", ")) + ".");
    }
    out.line("");
    std::string time = "Time: start " + formatDuration(outcome.seconds.start) + ", load " + formatDuration(outcome.seconds.load) + ", first call " +
                       formatDuration(outcome.seconds.first);
    out.line(time);
    if (const auto& samples = outcome.seconds.samples; !samples.empty()) {
        out.line(formatCount(samples.size()) + " further calls: median " + formatDuration(outcome.seconds.median()) + ", p90 " +
                 formatDuration(outcome.seconds.percentile(0.90)) + ", p99 " + formatDuration(outcome.seconds.percentile(0.99)) + ", min " +
                 formatDuration(outcome.seconds.minimum()));
    }
    if (const std::string memory = memoryText(outcome.memory); !memory.empty()) out.line("Memory: " + memory);
    if (const std::string names = libraryNamesText(contract, outcome.library); !names.empty()) out.line("Names: " + names);
}

}  // namespace pt2
