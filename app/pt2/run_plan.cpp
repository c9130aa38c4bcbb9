#include "app/pt2/run_plan.h"

#include <algorithm>

#include "app/pt2/option_values.h"
#include "core/base/text.h"
#include "core/report/outcome_json.h"
#include "core/run/refusal.h"

namespace pt2 {
namespace {

constexpr std::size_t kShownBreaches = 3;
constexpr std::uint64_t kMostCalls = 1'000'000'000;
constexpr std::uint64_t kMostThreads = 4096, kMostRunners = 1024, kMostLoads = 1'000'000;

Result<Document::CompiledRef> findCompiled(const Document& document, const std::string& model) {
    auto compiled = document.compiled(model);
    if (compiled) return compiled;
    const std::string path = document.primary->archive().path().string();
    return fail({ErrorKind::CannotRun, "run.no-compiled-model", "There is no compiled model \"" + model + "\" to run.", path,
                 "The file holds the exported program only.",
                 "Compile it for this machine first: pt2 recompile " + path + " -o compiled.pt2" + (model == "model" ? "" : " --model " + model)});
}

std::string chooseModel(const Document& document, const std::string& asked, bool needCompiled) {
    if (!asked.empty() || !needCompiled || document.compiled(document.defaultModel())) return asked;
    for (const std::string& name : document.modelNames()) {
        if (document.compiled(name)) return name;
    }
    return asked;
}

}  // namespace

void InputOptions::addTo(CLI::App* command) {
    command->add_option("--model", model, "Which model, where there are several")->type_name("NAME");
    command->add_option("--device", device, "cpu, cuda or cuda:N; by default the one it was compiled for")->check(deviceName())->type_name("DEVICE");
    command->add_flag("--sample", sample, "The archive's own sample inputs")->group("Inputs");
    command->add_option("--inputs", inputsFile, "A whole set: .pt, .npz or .safetensors")->type_name("FILE")->group("Inputs");
    addRepeated(command, "--input", inputs, "One input: randn[512,16], full(1)[4]:int64, @F.npy, @F.npz:key, [[1,2],[3,4]]; repeatable")
        ->type_name("NAME=SPEC")
        ->group("Inputs");
    addRepeated(command, "--size", sizes, "A dynamic size: s77=512, x:0=512 or batch=512; repeatable")->type_name("SYMBOL=N")->group("Inputs");
    command->add_option("--seed", seed, "Seed of what is random")->check(wholeNumber(0, UINT64_MAX))->type_name("N")->group("Inputs");
    command->add_flag("--mend", mend, "Mend what can be mended: contiguous copies, casts")->group("Inputs");
}

Result<InputRequest> InputOptions::request() const {
    InputRequest out;
    out.useSample = sample;
    out.inputsFile = inputsFile;
    out.seed = seed;
    for (const std::string& text : inputs) {
        auto pair = splitAssignment(text, "--input");
        if (!pair) return fail(pair.error());
        out.inputs.push_back(std::move(*pair));
    }
    auto asked = splitSizes(sizes);
    if (!asked) return fail(asked.error());
    out.sizes = std::move(*asked);
    return out;
}

void RunOptions::addTo(CLI::App* command) {
    command->add_option("--engine", engine, "aoti: the compiled model")->check(CLI::IsMember({"aoti"}))->type_name("ENGINE");
    command->add_option("--runtime-checks", checks, "Checks compiled into the model: off, on or both")
        ->check(CLI::IsMember({"off", "on", "both"}))
        ->type_name("WHICH");
    command->add_flag("--skip-contract", skipContract, "Run even where the inputs break the contract");
    command->add_option("--warmup", warmup, "Further calls before those that are timed")->check(wholeNumber(0, kMostCalls))->type_name("N");
    command->add_option("--repeat", repeat, "Further calls that are timed")->check(wholeNumber(0, kMostCalls))->type_name("N");
    command->add_option("--steps", steps, "Calls in sequence, each shown: for models with state")->check(wholeNumber(1, kMostCalls))->type_name("N");
    command->add_option("--threads", threads, "Threads of LibTorch")->check(wholeNumber(0, kMostThreads))->type_name("N");
    command->add_option("--runners", runners, "Instances of the model; --repeat then makes as many calls at once")
        ->check(wholeNumber(1, kMostRunners))
        ->type_name("N");
    command->add_flag("--single-threaded", singleThreaded, "AOTInductor's mode without locks, for CUDA graphs; one runner only");
    command->add_flag("--boxed", boxed, "Calls give their inputs away (boxed_run)");
    command->add_option("--soak", soak, "Load, run and unload it so many times more, and tell whether memory grows")
        ->check(wholeNumber(0, kMostLoads))
        ->type_name("N");
    command->add_option("--constants", constants, "Values by FQN that replace the model's: .npz, .safetensors or .pt")->type_name("FILE");
    command->add_flag("--all-constants", allConstants, "The file of --constants must hold all that can be replaced");
    addRepeated(command, "--op-library", operatorLibraries, "A library that registers operators; repeatable")->type_name("F.so");
    command->add_option("--timeout", timeout, "End the run after so many seconds")->check(finiteNumber())->type_name("S");
    command->add_option("--memory", memory, "Memory the run may take")->check(finiteNumber())->type_name("GB");
}

Result<RunPlan> makePlan(const std::string& file, const InputOptions& options, bool needCompiled, Context& context) {
    auto request = options.request();
    if (!request) return fail(request.error());
    auto document = context.open(file);
    if (!document) return fail(document.error());
    RunPlan plan;
    plan.document = std::move(*document);
    auto model = plan.document.resolveModel(chooseModel(plan.document, options.model, needCompiled));
    if (!model) return fail(model.error());
    plan.model = *model;
    plan.device = options.device.empty() ? "cpu" : options.device;
    if (needCompiled) {
        auto compiled = findCompiled(plan.document, plan.model);
        if (!compiled) return fail(compiled.error());
        // A device it cannot run on is no breach of the inputs (exit 4, not 1).
        auto device = chooseDevice(*compiled->model, options.device);
        if (!device) return fail(device.error());
        plan.device = *device;
    } else if (const auto compiled = plan.document.compiled(plan.model); compiled && options.device.empty() && !compiled.model->device.empty()) {
        plan.device = compiled.model->device;
    }
    auto contract = buildContract(plan.document, plan.model);
    if (!contract) return fail(contract.error());
    plan.contract = std::move(*contract);
    auto inputs = planInputs(plan.document, plan.contract, *request);
    if (!inputs) return fail(inputs.error());
    plan.inputs = std::move(*inputs);
    plan.report = checkInputs(plan.contract, plan.inputs, plan.device);
    if (options.mend) {
        const std::vector<Breach> breaches = plan.report.breaches;
        for (const Breach& breach : breaches) {
            if (breach.fix.empty()) continue;
            auto mended = pt2::mend(plan.contract, plan.inputs, breach);
            if (!mended) continue;  // the breach stays and is said
            plan.inputs = std::move(*mended);
            context.out.note("Mended: " + breach.fixSentence);
        }
        plan.report = checkInputs(plan.contract, plan.inputs, plan.device);
    }
    return plan;
}

Status fillPlan(RunPlan& plan, Context& context) {
    if (Status filled = fillInputs(plan.inputs, context.cancel); !filled) return filled;
    plan.tensors = plan.inputs.tensors();
    return {};
}

int failContract(const RunPlan& plan, Context& context) {
    std::vector<std::string> sentences, fixes;
    for (const Breach& breach : plan.report.breaches) {
        if (sentences.size() < kShownBreaches) sentences.push_back(breach.sentence);
        const bool isNew = std::find(fixes.begin(), fixes.end(), breach.fixSentence) == fixes.end();
        if (!breach.fix.empty() && !breach.fixSentence.empty() && isNew) fixes.push_back(breach.fixSentence);
    }
    const std::size_t more = plan.report.breaches.size() - sentences.size();
    std::string why = join(sentences, " ");
    if (more > 0) why += " And " + std::to_string(more) + " more; pt2 check lists all.";
    std::string help = fixes.empty() ? "Give inputs that fit" : "--mend does this: " + join(fixes, " ") + " Or give inputs that fit";
    help += "; --skip-contract runs them as they are.";
    const Error error{ErrorKind::DoesNotHold, "contract.broken", "The inputs break the contract of \"" + plan.model + "\".", {}, why, help};
    return context.out.fail(error, {{"format", 1}, {"error", errorJson(error)}, {"check", checkJson(plan.report)}});
}

RunRequest runRequest(const RunPlan& plan, const RunOptions& options) {
    RunRequest request;
    request.model = plan.model;
    request.device = plan.device;
    request.checks = options.checks == "both" ? RuntimeChecks::Both : options.checks == "on" ? RuntimeChecks::On : RuntimeChecks::Off;
    request.warmup = options.warmup;
    request.repeat = options.repeat;
    request.steps = options.steps;
    request.threads = options.threads;
    request.runners = options.runners;
    request.singleThreaded = options.singleThreaded;
    request.boxed = options.boxed;
    request.soakLoads = options.soak;
    request.constantsFile = options.constants;
    request.allConstants = options.allConstants;
    request.operatorLibraries = options.operatorLibraries;
    request.timeoutSeconds = options.timeout;
    request.memoryGb = options.memory;
    return request;
}

}  // namespace pt2
