#include "core/engine/worker_process.h"

#include <execinfo.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>

#include "core/base/file.h"

namespace pt2 {

namespace {

constexpr std::array kDeadly = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};

// A signal handler may only call what is async-signal-safe: no formatting, no allocation.
void writeText(const char* text) { static_cast<void>(!::write(STDERR_FILENO, text, std::strlen(text))); }

void writeHex(std::uintptr_t value) {
    std::array<char, 2 + 2 * sizeof(value) + 1> text{};
    text[0] = '0';
    text[1] = 'x';
    *std::to_chars(text.data() + 2, text.data() + text.size() - 1, value, 16).ptr = 0;
    writeText(text.data());
}

void onDeadlySignal(int signal, siginfo_t* info, void*) {
    writeText("\npt2-worker: crash at ");
    writeHex(reinterpret_cast<std::uintptr_t>(info->si_addr));
    writeText("\n");
    std::array<void*, 32> frames{};
    const int count = ::backtrace(frames.data(), static_cast<int>(frames.size()));
    // The first two are this handler and the kernel's trampoline.
    if (count > 2) ::backtrace_symbols_fd(frames.data() + 2, count - 2, STDERR_FILENO);
    writeText("pt2-worker: end of crash\n");
    // SA_RESETHAND put the default action back; the process dies of the same signal, so that the parent sees which it was.
    ::raise(signal);
}

/// A field of /proc/self/status that is in kB.
std::uint64_t statusBytes(std::string_view field) {
    std::ifstream status("/proc/self/status");
    std::string line;
    while (std::getline(status, line)) {
        if (line.rfind(field, 0) == 0) return std::strtoull(line.c_str() + field.size(), nullptr, 10) * 1024;
    }
    return 0;
}

}  // namespace

Result<PrivateStreams> takeStreams(bool socket) {
    // Above 2, so that a model that closes or replaces the standard descriptors meets none of ours.
    const auto copy = [](int fd) { return Descriptor(::fcntl(fd, F_DUPFD_CLOEXEC, 3)); };
    PrivateStreams streams;
    streams.descriptorsTravel = socket;
    streams.in = copy(STDIN_FILENO);
    streams.out = copy(socket ? STDIN_FILENO : STDOUT_FILENO);
    const Descriptor null(::open("/dev/null", O_RDWR | O_CLOEXEC));
    if (!streams.in || !streams.out || !null || ::dup2(null.get(), STDIN_FILENO) < 0) {
        return fail(systemError("The run engine cannot take its streams.", {}, errno));
    }
    if (::fcntl(STDERR_FILENO, F_GETFD) < 0) ::dup2(null.get(), STDERR_FILENO);
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
    // A pipe makes stdout fully buffered, and a crash would lose the model's last words.
    std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
    return streams;
}

void dieWithParent(long expectedParent) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (expectedParent > 0 && ::getppid() != static_cast<pid_t>(expectedParent)) ::_exit(1);
}

void standAlone() {
    ::setpgid(0, 0);
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_CORE, &none);
    ::signal(SIGPIPE, SIG_IGN);
}

Status limitMemory(std::uint64_t bytes) {
    if (bytes == 0) return {};
    // RLIMIT_DATA counts private writable memory, which is what a model allocates; RLIMIT_AS would count LibTorch's own files too.
    const rlimit limit{bytes, bytes};
    if (::setrlimit(RLIMIT_DATA, &limit) != 0) return fail(systemError("The memory limit could not be set.", {}, errno));
    return {};
}

void reportCrashes() {
    // The first call loads libgcc, which a handler must not do.
    std::array<void*, 4> frames{};
    static_cast<void>(::backtrace(frames.data(), static_cast<int>(frames.size())));
    // An overflowing stack leaves no room for a handler on it.
    static std::array<char, 64 * 1024> stack;
    stack_t alternative{};
    alternative.ss_sp = stack.data();
    alternative.ss_size = stack.size();
    ::sigaltstack(&alternative, nullptr);
    struct sigaction action {};
    action.sa_sigaction = onDeadlySignal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | static_cast<int>(SA_RESETHAND);
    ::sigemptyset(&action.sa_mask);
    for (const int signal : kDeadly) ::sigaction(signal, &action, nullptr);
}

std::uint64_t peakMemoryBytes() {
    // Not getrusage: its maximum includes the process that forked this one.
    return statusBytes("VmHWM:");
}
std::uint64_t residentMemoryBytes() { return statusBytes("VmRSS:"); }

std::uint64_t mappingCount() {
    std::ifstream maps("/proc/self/maps");
    std::string line;
    std::uint64_t count = 0;
    while (std::getline(maps, line)) ++count;
    return count;
}

bool pythonIsMapped() {
    std::ifstream maps("/proc/self/maps");
    std::string line;
    while (std::getline(maps, line)) {
        if (line.find("/libpython") != std::string::npos) return true;
    }
    return false;
}

}  // namespace pt2
