#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/run/worker_log.h"

namespace pt2 {

/// The step in which a library's own constructors run, before it has seen any input.
inline constexpr std::string_view kStepLoading = "while its library was being loaded";

/// How a worker's process ended without answering.
struct WorkerEnd {
    int status = 0;  ///< as waitpid gives it
    bool killedByUs = false, saidHello = false;
    std::string step;          ///< kStepLoading, "while it ran"
    std::string instructions;  ///< illegalInstructionWords of the model, or empty
    std::uint64_t memoryLimit = 0;
};

/// The end in words, with the stack and the last output: RunFailed "run.signal", "run.exited", "run.lost", "run.memory"; CannotRun "engine.broken"
/// when the worker did not come so far as to run anything.
Error explainEnd(const WorkerEnd& end, const WorkerLog& log);
/// RunFailed "run.timeout".
Error explainTimeout(double seconds, const std::string& step, const WorkerLog& log);

}  // namespace pt2
