#include "core/engine/worker_server.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <deque>
#include <iostream>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "core/engine/compiled_runner.h"
#include "core/engine/registered_schemas.h"
#include "core/run/protocol.h"
#include "core/run/stream_io.h"
#include "core/run/tensor_exchange.h"

namespace pt2 {

namespace {

constexpr std::int64_t kMaxCalls = 100'000'000;

/// Requests in the order they came, read by a thread of its own: a call into a model cannot be interrupted, but the other side may go or cancel
/// meanwhile.
class RequestQueue {
public:
    void push(Frame frame) {
        const std::lock_guard lock(mutex_);
        frames_.push_back(std::move(frame));
        changed_.notify_one();
    }
    void fail(Error error) {
        const std::lock_guard lock(mutex_);
        error_ = std::move(error);
        changed_.notify_one();
    }
    Result<Frame> next() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return !frames_.empty() || error_; });
        if (frames_.empty()) return pt2::fail(*error_);
        Frame frame = std::move(frames_.front());
        frames_.pop_front();
        return frame;
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Frame> frames_;
    std::optional<Error> error_;
};

/// Which file a descriptor stands for; nothing when it is closed.
using FileIdentity = std::optional<std::pair<dev_t, ino_t>>;
FileIdentity identityOf(int fd) {
    struct stat status {};
    if (::fstat(fd, &status) != 0) return std::nullopt;
    return std::pair{status.st_dev, status.st_ino};
}

class WorkerServer {
public:
    explicit WorkerServer(PrivateStreams streams)
        : streams_(std::move(streams)), identities_{identityOf(streams_.in.get()), identityOf(streams_.out.get())} {}
    int serve();
    /// The status to end with: what a model did to the streams goes before `status`.
    int endStatus(int status) const;

private:
    void readRequests();
    Status send(Frame frame);
    nlohmann::json hello() const;
    /// The result's body, tensors attached; or the Error to answer with.
    Result<Frame> answer(const Frame& request);
    Result<Frame> load(const nlohmann::json& body);
    Result<Frame> run(const Frame& request);
    Result<Frame> bench(const Frame& request);
    Status useInputs(const Frame& request);
    void reportStep(std::uint64_t sequence, const char* step, std::int64_t done, std::int64_t total);

    PrivateStreams streams_;
    std::array<FileIdentity, 2> identities_;
    RequestQueue queue_;
    std::atomic<bool> cancelled_{false};
    std::optional<CompiledRunner> runner_;
    std::optional<AttachedTensors> inputs_;  // what the runner's tensors point into
    LibTorchFacts facts_;
};

int WorkerServer::endStatus(int status) const {
    // A model can close them, and what is opened then gets their numbers.
    const bool own = identityOf(streams_.in.get()) == identities_[0] && identityOf(streams_.out.get()) == identities_[1];
    return own ? status : kStreamClosedStatus;
}

void WorkerServer::readRequests() {
    FrameDecoder decoder;
    ByteBuffer buffer(1 << 18);
    for (;;) {
        if (!waitToRead(streams_.in.get()) || endStatus(0) != 0) ::_exit(endStatus(0));
        auto received = receiveSome(streams_.in.get(), buffer);
        // Whoever asked is gone: nothing a model still does matters to anyone, and its destructors may be as hostile as the rest.
        if (!received || received->ended) ::_exit(endStatus(0));
        decoder.feed(Bytes(buffer).first(received->bytes), std::move(received->descriptors));
        for (;;) {
            auto frame = decoder.next();
            if (!frame) {
                queue_.fail(frame.error());
                return;
            }
            if (!*frame) break;
            if (textOf((*frame)->body, "request") == "cancel") {
                cancelled_ = true;
            } else {
                queue_.push(std::move(**frame));
            }
        }
    }
}

Status WorkerServer::send(Frame frame) {
    // What the model printed comes before the answer to the call that printed it.
    std::cout.flush();
    std::fflush(nullptr);
    const auto head = encodeFrameHead(frame);
    if (!head) return pt2::fail(head.error());
    std::vector<int> descriptors;
    for (const Descriptor& descriptor : frame.descriptors) descriptors.push_back(descriptor.get());
    if (auto status = sendAll(streams_.out.get(), *head, descriptors); !status) return status;
    return sendAll(streams_.out.get(), frame.payload);
}

