#include "app/pt2/reference.h"

#include "core/compare/compare.h"
#include "core/compare/reference_file.h"
#include "core/run/eager_comparison.h"

namespace pt2 {
namespace {

EagerRequest eagerRequest(const RunPlan& plan, const ReferenceOptions& options) {
    EagerRequest request;
    request.model = plan.model;
    request.python = options.python;
    request.trust = options.trust;
    request.seed = options.seed;
    return request;
}

Result<Reference> runTorch(const RunPlan& plan, const ReferenceOptions& options, const RunOptions& run, Context& context) {
    const auto program = plan.document.program(plan.model);
    if (!program || !program.entry->program) {
        return fail({ErrorKind::CannotRun, "compare.no-program", "There is no exported program \"" + plan.model + "\" for torch to run.",
                     plan.document.primary->archive().path().string(), "The file holds the compiled model only.",
                     "Join the file of the program with --with OTHER.pt2, or compare with saved outputs: --reference FILE.npz."});
    }
    EagerRequest request = eagerRequest(plan, options);
    request.steps = run.steps;
    if (run.steps > 1) request.watch = changedState(plan.document, plan.contract);
    auto eager = runEager(plan.document, plan.contract, request, plan.inputs, context.cancel, context.out.progressSink());
    if (!eager) return fail(eager.error());
    return Reference{std::move(*eager), "torch eager", true};
}

EagerRun asCalls(const RunOutcome& outcome) {
    EagerRun run;
    run.calls = outcome.steps.empty() ? std::vector<NamedTensors>{outcome.outputs} : outcome.steps;
    for (const std::vector<StateChange>& states : outcome.stepStates) {
        NamedTensors values;
        for (const StateChange& change : states) {
            if (!change.isInput && !isNone(change.after.view())) values.emplace_back(change.name, change.after);
        }
        run.states.push_back(std::move(values));
    }
    run.states.resize(run.calls.size());
    return run;
}

Result<Reference> runOther(const RunPlan& plan, const ReferenceOptions& options, const RunOptions& run, Context& context) {
    auto other = Document::open(options.reference, {}, context.cancel, context.out.progressSink());
    if (!other) return fail(other.error());
    auto model = other->resolveModel(other->compiled(plan.model) ? plan.model : std::string());
    if (!model) return fail(model.error());
    auto contract = buildContract(*other, *model);
    if (!contract) return fail(contract.error());
    RunRequest request = runRequest(plan, run);
    request.model = *model;
    request.checks = RuntimeChecks::Off;
    auto report = runCompiled(*other, *contract, request, plan.tensors, context.cancel, context.out.progressSink());
    if (!report) return fail(report.error());
    if (!report->primary()) return fail(report->primary().error());
    return Reference{asCalls(*report->primary()), options.reference, false};
}

}  // namespace

Result<Reference> makeReference(const RunPlan& plan, const ReferenceOptions& options, const RunOptions& run, Context& context) {
    const std::string& reference = options.reference;
    if (reference == "torch") return runTorch(plan, options, run, context);
    if (reference.ends_with(".pt2")) return runOther(plan, options, run, context);
    for (const char* ending : {".npz", ".safetensors", ".pt"}) {
        if (!reference.ends_with(ending)) continue;
        auto tensors = readReferenceFile(reference);
        if (!tensors) return fail(tensors.error());
        return Reference{{{std::move(*tensors)}, {{}}}, reference, false};
    }
    return fail(usageError("compare.reference", "\"" + reference + "\" is not a reference.", {},
                           "Use torch, or a file that ends in .npz, .safetensors, .pt or .pt2."));
}

Result<EagerRun> runInFloat64(const RunPlan& plan, const ReferenceOptions& options, Context& context) {
    EagerRequest request = eagerRequest(plan, options);
    request.float64 = true;
    return runEager(plan.document, plan.contract, request, plan.inputs, context.cancel, context.out.progressSink());
}

}  // namespace pt2
