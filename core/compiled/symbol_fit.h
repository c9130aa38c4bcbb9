#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/compiled/runnable.h"

namespace pt2 {

/// The reason about symbols that the library asks of LibTorch; none when it asks for none, or where no LibTorch is. `others` are the needed libraries
/// that are neither the system's nor LibTorch's, `recompile` the advice to compile anew.
std::optional<RunReason> judgeSymbols(const CompiledModel& model, const CompiledNeeds& needs, const Target& target,
                                      const std::vector<std::string>& others, const std::string& recompile);

}  // namespace pt2
