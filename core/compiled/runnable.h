#pragma once

#include <string>

#include "core/compiled/compiled_model.h"
#include "core/compiled/this_machine.h"

namespace pt2 {

/// The pure function behind judgeRunnableHere: a model against a machine and a run engine (empty version: none).
Runnable judgeRunnable(const CompiledModel& model, const MachineFacts& machine, const std::string& torchVersion);
/// Features of the CPU that the label AOTI_CPU_ISA stands for; empty for a label that is not known.
std::vector<std::string> featuresOfIsaLabel(const std::string& label);

}  // namespace pt2
