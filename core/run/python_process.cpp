#include "core/run/python_process.h"
#include "core/run/protocol.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <map>
#include <thread>

#include "core/base/file.h"
#include "core/base/text.h"

extern char** environ;

namespace pt2 {

namespace {

constexpr std::size_t kLogLimit = std::size_t{1} << 20;
constexpr std::size_t kLineLimit = std::size_t{1} << 16;
constexpr std::size_t kAnswerLimit = std::size_t{64} << 20;
constexpr int kPollMilliseconds = 50;
constexpr int kReapMilliseconds = 5;

using Clock = std::chrono::steady_clock;

struct PipeEnds {
    Descriptor read, write;
};
Result<PipeEnds> makePipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return tl::unexpected(systemError("Cannot make a pipe.", {}, errno));
    return PipeEnds{Descriptor(ends[0]), Descriptor(ends[1])};
}

/// Everything exec needs, made before the fork: afterwards a child of a threaded process may not allocate.
struct Prepared {
    std::vector<std::string> words, variables;
    std::vector<char*> argv, envp;
    std::string directory;

    explicit Prepared(const PythonStart& how) : directory(how.workingDirectory.string()) {
        words.push_back(how.executable);
        words.insert(words.end(), how.arguments.begin(), how.arguments.end());
        std::map<std::string, std::string> environment;
        for (char** at = environ; *at != nullptr; ++at) {
            const std::string entry = *at;
            const std::size_t equals = entry.find('=');
            if (equals != std::string::npos) environment[entry.substr(0, equals)] = entry.substr(equals + 1);
        }
        for (const auto& [key, value] : how.environment) environment[key] = value;
        for (const auto& [key, value] : environment) variables.push_back(key + "=" + value);
        for (std::string& word : words) argv.push_back(word.data());
        for (std::string& variable : variables) envp.push_back(variable.data());
        argv.push_back(nullptr);
        envp.push_back(nullptr);
    }
};

/// Forks and executes in a new process group with the given descriptors 0, 1 and 2. Failures of exec come back through a pipe that exec closes.
Result<int> spawn(const PythonStart& how, int input, int output, int errors) {
    Prepared prepared(how);
    auto report = makePipe();
    if (!report) return tl::unexpected(report.error());
    const int reportEnd = report->write.get();
    const pid_t pid = ::fork();
    if (pid < 0) return tl::unexpected(systemError("Cannot start a process.", how.executable, errno));
    if (pid == 0) {
        ::setpgid(0, 0);
        // Only calls that are safe after fork. Descriptors 0 to 2 of this process are never the source ends: they are all above 2 (F_DUPFD below).
        ::dup2(input, 0);
        ::dup2(output, 1);
        ::dup2(errors, 2);
        if (!prepared.directory.empty() && ::chdir(prepared.directory.c_str()) != 0) {
            const int code = errno;
            (void)!::write(reportEnd, &code, sizeof code);
            ::_exit(127);
        }
        for (const int number : {SIGINT, SIGTERM, SIGPIPE, SIGHUP, SIGCHLD}) ::signal(number, SIG_DFL);
        sigset_t none;
        ::sigemptyset(&none);
        ::sigprocmask(SIG_SETMASK, &none, nullptr);
        ::execve(prepared.argv[0], prepared.argv.data(), prepared.envp.data());
        const int code = errno;
        (void)!::write(reportEnd, &code, sizeof code);
        ::_exit(127);
    }
    ::setpgid(pid, pid);
    report->write.reset();
    int code = 0;
    ssize_t count = 0;
    do {
        count = ::read(report->read.get(), &code, sizeof code);
    } while (count < 0 && errno == EINTR);
    if (count == static_cast<ssize_t>(sizeof code)) {
        while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
        }
        Error error = systemError(fmt::format("Cannot start \"{}\".", escapeForDisplay(how.executable)), how.executable, code);
        error.code = "python.not-started";
        return fail(std::move(error));
    }
    return static_cast<int>(pid);
}

/// A copy of the descriptor above 2, so that dup2 in the child cannot overwrite one that is still needed.
Result<Descriptor> aboveStandard(int fd) {
    const int copy = ::fcntl(fd, F_DUPFD_CLOEXEC, 3);
    if (copy < 0) return tl::unexpected(systemError("Cannot start a process.", {}, errno));
    return Descriptor(copy);
}

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

Result<PythonProcess> PythonProcess::start(const PythonStart& how) {
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
    auto pid = spawn(how, talk->get(), talk->get(), errors->get());
    if (!pid) return tl::unexpected(pid.error());
    process.pid_ = *pid;
    process.logPipe_ = std::move(log->read);
    ::fcntl(process.logPipe_.get(), F_SETFL, O_NONBLOCK);
    ::fcntl(process.channel_.get(), F_SETFL, O_NONBLOCK);
    return process;
}

void PythonProcess::flushLog(const ProgressSink& progress) {
    std::size_t begin = 0;
    while (true) {
        std::size_t end = partialLine_.find_first_of("\n\r", begin);
        if (end == std::string::npos && partialLine_.size() - begin > kLineLimit) end = begin + kLineLimit;
        if (end == std::string::npos) break;
        const std::string line = partialLine_.substr(begin, end - begin);
        const bool separator = end < partialLine_.size() && (partialLine_[end] == '\n' || partialLine_[end] == '\r');
        begin = end + (separator ? 1 : 0);
        if (!line.empty()) report(progress, {stage_, 0, 0, Progress::Unit::None, line});
    }
    partialLine_.erase(0, begin);
}

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
    // First ask: compilers then remove their temporary files.
    const auto groupLives = [this] { return ::kill(-pid_, 0) == 0; };
    ::kill(-pid_, SIGTERM);
    const auto deadline = Clock::now() + std::chrono::milliseconds(1500);
    while (Clock::now() < deadline) {
        // A zombie still counts as a member of its group, so it is taken away while waiting.
        if (!reaped_ && ::waitpid(pid_, nullptr, WNOHANG) == pid_) reaped_ = true;
        if (!groupLives()) break;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    ::kill(-pid_, SIGKILL);
    while (!reaped_) {
        const pid_t waited = ::waitpid(pid_, nullptr, 0);
        if (waited == pid_ || (waited < 0 && errno != EINTR)) reaped_ = true;
    }
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

Result<std::string> captureOutput(const PythonStart& how, double timeoutSeconds, const CancelToken& cancel) {
    auto output = makePipe();
    if (!output) return tl::unexpected(output.error());
    const Descriptor nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
    if (!nothing) return tl::unexpected(systemError("Cannot open /dev/null.", "/dev/null", errno));
    auto quiet = aboveStandard(nothing.get());
    auto end = aboveStandard(output->write.get());
    if (!quiet) return tl::unexpected(quiet.error());
    if (!end) return tl::unexpected(end.error());
    auto pid = spawn(how, quiet->get(), end->get(), quiet->get());
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
