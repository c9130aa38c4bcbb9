#include "core/run/worker_client.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/run/sandbox.h"
#include "core/run/stream_io.h"
#include "core/run/worker_end.h"

extern char** environ;

namespace pt2 {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kTick{50};
constexpr std::chrono::milliseconds kCancelGrace{400};

/// The environment of this process with what the worker's job decides.
std::vector<std::string> workerEnvironment(const WorkerOptions& options) {
    std::vector<std::string> environment;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text(*entry);
        if (text.starts_with("AOTI_RUNTIME_CHECK_INPUTS=")) continue;
        if (options.threads > 0 && text.starts_with("OMP_NUM_THREADS=")) continue;
        environment.emplace_back(text);
    }
    if (options.runtimeChecks) environment.emplace_back("AOTI_RUNTIME_CHECK_INPUTS=1");
    if (options.threads > 0) environment.push_back("OMP_NUM_THREADS=" + std::to_string(options.threads));
    return environment;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> list;
    for (std::string& text : texts) list.push_back(text.data());
    list.push_back(nullptr);
    return list;
}

struct Pair {
    Descriptor ours, theirs;
};

Status makePipe(Pair& pair) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail(systemError("The run engine cannot be started.", {}, errno));
    pair.ours = Descriptor(ends[0]);
    pair.theirs = Descriptor(ends[1]);
    ::fcntl(pair.ours.get(), F_SETFL, O_NONBLOCK);
    return {};
}

Status makeSocket(Pair& pair) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        return fail(systemError("The run engine cannot be started.", {}, errno));
    }
    pair.ours = Descriptor(ends[0]);
    pair.theirs = Descriptor(ends[1]);
    ::fcntl(pair.ours.get(), F_SETFL, O_NONBLOCK);
    return {};
}

/// posix_spawn's attribute and file action objects, freed in any case.
struct SpawnPlan {
    posix_spawn_file_actions_t actions{};
    posix_spawnattr_t attributes{};
    SpawnPlan() {
        ::posix_spawn_file_actions_init(&actions);
        ::posix_spawnattr_init(&attributes);
    }
    SpawnPlan(const SpawnPlan&) = delete;
    SpawnPlan& operator=(const SpawnPlan&) = delete;
    ~SpawnPlan() {
        ::posix_spawn_file_actions_destroy(&actions);
        ::posix_spawnattr_destroy(&attributes);
    }
};

}  // namespace

