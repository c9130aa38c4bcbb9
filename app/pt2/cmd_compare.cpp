#include <algorithm>
#include <map>

#include "app/pt2/command.h"
#include "app/pt2/comparison_report.h"
#include "app/pt2/option_values.h"
#include "app/pt2/reference.h"
#include "app/pt2/run_report.h"
#include "core/base/text.h"
#include "core/compare/compare_outputs.h"
#include "core/run/eager_comparison.h"

namespace pt2 {
namespace {

struct CompareArguments {
    std::string file;
    InputOptions inputs;
    RunOptions run;
    ReferenceOptions reference;
    std::optional<double> rtol, atol;
    std::vector<std::string> tolerances;
    bool float64 = false;
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

bool anyFloating(const NamedTensors& outputs) {
    return std::any_of(outputs.begin(), outputs.end(), [](const auto& output) { return isFloating(output.second.layout.dtype); });
}

Result<int> compare(const CompareArguments& arguments, Context& context) {
    auto single = outputTolerances(arguments.tolerances);
    if (!single) return fail(single.error());
    const ToleranceChoice tolerances{arguments.rtol, arguments.atol, std::move(*single)};
    auto plan = makePlan(arguments.file, arguments.inputs, true, context);
    if (!plan) return fail(plan.error());
    for (const std::string& note : plan->report.notes) context.out.note(note);
    for (const std::string& warning : comparisonWarnings(plan->document, plan->contract, arguments.run.steps > 1)) context.out.note(warning);
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
    auto comparison = compareWithEager(*outcome, reference->run, tolerances, context.cancel);
    if (!comparison) return fail(comparison.error());
    // A tolerance of the user's own is what is to hold; the default one asks whether it is rounding.
    const bool own = arguments.rtol || arguments.atol || !tolerances.outputs.empty();
    if (reference->isTorch && (arguments.float64 || (!comparison->comparison.ok() && !own && anyFloating(outcome->outputs)))) {
        const auto exact = runInFloat64(*plan, options, context);
        if (!exact) {
            context.out.note(exact.error().what + " " + oneLine(exact.error().why));
        } else if (const Status judged = judge(*comparison, *outcome, reference->run, *exact, context.cancel); !judged) {
            return fail(judged.error());
        }
        if (own) comparison->rounding = false;
    }
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
    command->add_flag("--float64", arguments->float64, "Also say how far both are from torch in float64");
    command->add_option("--python", arguments->reference.python, "The Python that has torch")->type_name("EXE");
    command->add_flag("--trust", arguments->reference.trust, "Let torch unpickle what is not known to be safe");
    arguments->inputs.addTo(command);
    arguments->run.addTo(command);
}

}  // namespace pt2
