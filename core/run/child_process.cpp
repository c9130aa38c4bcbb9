#include "core/run/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <map>
#include <string_view>
#include <thread>

#include "core/base/file.h"
#include "core/base/text.h"

extern char** environ;

namespace pt2 {

namespace {

constexpr std::size_t kOutputLimit = std::size_t{1} << 20;
constexpr std::size_t kLineLimit = std::size_t{1} << 16;
constexpr int kPollMilliseconds = 50;

using Clock = std::chrono::steady_clock;

/// Everything exec needs, made before the fork: afterwards a child of a threaded process may not allocate.
struct Prepared {
    std::vector<std::string> words, variables;
    std::vector<char*> argv, envp;
    std::string directory;

    explicit Prepared(const ChildStart& how) : directory(how.workingDirectory.string()) {
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

}  // namespace

Result<PipeEnds> makePipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return tl::unexpected(systemError("Cannot make a pipe.", {}, errno));
    return PipeEnds{Descriptor(ends[0]), Descriptor(ends[1])};
}

Result<Descriptor> aboveStandard(int fd) {
    const int copy = ::fcntl(fd, F_DUPFD_CLOEXEC, 3);
    if (copy < 0) return tl::unexpected(systemError("Cannot start a process.", {}, errno));
    return Descriptor(copy);
}

Result<int> spawnChild(const ChildStart& how, int input, int output, int errors) {
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
        error.code = "child.not-started";
        return fail(std::move(error));
    }
    return static_cast<int>(pid);
}

void endChildGroup(int pid, bool reaped) {
    const auto groupLives = [pid] { return ::kill(-pid, 0) == 0; };
    ::kill(-pid, SIGTERM);
    const auto deadline = Clock::now() + std::chrono::milliseconds(1500);
    while (Clock::now() < deadline) {
        // A zombie still counts as a member of its group, so it is taken away while waiting.
        if (!reaped && ::waitpid(pid, nullptr, WNOHANG) == pid) reaped = true;
        if (!groupLives()) break;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    ::kill(-pid, SIGKILL);
    while (!reaped) {
        const pid_t waited = ::waitpid(pid, nullptr, 0);
        if (waited == pid || (waited < 0 && errno != EINTR)) reaped = true;
    }
}

void reportLines(std::string& text, const std::string& stage, const ProgressSink& progress) {
    std::size_t begin = 0;
    while (true) {
        std::size_t end = text.find_first_of("\n\r", begin);
        if (end == std::string::npos && text.size() - begin > kLineLimit) end = begin + kLineLimit;
        if (end == std::string::npos) break;
        const std::string line = text.substr(begin, end - begin);
        const bool separator = end < text.size() && (text[end] == '\n' || text[end] == '\r');
        begin = end + (separator ? 1 : 0);
        if (!line.empty()) report(progress, {stage, 0, 0, Progress::Unit::None, line});
    }
    text.erase(0, begin);
}

Result<ChildEnd> runChild(const ChildStart& how, const CancelToken& cancel, const std::function<void(const std::string&)>& onLine) {
    auto pipe = makePipe();
    if (!pipe) return tl::unexpected(pipe.error());
    const Descriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!nothing) return tl::unexpected(systemError("Cannot open /dev/null.", "/dev/null", errno));
    auto input = aboveStandard(nothing.get());
    if (!input) return tl::unexpected(input.error());
    auto output = aboveStandard(pipe->write.get());
    if (!output) return tl::unexpected(output.error());
    const auto pid = spawnChild(how, input->get(), output->get(), output->get());
    if (!pid) return tl::unexpected(pid.error());
    pipe->write.reset();
    output->reset();
    ::fcntl(pipe->read.get(), F_SETFL, O_NONBLOCK);

    ChildEnd end;
    std::string partial;
    const auto lines = [&] {
        reportLines(partial, {}, [&onLine](const Progress& progress) {
            if (onLine) onLine(progress.line);
        });
    };
    // A program is over when it has ended, even if something that it left behind keeps the pipe open.
    int status = 0;
    bool ended = false;
    while (true) {
        if (cancel.requested()) {
            endChildGroup(*pid, ended);
            return cancelled();
        }
        pollfd waiting{pipe->read.get(), POLLIN, 0};
        ::poll(&waiting, 1, ended ? 0 : kPollMilliseconds);
        char buffer[1 << 14];
        const ssize_t count = ::read(pipe->read.get(), buffer, sizeof buffer);
        if (count > 0) {
            const std::string_view text(buffer, static_cast<std::size_t>(count));
            end.output += text;
            if (end.output.size() > kOutputLimit) end.output.erase(0, end.output.size() - kOutputLimit);
            partial += text;
            lines();
            continue;
        }
        if (count < 0 && errno == EINTR) continue;
        if (ended) break;
        const pid_t reaped = ::waitpid(*pid, &status, WNOHANG);
        ended = reaped == *pid || (reaped < 0 && errno != EINTR);
        // The pipe is at its end before the program is: nothing more comes, so only its end is waited for.
        if (!ended && count == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    if (!partial.empty()) {
        partial += '\n';
        lines();
    }
    if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
    if (WIFEXITED(status)) end.exitCode = WEXITSTATUS(status);
    return end;
}

}  // namespace pt2
