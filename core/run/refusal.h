#pragma once

#include <string>
#include <vector>

#include "core/archive/archive.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/compiled/compiled_model.h"
#include "core/compiled/target.h"

namespace pt2 {

// Why a compiled model is not even tried: each would end in a crash or in a message of LibTorch's that says less. All are Errors of kind CannotRun,
// except a device that is no device (Usage).

Error noCompiledModel(const std::string& model);
/// Whatever the machine: sources only, no library, weights absent unless they are given.
Status refuseAnywhere(const CompiledModel& model, bool constantsGiven = false);
/// "cpu", "cuda", "cuda:1" and the other names that torch has.
bool isDeviceName(const std::string& device);
/// The device to run on: the asked one if the model was compiled for its kind, else the model's own when none is asked.
Result<std::string> chooseDevice(const CompiledModel& model, const std::string& asked);
/// On this machine with this run engine: device absent, platform, processor, instructions, libraries, symbols. What cannot be known is no reason.
/// Reads the code of the library (readNeeds); what is then to be said of an illegal instruction is put into `instructions` when it is asked for.
/// Absent weights are no reason where they are given.
Status refuseHere(const Archive& archive, const CompiledModel& model, const std::string& device, const TargetTorch& engine,
                  const CancelToken& cancel = {}, std::string* instructions = nullptr, bool constantsGiven = false);

}  // namespace pt2
