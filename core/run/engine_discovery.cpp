#include "core/run/engine_discovery.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "core/base/environment.h"
#include "core/base/text.h"
#include "core/compiled/this_machine.h"
#include "core/compiled/torch_libraries.h"
#include "core/run/worker_client.h"

namespace pt2 {

namespace fs = std::filesystem;

namespace {

bool isProgram(const fs::path& path) {
    std::error_code code;
    return fs::is_regular_file(path, code) && ::access(path.c_str(), X_OK) == 0;
}

/// Workers built into the user's data folder, one folder a LibTorch; the newest version first.
std::vector<fs::path> installedWorkers() {
    fs::path data = environmentValue("XDG_DATA_HOME");
    if (data.empty() && !environmentValue("HOME").empty()) data = fs::path(environmentValue("HOME")) / ".local" / "share";
    std::vector<fs::path> workers;
    if (data.empty()) return workers;
    std::error_code code;
    for (fs::directory_iterator entry(data / "pt2scope" / "engines", code), end; !code && entry != end; entry.increment(code)) {
        workers.push_back(entry->path() / "pt2-worker");
    }
    std::sort(workers.rbegin(), workers.rend());
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

Result<EngineInfo> describe(const std::string& worker, const CancelToken& cancel) {
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

}  // namespace

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
                 "Build with torch in the Python environment or with -DLIBTORCH=DIR, or set PT2SCOPE_WORKER; \"pt2 doctor\" says what is missing."});
}

Result<EngineInfo> describeEngine(const CancelToken& cancel) {
    const auto worker = findWorker();
    if (!worker) return fail(worker.error());
    return describe(*worker, cancel);
}

Target machineWith(const Result<EngineInfo>& engine) {
    if (!engine || !engine->problem.empty()) return thisMachineWithoutTorch();
    return thisMachineWith(describeTorch(engine->torchVersion, engine->variant, engine->devices, engine->libtorchPath));
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
        const Result<EngineInfo> info = describe(worker, cancel);
        if (!info) break;  // cancelled
        engines.push_back({*info, chosen && worker == *chosen});
    }
    return engines;
}

}  // namespace pt2
