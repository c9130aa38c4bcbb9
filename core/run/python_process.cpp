#include "core/run/python_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/run/child_process.h"
#include "core/run/protocol.h"

namespace pt2 {

namespace {

constexpr std::size_t kLogLimit = std::size_t{1} << 20;
constexpr std::size_t kAnswerLimit = std::size_t{64} << 20;
constexpr int kPollMilliseconds = 50;
constexpr int kReapMilliseconds = 5;

using Clock = std::chrono::steady_clock;

std::string lastLines(const std::string& text, std::size_t limit) {
    const std::string tail = text.size() > limit ? text.substr(text.size() - limit) : text;
    return escapeForDisplay(tail);
}

}  // namespace

PythonProcess::PythonProcess(PythonProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      reaped_(other.reaped_),
      channel_(std::move(other.channel_)),
      logPipe_(std::move(other.logPipe_)),
      log_(std::move(other.log_)),
      partialLine_(std::move(other.partialLine_)),
      received_(std::move(other.received_)),
      stage_(std::move(other.stage_)),
      nextId_(other.nextId_) {}

PythonProcess::~PythonProcess() { endGroup(); }

Result<PythonProcess> PythonProcess::start(const ChildStart& how) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return tl::unexpected(systemError("Cannot make a socket.", {}, errno));
    PythonProcess process;
    process.channel_ = Descriptor(ends[0]);
    const Descriptor theirs(ends[1]);
    auto log = makePipe();
    if (!log) return tl::unexpected(log.error());
    auto talk = aboveStandard(theirs.get());
    if (!talk) return tl::unexpected(talk.error());
    auto errors = aboveStandard(log->write.get());
    if (!errors) return tl::unexpected(errors.error());
    auto pid = spawnChild(how, talk->get(), talk->get(), errors->get());
    if (!pid) return tl::unexpected(pid.error());
    process.pid_ = *pid;
    process.logPipe_ = std::move(log->read);
    ::fcntl(process.logPipe_.get(), F_SETFL, O_NONBLOCK);
    ::fcntl(process.channel_.get(), F_SETFL, O_NONBLOCK);
    return process;
}

void PythonProcess::flushLog(const ProgressSink& progress) { reportLines(partialLine_, stage_, progress); }

void PythonProcess::readLog(const ProgressSink& progress) {
    char buffer[1 << 14];
    while (true) {
        const ssize_t count = ::read(logPipe_.get(), buffer, sizeof buffer);
        if (count < 0 && errno == EINTR) continue;
        if (count == 0) logPipe_.reset();
        if (count <= 0) break;
        const std::string_view text(buffer, static_cast<std::size_t>(count));
        log_ += text;
        if (log_.size() > kLogLimit) log_.erase(0, log_.size() - kLogLimit);
        partialLine_ += text;
        flushLog(progress);
    }
}

void PythonProcess::endGroup() {
    if (pid_ <= 0) return;
    endChildGroup(pid_, reaped_);
    reaped_ = true;
    pid_ = -1;
}

Error PythonProcess::ended() {
    int status = 0;
    pid_t waited = 0;
    // It has closed its channel; give it a moment to end by itself before the group is killed.
    for (int i = 0; i < 100 && waited == 0; ++i) {
        waited = ::waitpid(pid_, &status, WNOHANG);
        if (waited == 0) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    std::string how = "It closed its channel.";
    if (waited == pid_) {
        reaped_ = true;
        if (WIFSIGNALED(status)) {
            const int number = WTERMSIG(status);
            how = fmt::format("It was ended by signal {} ({}).", number, ::strsignal(number));
            if (number == SIGKILL) how += " The system does this when memory runs out.";
        } else if (WIFEXITED(status)) {
            how = fmt::format("It ended with exit code {}.", WEXITSTATUS(status));
        }
    }
    readLog({});
    const std::string last = lastLines(log_, 2000);
    endGroup();
    return {ErrorKind::System,
            "python.ended",
            stage_.empty() ? "Python ended early." : fmt::format("Python ended while {}.", stage_),
            {},
            how + (last.empty() ? "" : " Its last output: " + last),
            "The log says more. Try again, or try another Python with --python."};
}

Result<nlohmann::json> PythonProcess::request(nlohmann::json message, const CancelToken& cancel, const ProgressSink& progress) {
    if (pid_ <= 0) return fail({ErrorKind::System, "python.ended", "Python is not running any more.", {}, {}, "Start again."});
    const std::int64_t id = nextId_++;
    message["id"] = id;
    std::string text = message.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace) + "\n";
    std::size_t sent = 0;
    while (true) {
        if (cancel.requested()) {
            endGroup();
            return cancelled();
        }
        pollfd waiting[2] = {{channel_.get(), static_cast<short>(sent < text.size() ? POLLIN | POLLOUT : POLLIN), 0}, {logPipe_.get(), POLLIN, 0}};
        if (::poll(waiting, logPipe_ ? 2 : 1, kPollMilliseconds) < 0 && errno != EINTR) {
            return tl::unexpected(systemError("Cannot wait for Python.", {}, errno));
        }
        if (logPipe_) readLog(progress);
        if ((waiting[0].revents & POLLOUT) != 0 && sent < text.size()) {
            const ssize_t count = ::send(channel_.get(), text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
            if (count > 0) sent += static_cast<std::size_t>(count);
            if (count < 0 && errno != EINTR && errno != EAGAIN) return fail(ended());
        }
        if ((waiting[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0) {
            char buffer[1 << 16];
            const ssize_t count = ::read(channel_.get(), buffer, sizeof buffer);
            if (count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN)) return fail(ended());
            if (count > 0) received_.append(buffer, static_cast<std::size_t>(count));
            if (received_.size() > kAnswerLimit) {
                endGroup();
                return fail(
                    {ErrorKind::System, "python.protocol", "Python answered in a way that is not understood.", {}, "The answer is too long.", {}});
            }
        }
        for (std::size_t end = received_.find('\n'); end != std::string::npos; end = received_.find('\n')) {
            const auto answer = nlohmann::json::parse(received_.substr(0, end), nullptr, false);
            received_.erase(0, end + 1);
            if (answer.is_discarded() || !answer.is_object() || integerOf(answer, "id", -1) != id) {
                endGroup();
                return fail({ErrorKind::System,
                             "python.protocol",
                             "Python answered in a way that is not understood.",
                             {},
                             {},
                             "Check that the helper script belongs to this version."});
            }
            if (answer.contains("stage") && answer["stage"].is_string()) {
                if (logPipe_) readLog(progress);
                stage_ = answer["stage"].get<std::string>();
                report(progress, {stage_, 0, 0, Progress::Unit::None, {}});
                continue;
            }
            if (logPipe_) readLog(progress);
            stage_.clear();
            return answer;
        }
    }
}

Result<std::string> captureOutput(const ChildStart& how, double timeoutSeconds, const CancelToken& cancel) {
    auto output = makePipe();
    if (!output) return tl::unexpected(output.error());
    const Descriptor nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
    if (!nothing) return tl::unexpected(systemError("Cannot open /dev/null.", "/dev/null", errno));
    auto quiet = aboveStandard(nothing.get());
    auto end = aboveStandard(output->write.get());
    if (!quiet) return tl::unexpected(quiet.error());
    if (!end) return tl::unexpected(end.error());
    auto pid = spawnChild(how, quiet->get(), end->get(), quiet->get());
    if (!pid) return tl::unexpected(pid.error());
    output->write.reset();
    end->reset();
    std::string text;
    const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(timeoutSeconds));
    bool stopped = false, late = false;
    while (true) {
        stopped = cancel.requested();
        late = Clock::now() > deadline;
        if (stopped || late || text.size() > kLogLimit) break;
        pollfd waiting{output->read.get(), POLLIN, 0};
        if (::poll(&waiting, 1, kPollMilliseconds) <= 0) continue;
        char buffer[4096];
        const ssize_t count = ::read(output->read.get(), buffer, sizeof buffer);
        if (count == 0 || (count < 0 && errno != EINTR)) break;
        if (count > 0) text.append(buffer, static_cast<std::size_t>(count));
    }
    // The end of the output is not the end of the process, which gets what is left of its time; one that says too much is ended like a late one.
    int status = 0;
    const bool tooMuch = text.size() > kLogLimit;
    bool ended = false;
    while (!stopped && !late && !tooMuch && !ended) {
        const pid_t reaped = ::waitpid(*pid, &status, WNOHANG);
        ended = reaped == *pid || (reaped < 0 && errno != EINTR);
        stopped = cancel.requested();
        late = Clock::now() > deadline;
        if (!ended) ::poll(nullptr, 0, kReapMilliseconds);
    }
    if (!ended) {
        ::kill(-*pid, SIGKILL);
        while (::waitpid(*pid, &status, 0) < 0 && errno == EINTR) {
        }
    }
    if (stopped) return cancelled();
    const std::string what = fmt::format("\"{}\" did not answer as Python does.", escapeForDisplay(how.executable));
    if (late) return fail({ErrorKind::System, "python.timeout", what, how.executable, "It took too long.", "Choose another Python with --python."});
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        return fail({ErrorKind::System, "python.failed", what, how.executable, "It ended with an error.", "Choose another Python with --python."});
    }
    return text;
}

}  // namespace pt2
