#include "core/compiled/gpu_fit.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/text.h"

namespace pt2 {
namespace {

/// 86 of "sm_86" and "compute_86"; 0 when there is none.
unsigned numberOf(std::string_view architecture) {
    const std::size_t start = architecture.find('_');
    unsigned number = 0;
    if (start == std::string_view::npos) return 0;
    const std::string_view digits = architecture.substr(start + 1);
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return number;
}

std::string described(const TargetGpu& gpu) {
    const std::string architecture = gpu.architecture.empty() ? "an NVIDIA GPU" : gpu.architecture;
    return gpu.name.empty() ? architecture : architecture + " (" + gpu.name + ")";
}

/// One file of kernels on one GPU: fits, does not, or is not known (PTX needs a driver that compiles it).
std::optional<bool> fits(const GpuBinary& binary, const TargetGpu& gpu) {
    if (gpu.architecture.empty()) return std::nullopt;
    if (std::any_of(binary.architectures.begin(), binary.architectures.end(),
                    [&](const std::string& a) { return gpuCodeFits(a, gpu.architecture); })) {
        return true;
    }
    const bool portable =
        std::any_of(binary.portable.begin(), binary.portable.end(), [&](const std::string& a) { return numberOf(a) <= numberOf(gpu.architecture); });
    if (portable || (binary.architectures.empty() && binary.portable.empty())) return std::nullopt;
    return false;
}

RunReason architectures(const CompiledNeeds& needs, const std::vector<TargetGpu>& gpus) {
    const std::string kernels = gpuCodeWords(needs.gpu);
    std::vector<std::string> names;
    std::optional<bool> best = false;  // the GPU that fits best counts: one is enough
    for (const TargetGpu& gpu : gpus) {
        names.push_back(described(gpu));
        std::optional<bool> all = true;
        for (const GpuBinary& binary : needs.gpu) {
            const std::optional<bool> one = fits(binary, gpu);
            if (one == false) all = false;
            if (!one && all == true) all = std::nullopt;
        }
        if (all == true || (!all && best == false)) best = all;
    }
    std::string help;
    if (best == false) help = "The kernels are for another architecture. Recompile the program on this GPU, or with emit_multi_arch_kernel.";
    if (!best) help = "Whether the kernels fit this GPU shows when they are loaded.";
    return {"GPU architecture", join(names, ", "), kernels, best, help};
}

}  // namespace

bool gpuCodeFits(const std::string& code, const std::string& gpu) {
    if (code == gpu) return true;
    if (code.empty() || std::isdigit(static_cast<unsigned char>(code.back())) == 0) return false;
    const unsigned built = numberOf(code), there = numberOf(gpu);
    return built != 0 && there / 10 == built / 10 && there % 10 >= built % 10;
}

std::vector<RunReason> judgeCuda(const CompiledNeeds& needs, const Target& target, bool hasLibrary) {
    std::vector<RunReason> reasons;
    const std::vector<std::string>& devices = target.torch.devices;
    const bool torchHas = std::any_of(devices.begin(), devices.end(), [](const std::string& d) { return d.compare(0, 4, "cuda") == 0; });
    std::vector<TargetGpu> gpus;
    for (const TargetGpu& gpu : target.gpus.value_or(std::vector<TargetGpu>())) {
        if (gpu.kind == "cuda") gpus.push_back(gpu);
    }
    bool refused = true;
    if (target.gpus && gpus.empty()) {
        reasons.push_back({"device", "no NVIDIA GPU", "cuda", false, "Run it on a machine with a GPU, or recompile the program for cpu."});
    } else if (!devices.empty() && !torchHas) {
        reasons.push_back({"device", "LibTorch has " + join(devices, ", "), "cuda", false, "Use a LibTorch for CUDA, with a driver that fits it."});
    } else {
        refused = false;
        if (torchHas) {
            reasons.push_back({"device", join(devices, ", "), "cuda", true, {}});
        } else {
            reasons.push_back({"device", gpus.empty() ? "not known" : described(gpus.front()), "cuda", std::nullopt,
                               "It needs a LibTorch for CUDA, with a driver that fits it."});
        }
    }
    if (!hasLibrary) return reasons;
    for (const std::string& file : needs.absentGpuFiles) {
        reasons.push_back({"kernel file " + file, "not in the package", "beside the library", false, "Get a complete package, or recompile."});
    }
    if (needs.gpu.empty()) {
        if (!refused) {
            reasons.push_back({"GPU architecture", "no kernels beside the library", "kernels for this GPU", std::nullopt,
                               "They may be inside the library, or the model may have none of its own."});
        }
    } else if (gpus.empty()) {
        // What a GPU would have to be is worth knowing where there is none.
        reasons.push_back({"GPU architecture", target.gpus ? "no NVIDIA GPU" : "not known", gpuCodeWords(needs.gpu), std::nullopt, {}});
    } else {
        reasons.push_back(architectures(needs, gpus));
    }
    return reasons;
}

}  // namespace pt2
