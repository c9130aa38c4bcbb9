#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "core/base/text.h"
#include "core/compiled/torch_libraries.h"
#include "core/run/constants_file.h"
#include "core/run/engine_discovery.h"
#include "core/run/extraction.h"
#include "core/run/refusal.h"
#include "core/run/run.h"
#include "core/run/run_answers.h"
#include "core/run/sandbox.h"
#include "core/run/tensor_exchange.h"
#include "core/run/worker_client.h"
#include "core/run/worker_end.h"

namespace pt2 {

namespace {

using Clock = std::chrono::steady_clock;

/// FQNs of what may hold state: the program's buffers and whatever its signature says is written to; without a program, the library's buffers.
std::vector<std::string> watchedState(const Document& document, const std::string& model, const CompiledModel& compiled) {
    std::set<std::string> names;
    const auto ref = document.program(model);
    if (!ref || !ref.entry->program) {
        for (const CompiledConstant& constant : compiled.constants) {
            if (constant.kind == "Buffer") names.insert(constant.fqn);
        }
        return {names.begin(), names.end()};
    }
    // Programs before decomposition write with in-place operators, of which their signature says nothing.
    for (const InputSpec& spec : ref.entry->program->inputSpecs()) {
        if (spec.kind == InputKind::Buffer) names.emplace(spec.target);
    }
    for (const OutputSpec& spec : ref.entry->program->outputSpecs()) {
        if (spec.kind == OutputKind::BufferMutation || spec.kind == OutputKind::ParameterMutation) names.emplace(spec.target);
    }
    return {names.begin(), names.end()};
}

/// What both sides of a run share.
struct RunPlan {
    const Document::CompiledRef& compiled;
    const Contract& contract;
    const RunRequest& request;
    const std::vector<Tensor>& inputs;
    std::string worker, device;
    const CancelToken& cancel;
    const ProgressSink& progress;
    std::shared_ptr<const Extraction> extraction;  // made by the first side that gets so far
    std::vector<std::string> watched;              // FQNs
    std::vector<std::string> operatorLibraries;    // absolute paths
    std::optional<ConstantsFile> constants = {};   // to replace the library's
    std::string instructions = {};                 // what is to be said of an illegal instruction
};

/// What cannot be had together, said before anything is read or started.
Status refuseTogether(const RunRequest& request) {
    if (request.singleThreaded && request.runners > 1) {
        return fail({ErrorKind::Usage,
                     "run.single-threaded-runners",
                     "Single-threaded mode has one runner only.",
                     {},
                     "It leaves out the locks that several runners share; CUDA graph capture needs it so.",
                     "Leave out --single-threaded, or --runners."});
    }
    if (request.soakLoads > 0 && !request.constantsFile.empty()) {
        return fail({ErrorKind::Usage,
                     "run.soak-constants",
                     "A soak loads the model as it is in the file.",
                     {},
                     "Constants that were replaced would be lost with each unloading.",
                     "Leave out --soak, or --constants."});
    }
    return {};
}

Result<std::vector<std::string>> operatorLibraries(const RunRequest& request) {
    std::vector<std::string> absolute;
    for (const std::string& library : request.operatorLibraries) {
        std::error_code code;
        const std::filesystem::path path = std::filesystem::absolute(library, code);
        if (code || !std::filesystem::is_regular_file(path, code)) {
            return fail({ErrorKind::Usage, "run.operator-library", "There is no such operator library.", library, {}, {}});
        }
        absolute.push_back(path.string());
    }
    return absolute;
}

/// The tensors a request brings along.
Status attachInputs(Frame& frame, const std::vector<Tensor>& tensors) {
    std::vector<TensorView> views;
    for (const Tensor& tensor : tensors) views.push_back(tensor.view());
    return attachTensors(frame, views, true);
}

/// Gives the file's values to the loaded library, and says what became of them.
Status replaceConstants(WorkerClient& worker, const RunPlan& plan, RunOutcome& outcome) {
    if (!plan.constants) return {};
    Frame request;
    std::vector<std::string> names;
    std::vector<Tensor> tensors;
    for (const auto& [name, tensor] : plan.constants->tensors) {
        names.push_back(name);
        tensors.push_back(tensor);
    }
    request.body = {{"request", "constants"}, {"names", names}, {"shapes_known", plan.constants->shapesKnown}};
    if (auto status = attachInputs(request, tensors); !status) return status;
    const auto answer = worker.request(std::move(request));
    if (!answer) return fail(answer.error());
    ConstantsUse use{textsOf(answer->body, "replaced"), {}, plan.constants->ineffective, plan.constants->unknown};
    // Constants that the library folds from others follow those by themselves.
    std::set<std::string> folded;
    for (const CompiledConstant& constant : plan.compiled.model->constants) {
        if (constant.fromFolded) folded.insert(constant.fqn);
    }
    for (const std::string& name : textsOf(answer->body, "kept")) {
        if (folded.count(name) == 0) use.kept.push_back(name);
    }
    for (const std::string& name : textsOf(answer->body, "unknown")) use.unknown.push_back(name);
    if (!use.kept.empty() && (plan.request.allConstants || plan.compiled.model->weightsAbsent)) {
        return fail({ErrorKind::DoesNotHold, "run.constants-missing", "The file does not hold all constants of the model.",
                     plan.request.constantsFile, constantsText(use),
                     plan.compiled.model->weightsAbsent ? "The model has no values of its own for them, so each must be given."
                                                        : "Give them all, or let the others stay as they are."});
    }
    outcome.constants = std::move(use);
    return {};
}

Status bench(WorkerClient& worker, const RunRequest& request, RunOutcome& outcome) {
    Frame frame;
    frame.body = {{"request", "bench"},
                  {"warmup", std::max(0, request.warmup)},
                  {"repeat", std::max(0, request.repeat)},
                  {"callers", std::max(1, request.runners)},
                  {"boxed", request.boxed}};
    const auto result = worker.request(std::move(frame));
    if (!result) return fail(result.error());
    return takeBench(*result, std::max(1, request.runners), outcome);
}

Status soak(WorkerClient& worker, const RunPlan& plan, RunOutcome& outcome) {
    Frame frame;
    frame.body = {{"request", "soak"}, {"loads", plan.request.soakLoads}, {"runs", std::max(1, plan.request.repeat)}};
    if (auto status = attachInputs(frame, plan.inputs); !status) return status;
    const auto result = worker.request(std::move(frame));
    if (!result) return fail(result.error());
    return takeSoak(*result, outcome);
}

Status unpack(RunPlan& plan, RunOutcome& outcome) {
    if (plan.extraction) return {};
    const auto start = Clock::now();
    auto extraction = extractCompiled(plan.compiled.package->archive(), *plan.compiled.model, plan.cancel, plan.progress);
    if (!extraction) return fail(extraction.error());
    plan.extraction = std::move(*extraction);
    outcome.seconds.extract = std::chrono::duration<double>(Clock::now() - start).count();
    return {};
}

Result<RunOutcome> runSide(RunPlan& plan, bool checksOn) {
    const CompiledModel& model = *plan.compiled.model;
    RunOutcome outcome;
    outcome.checksOn = checksOn;
    outcome.device = plan.device;

    WorkerOptions options;
    options.worker = plan.worker;
    options.runtimeChecks = checksOn;
    options.threads = plan.request.threads;
    options.contained = true;
    outcome.contained = sandbox().works();
    options.memoryBytes = plan.request.memoryGb > 0 ? static_cast<std::uint64_t>(std::min(plan.request.memoryGb * 1e9, 1e18)) : 0;
    // A short limit is for the model; LibTorch gets some seconds to load all the same.
    if (plan.request.timeoutSeconds > 0) options.startSeconds = std::clamp(plan.request.timeoutSeconds, 30.0, options.startSeconds);
    auto started = WorkerClient::start(options, plan.cancel, plan.progress);
    if (!started) return fail(started.error());
    WorkerClient& worker = **started;
    outcome.torchVersion = worker.hello().torchRuntime.empty() ? worker.hello().torchBuilt : worker.hello().torchRuntime;
    outcome.seconds.start = worker.startSeconds();
    if (!plan.extraction) {  // else the other side asked already
        const WorkerHello& hello = worker.hello();
        const TargetTorch engine = describeTorch(outcome.torchVersion, hello.variant, hello.devices, hello.libtorchFolder);
        if (auto status =
                refuseHere(plan.compiled.package->archive(), model, plan.device, engine, plan.cancel, &plan.instructions, plan.constants.has_value());
            !status) {
            return fail(status.error());
        }
    }

    if (auto status = unpack(plan, outcome); !status) return fail(status.error());

    worker.setTimeLimit(plan.request.timeoutSeconds);
    worker.setInstructions(plan.instructions);
    worker.setStep(std::string(kStepLoading));
    report(plan.progress, {"loading the library", 0, 0, Progress::Unit::None, {}});
    Frame load;
    load.body = {{"request", "load"},
                 {"library", plan.extraction->library().string()},
                 {"blob", plan.extraction->blob().string()},
                 {"device", plan.device},
                 {"threads", std::max(0, plan.request.threads)},
                 {"runners", std::max(1, plan.request.runners)},
                 {"single_threaded", plan.request.singleThreaded},
                 {"operator_libraries", plan.operatorLibraries}};
    const auto loaded = worker.request(std::move(load));
    if (!loaded) return fail(loaded.error());
    takeLoaded(loaded->body, outcome);
    if (auto status = replaceConstants(worker, plan, outcome); !status) return fail(status.error());

    worker.setStep("while it ran");
    report(plan.progress, {"running", 0, 0, Progress::Unit::None, {}});
    Frame run;
    const int steps = std::max(1, plan.request.steps);
    run.body = {{"request", "run"}, {"steps", steps}, {"watch", plan.watched}, {"boxed", plan.request.boxed}};
    if (auto status = attachInputs(run, plan.inputs); !status) return fail(status.error());
    const auto result =
        worker.request(std::move(run), [&](const Frame& frame) { return takeStep(frame, plan.contract, plan.watched, steps, outcome); });
    if (!result) return fail(result.error());
    outcome.memory.peak = bytesOf(result->body, "peak_memory");
    outcome.pythonMapped = flagOf(result->body, "python_mapped");

    if (plan.request.repeat > 0 || plan.request.warmup > 0) {
        if (auto status = bench(worker, plan.request, outcome); !status) return fail(status.error());
    }
    if (plan.request.soakLoads > 0) {
        worker.setStep("while it was loaded and unloaded again and again");
        if (auto status = soak(worker, plan, outcome); !status) return fail(status.error());
    }
    outcome.log = worker.log();
    return outcome;
}

}  // namespace

Result<RunReport> runCompiled(const Document& document, const Contract& contract, const RunRequest& request, const std::vector<Tensor>& inputs,
                              const CancelToken& cancel, const ProgressSink& progress) {
    const auto name = document.resolveModel(request.model);
    if (!name) return fail(name.error());
    const Document::CompiledRef compiled = document.compiled(*name);
    if (!compiled) return fail(noCompiledModel(*name));
    if (auto status = refuseTogether(request); !status) return fail(status.error());
    if (auto status = refuseAnywhere(*compiled.model, !request.constantsFile.empty()); !status) return fail(status.error());
    const auto libraries = operatorLibraries(request);
    if (!libraries) return fail(libraries.error());
    const auto device = chooseDevice(*compiled.model, request.device);
    if (!device) return fail(device.error());
    const auto worker = findWorker();
    if (!worker) return fail(worker.error());

    RunPlan plan{compiled,  contract, request, inputs, *worker, *device, cancel, progress, nullptr, watchedState(document, *name, *compiled.model),
                 *libraries};
    if (!request.constantsFile.empty()) {
        auto constants = readConstantsFile(document, *name, request.constantsFile);
        if (!constants) return fail(constants.error());
        plan.constants = std::move(*constants);
    }
    RunReport report;
    for (const bool checksOn : {false, true}) {
        if (request.checks != RuntimeChecks::Both && (request.checks == RuntimeChecks::On) != checksOn) continue;
        auto outcome = runSide(plan, checksOn);
        if (!outcome && outcome.error().kind != ErrorKind::RunFailed) return fail(outcome.error());
        (checksOn ? report.on : report.off) = std::move(outcome);
    }
    return report;
}

}  // namespace pt2