Status WorkerClient::spawn(const WorkerOptions& options) {
    const bool byteStream = options.byteStream;
    memoryLimit_ = options.memoryBytes;
    Pair socket, logPipe;
    if (auto status = makeSocket(socket); !status) return status;
    if (auto status = makePipe(logPipe); !status) return status;

    contained_ = options.contained && sandbox().works();
    std::vector<std::string> arguments = {options.worker, byteStream ? "--stdio" : "--socket"};
    // In a sandbox its parent is the sandbox, which ends with us and takes it along.
    if (!contained_) arguments.push_back("--parent=" + std::to_string(::getpid()));
    if (options.memoryBytes > 0) arguments.push_back("--memory=" + std::to_string(options.memoryBytes));
    if (contained_) arguments = sandbox().around(arguments);
    std::vector<std::string> environment = workerEnvironment(options);

    SpawnPlan plan;
    ::posix_spawn_file_actions_adddup2(&plan.actions, socket.theirs.get(), STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&plan.actions, (byteStream ? socket : logPipe).theirs.get(), STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&plan.actions, logPipe.theirs.get(), STDERR_FILENO);
    // A group of its own, so that a cancel reaches all it starts and a terminal's Ctrl+C reaches only us; no signal stays blocked or ignored.
    sigset_t none, all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_setpgroup(&plan.attributes, 0);
    ::posix_spawnattr_setsigmask(&plan.attributes, &none);
    ::posix_spawnattr_setsigdefault(&plan.attributes, &all);
    ::posix_spawnattr_setflags(&plan.attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    const int code =
        ::posix_spawn(&pid_, arguments.front().c_str(), &plan.actions, &plan.attributes, pointers(arguments).data(), pointers(environment).data());
    if (code != 0) {
        pid_ = -1;
        Error error = systemError("The run engine cannot be started.", options.worker, code);
        error.kind = ErrorKind::CannotRun;
        error.code = "engine.broken";
        return fail(std::move(error));
    }
    stream_ = std::move(socket.ours);
    log_.open(std::move(logPipe.ours));
    processEnd_ = Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
    return {};
}

Result<std::unique_ptr<WorkerClient>> WorkerClient::start(const WorkerOptions& options, const CancelToken& cancel, const ProgressSink& progress) {
    std::unique_ptr<WorkerClient> client(new WorkerClient);
    client->started_ = Clock::now();
    client->cancel_ = cancel;
    client->progress_ = progress;
    report(progress, {"starting the run engine", 0, 0, Progress::Unit::None, {}});
    if (auto status = client->spawn(options); !status) return fail(status.error());
    Outgoing preamble;
    preamble.bytes = encodePreamble();
    client->outgoing_.push_back(std::move(preamble));
    if (auto status = client->readHello(options.startSeconds); !status) return fail(status.error());
    client->startSeconds_ = std::chrono::duration<double>(Clock::now() - client->started_).count();
    return client;
}

Status WorkerClient::readHello(double seconds) {
    setTimeLimit(seconds);
    auto frame = nextFrame();
    setTimeLimit(0);
    if (!frame && frame.error().code == "run.timeout") {
        return fail({ErrorKind::CannotRun,
                     "engine.silent",
                     "The run engine did not answer within " + formatDuration(seconds) + ".",
                     {},
                     log_.text().empty() ? "It was started and said nothing." : "It only said: " + elideMiddle(log_.text(), 300),
                     "Try again, with a longer --timeout if one was given; \"pt2 doctor\" tells which run engine it is."});
    }
    if (!frame) return fail(frame.error());
    const nlohmann::json& body = frame->body;
    if (const auto error = body.find("error"); error != body.end()) return fail(errorFromJson(*error));
    if (textOf(body, "type") != "hello") {
        return fail({ErrorKind::System, "protocol.damaged", "The run engine did not say hello.", {}, {}, {}});
    }
    hello_ = {textOf(body, "torch_built"), textOf(body, "torch_runtime"), textOf(body, "variant"), textOf(body, "folder"), {}};
    if (const auto devices = body.find("devices"); devices != body.end() && devices->is_array()) {
        for (const nlohmann::json& device : *devices) {
            if (device.is_string()) hello_.devices.push_back(device.get<std::string>());
        }
    }
    return {};
}

void WorkerClient::setTimeLimit(double seconds) {
    timeLimit_ = seconds;
    deadline_.reset();
    // Beyond a year it is no limit, and far beyond the clock could not hold it.
    if (seconds > 0 && seconds < 3e7) deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

WorkerClient::~WorkerClient() { kill(); }

void WorkerClient::kill() {
    if (pid_ < 0) return;
    if (!exitStatus_) {
        killedByUs_ = true;
        // The group first: what the worker started must not outlive it. It is still there as long as the worker is not reaped.
        ::kill(-pid_, SIGKILL);
        ::kill(pid_, SIGKILL);
        reap(true);
    }
    pid_ = -1;
}

bool WorkerClient::reap(bool wait) {
    if (exitStatus_) return true;
    siginfo_t info{};
    int code = 0;
    // Looked at first and reaped later: while it is a zombie, its group cannot be someone else's.
    do {
        code = ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT | (wait ? 0 : WNOHANG));
    } while (code != 0 && errno == EINTR);
    if (code == 0 && info.si_pid == 0) return false;
    int status = 0;
    if (code == 0) {
        ::kill(-pid_, SIGKILL);
        while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
        }
    }
    // Bubblewrap tells of a signal as a shell does; here it is one again.
    constexpr int kSignalled = 128;
    if (contained_ && WIFEXITED(status) && WEXITSTATUS(status) > kSignalled) status = WEXITSTATUS(status) - kSignalled;
    exitStatus_ = status;
    return true;
}

Status WorkerClient::queueFrame(Frame frame) {
    auto head = encodeFrameHead(frame);
    if (!head) return fail(head.error());
    Outgoing outgoing;
    outgoing.bytes = std::move(*head);
    outgoing.descriptors = std::move(frame.descriptors);
    outgoing_.push_back(std::move(outgoing));
    if (!frame.payload.empty()) {
        Outgoing payload;
        payload.bytes = std::move(frame.payload);
        outgoing_.push_back(std::move(payload));
    }
    return {};
}

Status WorkerClient::sendQueued() {
    while (!outgoing_.empty()) {
        Outgoing& first = outgoing_.front();
        std::vector<int> descriptors;
        for (const Descriptor& descriptor : first.descriptors) descriptors.push_back(descriptor.get());
        const auto sent = sendSome(stream_.get(), Bytes(first.bytes).subspan(first.sent), descriptors);
        if (!sent) {
            // It is gone; the reading side says how.
            outgoing_.clear();
            return {};
        }
        if (*sent == 0) return {};
        first.descriptors.clear();
        first.sent += *sent;
        if (first.sent == first.bytes.size()) outgoing_.pop_front();
    }
    return {};
}

