#include "core/engine/worker_model.h"

#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "core/engine/worker_process.h"

namespace pt2 {

namespace {

constexpr std::int64_t kMaxCalls = 100'000'000, kMaxLoads = 1'000'000, kMaxRunners = 1024;
constexpr auto kTellEvery = std::chrono::milliseconds(100), kMemoryEvery = std::chrono::milliseconds(20);
constexpr std::size_t kMostSamples = 20'000;  // of memory

using Clock = std::chrono::steady_clock;

Error outOfOrder(std::string what) { return {ErrorKind::System, "protocol.damaged", std::move(what), {}, {}, {}}; }

std::vector<InputMemory> memoryOf(AttachedTensors& attached) {
    std::vector<InputMemory> memory;
    for (const PlacedTensor& placed : attached.places) {
        memory.push_back({placed.layout, placed.bytes == 0 ? nullptr : attached.memory.bytes.data() + placed.offset});
    }
    return memory;
}

/// Which inputs the model wrote to: what it had against what was sent.
Result<std::vector<bool>> changedInputs(const Frame& request, const AttachedTensors& used) {
    const auto original = attachedTensors(request);
    if (!original) return pt2::fail(original.error());
    std::vector<bool> changed;
    for (const PlacedTensor& placed : used.places) {
        changed.push_back(placed.bytes > 0 &&
                          std::memcmp(used.memory.bytes.data() + placed.offset, original->memory.bytes.data() + placed.offset, placed.bytes) != 0);
    }
    return changed;
}

bool sameBytes(const Tensor& a, const Tensor& b) {
    return a.storage.size() == b.storage.size() && (a.storage.empty() || std::memcmp(a.storage.data(), b.storage.data(), a.storage.size()) == 0);
}

/// One true, false or null (not known) for each.
nlohmann::json changedConstants(const std::vector<std::optional<Tensor>>& before, const std::vector<std::optional<Tensor>>& after) {
    nlohmann::json changed = nlohmann::json::array();
    for (std::size_t i = 0; i < before.size(); ++i) {
        changed.push_back(before[i] && after[i] ? nlohmann::json(!sameBytes(*before[i], *after[i])) : nlohmann::json());
    }
    return changed;
}

/// Adds those that are known to `views`; their places in the list.
nlohmann::json addKnown(const std::vector<std::optional<Tensor>>& tensors, std::vector<TensorView>& views) {
    nlohmann::json places = nlohmann::json::array();
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        if (!tensors[i]) continue;
        places.push_back(i);
        views.push_back(tensors[i]->view());
    }
    return places;
}

TensorView numbers(const std::vector<double>& values) {
    TensorView view;
    view.layout = {DType::Float64, {static_cast<std::int64_t>(values.size())}, {1}, 0};
    view.storage = std::as_bytes(std::span<const double>(values));
    return view;
}

/// Memory over time: a sample now and then, and every second one dropped when they become too many.
class MemoryCurve {
public:
    MemoryCurve() : start_(Clock::now()), last_(start_) { take(start_); }
    void look() {
        const auto now = Clock::now();
        if (now - last_ >= every_) take(now);
    }
    std::vector<double> seconds, bytes;

private:
    void take(Clock::time_point now) {
        last_ = now;
        seconds.push_back(std::chrono::duration<double>(now - start_).count());
        bytes.push_back(static_cast<double>(residentMemoryBytes()));
        if (seconds.size() < kMostSamples) return;
        for (std::vector<double>* list : {&seconds, &bytes}) {
            for (std::size_t i = 0; 2 * i < list->size(); ++i) (*list)[i] = (*list)[2 * i];
            list->resize((list->size() + 1) / 2);
        }
        every_ *= 2;
    }
    Clock::time_point start_, last_;
    Clock::duration every_ = kMemoryEvery;
};

/// Libraries that register operators; they stay for as long as the process.
Status loadOperatorLibraries(const std::vector<std::string>& libraries) {
    for (const std::string& library : libraries) {
        ::dlerror();
        if (::dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL) != nullptr) continue;
        const char* why = ::dlerror();
        return pt2::fail({ErrorKind::CannotRun, "run.operator-library", "The operator library cannot be loaded.", library,
                          why != nullptr ? why : std::string(), "It must be built for the LibTorch of the run engine."});
    }
    return {};
}

}  // namespace

std::optional<Result<Frame>> WorkerModel::answer(const std::string& name, const Frame& request) {
    if (name == "load") return load(request.body);
    if (name == "unload") {
        runner_.reset();
        inputs_.reset();
        return Frame{};
    }
    const bool known = name == "constants" || name == "run" || name == "bench" || name == "soak";
    if (!known) return std::nullopt;
    if (!runner_) return pt2::fail(outOfOrder("A run was asked for before a model was loaded."));
    if (name == "constants") return replaceConstants(request);
    if (name == "run") return run(request);
    return name == "bench" ? bench(request) : soak(request);
}

