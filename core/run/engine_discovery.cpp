#include "core/run/engine_discovery.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/environment.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/compiled/this_machine.h"
#include "core/compiled/torch_libraries.h"
#include "core/run/libtorch_folder.h"
#include "core/run/protocol.h"
#include "core/run/worker_client.h"

namespace pt2 {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kRecordLimit = std::uint64_t{1} << 16;
constexpr double kSchemaSeconds = 20;

bool isProgram(const fs::path& path) {
    std::error_code code;
    return fs::is_regular_file(path, code) && ::access(path.c_str(), X_OK) == 0;
}

/// A worker of engineFolder(): what its record says of its LibTorch.
struct Installed {
    fs::path worker;
    bool torchIsThere = false;
    std::array<int, 3> version{};
};

Installed readInstalled(const fs::path& folder) {
    Installed found{folder / "pt2-worker", false, versionNumbers(folder.filename().string())};
    std::error_code code;
    const fs::path record = folder / "engine.json";
    if (!fs::is_regular_file(record, code)) return found;
    const auto text = readTextFile(record, kRecordLimit);
    const auto json = text ? nlohmann::json::parse(*text, nullptr, false) : nlohmann::json();
    if (!json.is_object()) return found;
    found.torchIsThere = fs::exists(fs::path(textOf(json, "libtorch")) / "lib" / "libtorch_cpu.so", code);
    if (const auto version = versionNumbers(textOf(json, "torch_version")); version > std::array<int, 3>{}) found.version = version;
    return found;
}

/// Those that can start come first, the latest version first; one whose LibTorch was removed is still named, so that it can be told why.
std::vector<fs::path> installedWorkers() {
    std::vector<Installed> found;
    const fs::path engines = engineFolder();
    std::error_code code;
    if (!engines.empty()) {
        for (fs::directory_iterator entry(engines, code), end; !code && entry != end; entry.increment(code)) {
            std::error_code ignored;
            if (entry->is_directory(ignored)) found.push_back(readInstalled(entry->path()));
        }
    }
    std::sort(found.begin(), found.end(), [](const Installed& a, const Installed& b) {
        return std::tie(b.torchIsThere, b.version, a.worker) < std::tie(a.torchIsThere, a.version, b.worker);
    });
    std::vector<fs::path> workers;
    for (Installed& installed : found) workers.push_back(std::move(installed.worker));
    return workers;
}

/// Where workers stand beside what is named by the environment, in the order in which they are tried.
std::vector<fs::path> usualPlaces() {
    std::vector<fs::path> places;
    if (const fs::path folder = folderOfBinary(); !folder.empty()) {
        places.push_back(folder / "pt2-worker");
        places.push_back(folder.parent_path() / "libexec" / "pt2scope" / "pt2-worker");
    }
    for (fs::path& worker : installedWorkers()) places.push_back(std::move(worker));
    return places;
}

}  // namespace

fs::path engineFolder() {
    fs::path data = folderVariable("XDG_DATA_HOME");
    if (data.empty()) {
        const fs::path home = folderVariable("HOME");
        if (home.empty()) return {};
        data = home / ".local" / "share";
    }
    return data / "pt2scope" / "engines";
}

Result<EngineInfo> describeWorker(const std::string& worker, const CancelToken& cancel) {
    EngineInfo info;
    info.workerPath = worker;
    WorkerOptions options;
    options.worker = worker;
    const auto client = WorkerClient::start(options, cancel);
    if (!client) {
        const Error& error = client.error();
        if (error.kind == ErrorKind::Cancelled) return fail(error);
        info.problem = error.what + (error.why.empty() ? "" : " " + error.why);
        return info;
    }
    const WorkerHello& hello = (*client)->hello();
    info.torchVersion = hello.torchBuilt;
    info.variant = hello.variant;
    info.libtorchPath = hello.libtorchFolder;
    info.devices = hello.devices;
    return info;
}

