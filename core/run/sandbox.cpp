#include "core/run/sandbox.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <ctime>

#include "core/base/environment.h"

extern char** environ;

namespace pt2 {

namespace {

constexpr int kProbeMilliseconds = 5000;

/// Whether the command ends by itself, with status 0 and in time; what it says is dropped.
bool succeeds(std::vector<std::string> command) {
    std::vector<char*> arguments;
    for (std::string& word : command) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions{};
    ::posix_spawn_file_actions_init(&actions);
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        ::posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0);
    }
    pid_t child = -1;
    const int code = ::posix_spawn(&child, command.front().c_str(), &actions, nullptr, arguments.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (code != 0) return false;
    int status = 0;
    for (int waited = 0; waited < kProbeMilliseconds; ++waited) {
        const pid_t ended = ::waitpid(child, &status, WNOHANG);
        if (ended == child) return WIFEXITED(status) && WEXITSTATUS(status) == 0;
        if (ended < 0 && errno != EINTR) return false;
        const timespec millisecond{0, 1'000'000};
        ::nanosleep(&millisecond, nullptr);
    }
    ::kill(child, SIGKILL);
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return false;
}

Sandbox find() {
    Sandbox found;
    if (environmentValue("PT2SCOPE_SANDBOX") == "off") {
        found.why = "PT2SCOPE_SANDBOX is off.";
        return found;
    }
    found.program = programOnPath("bwrap");
    if (found.program.empty()) {
        found.why = "Bubblewrap (bwrap) is not installed.";
        return found;
    }
    const std::string nothing = programOnPath("true");
    if (nothing.empty() || !succeeds(found.around({nothing}))) {
        found.program.clear();
        found.why = "Bubblewrap does not start here; the system may forbid user namespaces.";
    }
    return found;
}

}  // namespace

std::vector<std::string> Sandbox::around(const std::vector<std::string>& command, const std::vector<std::string>& writable) const {
    // Everything is as it is, read-only; devices stay for GPUs, and temporary files have a place that goes with the process.
    std::vector<std::string> whole = {program,
                                      "--ro-bind",
                                      "/",
                                      "/",
                                      "--dev-bind",
                                      "/dev",
                                      "/dev",
                                      "--tmpfs",
                                      "/dev/shm",
                                      "--proc",
                                      "/proc",
                                      "--unshare-net",
                                      "--unshare-pid",
                                      "--unshare-ipc",
                                      "--unshare-uts",
                                      "--new-session",
                                      "--setenv",
                                      "TMPDIR",
                                      "/dev/shm",
                                      "--die-with-parent"};
    for (const std::string& folder : writable) whole.insert(whole.end(), {"--bind", folder, folder});
    whole.emplace_back("--");
    whole.insert(whole.end(), command.begin(), command.end());
    return whole;
}

const Sandbox& sandbox() {
    static const Sandbox found = find();
    return found;
}

std::string containmentText(bool contained) {
    return contained ? "Contained: no network, files read-only."
                     : "Not contained: the model could use files and network as you can. " + sandbox().why;
}

}  // namespace pt2
