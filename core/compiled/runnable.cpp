#include "core/compiled/runnable.h"

#include <algorithm>
#include <cctype>

#include "core/base/text.h"
#include "core/compiled/elf.h"

namespace pt2 {
namespace {

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

/// Namespaces that LibTorch itself registers.
bool isLibTorchOperator(std::string_view target) {
    const std::string_view ns = target.substr(0, target.find("::"));
    for (const std::string_view own : {"aten", "prim", "prims", "quantized", "_quantized", "inductor", "mkldnn", "onednn", "mkl", "c10d",
                                       "_c10d_functional", "c10d_functional", "sparse", "xnnpack", "profiler", "symm_mem", "higher_order"}) {
        if (ns == own) return true;
    }
    return false;
}

class Judge {
public:
    Judge(const CompiledModel& model, const MachineFacts& machine, const std::string& torchVersion)
        : model_(model), machine_(machine), torchVersion_(torchVersion) {}

    Runnable run() {
        engine();
        library();
        if (model_.library && model_.elf.isElf) {
            platform();
            processor();
            libc();
            executableStack();
            neededLibraries();
            entryPoints();
            weights();
        }
        device();
        operators();
        result_.verdict = Runnable::Verdict::Yes;
        for (const RunReason& reason : result_.reasons) {
            if (reason.ok == false) {
                result_.verdict = Runnable::Verdict::No;
                break;
            }
            if (!reason.ok) result_.verdict = Runnable::Verdict::Unknown;
        }
        return std::move(result_);
    }

private:
    void add(std::string what, std::string found, std::string needed, std::optional<bool> ok, std::string help = {}) {
        result_.reasons.push_back({std::move(what), std::move(found), std::move(needed), ok, std::move(help)});
    }

    void engine() {
        if (torchVersion_.empty()) {
            add("run engine", "not found", "a worker built for a LibTorch", false, "Run \"pt2 doctor\" to see what is missing.");
        } else {
            add("run engine", "LibTorch " + torchVersion_, "LibTorch 2.6 or later", true);
        }
    }

    void library() {
        if (model_.library && model_.elf.isElf) {
            add("library", "present", "a library", true);
        } else if (model_.library) {
            const std::string kind = model_.libraryKind.empty() ? "damaged or unreadable" : model_.libraryKind;
            add("library", kind, "a Linux (ELF) library", false, "Recompile the model on this machine.");
        } else {
            add("library", "none", "a library", false,
                model_.cppOnly ? "The package holds sources only; recompile the program on this machine." : "Recompile the program on this machine.");
        }
    }

    void platform() {
        if (!model_.platform.empty()) {
            const bool ok = lower(model_.platform) == machine_.platform;
            add("platform", machine_.platform, model_.platform, ok, ok ? "" : "Recompile the model on this platform.");
        }
        const std::string& needed = model_.elf.machine;
        const bool ok = needed == machine_.machine;
        add("processor", machine_.machine, needed, ok, ok ? "" : "Recompile the model on this machine.");
        if (!model_.machine.empty() && model_.machine != needed) {
            add("processor by the metadata", needed, model_.machine, std::nullopt,
                "The metadata and the library do not agree; the metadata may have been edited.");
        }
    }

    void processor() {
        // Before 2.10 no label was written; the compiler's flags in the source say it.
        if (model_.cpuIsa.empty()) return fromCompileCommand();
        judgeLabel(model_.cpuIsa, "the label");
    }

    void fromCompileCommand() {
        const std::string& command = model_.compileCommand;
        if (command.find("CPU_CAPABILITY_AVX512") != std::string::npos) return judgeLabel("AVX512", "the compiler's flags");
        if (command.find("CPU_CAPABILITY_AVX2") != std::string::npos) return judgeLabel("AVX2", "the compiler's flags");
        if (!command.empty() && command.find("-march=native") == std::string::npos && command.find("-mavx") == std::string::npos) {
            return add("instruction set", "", "the base set, by the compiler's flags", true);
        }
        add("instruction set", "", "not stated", std::nullopt, "Neither metadata nor source says which instructions the library uses.");
    }

    void judgeLabel(const std::string& label, const std::string& by) {
        const std::vector<std::string> features = featuresOfIsaLabel(label);
        if (features.empty()) {
            add("instruction set", "", label + ", by " + by, std::nullopt, "pt2scope does not know what this label asks of a processor.");
            return;
        }
        if (machine_.cpuFeatures.empty()) {
            add("instruction set", "not known", label + ", by " + by, std::nullopt, "The processor's features could not be read.");
            return;
        }
        std::vector<std::string> missing;
        for (const std::string& feature : features) {
            if (machine_.cpuFeatures.count(feature) == 0) missing.push_back(feature);
        }
        add("instruction set", missing.empty() ? join(features, ", ") : "no " + join(missing, ", "),
            label + " (" + join(features, ", ") + "), by " + by, missing.empty(),
            missing.empty() ? "" : "The library would end with \"illegal instruction\". Recompile the model on this machine.");
    }

