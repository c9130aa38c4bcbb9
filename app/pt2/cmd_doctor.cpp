#include <algorithm>
#include <filesystem>

#include "app/pt2/command.h"
#include "app/pt2/table.h"
#include "core/base/environment.h"
#include "core/base/text.h"
#include "core/run/engine_discovery.h"
#include "core/run/python_info.h"
#include "core/run/sandbox.h"

namespace pt2 {
namespace {

struct Finding {
    std::string what;
    bool found = false;
    std::string detail, help;
};

std::string findProgram(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
        if (std::string path = programOnPath(name); !path.empty()) return path;
    }
    return {};
}

Finding findEngine(std::vector<std::string>& devices, const CancelToken& cancel) {
    Finding finding{
        "run engine", false, {}, "\"pt2 engine install\" builds one for the LibTorch of this machine; PT2SCOPE_WORKER names one that is elsewhere."};
    const auto engine = describeEngine(cancel);
    if (!engine) {
        finding.detail = engine.error().what;
        if (!engine.error().help.empty()) finding.help = engine.error().help;
        return finding;
    }
    devices = engine->devices;
    finding.found = engine->problem.empty();
    finding.detail = engine->problem.empty()
                         ? "torch " + engine->torchVersion + ", devices " + join(engine->devices, ", ") + ", " + engine->workerPath
                         : engine->problem;
    return finding;
}

Finding findTorch(const CancelToken& cancel) {
    Finding finding{"Python with torch",
                    false,
                    {},
                    "Needed for recompile and for compare with torch: name one with --python or PT2SCOPE_PYTHON; in the source tree, "
                    "packaging/run.sh sets one up."};
    const auto python = findPython({}, cancel);
    if (!python) {
        finding.detail = python.error().what;
        if (!python.error().help.empty()) finding.help = python.error().help;
        return finding;
    }
    finding.found = true;
    finding.detail = "torch " + python->torchVersion + ", Python " + python->pythonVersion + ", " + python->executable;
    return finding;
}

Finding findCompiler() {
    const std::string path = findProgram({environmentValue("CXX"), "g++", "c++", "clang++"});
    return {"C++ compiler", !path.empty(), path.empty() ? "none in the PATH" : path,
            "Needed for recompile and for \"pt2 engine install\": install g++, or name one with CXX."};
}

Finding findSandbox() {
    return {"sandbox", sandbox().works(), sandbox().works() ? sandbox().program : sandbox().why,
            "Models run all the same, with the network and files at hand; bubblewrap keeps them away."};
}

Finding findGpu(const std::vector<std::string>& devices) {
    std::error_code ignored;
    const bool nvidia = std::filesystem::exists("/dev/nvidia0", ignored), amd = std::filesystem::exists("/dev/kfd", ignored);
    const bool usable = std::any_of(devices.begin(), devices.end(), [](const std::string& d) { return d != "cpu"; });
    std::string detail = nvidia ? "an NVIDIA device is there" : amd ? "an AMD device is there" : "no GPU device is there";
    if (usable) detail = join(devices, ", ");
    if ((nvidia || amd) && !usable) detail += ", but the run engine has no support for it";
    return {"GPU", usable, detail,
            nvidia || amd ? "Build the run engine for a LibTorch that has support for it: pt2 engine install --libtorch DIR."
                          : "Models for the CPU run; those for a GPU need one."};
}

Finding findDisplay() {
    const std::string wayland = environmentValue("WAYLAND_DISPLAY"), x11 = environmentValue("DISPLAY");
    const std::string display = wayland.empty() ? x11 : wayland;
    return {"display", !display.empty(), display.empty() ? "neither WAYLAND_DISPLAY nor DISPLAY is set" : display,
            "The window needs a display; pt2 and pt2scope --screenshot do not."};
}

Result<int> doctor(Context& context) {
    std::vector<std::string> devices;
    std::vector<Finding> findings;
    findings.push_back(findEngine(devices, context.cancel));
    if (context.cancel.requested()) return cancelled();
    findings.push_back(findTorch(context.cancel));
    if (context.cancel.requested()) return cancelled();
    findings.push_back(findCompiler());
    findings.push_back(findSandbox());
    findings.push_back(findGpu(devices));
    findings.push_back(findDisplay());
    if (context.out.json()) {
        Json checks = Json::array();
        for (const Finding& f : findings)
            checks.push_back({{"what", f.what}, {"found", f.found}, {"detail", f.detail}, {"help", f.found ? std::string() : f.help}});
        context.out.document({{"format", 1}, {"checks", std::move(checks)}});
        return 0;
    }
    Table table({{""}, {""}, {""}});
    for (const Finding& f : findings) {
        table.row({{f.what, Style::Bold}, {f.found ? "found" : "not found", f.found ? Style::Good : Style::Warning}, oneLine(f.detail)});
        if (!f.found) table.row({"", "", {oneLine(f.help), Style::Muted}});
    }
    table.print(context.out);
    return 0;
}

}  // namespace

void addDoctorCommand(CommandRegistry& registry) {
    registry.add("doctor", "Run engine, Python with torch, compiler, sandbox, GPU, display: found or not, with advice",
                 [](Context& context) { return doctor(context); });
}

}  // namespace pt2