void WorkerModel::reportStep(std::uint64_t sequence, const char* step, std::int64_t done, std::int64_t total) {
    Frame frame;
    frame.sequence = sequence;
    frame.body = {{"type", "progress"}, {"step", step}, {"done", done}, {"total", total}};
    static_cast<void>(send_(std::move(frame)));
}

Result<Frame> WorkerModel::load(const nlohmann::json& body) {
    runner_.reset();
    inputs_.reset();
    if (auto status = loadOperatorLibraries(textsOf(body, "operator_libraries")); !status) return pt2::fail(status.error());
    CompiledRunner::Request request;
    request.library = textOf(body, "library");
    request.blob = textOf(body, "blob");
    request.device = textOf(body, "device", "cpu");
    request.singleThreaded = flagOf(body, "single_threaded");
    request.threads = static_cast<int>(std::clamp<std::int64_t>(integerOf(body, "threads"), 0, 4096));
    request.runners = static_cast<int>(std::clamp<std::int64_t>(integerOf(body, "runners", 1), 1, kMaxRunners));
    const std::uint64_t before = residentMemoryBytes();
    auto runner = CompiledRunner::load(request);
    if (!runner) return pt2::fail(runner.error());
    runner_.emplace(std::move(*runner));
    loaded_ = request;
    Frame result;
    result.body["seconds"] = {{"library", runner_->loadSeconds().library}, {"constants", runner_->loadSeconds().constants}};
    result.body["memory"] = {{"before", before}, {"after", residentMemoryBytes()}};
    result.body["names"] = {{"inputs", runner_->names().inputs}, {"outputs", runner_->names().outputs}};
    return result;
}

Result<Frame> WorkerModel::replaceConstants(const Frame& request) {
    auto attached = attachedTensors(request);
    if (!attached) return pt2::fail(attached.error());
    const auto replaced = runner_->replaceConstants(textsOf(request.body, "names"), memoryOf(*attached), flagOf(request.body, "shapes_known"));
    if (!replaced) return pt2::fail(replaced.error());
    Frame result;
    result.body = {{"replaced", replaced->replaced}, {"kept", replaced->kept}, {"unknown", replaced->unknown}};
    return result;
}

Status WorkerModel::useInputs(const Frame& request) {
    auto attached = attachedTensors(request);
    if (!attached) return pt2::fail(attached.error());
    auto status = runner_->setInputs(memoryOf(*attached));
    inputs_ = std::move(*attached);
    return status;
}

Status WorkerModel::sendStep(const Frame& request, std::int64_t step, double seconds, const std::vector<std::string>& watched,
                             const std::vector<std::optional<Tensor>>& before) {
    const auto outputs = runner_->outputs();
    if (!outputs) return pt2::fail(outputs.error());
    const auto changed = changedInputs(request, *inputs_);
    if (!changed) return pt2::fail(changed.error());
    std::vector<TensorView> views;
    nlohmann::json missing = nlohmann::json::array();
    for (std::size_t i = 0; i < outputs->size(); ++i) {
        if ((*outputs)[i].layout.dtype == DType::Unknown) {
            missing.push_back(i);
        } else {
            views.push_back((*outputs)[i].view());
        }
    }
    Frame frame;
    frame.sequence = request.sequence;
    frame.body = {
        {"type", "step"}, {"call", step}, {"seconds", seconds}, {"undefined", missing}, {"outputs", views.size()}, {"inputs_changed", *changed}};
    const auto after = runner_->constants(watched);
    if (!watched.empty()) {
        frame.body["watched_changed"] = changedConstants(before, after);
        frame.body["watched_before"] = addKnown(before, views);
        frame.body["watched_after"] = addKnown(after, views);
    }
    nlohmann::json written = nlohmann::json::array();
    for (std::size_t i = 0; i < changed->size(); ++i) {
        if (!(*changed)[i]) continue;
        const PlacedTensor& placed = inputs_->places[i];
        TensorView view;
        view.layout = placed.layout;
        view.storage = Bytes(inputs_->memory.bytes).subspan(static_cast<std::size_t>(placed.offset), static_cast<std::size_t>(placed.bytes));
        views.push_back(view);
        written.push_back(i);
    }
    frame.body["inputs_after"] = written;
    if (auto status = attachTensors(frame, views, descriptorsTravel_); !status) return status;
    return send_(std::move(frame));
}