    void version(const std::string& what, const std::string& found, const std::string& needed) {
        if (needed.empty()) return;
        if (found.empty()) {
            add(what, "not known", needed, std::nullopt);
            return;
        }
        const bool ok = compareVersions(found, needed) >= 0;
        add(what, found, needed + " or later", ok, ok ? "" : "The library was built on a newer system. Recompile the model on this machine.");
    }

    void libc() {
        version("glibc", machine_.glibc, model_.elf.glibc);
        version("libstdc++ (GLIBCXX)", machine_.glibcxx, model_.elf.glibcxx);
    }

    void executableStack() {
        if (!model_.elf.executableStack) return;
        const bool refused = !machine_.glibc.empty() && compareVersions(machine_.glibc, "2.41") >= 0;
        add("executable stack", refused ? "refused by glibc " + machine_.glibc : "allowed by glibc " + machine_.glibc,
            "asked for by the library, without need", true,
            "pt2scope clears the mark in its own copy before it loads it; glibc 2.41 and later refuse the file as it is.");
    }

    void neededLibraries() {
        for (const std::string& name : model_.elf.needed) {
            const auto starts = [&](std::string_view prefix) { return std::string_view(name).substr(0, prefix.size()) == prefix; };
            if (starts("libtorch") || starts("libc10")) {
                const bool gpu =
                    name.find("cuda") != std::string::npos || name.find("hip") != std::string::npos || name.find("xpu") != std::string::npos;
                if (gpu)
                    add("library " + name, "comes with a LibTorch for that device", name, std::nullopt,
                        "The run engine's LibTorch must be one for GPUs.");
                continue;  // the worker has them loaded
            }
            if (starts("ld-linux") || starts("libc.so") || starts("libm.so") || starts("libstdc++.so") || starts("libgcc_s.so") ||
                starts("libpthread.so") || starts("libdl.so") || starts("librt.so")) {
                continue;
            }
            if (machine_.hasLibrary(name)) {
                add("library " + name, "found", name, true);
                continue;
            }
            const bool withTorch =
                starts("libgomp") || starts("libiomp") || starts("libomp") || starts("libcu") || starts("libnv") || starts("libmkl");
            const bool elsewhere = withTorch || model_.libraryHasRunPath;
            add("library " + name, "not among the system's libraries", name, elsewhere ? std::nullopt : std::optional(false),
                elsewhere ? "It may come with LibTorch or lie where the library was built." : "Install it, or set LD_LIBRARY_PATH to its folder.");
        }
    }

    void entryPoints() {
        if (!model_.elf.exportsContainer) {
            add("entry points", "none", "AOTInductorModelContainer functions", false, "The library is not one that AOTInductor made.");
        }
    }

    void weights() {
        if (model_.weightsAbsent) {
            add("weights", model_.weightsConfig ? "pickled beside the library, where its loader does not look" : "absent",
                "in the library or in a .blob beside it", false,
                "Running it now would crash. Recompile it with the weights in the library, or attach the program it was made of.");
        } else if (model_.constantsLocated) {
            add("weights", "present", "present", true);
        } else {
            add("weights", "not known", "present", std::nullopt,
                "The library is stripped or has no source beside it, so it cannot be seen whether the weights are in it.");
        }
    }

    void device() {
        const std::string& device = model_.device;
        if (device.empty()) {
            add("device", "not stated", "a device", std::nullopt, "The metadata does not name the device; cpu is tried.");
        } else if (device == "cpu") {
            add("device", "cpu", "cpu", true);
        } else if (device == "cuda") {
            if (!machine_.hasCudaDevice) {
                add("device", "no NVIDIA GPU", "cuda", false, "Run it on a machine with a GPU, or recompile the program for cpu.");
            } else {
                add("device", "an NVIDIA GPU", "cuda", std::nullopt, "Whether the kernels fit this GPU shows when they are loaded.");
            }
        } else if (device == "mps") {
            add("device", "not on Linux", "mps", false, "It needs macOS. Recompile the program for cpu.");
        } else {
            add("device", "not known", device, std::nullopt, "It needs a LibTorch with this device.");
        }
    }

    void operators() {
        for (const std::string& target : model_.externalOperators) {
            if (isLibTorchOperator(target)) continue;
            add("operator " + target, "not part of LibTorch", "the library that registers it", std::nullopt,
                "Without its operator library the model ends with \"Could not find schema\".");
        }
    }

    const CompiledModel& model_;
    const MachineFacts& machine_;
    const std::string& torchVersion_;
    Runnable result_;
};

}  // namespace

std::vector<std::string> featuresOfIsaLabel(const std::string& label) {
    if (label == "AVX2") return {"avx2", "fma"};
    if (label == "AVX512") return {"avx512f", "avx512dq", "avx512vl", "avx512bw", "fma"};
    if (label == "NEON" || label == "ASIMD") return {"asimd"};
    return {};
}

Runnable judgeRunnable(const CompiledModel& model, const MachineFacts& machine, const std::string& torchVersion) {
    return Judge(model, machine, torchVersion).run();
}

Runnable judgeRunnableHere(const CompiledModel& model, const std::string& torchVersion) { return judgeRunnable(model, thisMachine(), torchVersion); }

}  // namespace pt2
