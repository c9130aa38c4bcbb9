#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "core/base/text.h"
#include "core/compare/compare.h"
#include "core/compiled/torch_libraries.h"
#include "core/run/engine_discovery.h"
#include "core/run/extraction.h"
#include "core/run/refusal.h"
#include "core/run/run.h"
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
    std::string instructions = {};                 // what is to be said of an illegal instruction
};

/// Names the tensors a library returned after the contract's outputs; what the contract does not know is numbered. Numbers and None among a program's
/// outputs are returned too, as tensors without dimensions and undefined ones.
NamedTensors nameOutputs(const Contract& contract, std::vector<Tensor> tensors) {
    std::vector<std::string> names;
    for (const ContractOutput& output : contract.outputs) names.push_back(output.name.empty() ? output.graphName : output.name);
    if (names.size() != tensors.size()) names.clear();
    NamedTensors named;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        named.emplace_back(i < names.size() && !names[i].empty() ? names[i] : "output_" + std::to_string(i), std::move(tensors[i]));
    }
    return named;
}

/// The tensors of a "step" frame, with an empty one where the model left a result undefined.
Result<std::vector<Tensor>> stepOutputs(const Frame& frame) {
    auto tensors = receivedTensors(frame);
    if (!tensors) return tensors;
    const auto undefined = frame.body.find("undefined");
    if (undefined == frame.body.end() || !undefined->is_array()) return tensors;
    for (const nlohmann::json& place : *undefined) {
        if (!place.is_number_unsigned() || place.get<std::uint64_t>() > tensors->size()) continue;
        tensors->insert(tensors->begin() + static_cast<std::ptrdiff_t>(place.get<std::uint64_t>()), Tensor());
    }
    return tensors;
}

/// Answers about watched constants come in the order they were asked for. Inputs are named when they were written to.
void takeState(const Frame& frame, const RunPlan& plan, RunOutcome& outcome) {
    const nlohmann::json answers = frame.body.value("watched_changed", nlohmann::json::array());
    for (std::size_t i = 0; i < plan.watched.size(); ++i) {
        const bool answered = answers.is_array() && i < answers.size() && answers[i].is_boolean();
        outcome.state.push_back({plan.watched[i], answered ? std::optional<bool>(answers[i].get<bool>()) : std::nullopt});
    }
    for (std::size_t i = 0; i < outcome.inputsChanged.size(); ++i) {
        if (!outcome.inputsChanged[i]) continue;
        const auto input =
            std::find_if(plan.contract.inputs.begin(), plan.contract.inputs.end(), [i](const ContractInput& c) { return c.tensorIndex == i; });
        outcome.state.push_back({input != plan.contract.inputs.end() ? input->name : std::to_string(i), true});
    }
}

Status takeStep(const Frame& frame, const RunPlan& plan, RunOutcome& outcome) {
    auto tensors = stepOutputs(frame);
    if (!tensors) return fail(tensors.error());
    NamedTensors named = nameOutputs(plan.contract, std::move(*tensors));
    if (integerOf(frame.body, "call") == 0) {
        outcome.outputs = named;
        outcome.seconds.first = numberOf(frame.body, "seconds");
        if (const auto changed = frame.body.find("inputs_changed"); changed != frame.body.end() && changed->is_array()) {
            for (const nlohmann::json& one : *changed) outcome.inputsChanged.push_back(one.is_boolean() && one.get<bool>());
        }
        takeState(frame, plan, outcome);
    }
    if (plan.request.steps > 1) outcome.steps.push_back(std::move(named));
    return {};
}

std::uint64_t bytesOf(const nlohmann::json& object, const char* key) {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(0, integerOf(object, key)));
}

std::vector<std::string> textsOf(const nlohmann::json& object, const char* key) {
    std::vector<std::string> texts;
    if (const auto list = object.find(key); list != object.end() && list->is_array()) {
        for (const nlohmann::json& one : *list) texts.push_back(one.is_string() ? one.get<std::string>() : std::string());
    }
    return texts;
}

/// What a "load" answers: times, memory before and after, and the names the library goes by.
void takeLoaded(const nlohmann::json& body, RunOutcome& outcome) {
    const nlohmann::json seconds = body.value("seconds", nlohmann::json::object());
    outcome.seconds.constants = numberOf(seconds, "constants");
    outcome.seconds.load = numberOf(seconds, "library") + outcome.seconds.constants;
    const nlohmann::json memory = body.value("memory", nlohmann::json::object());
    outcome.memory.started = bytesOf(memory, "before");
    outcome.memory.loaded = bytesOf(memory, "after");
    const nlohmann::json names = body.value("names", nlohmann::json::object());
    outcome.library = {textsOf(names, "inputs"), textsOf(names, "outputs")};
}

