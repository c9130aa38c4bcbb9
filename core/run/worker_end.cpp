#include "core/run/worker_end.h"

#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <vector>

#include "core/base/text.h"
#include "core/run/protocol.h"

namespace pt2 {

namespace {

struct SignalWords {
    std::string name, what;
};

SignalWords wordsFor(int signal) {
    switch (signal) {
        case SIGSEGV: return {"SIGSEGV", "The model crashed with a segmentation fault"};
        case SIGABRT: return {"SIGABRT", "The model aborted"};
        case SIGBUS: return {"SIGBUS", "The model crashed with a bus error"};
        case SIGFPE: return {"SIGFPE", "The model crashed with an arithmetic fault, such as a division by zero"};
        case SIGILL: return {"SIGILL", "The model executed an illegal instruction"};
        case SIGKILL: return {"SIGKILL", "The model was killed"};
        case SIGTERM: return {"SIGTERM", "The model was ended"};
        case SIGXCPU: return {"SIGXCPU", "The model used up its processor time"};
        default: return {"signal " + std::to_string(signal), "The model was ended by a signal"};
    }
}

/// "Last output: a / b." and the like; one line, since errors are shown in three.
std::string lastOutput(const WorkerLog& log) {
    std::vector<std::string> lines = log.lastLines(4);
    return lines.empty() ? std::string() : " Last output: " + join(lines, " / ");
}

std::string stackText(const WorkerLog& log) {
    std::vector<std::string> frames = log.crashStack();
    if (frames.size() > 6) frames.resize(6);
    return frames.empty() ? std::string() : " Stack: " + join(frames, ", ") + ".";
}

std::string trimmed(std::string text) {
    const std::size_t first = text.find_first_not_of(' ');
    return first == std::string::npos ? std::string() : text.substr(first);
}

Error explainSignal(int signal, const WorkerEnd& end, const WorkerLog& log) {
    const SignalWords words = wordsFor(signal);
    Error error{ErrorKind::RunFailed, "run.signal", words.what + " (" + words.name + ") " + end.step + ".", {}, {}, {}};
    const std::string address = log.crashAddress();
    const bool addressMatters = signal == SIGSEGV || signal == SIGBUS || signal == SIGILL;
    error.why = trimmed((addressMatters && !address.empty() ? " Address: " + address + "." : "") + stackText(log) + lastOutput(log));
    error.help = end.step == kStepLoading
                     ? "It fails before it sees any input. Recompile the program for this machine."
                     : "Check the inputs against the contract, turn the runtime checks on, or recompile the program for this machine.";
    if (signal == SIGILL) {
        error.why = trimmed(end.instructions + " " + error.why);
        error.help = "Recompile the program for this machine.";
    }
    if (signal == SIGKILL) {
        error.code = "run.memory";
        error.why = trimmed("Nothing of pt2scope's did that; the system does it when memory runs out." + lastOutput(log));
        error.help = "Run it with smaller inputs, or set --memory below what the machine has, and the model is told instead of killed.";
    } else if (end.memoryLimit > 0 && (signal == SIGABRT || signal == SIGSEGV || signal == SIGBUS)) {
        error.why += (error.why.empty() ? "" : " ") + ("The memory limit was " + formatBytes(end.memoryLimit) + ".");
        const std::string text = log.text();
        // What memory that ran out looks like: an allocation, LibTorch's own words, a thread that got no stack.
        const auto says = [&](const char* sentence) { return text.find(sentence) != std::string::npos; };
        if (says("bad_alloc") || says("can't allocate memory") || says("Resource temporarily unavailable") || says("Cannot allocate memory")) {
            error.code = "run.memory";
            error.help = "Allow it more memory (--memory), or run it with smaller inputs.";
        }
    }
    return error;
}

}  // namespace

Error explainEnd(const WorkerEnd& end, const WorkerLog& log) {
    if (!end.saidHello) {
        std::string how = "It ended at once.";
        if (WIFEXITED(end.status)) how = "It ended with status " + std::to_string(WEXITSTATUS(end.status)) + ".";
        if (WIFSIGNALED(end.status)) how = "It ended with " + wordsFor(WTERMSIG(end.status)).name + ".";
        Error error{ErrorKind::CannotRun,
                    "engine.broken",
                    "The run engine does not start.",
                    {},
                    how + lastOutput(log),
                    "Build it anew for the LibTorch that is there."};
        if (end.memoryLimit > 0) {
            error.why += " The memory limit was " + formatBytes(end.memoryLimit) + ".";
            error.help = "LibTorch itself needs some memory: allow more.";
        }
        return error;
    }
    if (WIFSIGNALED(end.status) && !end.killedByUs) return explainSignal(WTERMSIG(end.status), end, log);
    const std::string advice = "The library does something no model does. Recompile the program, and do not trust this file.";
    if (WIFEXITED(end.status) && WEXITSTATUS(end.status) != kStreamClosedStatus) {
        return {ErrorKind::RunFailed,
                "run.exited",
                "The model ended its process " + end.step + ".",
                {},
                trimmed("It called exit with status " + std::to_string(WEXITSTATUS(end.status)) + "." + lastOutput(log)),
                advice};
    }
    return {ErrorKind::RunFailed, "run.lost", "The model closed the connection to pt2scope " + end.step + ".", {}, trimmed(lastOutput(log)), advice};
}

Error explainTimeout(double seconds, const std::string& step, const WorkerLog& log) {
    return {ErrorKind::RunFailed,
            "run.timeout",
            "The model was stopped after " + formatDuration(seconds) + " " + step + ".",
            {},
            trimmed("The time allowed was over." + lastOutput(log)),
            "Allow more time with --timeout, or run it with smaller inputs."};
}

}  // namespace pt2
