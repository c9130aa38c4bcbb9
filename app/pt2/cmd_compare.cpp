#include <algorithm>
#include <map>

#include "app/pt2/command.h"
#include "app/pt2/option_values.h"
#include "app/pt2/reference.h"
#include "app/pt2/run_report.h"
#include "app/pt2/table.h"
#include "core/base/text.h"
#include "core/compare/compare_outputs.h"
#include "core/report/outcome_json.h"

namespace pt2 {
namespace {

struct CompareArguments {
    std::string file;
    InputOptions inputs;
    RunOptions run;
    ReferenceOptions reference;
    std::optional<double> rtol, atol;
    std::vector<std::string> tolerances;
};

/// OUTPUT=R,A
Result<std::map<std::string, Tolerance>> outputTolerances(const std::vector<std::string>& texts) {
    std::map<std::string, Tolerance> out;
    for (const std::string& text : texts) {
        auto pair = splitAssignment(text, "--tolerance");
        if (!pair) return fail(pair.error());
        const auto parts = splitView(pair->second, ',');
        Tolerance tolerance;
        if (parts.size() != 2 || !readFiniteNumber(parts[0], tolerance.rtol) || !readFiniteNumber(parts[1], tolerance.atol)) {
            return fail(usageError("compare.tolerance", "\"" + text + "\" is not a tolerance.", {},
                                   "Write --tolerance OUTPUT=RTOL,ATOL, for example result=1e-3,1e-5."));
        }
        out[pair->first] = tolerance;
    }
    return out;
}

std::string indexText(const std::vector<std::int64_t>& index) {
    std::vector<std::string> parts;
    for (const std::int64_t i : index) parts.push_back(std::to_string(i));
    return formatShape(parts);
}

void printComparison(Output& out, const Comparison& comparison, const std::string& reference) {
    const Style style = comparison.ok() ? Style::Good : Style::Bad;
    out.line(out.paint(style, comparison.verdict()) + ": " + oneLine(comparison.sentence()) + " Reference: " + escapeForDisplay(reference) + ".");
    out.line("");
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
}

Result<int> compare(const CompareArguments& arguments, Context& context) {
    auto single = outputTolerances(arguments.tolerances);
    if (!single) return fail(single.error());
    const ToleranceChoice tolerances{arguments.rtol, arguments.atol, std::move(*single)};
    auto plan = makePlan(arguments.file, arguments.inputs, true, context);
    if (!plan) return fail(plan.error());
    for (const std::string& note : plan->report.notes) context.out.note(note);
    if (!plan->report.ok() && !arguments.run.skipContract) return failContract(*plan, context);
    if (const Status filled = fillPlan(*plan, context); !filled) return fail(filled.error());

    ReferenceOptions options = arguments.reference;
    options.seed = arguments.inputs.seed;
    // The reference first: what it lacks (program, Python, file) is said before anything runs.
    auto reference = makeReference(*plan, options, arguments.run, context);
    if (!reference) return fail(reference.error());
    auto report =
        runCompiled(plan->document, plan->contract, runRequest(*plan, arguments.run), plan->tensors, context.cancel, context.out.progressSink());
    if (!report) return fail(report.error());
    const Result<RunOutcome>& outcome = report->primary();
    if (!outcome) return fail(outcome.error());

    for (const auto& [name, tolerance] : tolerances.outputs) {
        std::vector<std::string> names;
        for (const auto& [output, tensor] : outcome->outputs) names.push_back(output);
        if (std::find(names.begin(), names.end(), name) == names.end()) {
            return fail(usageError("compare.output", "There is no output \"" + name + "\".", {}, "The outputs are " + join(names, ", ") + "."));
        }
    }
    const auto comparison = compareOutputs(outcome->outputs, reference->tensors, tolerances, context.cancel);
    if (!comparison) return fail(comparison.error());
    if (context.out.json()) {
        context.out.document(comparisonJson(*comparison, reference->name));
    } else {
        printMadeInputs(context.out, *plan);
        context.out.line("");
        printComparison(context.out, *comparison, reference->name);
    }
    return comparison->ok() ? 0 : 1;
}

}  // namespace

void addCompareCommand(CommandRegistry& registry) {
    auto arguments = std::make_shared<CompareArguments>();
    CLI::App* command = registry.add("compare", "Is the output right: the compiled model against torch eager or saved outputs",
                                     [arguments](Context& context) { return compare(*arguments, context); });
    command->add_option("FILE", arguments->file, "The file with the compiled model")->required();
    command->add_option("--reference", arguments->reference.reference, "torch, or a file: .npz, .safetensors, .pt, OTHER.pt2")
        ->required()
        ->type_name("REF");
    command->add_option("--rtol", arguments->rtol, "Relative tolerance; by default torch's for the dtype")->check(finiteNumber())->type_name("R");
    command->add_option("--atol", arguments->atol, "Absolute tolerance; by default torch's for the dtype")->check(finiteNumber())->type_name("A");
    addRepeated(command, "--tolerance", arguments->tolerances, "Tolerance of one output; repeatable")->type_name("OUTPUT=R,A");
    command->add_option("--python", arguments->reference.python, "The Python that has torch")->type_name("EXE");
    command->add_flag("--trust", arguments->reference.trust, "Let torch unpickle what is not known to be safe");
    arguments->inputs.addTo(command);
    arguments->run.addTo(command);
}

}  // namespace pt2