Result<std::string> findWorker() {
    if (const std::string named = environmentValue("PT2SCOPE_WORKER"); !named.empty()) {
        if (isProgram(named)) return fs::absolute(named).string();
        return fail({ErrorKind::CannotRun, "engine.missing", "The run engine that PT2SCOPE_WORKER names is not there.", named,
                     "It is no program that can be run.", "Unset PT2SCOPE_WORKER, or let it name a pt2-worker."});
    }
    for (const fs::path& place : usualPlaces()) {
        if (isProgram(place)) return place.string();
    }
    return fail({ErrorKind::CannotRun,
                 "engine.missing",
                 "There is no run engine, so models cannot be run.",
                 {},
                 "pt2-worker is neither beside this program nor in the user's data folder; it is built where LibTorch is found.",
                 "\"pt2 engine install\" builds one for the LibTorch of this machine; PT2SCOPE_WORKER names one that is elsewhere."});
}

Result<EngineInfo> describeEngine(const CancelToken& cancel) {
    const auto worker = findWorker();
    if (!worker) return fail(worker.error());
    return describeWorker(*worker, cancel);
}

std::optional<std::map<std::string, std::string>> askSchemas(const std::string& worker, const std::vector<std::string>& targets) {
    WorkerOptions options;
    options.worker = worker;
    const auto client = WorkerClient::start(options);
    if (!client) return std::nullopt;
    (*client)->setTimeLimit(kSchemaSeconds);
    Frame request;
    request.body = {{"request", "schemas"}, {"operators", targets}};
    const auto answer = (*client)->request(std::move(request));
    if (!answer) return std::nullopt;  // an engine of before this request, too
    const auto listed = answer->body.find("schemas");
    if (listed == answer->body.end() || !listed->is_object()) return std::nullopt;
    std::map<std::string, std::string> schemas;
    for (const auto& [target, text] : listed->items()) {
        if (text.is_string()) schemas.emplace(target, text.get<std::string>());
    }
    return schemas;
}

std::optional<std::vector<std::string>> askAllSchemas(const std::string& worker, const CancelToken& cancel) {
    WorkerOptions options;
    options.worker = worker;
    const auto client = WorkerClient::start(options, cancel);
    if (!client) return std::nullopt;
    (*client)->setTimeLimit(kSchemaSeconds);
    Frame request;
    request.body = {{"request", "schemas"}, {"all", true}};
    const auto answer = (*client)->request(std::move(request));
    if (!answer || answer->payload.empty()) return std::nullopt;  // an engine of before this request, too
    std::vector<std::string> schemas;
    for (const std::string_view line : splitView(asText(answer->payload), '\n')) {
        if (!line.empty()) schemas.emplace_back(line);
    }
    return schemas;
}

Target machineWith(const Result<EngineInfo>& engine) {
    if (!engine || !engine->problem.empty()) return thisMachineWithoutTorch();
    TargetTorch torch = describeTorch(engine->torchVersion, engine->variant, engine->devices, engine->libtorchPath);
    torch.schemas = [worker = engine->workerPath](const std::vector<std::string>& targets) { return askSchemas(worker, targets); };
    return thisMachineWith(std::move(torch));
}

std::vector<FoundEngine> listEngines(const CancelToken& cancel) {
    const Result<std::string> chosen = findWorker();
    std::vector<std::string> workers;
    if (chosen) workers.push_back(*chosen);
    for (const fs::path& place : usualPlaces()) {
        if (isProgram(place) && std::find(workers.begin(), workers.end(), place.string()) == workers.end()) workers.push_back(place.string());
    }
    std::vector<FoundEngine> engines;
    for (const std::string& worker : workers) {
        const Result<EngineInfo> info = describeWorker(worker, cancel);
        if (!info) break;  // cancelled
        engines.push_back({*info, chosen && worker == *chosen});
    }
    return engines;
}

}  // namespace pt2
