#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/compiled/compiled_model.h"
#include "core/compiled/this_machine.h"

namespace pt2 {

struct RunReason {
    std::string what, found, needed;
    std::optional<bool> ok;  ///< nullopt: not known
    std::string help;
};
struct Runnable {
    enum class Verdict { Yes, No, Unknown } verdict = Verdict::Unknown;
    std::vector<RunReason> reasons;
};

/// Why this model can or cannot run on this machine, without loading it: platform, machine, label of the instruction set against the
/// CPU's features, executable stack against glibc, weights. `torchVersion` is the run engine's, empty if there is none.
Runnable judgeRunnableHere(const CompiledModel& model, const std::string& torchVersion);
/// The pure function behind judgeRunnableHere: a model against a machine and a run engine (empty version: none).
Runnable judgeRunnable(const CompiledModel& model, const MachineFacts& machine, const std::string& torchVersion);
/// Features of the CPU that the label AOTI_CPU_ISA stands for; empty for a label that is not known.
std::vector<std::string> featuresOfIsaLabel(const std::string& label);

}  // namespace pt2