Result<std::size_t> WorkerClient::receive() {
    ByteBuffer buffer(1 << 18);
    auto received = receiveSome(stream_.get(), buffer);
    if (!received || received->ended) {
        streamEnded_ = true;
        return std::size_t{0};
    }
    decoder_.feed(Bytes(buffer).first(received->bytes), std::move(received->descriptors));
    return received->bytes;
}

bool WorkerClient::waitForEvents() {
    std::array<pollfd, 3> events{};
    nfds_t count = 0;
    if (!streamEnded_) {
        events[count++] = {stream_.get(), static_cast<short>(outgoing_.empty() ? POLLIN : POLLIN | POLLOUT), 0};
    }
    if (log_.descriptor() >= 0) events[count++] = {log_.descriptor(), POLLIN, 0};
    if (processEnd_) events[count++] = {processEnd_.get(), POLLIN, 0};
    return ::poll(events.data(), count, static_cast<int>(kTick.count())) > 0;
}

Result<Frame> WorkerClient::nextFrame() {
    std::optional<Clock::time_point> cancelLimit;
    for (;;) {
        auto frame = decoder_.next();
        if (!frame) return fail(frame.error());
        if (*frame) return std::move(**frame);

        const auto now = Clock::now();
        if (cancel_.requested()) {
            if (!cancelLimit) {
                cancelLimit = now + kCancelGrace;
                Frame ask;
                ask.body = {{"request", "cancel"}};
                if (auto status = queueFrame(std::move(ask)); !status) return fail(status.error());
            } else if (now >= *cancelLimit) {
                kill();
                return cancelled();
            }
        }
        if (deadline_ && now >= *deadline_) return timedOut();

        if (!outgoing_.empty()) {
            if (auto status = sendQueued(); !status) return fail(status.error());
        }
        waitForEvents();
        log_.drain(progress_, step_);
        const bool finished = reap(false);
        if (!streamEnded_) {
            // What it sent before it ended is still there; but its children may hold the stream open.
            const auto came = receive();
            if (!came) return fail(came.error());
            if (!streamEnded_ && (*came > 0 || !finished)) continue;
        }
        // Its end of the stream closes a moment before the process is gone; but a model can close it and live on.
        for (int i = 0; !finished && i < 20 && !reap(false); ++i) ::poll(nullptr, 0, 10);
        log_.drain(progress_, step_);
        if (!exitStatus_) kill();
        if (cancelLimit) return cancelled();
        return fail(ended());
    }
}

tl::unexpected<Error> WorkerClient::timedOut() {
    kill();
    log_.drain(progress_, step_);
    return fail(explainTimeout(timeLimit_, step_, log_));
}

Error WorkerClient::ended() {
    WorkerEnd end;
    end.status = exitStatus_.value_or(0);
    end.killedByUs = killedByUs_;
    end.saidHello = !hello_.torchBuilt.empty();
    end.step = step_;
    end.instructions = instructions_;
    end.memoryLimit = memoryLimit_;
    return explainEnd(end, log_);
}

void WorkerClient::showProgress(const nlohmann::json& body) {
    const std::string step = textOf(body, "step");
    const std::int64_t done = std::max<std::int64_t>(0, integerOf(body, "done")), total = std::max<std::int64_t>(0, integerOf(body, "total"));
    std::string stage = "running";
    if (step == "call") {
        step_ = total > 1 ? "during call " + formatCount(static_cast<std::uint64_t>(done)) + " of " + formatCount(static_cast<std::uint64_t>(total))
                          : "while it ran";
    } else {
        stage = step == "warmup" ? "warming up" : step == "soak" ? "loading and unloading" : "timing";
        if (step != "soak") step_ = "while it was timed";
    }
    report(progress_, {stage, static_cast<std::uint64_t>(done), static_cast<std::uint64_t>(total), Progress::Unit::Steps, {}});
}

Result<Frame> WorkerClient::request(Frame frame, const std::function<Status(Frame)>& onStep) {
    frame.sequence = ++sequence_;
    if (auto status = queueFrame(std::move(frame)); !status) return fail(status.error());
    for (;;) {
        auto answer = nextFrame();
        if (!answer) return fail(answer.error());
        const std::string type = textOf(answer->body, "type");
        if (type == "error") {
            log_.drain(progress_, step_);
            return fail(errorFromJson(answer->body.value("error", nlohmann::json::object())));
        }
        if (answer->sequence != sequence_) {
            return fail({ErrorKind::System, "protocol.damaged", "The run engine answered something else than what was asked.", {}, {}, {}});
        }
        if (type == "progress") {
            showProgress(answer->body);
        } else if (type == "step") {
            if (onStep) {
                if (auto status = onStep(std::move(*answer)); !status) return fail(status.error());
            }
        } else {
            return answer;
        }
    }
}

std::string WorkerClient::log() {
    log_.drain(progress_, step_);
    return log_.text();
}

}  // namespace pt2