nlohmann::json WorkerServer::hello() const {
    return {{"type", "hello"},
            {"torch_built", facts_.builtVersion},
            {"torch_runtime", facts_.runtimeVersion},
            {"variant", PT2SCOPE_LIBTORCH_VARIANT},
            {"cxx11_abi", facts_.cxx11Abi},
            {"folder", facts_.folder},
            {"devices", facts_.devices},
            {"pid", ::getpid()}};
}

void WorkerServer::reportStep(std::uint64_t sequence, const char* step, std::int64_t done, std::int64_t total) {
    Frame frame;
    frame.sequence = sequence;
    frame.body = {{"type", "progress"}, {"step", step}, {"done", done}, {"total", total}};
    static_cast<void>(send(std::move(frame)));
}

Result<Frame> WorkerServer::load(const nlohmann::json& body) {
    runner_.reset();
    inputs_.reset();
    CompiledRunner::Request request;
    request.library = textOf(body, "library");
    request.blob = textOf(body, "blob");
    request.device = textOf(body, "device", "cpu");
    request.singleThreaded = flagOf(body, "single_threaded");
    request.threads = static_cast<int>(std::clamp<std::int64_t>(integerOf(body, "threads"), 0, 4096));
    const std::uint64_t before = residentMemoryBytes();
    auto runner = CompiledRunner::load(request);
    if (!runner) return pt2::fail(runner.error());
    runner_.emplace(std::move(*runner));
    Frame result;
    result.body["seconds"] = {{"library", runner_->loadSeconds().library}, {"constants", runner_->loadSeconds().constants}};
    result.body["memory"] = {{"before", before}, {"after", residentMemoryBytes()}};
    result.body["names"] = {{"inputs", runner_->names().inputs}, {"outputs", runner_->names().outputs}};
    return result;
}

