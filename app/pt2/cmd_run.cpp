#include "app/pt2/command.h"
#include "app/pt2/run_report.h"
#include "core/base/environment.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/compare/compare_outputs.h"
#include "core/report/outcome_json.h"
#include "core/run/run_text.h"
#include "core/tensor/pickle.h"
#include "core/tensor/safetensors.h"

namespace pt2 {
namespace {

struct RunArguments {
    std::string file, save;
    InputOptions inputs;
    RunOptions run;
    bool force = false;
};

Status checkSavePath(const RunArguments& arguments) {
    if (arguments.save.empty()) return {};
    if (arguments.save.ends_with(".npz") || arguments.save.ends_with(".safetensors") || arguments.save.ends_with(".pt")) {
        return checkOutputPlace(arguments.save, arguments.force);
    }
    return fail(usageError("save.format", "\"" + arguments.save + "\" names no format that outputs can be saved in.", {},
                           "End the name in .npz, .safetensors or .pt."));
}

Status saveOutputs(const RunArguments& arguments, const NamedTensors& outputs) {
    if (arguments.save.ends_with(".npz")) return writeNpzFile(arguments.save, outputs, arguments.force);
    if (arguments.save.ends_with(".pt")) return writeTorchSaveFile(arguments.save, outputs, arguments.force);
    return writeSafetensorsFile(arguments.save, outputs, arguments.force);
}

Json sideJson(const Result<RunOutcome>& side) { return side ? outcomeJson(*side) : Json{{"error", errorJson(side.error())}}; }

void printSide(const RunPlan& plan, const Result<RunOutcome>& side, bool checksOn, Output& out) {
    const std::string checks = std::string("runtime checks ") + (checksOn ? "on" : "off");
    if (!side) {
        out.line(out.paint(Style::Bad, "Failed, " + checks) + ": " + oneLine(side.error().why.empty() ? side.error().what : side.error().why));
        return;
    }
    out.line(out.paint(Style::Bold, "Ran \"" + plan.model + "\"") + " on " + side->device + " with torch " + side->torchVersion + ", " + checks +
             ".");
    printOutcome(out, plan.contract, *side);
}

/// Both sides beside each other; the exit is that of a failed side, else 0 when they are equal and 1 when not.
int showBoth(const RunPlan& plan, const RunReport& report, Context& context) {
    int code = report.same() ? 0 : 1;
    for (const auto* side : {&report.off, &report.on}) {
        if (*side && !**side) code = static_cast<int>((**side).error().kind);
    }
    if (context.out.json()) {
        Json json = {{"format", 1}};
        if (report.on) json["on"] = sideJson(*report.on);
        if (report.off) json["off"] = sideJson(*report.off);
        json["same"] = report.same();
        context.out.document(json);
        return code;
    }
    printMadeInputs(context.out, plan);
    for (const auto& [side, on] : {std::pair{&report.off, false}, std::pair{&report.on, true}}) {
        if (!*side) continue;
        context.out.line("");
        printSide(plan, **side, on, context.out);
    }
    context.out.line("");
    context.out.line(report.same() ? context.out.paint(Style::Good, "Same: both runs gave the same outputs, to the bit.")
                                   : context.out.paint(Style::Warning, "Not the same."));
    return code;
}

Result<int> run(const RunArguments& arguments, Context& context) {
    if (const Status save = checkSavePath(arguments); !save) return fail(save.error());
    auto plan = makePlan(arguments.file, arguments.inputs, true, context);
    if (!plan) return fail(plan.error());
    if (arguments.file == "-") {
        context.out.note("Standard input is kept in a temporary file without a name in " + escapeForDisplay(temporaryFolder().string()) +
                         "; it is gone when pt2 ends.");
    }
    for (const std::string& note : plan->report.notes) context.out.note(note);
    if (!plan->report.ok() && !arguments.run.skipContract) return failContract(*plan, context);
    for (const Breach& breach : plan->report.breaches) context.out.note("Contract skipped: " + breach.sentence);
    if (const Status filled = fillPlan(*plan, context); !filled) return fail(filled.error());

    auto report =
        runCompiled(plan->document, plan->contract, runRequest(*plan, arguments.run), plan->tensors, context.cancel, context.out.progressSink());
    if (!report) return fail(report.error());
    for (const auto* side : {&report->off, &report->on}) {
        if (*side && **side && !(**side)->log.empty()) context.out.note("The model printed: " + (**side)->log);
    }
    const Result<RunOutcome>& outcome = report->primary();
    if (outcome) {
        if (const std::string strange = strangeSourceText(plan->contract, outcome->library); !strange.empty()) context.out.note(strange);
    }
    if (outcome && !arguments.save.empty()) {
        if (const Status saved = saveOutputs(arguments, withoutNone(outcome->outputs)); !saved) return fail(saved.error());
    }
    if (arguments.run.checks == "both") return showBoth(*plan, *report, context);
    if (!outcome) return fail(outcome.error());
    if (context.out.json()) {
        Json json = {{"format", 1}};
        json.update(outcomeJson(*outcome));
        context.out.document(json);
        return 0;
    }
    printMadeInputs(context.out, *plan);
    context.out.line("");
    printSide(*plan, outcome, outcome->checksOn, context.out);
    if (!arguments.save.empty()) context.out.line("Saved to " + escapeForDisplay(arguments.save));
    return 0;
}

}  // namespace

void addRunCommand(CommandRegistry& registry) {
    auto arguments = std::make_shared<RunArguments>();
    CLI::App* command =
        registry.add("run", "Runs the compiled model in a process of its own", [arguments](Context& context) { return run(*arguments, context); });
    command->add_option("FILE", arguments->file, "The file with the compiled model")->required();
    arguments->inputs.addTo(command);
    arguments->run.addTo(command);
    command->add_option("--save", arguments->save, "Save the outputs: .npz, .safetensors or .pt")->type_name("OUT");
    command->add_flag("--force", arguments->force, "Replace a file that exists");
}

}  // namespace pt2
