#include "core/run/run_text.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/base/text.h"

namespace pt2 {

namespace {

constexpr std::size_t kMostNamed = 8;
constexpr double kLeakBytes = 16 * 1024, kLeakMappings = 0.25;  // a load; below it the noise of allocators

std::string listed(const std::vector<std::string>& names) {
    std::vector<std::string> shown;
    for (std::size_t i = 0; i < std::min(names.size(), kMostNamed); ++i) shown.push_back(escapeForDisplay(elideMiddle(names[i], 60)));
    return join(shown, ", ") + (names.size() > kMostNamed ? " and " + formatCount(names.size() - kMostNamed) + " more" : "");
}

}  // namespace

std::string memoryText(const RunMemory& memory) {
    if (memory.peak == 0) return {};
    const std::string peak = formatBytes(memory.peak) + " at most.";
    if (memory.started == 0 || memory.loaded == 0) return peak;
    const std::string more = memory.loaded > memory.started ? " (+" + formatBytes(memory.loaded - memory.started) + ")" : "";
    return formatBytes(memory.started) + " with LibTorch alone, " + formatBytes(memory.loaded) + " with the model loaded" + more + ", " + peak;
}

bool grows(const Soak& soak) { return soak.bytesPerLoad().value_or(0) > kLeakBytes || soak.mappingsPerLoad().value_or(0) > kLeakMappings; }

std::string soakText(const Soak& soak) {
    if (soak.bytes.empty()) return {};
    const auto bytes = [](double value) { return formatBytes(static_cast<std::uint64_t>(std::max(0.0, value))); };
    std::string text = formatCount(soak.bytes.size()) + (soak.bytes.size() == 1 ? " load: " : " loads: ") + bytes(soak.bytes.front()) +
                       " after the first, " + bytes(soak.bytes.back()) + " after the last";
    const auto perLoad = soak.bytesPerLoad();
    if (!perLoad) return text + "; too few to tell whether it grows.";
    if (!grows(soak)) return text + "; memory does not grow with the loads.";
    if (*perLoad > kLeakBytes) text += "; each load leaves " + bytes(*perLoad) + " behind";
    if (const double mappings = soak.mappingsPerLoad().value_or(0); mappings > kLeakMappings) {
        text += "; each load leaves " + formatFloat(std::round(mappings * 10) / 10) + " mappings behind";
    }
    return text + ".";
}

std::string libraryNamesText(const Contract& contract, const LibraryNames& names) {
    const bool known =
        std::any_of(contract.inputs.begin(), contract.inputs.end(), [](const ContractInput& input) { return !input.compiledName.empty(); });
    if (known || (names.inputs.empty() && names.outputs.empty())) return {};
    const std::string inputs = names.inputs.empty() ? "takes no inputs" : "calls its inputs " + listed(names.inputs);
    return "The library " + inputs + (names.outputs.empty() ? "" : " and its outputs " + listed(names.outputs)) + ".";
}

std::string strangeSourceText(const Contract& contract, const LibraryNames& names) {
    for (const ContractInput& input : contract.inputs) {
        if (!input.tensorIndex || input.compiledName.empty() || names.inputs.empty()) continue;
        const std::string told = *input.tensorIndex < names.inputs.size() ? names.inputs[*input.tensorIndex] : std::string();
        if (told == input.compiledName) continue;
        return "The source in the file is not the library's: it calls an input " + escapeForDisplay(input.compiledName) + ", the library " +
               (told.empty() ? "has no such input" : "calls it " + escapeForDisplay(told)) + ". What was read of the source may not hold.";
    }
    return {};
}

}  // namespace pt2
