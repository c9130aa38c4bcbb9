#include "app/pt2/comparison_report.h"

#include <vector>

#include "app/pt2/table.h"
#include "core/base/text.h"
#include "core/report/json_text.h"
#include "core/report/outcome_json.h"

namespace pt2 {
namespace {

std::string indexText(const std::vector<std::int64_t>& index) {
    std::vector<std::string> parts;
    for (const std::int64_t i : index) parts.push_back(std::to_string(i));
    return formatShape(parts);
}

Json distancesJson(const std::vector<Float64Distance>& distances) {
    Json out = Json::array();
    for (const Float64Distance& distance : distances) {
        Json item = {{"name", distance.name}, {"dtype", dtypeName(distance.dtype)}};
        if (distance.why.empty()) {
            item["compiled_rms"] = numberJson(distance.compiledRms);
            item["eager_rms"] = numberJson(distance.eagerRms);
            item["compiled_max"] = numberJson(distance.compiledMax);
            item["eager_max"] = numberJson(distance.eagerMax);
            item["no_farther"] = distance.noFarther;
        } else {
            item["why"] = distance.why;
        }
        out.push_back(std::move(item));
    }
    return out;
}

void printDistances(Output& out, const std::vector<Float64Distance>& distances) {
    if (distances.empty()) return;
    out.line("");
    Table table({{"FROM FLOAT64"},
                 {"COMPILED, RMS", Table::Align::Right},
                 {"EAGER, RMS", Table::Align::Right},
                 {"COMPILED, MAX", Table::Align::Right},
                 {"EAGER, MAX", Table::Align::Right},
                 {""}});
    for (const Float64Distance& distance : distances) {
        if (!distance.why.empty()) {
            table.row({{distance.name, Style::Bold}, {"-"}, {"-"}, {"-"}, {"-"}, {distance.why, Style::Muted}});
            continue;
        }
        table.row({{distance.name, Style::Bold},
                   formatFloat(distance.compiledRms),
                   formatFloat(distance.eagerRms),
                   formatFloat(distance.compiledMax),
                   formatFloat(distance.eagerMax),
                   {distance.noFarther ? "no farther" : "farther", distance.noFarther ? Style::Good : Style::Bad}});
    }
    table.print(out);
}

}  // namespace

Json comparisonJson(const EagerComparison& comparison, const std::string& reference) {
    Json out = comparisonJson(comparison.comparison, reference);
    out["ok"] = comparison.ok();
    out["verdict"] = comparison.verdict();
    out["sentence"] = comparison.sentence();
    if (comparison.calls.size() > 1) {
        Json calls = Json::array();
        for (const Comparison& call : comparison.calls) {
            Json item = comparisonJson(call, reference);
            item.erase("format");
            item.erase("reference");
            calls.push_back(std::move(item));
        }
        out["calls"] = std::move(calls);
        out["first_differing_call"] = comparison.firstDiffering ? Json(*comparison.firstDiffering + 1) : Json();
    }
    if (!comparison.distances.empty()) out["float64"] = distancesJson(comparison.distances);
    return out;
}

void printComparison(Output& out, const EagerComparison& whole, const std::string& reference) {
    const Comparison& comparison = whole.firstDiffering ? whole.calls[*whole.firstDiffering] : whole.comparison;
    const Style style = whole.ok() ? Style::Good : Style::Bad;
    out.line(out.paint(style, whole.verdict()) + ": " + oneLine(whole.sentence()) + " Reference: " + escapeForDisplay(reference) + ".");
    out.line("");
    if (whole.firstDiffering) out.line("Call " + std::to_string(*whole.firstDiffering + 1) + ":");
    Table table({{"OUTPUT"},
                 {"OK"},
                 {"MAX ABS", Table::Align::Right},
                 {"MEAN ABS", Table::Align::Right},
                 {"MAX REL", Table::Align::Right},
                 {"COSINE", Table::Align::Right},
                 {"SQNR", Table::Align::Right},
                 {"BEYOND", Table::Align::Right},
                 {"WORST AT"},
                 {"IS", Table::Align::Right},
                 {"EXPECTED", Table::Align::Right},
                 {"TOLERANCE"}});
    for (const OutputComparison& o : comparison.outputs) {
        if (!o.comparable) {
            table.row({{o.name, Style::Bold}, {"no: " + o.reason, Style::Bad}});
            continue;
        }
        const bool exact = o.identical || o.total == 0;
        table.row({{o.name, Style::Bold},
                   {o.ok ? "yes" : "no", o.ok ? Style::Good : Style::Bad},
                   formatFloat(o.maxAbs),
                   formatFloat(o.meanAbs),
                   formatFloat(o.maxRel),
                   formatFloat(o.cosine),
                   exact      ? std::string("exact")
                   : o.sqnrDb ? formatFloat(*o.sqnrDb) + " dB"
                              : std::string("-"),
                   std::to_string(o.mismatched) + " of " + std::to_string(o.total),
                   exact ? std::string() : indexText(o.worstIndex),
                   exact ? std::string() : o.worstActual,
                   exact ? std::string() : o.worstExpected,
                   {"rtol " + formatFloat(o.tolerance.rtol) + ", atol " + formatFloat(o.tolerance.atol), Style::Muted}});
    }
    table.print(out);
    for (const OutputComparison& o : comparison.outputs) {
        if (o.comparable && o.nanMismatch > 0)
            out.note(o.name + ": " + std::to_string(o.nanMismatch) + " elements are NaN or infinite on one side only.");
        if (o.comparable && !o.ok) out.note(o.name + " would pass with rtol " + formatFloat(o.neededRtol) + " at this atol.");
    }
    printDistances(out, whole.distances);
}

}  // namespace pt2