Status WorkerServer::useInputs(const Frame& request) {
    auto attached = attachedTensors(request);
    if (!attached) return pt2::fail(attached.error());
    std::vector<InputMemory> memory;
    for (const PlacedTensor& placed : attached->places) {
        memory.push_back({placed.layout, placed.bytes == 0 ? nullptr : attached->memory.bytes.data() + placed.offset});
    }
    auto status = runner_->setInputs(memory);
    inputs_ = std::move(*attached);
    return status;
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

std::vector<std::string> textsOf(const nlohmann::json& object, const char* key) {
    std::vector<std::string> texts;
    const auto list = object.find(key);
    if (list == object.end() || !list->is_array()) return texts;
    for (const nlohmann::json& one : *list) texts.push_back(one.is_string() ? one.get<std::string>() : std::string());
    return texts;
}

/// One true, false or null (not known) for each.
nlohmann::json changedConstants(const std::vector<std::optional<ByteBuffer>>& before, const std::vector<std::optional<ByteBuffer>>& after) {
    nlohmann::json changed = nlohmann::json::array();
    for (std::size_t i = 0; i < before.size(); ++i) {
        changed.push_back(before[i] && after[i] ? nlohmann::json(*before[i] != *after[i]) : nlohmann::json());
    }
    return changed;
}

Result<Frame> WorkerServer::run(const Frame& request) {
    const std::int64_t steps = std::clamp<std::int64_t>(integerOf(request.body, "steps", 1), 1, kMaxCalls);
    const std::vector<std::string> watched = textsOf(request.body, "watch");
    const auto before = runner_->constants(watched);
    for (std::int64_t step = 0; step < steps; ++step) {
        if (cancelled_) return cancelled();
        // Each call gets the inputs as they were sent, whatever the call before did to them.
        if (auto status = useInputs(request); !status) return pt2::fail(status.error());
        reportStep(request.sequence, "call", step + 1, steps);
        const auto seconds = runner_->call();
        if (!seconds) return pt2::fail(seconds.error());
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
        frame.body = {{"type", "step"}, {"call", step}, {"seconds", *seconds}, {"undefined", missing}, {"inputs_changed", *changed}};
        if (step == 0 && !watched.empty()) frame.body["watched_changed"] = changedConstants(before, runner_->constants(watched));
        if (auto status = attachTensors(frame, views, streams_.descriptorsTravel); !status) return pt2::fail(status.error());
        if (auto status = send(std::move(frame)); !status) return pt2::fail(status.error());
    }
    Frame result;
    result.body = {{"peak_memory", peakMemoryBytes()}, {"python_mapped", pythonIsMapped()}};
    return result;
}

Result<Frame> WorkerServer::bench(const Frame& request) {
    const std::int64_t warmup = std::clamp<std::int64_t>(integerOf(request.body, "warmup"), 0, kMaxCalls);
    const std::int64_t repeat = std::clamp<std::int64_t>(integerOf(request.body, "repeat"), 0, kMaxCalls);
    if (!inputs_) return pt2::fail({ErrorKind::System, "protocol.damaged", "A benchmark was asked for before a run.", {}, {}, {}});
    std::vector<double> samples;
    auto told = std::chrono::steady_clock::now();
    for (std::int64_t i = 0; i < warmup + repeat; ++i) {
        if (cancelled_) return cancelled();
        const auto now = std::chrono::steady_clock::now();
        if (i == 0 || now - told > std::chrono::milliseconds(100)) {
            reportStep(request.sequence, i < warmup ? "warmup" : "repeat", i, warmup + repeat);
            told = now;
        }
        const auto seconds = runner_->call();
        if (!seconds) return pt2::fail(seconds.error());
        if (i >= warmup) samples.push_back(*seconds);
    }
    Frame result;
    TensorView view;
    view.layout = {DType::Float64, {static_cast<std::int64_t>(samples.size())}, {1}, 0};
    view.storage = std::as_bytes(std::span<const double>(samples));
    if (auto status = attachTensors(result, {view}, streams_.descriptorsTravel); !status) return pt2::fail(status.error());
    result.body["peak_memory"] = peakMemoryBytes();
    return result;
}

Result<Frame> WorkerServer::answer(const Frame& request) {
    const std::string name = textOf(request.body, "request");
    if (name == "describe") {
        Frame frame;
        frame.body = hello();
        return frame;
    }
    if (name == "schemas") {
        Frame frame;
        if (flagOf(request.body, "all")) {
            const std::string lines = allRegisteredSchemas();  // too much for a header
            const Bytes bytes = asBytes(lines);
            frame.payload.assign(bytes.begin(), bytes.end());
            return frame;
        }
        frame.body["schemas"] = registeredSchemas(textsOf(request.body, "operators"));
        return frame;
    }
    if (name == "load") return load(request.body);
    if (name == "unload") {
        runner_.reset();
        inputs_.reset();
        return Frame{};
    }
    if (name == "run" || name == "bench") {
        if (!runner_) return pt2::fail({ErrorKind::System, "protocol.damaged", "A run was asked for before a model was loaded.", {}, {}, {}});
        return name == "run" ? run(request) : bench(request);
    }
    return pt2::fail({ErrorKind::System, "protocol.unknown-request", "The run engine does not know a request.", {}, "It was \"" + name + "\".", {}});
}

int WorkerServer::serve() {
    if (!sendAll(streams_.out.get(), encodePreamble())) return 1;
    facts_ = libTorchFacts();
    const Status fits = checkLibTorch(facts_);
    Frame greeting;
    greeting.body = hello();
    if (!fits) greeting.body["error"] = errorToJson(fits.error());
    if (!send(std::move(greeting)) || !fits) return 1;

    std::thread([this] { readRequests(); }).detach();
    for (;;) {
        auto request = queue_.next();
        Frame frame;
        if (!request) {
            frame.body = {{"type", "error"}, {"error", errorToJson(request.error())}};
            static_cast<void>(send(std::move(frame)));
            return 1;
        }
        cancelled_ = false;
        auto result = answer(*request);
        if (result) {
            frame = std::move(*result);
            frame.body["type"] = "result";
        } else {
            frame.body = {{"type", "error"}, {"error", errorToJson(result.error())}};
        }
        frame.sequence = request->sequence;
        if (auto status = send(std::move(frame)); !status) return 1;
    }
}

}  // namespace

int serveWorker(PrivateStreams streams) {
    WorkerServer server(std::move(streams));
    const int status = server.endStatus(server.serve());
    // The reading thread still holds the server.
    std::cout.flush();
    std::fflush(nullptr);
    ::_exit(status);
}

}  // namespace pt2
