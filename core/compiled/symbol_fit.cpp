#include "core/compiled/symbol_fit.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "core/base/demangle.h"
#include "core/base/text.h"

namespace pt2 {
namespace {

constexpr const char* kWhat = "symbols of LibTorch";
constexpr std::size_t kNamed = 3;

/// Names that only LibTorch has: its C interface, and what its C++ namespaces define. Others may come from whatever else the process loads.
bool isLibTorchSymbol(std::string_view name) {
    if (name.starts_with("aoti_") || name.starts_with("torch_")) return true;
    // Itanium names: _Z, for tables TV, TI or TS, then N, K for const members, and the namespace with its length.
    const auto pass = [&name](std::string_view part) {
        if (!name.starts_with(part)) return false;
        name.remove_prefix(part.size());
        return true;
    };
    if (!pass("_Z")) return false;
    if (!pass("TV") && !pass("TI")) pass("TS");
    if (!pass("N")) return false;
    pass("K");
    return pass("2at") || pass("3c10") || pass("5torch") || pass("6caffe2");
}

/// The first few as people write them, and how many more there are.
std::string readable(const std::vector<std::string>& names) {
    std::vector<std::string> shown;
    for (std::size_t i = 0; i < names.size() && i < kNamed; ++i) shown.push_back(demangled(names[i]));
    return join(shown, ", ") + (names.size() > kNamed ? " and " + formatCount(names.size() - kNamed) + " more" : "");
}

/// The names as the library has them, where that is another thing: they are what tools and the web know.
std::string asWritten(const std::vector<std::string>& names) {
    std::vector<std::string> mangled;
    for (std::size_t i = 0; i < names.size() && i < kNamed; ++i) {
        if (demangled(names[i]) != names[i]) mangled.push_back(names[i]);
    }
    return mangled.empty() ? std::string() : " In the library: " + join(mangled, ", ") + ".";
}

/// "2.13.0" of "2.13.0+cpu".
std::string_view release(std::string_view version) { return version.substr(0, version.find('+')); }

/// By which torch the model was built, as far as the file says: a library bears no version, and another one is not the only cause.
std::string builtBy(const CompiledModel& model, const Target& target, const std::string& recompile) {
    if (!model.torchVersion.known()) return "The file does not say by which torch it was built. " + recompile;
    const std::string &built = model.torchVersion.value, &there = target.torch.version;
    const bool metadata = model.torchVersion.origin == Origin::Metadata;
    std::string says =
        metadata ? "It was built by torch " + built + ", as its metadata says" : "The program in this file was exported by torch " + built;
    if (!there.empty()) {
        if (release(built) == release(there))
            says += ", which is the version of that LibTorch";
        else
            says += std::string(", and ") + (target.here ? "here" : "there") + " is LibTorch " + there;
    }
    return says + (metadata ? ". " : "; by which one the library was built is not stated. ") + recompile;
}

}  // namespace

std::optional<RunReason> judgeSymbols(const CompiledModel& model, const CompiledNeeds& needs, const Target& target,
                                      const std::vector<std::string>& others, const std::string& recompile) {
    if (target.torchState == Target::Torch::Absent) return std::nullopt;
    if (!needs.importsKnown) return RunReason{kWhat, "not known", "those that the library asks for", std::nullopt, {}};
    if (needs.imports.empty()) return std::nullopt;
    const std::string count = "all " + formatCount(needs.imports.size()) + " that the library asks for";
    const std::string torch = target.torch.version.empty() ? std::string("LibTorch") : "LibTorch " + target.torch.version;
    if (!target.torch.symbols) return RunReason{kWhat, "not known", count, std::nullopt, "It is not known what " + torch + " exports."};
    std::vector<std::string> missing, open;
    for (const std::string& name : needs.imports) {
        const std::optional<bool> there = target.torch.symbols->has(name);
        if (there == false && isLibTorchSymbol(name)) missing.push_back(name);
        if (!there || (there == false && !isLibTorchSymbol(name))) open.push_back(name);
    }
    if (!missing.empty()) {
        const bool oldAbi = std::any_of(missing.begin(), missing.end(), [](const std::string& name) {
            return name.starts_with("_Z") && (name.find("Ss") != std::string::npos) && name.find("__cxx11") == std::string::npos;
        });
        const std::string help =
            oldAbi ? "It was built for the old C++ ABI (_GLIBCXX_USE_CXX11_ABI=0). " + recompile : builtBy(model, target, recompile);
        const bool mayBeElsewhere = !others.empty() && std::any_of(others.begin(), others.end(), [](const std::string& name) {
            return !name.starts_with("libgomp") && !name.starts_with("libomp") && !name.starts_with("libiomp");
        });
        return RunReason{kWhat, torch + " has no " + readable(missing), count, mayBeElsewhere ? std::nullopt : std::optional(false),
                         (mayBeElsewhere ? "Another library that it needs may have them: " + join(others, ", ") + "." : help) + asWritten(missing)};
    }
    if (!open.empty()) {
        return RunReason{kWhat, "not known: " + readable(open), count, std::nullopt,
                         (target.here ? "Neither LibTorch nor the system's libraries have them; something else that is loaded may."
                                      : "The description of the target does not say whether these are there.") +
                             asWritten(open)};
    }
    return RunReason{kWhat, "all " + formatCount(needs.imports.size()) + " in " + torch, count, true, {}};
}

std::optional<std::vector<std::string>> missingSymbols(const CompiledNeeds& needs, const Target& target) {
    if (!needs.importsKnown || target.torchState != Target::Torch::Present || !target.torch.symbols) return std::nullopt;
    std::vector<std::string> missing;
    for (const std::string& name : needs.imports) {
        const std::optional<bool> there = target.torch.symbols->has(name);
        if (!there) return std::nullopt;
        if (!*there) missing.push_back(name);
    }
    return missing;
}

}  // namespace pt2
