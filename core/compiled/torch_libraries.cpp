#include "core/compiled/torch_libraries.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <system_error>
#include <utility>

#include "core/compiled/exported_symbols.h"
#include "core/compiled/this_machine.h"

namespace pt2 {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> libraryNames(const fs::path& folder) {
    std::vector<std::string> names;
    std::error_code problem;
    for (fs::directory_iterator entry(folder, problem); !problem && entry != fs::directory_iterator(); entry.increment(problem)) {
        std::string name = entry->path().filename().string();
        if (name.find(".so") != std::string::npos) names.push_back(std::move(name));
    }
    std::sort(names.begin(), names.end());
    return names;
}

std::shared_ptr<const SymbolNames> symbolsOf(const fs::path& folder) {
    // What the run engine links (FindLibTorch); libtorch_cpu and c10 are in every LibTorch, the others in those for a device.
    std::vector<fs::path> libraries{folder / "lib" / "libtorch_cpu.so", folder / "lib" / "libc10.so"};
    std::error_code problem;
    for (const char* other :
         {"libtorch.so", "libtorch_cuda.so", "libc10_cuda.so", "libtorch_hip.so", "libc10_hip.so", "libtorch_xpu.so", "libc10_xpu.so"}) {
        if (fs::path library = folder / "lib" / other; fs::exists(library, problem)) libraries.push_back(std::move(library));
    }
    // Symbols of the language's run-time libraries may be asked for without a version.
    for (const std::string& library : systemLibraries({"libstdc++.so.6", "libgcc_s.so.1", "libc.so.6", "libm.so.6"})) libraries.emplace_back(library);
    SymbolNames symbols;
    symbols.libraries = ExportedSymbols::of(std::move(libraries));
    return symbols.libraries ? std::make_shared<const SymbolNames>(std::move(symbols)) : nullptr;
}

}  // namespace

TargetTorch describeTorch(std::string version, std::string variant, std::vector<std::string> devices, const std::string& folder) {
    static std::mutex mutex;
    static std::map<std::string, std::shared_ptr<const SymbolNames>> known;
    TargetTorch torch;
    torch.version = std::move(version);
    torch.variant = std::move(variant);
    torch.devices = std::move(devices);
    if (folder.empty()) return torch;
    torch.libraries = libraryNames(fs::path(folder) / "lib");
    // An update in place changes the library's time; the version does not always tell.
    std::error_code problem;
    const auto written = fs::last_write_time(fs::path(folder) / "lib" / "libtorch_cpu.so", problem).time_since_epoch().count();
    const std::string key = folder + "\n" + torch.version + "\n" + (problem ? std::string() : std::to_string(written));
    const std::lock_guard lock(mutex);
    const auto found = known.find(key);
    torch.symbols = found != known.end() ? found->second : known.emplace(key, symbolsOf(folder)).first->second;
    return torch;
}

}  // namespace pt2
