#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/compiled/compiled_model.h"
#include "core/compiled/compiled_needs.h"
#include "core/compiled/target.h"

namespace pt2 {

struct RunReason {
    std::string what, found, needed;
    std::optional<bool> ok;  ///< nullopt: not known
    std::string help;
    bool warning = false;  ///< it holds here, and yet there is something to know: the help says what
};
struct Runnable {
    enum class Verdict { Yes, No, Unknown } verdict = Verdict::Unknown;
    std::vector<RunReason> reasons;
};

/// Why a compiled model can or cannot run on a target, without loading it (design.md 5): a pure function of what is known of both. "Yes" only when
/// everything is proved: what the model needs, or what the target has, and is not known makes the verdict Unknown.
Runnable judgeRunnable(const CompiledModel& model, const CompiledNeeds& needs, const Target& target);
/// Reads what the model needs and judges. Takes as long as readNeeds: for a job, not for the thread of a window.
Runnable judgeRunnable(const Archive& archive, const CompiledModel& model, const Target& target, const CancelToken& cancel = {});

/// "glibc: 2.36 (needed: 2.41 or later)": a reason in one line, without its help.
std::string reasonLine(const RunReason& reason);

/// Symbols that the library asks of LibTorch and the target's does not export; nothing when either is not known.
std::optional<std::vector<std::string>> missingSymbols(const CompiledNeeds& needs, const Target& target);
/// What is known to say when the processor refused an instruction of the model: what the code and the label need, against what the processor has.
/// Empty where nothing is known.
std::string illegalInstructionWords(const CompiledModel& model, const CodeScan& code, const Target& target);
/// Features of the CPU that the label AOTI_CPU_ISA stands for; empty for a label that is not known.
std::vector<std::string> featuresOfIsaLabel(const std::string& label);

}  // namespace pt2