Status bench(WorkerClient& worker, const RunRequest& request, RunOutcome& outcome) {
    Frame frame;
    frame.body = {{"request", "bench"}, {"warmup", std::max(0, request.warmup)}, {"repeat", std::max(0, request.repeat)}};
    auto result = worker.request(std::move(frame));
    if (!result) return fail(result.error());
    const auto samples = receivedTensors(*result);
    if (!samples) return fail(samples.error());
    if (samples->size() == 1 && samples->front().layout.dtype == DType::Float64) {
        const TensorView view = samples->front().view();
        const std::uint64_t count = view.layout.elementCount().value_or(0);
        for (std::uint64_t i = 0; i < count; ++i) outcome.seconds.samples.push_back(elementAsDouble(view, i));
    }
    outcome.memory.peak = std::max(outcome.memory.peak, bytesOf(result->body, "peak_memory"));
    return {};
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
        if (auto status = refuseHere(plan.compiled.package->archive(), model, plan.device, engine, plan.cancel, &plan.instructions); !status) {
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
                 {"threads", std::max(0, plan.request.threads)}};
    const auto loaded = worker.request(std::move(load));
    if (!loaded) return fail(loaded.error());
    takeLoaded(loaded->body, outcome);

    worker.setStep("while it ran");
    report(plan.progress, {"running", 0, 0, Progress::Unit::None, {}});
    Frame run;
    run.body = {{"request", "run"}, {"steps", std::max(1, plan.request.steps)}, {"watch", plan.watched}};
    std::vector<TensorView> views;
    for (const Tensor& input : plan.inputs) views.push_back(input.view());
    if (auto status = attachTensors(run, views, true); !status) return fail(status.error());
    const auto result = worker.request(std::move(run), [&](const Frame& frame) { return takeStep(frame, plan, outcome); });
    if (!result) return fail(result.error());
    outcome.memory.peak = bytesOf(result->body, "peak_memory");
    outcome.pythonMapped = flagOf(result->body, "python_mapped");

    if (plan.request.repeat > 0 || plan.request.warmup > 0) {
        if (auto status = bench(worker, plan.request, outcome); !status) return fail(status.error());
    }
    outcome.log = worker.log();
    return outcome;
}

bool sameTensors(const NamedTensors& left, const NamedTensors& right) {
    if (left.size() != right.size()) return false;
    for (std::size_t i = 0; i < left.size(); ++i) {
        const Tensor &a = left[i].second, &b = right[i].second;
        if (left[i].first != right[i].first || a.layout.dtype != b.layout.dtype || a.layout.sizes != b.layout.sizes) return false;
        if (isNone(a.view()) && isNone(b.view())) continue;
        const auto x = contiguous(a), y = contiguous(b);
        if (!x || !y) return false;
        const std::uint64_t bytes = x->layout.requiredStorageBytes().value_or(0);
        const std::size_t item = dtypeSize(a.layout.dtype);
        if (bytes > 0 && std::memcmp(x->storage.data() + static_cast<std::size_t>(x->layout.storageOffset) * item,
                                     y->storage.data() + static_cast<std::size_t>(y->layout.storageOffset) * item,
                                     static_cast<std::size_t>(bytes) - static_cast<std::size_t>(x->layout.storageOffset) * item) != 0) {
            return false;
        }
    }
    return true;
}

}  // namespace

double RunSeconds::percentile(double p) const {
    if (samples.empty()) return first;
    std::vector<double> sorted = samples;
    std::sort(sorted.begin(), sorted.end());
    // Linear between the two nearest samples, as numpy does.
    const double place = std::clamp(p, 0.0, 1.0) * static_cast<double>(sorted.size() - 1);
    const std::size_t below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (sorted[above] - sorted[below]) * (place - static_cast<double>(below));
}
double RunSeconds::median() const { return percentile(0.5); }
double RunSeconds::minimum() const { return samples.empty() ? first : *std::min_element(samples.begin(), samples.end()); }

bool RunReport::same() const {
    if (!off || !on || !*off || !*on) return false;
    const RunOutcome &a = **off, &b = **on;
    if (!sameTensors(a.outputs, b.outputs) || a.steps.size() != b.steps.size()) return false;
    for (std::size_t i = 0; i < a.steps.size(); ++i) {
        if (!sameTensors(a.steps[i], b.steps[i])) return false;
    }
    return true;
}

Result<RunReport> runCompiled(const Document& document, const Contract& contract, const RunRequest& request, const std::vector<Tensor>& inputs,
                              const CancelToken& cancel, const ProgressSink& progress) {
    const auto name = document.resolveModel(request.model);
    if (!name) return fail(name.error());
    const Document::CompiledRef compiled = document.compiled(*name);
    if (!compiled) return fail(noCompiledModel(*name));
    if (auto status = refuseAnywhere(*compiled.model); !status) return fail(status.error());
    const auto device = chooseDevice(*compiled.model, request.device);
    if (!device) return fail(device.error());
    const auto worker = findWorker();
    if (!worker) return fail(worker.error());

    RunPlan plan{compiled, contract, request, inputs, *worker, *device, cancel, progress, nullptr, watchedState(document, *name, *compiled.model)};
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