Result<Frame> WorkerModel::run(const Frame& request) {
    const std::int64_t steps = std::clamp<std::int64_t>(integerOf(request.body, "steps", 1), 1, kMaxCalls);
    const std::vector<std::string> watched = textsOf(request.body, "watch");
    const bool boxed = flagOf(request.body, "boxed");
    for (std::int64_t step = 0; step < steps; ++step) {
        if (cancelled_) return cancelled();
        const auto before = runner_->constants(watched);
        // Each call gets the inputs as they were sent, whatever the call before did to them.
        if (auto status = useInputs(request); !status) return pt2::fail(status.error());
        reportStep(request.sequence, "call", step + 1, steps);
        const auto seconds = runner_->call(boxed);
        if (!seconds) return pt2::fail(seconds.error());
        if (auto status = sendStep(request, step, *seconds, watched, before); !status) return pt2::fail(status.error());
    }
    Frame result;
    result.body = {{"peak_memory", peakMemoryBytes()}, {"python_mapped", pythonIsMapped()}};
    return result;
}

Result<Frame> WorkerModel::bench(const Frame& request) {
    const std::int64_t warmup = std::clamp<std::int64_t>(integerOf(request.body, "warmup"), 0, kMaxCalls);
    const std::int64_t repeat = std::clamp<std::int64_t>(integerOf(request.body, "repeat"), 0, kMaxCalls);
    const int callers = static_cast<int>(std::clamp<std::int64_t>(integerOf(request.body, "callers", 1), 1, kMaxRunners));
    const bool boxed = flagOf(request.body, "boxed");
    if (!inputs_) return pt2::fail(outOfOrder("A benchmark was asked for before a run."));
    std::vector<double> samples;
    MemoryCurve memory;
    auto told = Clock::now();
    double wall = 0;
    const std::int64_t alone = callers > 1 ? warmup : warmup + repeat;
    for (std::int64_t i = 0; i < alone; ++i) {
        if (cancelled_) return cancelled();
        const auto now = Clock::now();
        if (i == 0 || now - told > kTellEvery) {
            reportStep(request.sequence, i < warmup ? "warmup" : "repeat", i, warmup + repeat);
            told = now;
        }
        const auto seconds = runner_->call(boxed);
        if (!seconds) return pt2::fail(seconds.error());
        memory.look();
        if (i < warmup) continue;
        samples.push_back(*seconds);
        wall += *seconds;
    }
    if (callers > 1 && repeat > 0) {
        auto calls = runner_->callAtOnce(callers, repeat, boxed, cancelled_, [&](std::int64_t done) {
            memory.look();
            const auto now = Clock::now();
            if (now - told < kTellEvery) return;
            reportStep(request.sequence, "repeat", warmup + done, warmup + repeat);
            told = now;
        });
        if (!calls) return pt2::fail(calls.error());
        if (cancelled_) return cancelled();
        samples = std::move(calls->seconds);
        wall = calls->wallSeconds;
    }
    Frame result;
    if (auto status = attachTensors(result, {numbers(samples), numbers(memory.seconds), numbers(memory.bytes)}, descriptorsTravel_); !status) {
        return pt2::fail(status.error());
    }
    result.body["peak_memory"] = peakMemoryBytes();
    result.body["wall_seconds"] = wall;
    return result;
}

Result<Frame> WorkerModel::soak(const Frame& request) {
    const std::int64_t loads = std::clamp<std::int64_t>(integerOf(request.body, "loads"), 1, kMaxLoads);
    const std::int64_t runs = std::clamp<std::int64_t>(integerOf(request.body, "runs", 1), 0, kMaxCalls);
    std::vector<double> memory, mappings;
    auto told = Clock::now();
    for (std::int64_t load = 0; load < loads; ++load) {
        runner_.reset();
        inputs_.reset();
        auto runner = CompiledRunner::load(loaded_);
        if (!runner) return pt2::fail(runner.error());
        runner_.emplace(std::move(*runner));
        if (auto status = useInputs(request); !status) return pt2::fail(status.error());
        for (std::int64_t i = 0; i < runs; ++i) {
            if (cancelled_) return cancelled();
            if (const auto seconds = runner_->call(); !seconds) return pt2::fail(seconds.error());
        }
        runner_.reset();
        memory.push_back(static_cast<double>(residentMemoryBytes()));
        mappings.push_back(static_cast<double>(mappingCount()));
        if (const auto now = Clock::now(); load == 0 || now - told > kTellEvery) {
            reportStep(request.sequence, "soak", load + 1, loads);
            told = now;
        }
        if (cancelled_) return cancelled();
    }
    Frame result;
    if (auto status = attachTensors(result, {numbers(memory), numbers(mappings)}, descriptorsTravel_); !status) return pt2::fail(status.error());
    result.body["peak_memory"] = peakMemoryBytes();
    return result;
}

}  // namespace pt2
