#include "core/run/refusal.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/base/text.h"
#include "core/compiled/runnable.h"
#include "core/compiled/this_machine.h"

namespace pt2 {

namespace {

constexpr std::array<std::string_view, 8> kDeviceKinds = {"cpu", "cuda", "xpu", "mps", "hip", "mtia", "hpu", "privateuseone"};

/// "cuda:1" → "cuda".
std::string kindOf(const std::string& device) { return device.substr(0, device.find(':')); }

}  // namespace

bool isDeviceName(const std::string& device) {
    if (std::find(kDeviceKinds.begin(), kDeviceKinds.end(), kindOf(device)) == kDeviceKinds.end()) return false;
    const std::size_t colon = device.find(':');
    if (colon == std::string::npos) return true;
    const std::string index = device.substr(colon + 1);
    return !index.empty() && index.size() <= 3 && index.find_first_not_of("0123456789") == std::string::npos;
}

Error noCompiledModel(const std::string& model) {
    return {ErrorKind::CannotRun,
            "run.no-compiled-model",
            "There is no compiled model \"" + escapeForDisplay(model) + "\" to run.",
            {},
            "The file holds the program only.",
            "Recompile it first: pt2 recompile FILE -o OUT.pt2, or join the compiled file with --with."};
}

Status refuseAnywhere(const CompiledModel& model, bool constantsGiven) {
    const std::string name = "\"" + escapeForDisplay(model.name) + "\"";
    if (!model.library) {
        return fail({ErrorKind::CannotRun, "run.no-library", "The compiled model " + name + " has no library to run.", model.folder,
                     model.cppOnly ? "It was packed as C++ sources only." : "Its folder holds no shared object.",
                     "Recompile the program on this machine."});
    }
    if (model.weightsAbsent && !constantsGiven) {
        return fail({ErrorKind::CannotRun, "run.weights-absent", "The weights of the compiled model " + name + " are not loaded with it.",
                     model.folder, "They are neither in the library nor in a blob beside it; a run would crash.",
                     "Give them with --constants FILE, or recompile the program with its weights in the library."});
    }
    return {};
}

Result<std::string> chooseDevice(const CompiledModel& model, const std::string& asked) {
    const std::string own = model.device.empty() ? "cpu" : model.device;
    if (asked.empty()) return own;
    if (!isDeviceName(asked)) {
        return fail({ErrorKind::Usage,
                     "run.device-unknown",
                     "There is no device called \"" + escapeForDisplay(asked) + "\".",
                     {},
                     {},
                     "Devices are cpu, cuda, cuda:1 and so on; xpu and mps where LibTorch has them."});
    }
    if (kindOf(asked) != kindOf(own)) {
        return fail({ErrorKind::CannotRun, "run.device", "This model was compiled for " + own + " and cannot run on " + asked + ".", model.folder,
                     "A compiled model holds code for one kind of device.",
                     "Run it on " + own + ", or recompile the program with --device " + kindOf(asked) + "."});
    }
    if (kindOf(asked) == "cpu") {
        if (asked != "cpu" && asked != "cpu:0") {
            return fail(
                {ErrorKind::CannotRun, "run.device", "There is no device \"" + asked + "\": the CPU has no index.", {}, {}, "Use --device cpu."});
        }
        return std::string("cpu");
    }
    return asked;
}

Status refuseHere(const Archive& archive, const CompiledModel& model, const std::string& device, const TargetTorch& engine, const CancelToken& cancel,
                  std::string* instructions, bool constantsGiven) {
    const std::vector<std::string>& engineDevices = engine.devices;
    const std::string kind = kindOf(device);
    std::vector<std::string> ofKind;
    for (const std::string& there : engineDevices) {
        if (kindOf(there) == kind) ofKind.push_back(there);
    }
    const bool exists = device == kind ? !ofKind.empty() : std::find(ofKind.begin(), ofKind.end(), device) != ofKind.end();
    if (!exists) {
        return fail({ErrorKind::CannotRun,
                     "run.device",
                     "There is no device \"" + device + "\" for the run engine here.",
                     {},
                     "Its LibTorch " + engine.version + " has: " + join(engineDevices, ", ") + ".",
                     ofKind.empty() ? "Use a machine and a LibTorch with " + kind + ", or recompile the program for cpu." : "Choose one of these."});
    }
    const CompiledNeeds needs = readNeeds(archive, model, {}, cancel);
    const Target here = thisMachineWith(engine);
    if (instructions != nullptr) *instructions = illegalInstructionWords(model, needs.code, here);
    const Runnable runnable = judgeRunnable(model, needs, here);
    if (runnable.verdict != Runnable::Verdict::No) return {};
    std::vector<std::string> reasons;
    std::string help;
    for (const RunReason& reason : runnable.reasons) {
        if (reason.ok != false || (constantsGiven && reason.what == "weights")) continue;
        reasons.push_back(reasonLine(reason));
        if (help.empty()) help = reason.help;
    }
    if (reasons.empty()) return {};
    return fail({ErrorKind::CannotRun, "run.not-here", "This compiled model cannot run here.", model.folder, join(reasons, "; ") + ".", help});
}

}  // namespace pt2
