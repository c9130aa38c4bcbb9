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
#include "core/engine/worker_model.h"
#include "core/run/protocol.h"
#include "core/run/stream_io.h"

namespace pt2 {

namespace {

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
        : streams_(std::move(streams)),
          identities_{identityOf(streams_.in.get()), identityOf(streams_.out.get())},
          model_([this](Frame frame) { return send(std::move(frame)); }, streams_.descriptorsTravel, cancelled_) {}
    int serve();
    /// The status to end with: what a model did to the streams goes before `status`.
    int endStatus(int status) const;

private:
    void readRequests();
    Status send(Frame frame);
    nlohmann::json hello() const;
    /// The result's body, tensors attached; or the Error to answer with.
    Result<Frame> answer(const Frame& request);

    PrivateStreams streams_;
    std::array<FileIdentity, 2> identities_;
    RequestQueue queue_;
    std::atomic<bool> cancelled_{false};
    WorkerModel model_;
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
    if (auto result = model_.answer(name, request)) return std::move(*result);
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
