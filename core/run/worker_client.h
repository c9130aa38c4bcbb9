#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/run/descriptor.h"
#include "core/run/protocol.h"
#include "core/run/worker_log.h"

namespace pt2 {

/// How to start a worker. What a process can hold only once (design.md 1) is settled here.
struct WorkerOptions {
    std::string worker;          ///< path of pt2-worker
    bool runtimeChecks = false;  ///< AOTI_RUNTIME_CHECK_INPUTS set to 1, else unset
    int threads = 0;             ///< OMP_NUM_THREADS; 0 leaves it as it is
    std::uint64_t memoryBytes = 0;
    double startSeconds = 60;  ///< within which it must say hello; loading LibTorch from a cold disk takes some
    bool contained = false;    ///< in a sandbox, where there is one (core/run/sandbox.h)
    bool byteStream = false;   ///< --stdio, as over ssh: tensors are payload, not shared memory
};

/// What a worker says of itself.
struct WorkerHello {
    std::string torchBuilt, torchRuntime, variant, libtorchFolder;
    std::vector<std::string> devices;
};

/// A running worker: a child process in its own group, ended with all it started when this object goes. Used by one thread at a time.
class WorkerClient {
public:
    /// Starts the process and reads its hello. Errors: CannotRun "engine.broken" (cannot start, other LibTorch), "engine.silent", System, Cancelled.
    static Result<std::unique_ptr<WorkerClient>> start(const WorkerOptions& options, const CancelToken& cancel = {},
                                                       const ProgressSink& progress = {});
    WorkerClient(const WorkerClient&) = delete;
    WorkerClient& operator=(const WorkerClient&) = delete;
    ~WorkerClient();

    const WorkerHello& hello() const { return hello_; }
    double startSeconds() const { return startSeconds_; }

    /// From now on the worker has this long, all requests together; 0 for no limit.
    void setTimeLimit(double seconds);
    /// What an error says the worker was at: "while its library was being loaded".
    void setStep(std::string step) { step_ = std::move(step); }
    /// What SIGILL is explained with: the instruction set the library says it needs.
    void setInstructions(std::string words) { instructions_ = std::move(words); }
    /// Sends a request and waits for its result. "step" frames on the way go to `onStep`, the rest to the progress sink. The worker's own Error, or
    /// how the process ended: RunFailed "run.signal", "run.exited", "run.lost", "run.timeout", "run.memory"; Cancelled.
    Result<Frame> request(Frame frame, const std::function<Status(Frame)>& onStep = {});
    /// All that model and library printed so far.
    std::string log();

private:
    WorkerClient() = default;
    struct Outgoing {
        ByteBuffer bytes;
        std::size_t sent = 0;
        std::vector<Descriptor> descriptors;
    };
    Status spawn(const WorkerOptions& options);
    Status readHello(double seconds);
    Status queueFrame(Frame frame);
    /// Waits for the next frame, meanwhile sending what is queued and reading the log.
    Result<Frame> nextFrame();
    Status sendQueued();
    /// Reads once; bytes that came.
    Result<std::size_t> receive();
    bool waitForEvents();
    void showProgress(const nlohmann::json& body);
    void kill();
    bool reap(bool wait);
    Error ended();
    tl::unexpected<Error> timedOut();

    pid_t pid_ = -1;
    std::optional<int> exitStatus_;  // as waitpid gives it
    bool killedByUs_ = false;
    bool contained_ = false;
    Descriptor stream_;
    Descriptor processEnd_;  // pidfd, where the system has it
    bool streamEnded_ = false;
    FrameDecoder decoder_;
    std::deque<Outgoing> outgoing_;
    WorkerLog log_;
    WorkerHello hello_;
    double startSeconds_ = 0;
    std::uint64_t sequence_ = 0, memoryLimit_ = 0;
    std::string step_ = "while it was being started", instructions_;
    std::optional<std::chrono::steady_clock::time_point> deadline_;
    double timeLimit_ = 0;
    std::chrono::steady_clock::time_point started_;
    CancelToken cancel_;
    ProgressSink progress_;
};

}  // namespace pt2
