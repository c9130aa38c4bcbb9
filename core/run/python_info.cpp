#include "core/run/python_info.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include "core/base/environment.h"
#include "core/base/text.h"
#include "core/run/python_process.h"

namespace pt2 {

namespace {

namespace fs = std::filesystem;

/// Versions without importing torch, which takes seconds.
Result<PythonInfo> probe(const std::string& executable, const CancelToken& cancel) {
    static constexpr const char* kProbe =
        "import sys, importlib.metadata as m, importlib.util as u\n"
        "print('pt2scope-python', sys.version.split()[0])\n"
        "print(m.version('torch') if u.find_spec('torch') else '-')\n";
    auto output = captureOutput({executable, {"-c", kProbe}, {}, {}}, 30, cancel);
    if (!output) return tl::unexpected(output.error());
    const std::size_t at = output->find("pt2scope-python ");
    if (at == std::string::npos) {
        return fail({ErrorKind::System, "python.failed", fmt::format("\"{}\" did not answer as Python does.", executable), executable, {}, {}});
    }
    const auto lines = splitView(std::string_view(*output).substr(at), '\n');
    PythonInfo info{executable, std::string(lines[0].substr(16)), lines.size() > 1 ? std::string(lines[1]) : "-"};
    if (info.torchVersion == "-") {
        return fail({ErrorKind::System,
                     "python.no-torch",
                     fmt::format("The Python at \"{}\" has no torch.", executable),
                     executable,
                     fmt::format("Python {} was found, and torch is not installed in it.", info.pythonVersion),
                     {}});
    }
    return info;
}

constexpr const char* kAdvice =
    "Name a Python that has torch 2.13 with --python or the variable PT2SCOPE_PYTHON; in the source tree, packaging/run.sh sets one up.";

}  // namespace

Result<PythonInfo> findPython(const std::string& preferred, const CancelToken& cancel) {
    std::vector<std::string> candidates;
    const std::string named = !preferred.empty() ? preferred : environmentValue("PT2SCOPE_PYTHON");
    if (!named.empty()) {
        candidates.push_back(programOnPath(named).empty() ? named : programOnPath(named));
    } else {
        const fs::path built = folderOfBinary() / ".." / ".." / "venv" / "bin" / "python";
        if (::access(built.c_str(), X_OK) == 0) candidates.push_back(built.lexically_normal().string());
        if (const std::string system = programOnPath("python3"); !system.empty()) candidates.push_back(system);
    }
    std::string tried;
    for (const std::string& candidate : candidates) {
        auto info = probe(candidate, cancel);
        if (info || info.error().kind == ErrorKind::Cancelled) return info;
        tried += fmt::format("{}{} {}", tried.empty() ? "" : " ", info.error().what, info.error().why);
    }
    return fail({ErrorKind::System, "python.none", "No Python with torch was found.", named,
                 tried.empty() ? "There is no python3 on the PATH." : tried, kAdvice});
}

}  // namespace pt2
