#include "core/run/python_session.h"

#include <fmt/format.h>

#include <map>
#include <system_error>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/run/protocol.h"
#include "core/run/resources.h"

extern char** environ;

namespace pt2 {

namespace fs = std::filesystem;

Result<fs::path> helperScript() {
    if (auto script = findResource("python/pt2scope_helper.py")) return std::move(*script);
    return fail({ErrorKind::System, "python.no-helper", "The Python helper script is missing.", "python/pt2scope_helper.py",
                 "It is part of pt2scope's resources.", "Install pt2scope again, or name its resources folder in PT2SCOPE_RESOURCES."});
}

Result<PythonProcess> startHelper(const PythonInfo& python, const fs::path& work, const std::vector<std::pair<std::string, std::string>>& environment,
                                  const CancelToken& cancel, const ProgressSink& progress) {
    auto script = helperScript();
    if (!script) return tl::unexpected(script.error());
    const fs::path temporary = work / "tmp";
    std::error_code code;
    fs::create_directories(temporary, code);
    if (code) return tl::unexpected(systemError("Cannot make a folder for Python.", temporary.string(), code.value()));
    ChildStart how{python.executable, {"-u", "-B", script->string()}, environment, work};
    // A cache of the job's own: nothing of another compile is taken over, and nothing stays behind.
    how.environment.emplace_back("TORCHINDUCTOR_CACHE_DIR", (work / "cache").string());
    how.environment.emplace_back("TRITON_CACHE_DIR", (work / "triton").string());
    how.environment.emplace_back("TMPDIR", temporary.string());
    how.environment.emplace_back("PYTHONIOENCODING", "utf-8:backslashreplace");
    report(progress, {"starting Python", 0, 0, Progress::Unit::None, {}});
    auto process = PythonProcess::start(how);
    if (!process) return process;
    auto answer = process->request({{"do", "hello"}}, cancel, progress);
    if (!answer) return tl::unexpected(answer.error());
    if (!flagOf(*answer, "ok")) return fail(errorFromAnswer(*answer, "importing torch"));
    return process;
}

Error errorFromAnswer(const nlohmann::json& answer, const std::string& doing) {
    const nlohmann::json detail = answer.value("error", nlohmann::json::object());
    const auto field = [&detail](const char* name) {
        const auto found = detail.find(name);
        return found != detail.end() && found->is_string() ? found->get<std::string>() : std::string();
    };
    const std::string kind = field("kind"), message = field("message");
    const std::string why = field("type").empty() || kind == "usage" ? message : field("type") + ": " + message;
    const std::string what = fmt::format("Python failed while {}.", doing);
    if (kind == "usage") return {ErrorKind::Usage, "python.usage", message, {}, {}, {}};
    if (kind == "memory")
        return {ErrorKind::System, "python.memory", what, {}, "There is not enough memory.", "Close other programs, or use a larger machine."};
    if (kind == "no-space") return {ErrorKind::System, "python.no-space", what, {}, "The disk is full.", "Make room in the temporary folder."};
    if (kind == "import")
        return {ErrorKind::System,
                "python.import",
                what,
                {},
                why,
                doing == "importing torch" ? "Check that this Python's torch works: python -c 'import torch'."
                                           : "Install the missing module into this Python."};
    if (kind == "missing-operator") {
        return {ErrorKind::CannotRun,
                "python.missing-operator",
                "The program uses an operator or class that this Python does not know.",
                {},
                why,
                "Import the library that registers it: name its Python module in the variable PT2SCOPE_IMPORT."};
    }
    return {ErrorKind::CannotRun, "python.torch", what, {}, why, "torch's own words are above; the log says more."};
}

std::vector<std::pair<std::string, std::string>> compilerEnvironment(const std::vector<std::pair<std::string, std::string>>& requested) {
    std::map<std::string, std::string> found;
    for (char** at = environ; *at != nullptr; ++at) {
        const std::string_view entry = *at;
        const std::size_t equals = entry.find('=');
        if (equals == std::string_view::npos) continue;
        const std::string_view name = entry.substr(0, equals);
        // The cache's place does not change what is made, and the job has its own.
        if (name == "TORCHINDUCTOR_CACHE_DIR") continue;
        if (name.substr(0, 14) == "TORCHINDUCTOR_" || name.substr(0, 6) == "TORCH_") found[std::string(name)] = entry.substr(equals + 1);
    }
    for (const auto& [name, value] : requested) found[name] = value;
    return {found.begin(), found.end()};
}

}  // namespace pt2
