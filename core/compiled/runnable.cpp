#include "core/compiled/runnable.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/base/text.h"
#include "core/compiled/cpu_features.h"
#include "core/compiled/elf.h"
#include "core/compiled/gpu_fit.h"
#include "core/compiled/symbol_fit.h"

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

bool isLibTorchLibrary(std::string_view name) { return name.starts_with("libtorch") || name.starts_with("libc10"); }

bool isSystemLibrary(std::string_view name) {
    for (const std::string_view own :
         {"ld-linux", "libc.so", "libm.so", "libstdc++.so", "libgcc_s.so", "libpthread.so", "libdl.so", "librt.so", "linux-vdso"}) {
        if (name.starts_with(own)) return true;
    }
    return false;
}

/// The version of the C++ ABI in libstdc++ comes with a release of GCC, as GLIBCXX does: the lowest GLIBCXX that has it. Empty for later ones.
std::string glibcxxOfAbi(std::string_view number) {
    if (!number.starts_with("1.3.")) return number == "1.3" ? "3.4" : std::string();
    unsigned minor = 0;
    const std::string_view digits = number.substr(4);
    if (std::from_chars(digits.data(), digits.data() + digits.size(), minor).ec != std::errc()) return {};
    if (minor <= 10) return "3.4.22";
    constexpr std::array<const char*, 6> kLater = {"3.4.25", "3.4.26", "3.4.29", "3.4.31", "3.4.33", "3.4.34"};
    return minor - 11 < kLater.size() ? kLater[minor - 11] : std::string();
}

/// The flags of a compile command that choose instructions.
std::string machineFlags(const std::string& command) {
    std::vector<std::string> flags;
    std::size_t at = 0;
    while (at < command.size() && flags.size() < 32) {
        const std::size_t end = std::min(command.find(' ', at), command.size());
        const std::string word = command.substr(at, end - at);
        if ((word.starts_with("-m") || word.starts_with("CPU_CAPABILITY_")) && std::find(flags.begin(), flags.end(), word) == flags.end()) {
            flags.push_back(word);
        }
        at = end + 1;
    }
    return join(flags, " ");
}

/// What helps most often, where there is a program to do it with.
std::string recompileWords(const CompiledModel& model, bool here) {
    const std::string where = here ? "this machine" : "that machine";
    return model.hasProgram ? "Recompile the program on " + where + "."
                            : "Recompile the program that it was made of on " + where + "; this file does not hold it.";
}

class Judge {
public:
    Judge(const CompiledModel& model, const CompiledNeeds& needs, const Target& target)
        : model_(model),
          needs_(needs),
          target_(target),
          features_(withImpliedFeatures(target.cpuFeatures.value_or(std::set<std::string>()))),
          recompile_(recompileWords(model, target.here)) {}

    Runnable run() {
        engine();
        library();
        if (model_.library && model_.elf.isElf) {
            header();
            platform();
            instructions();
            libc();
            executableStack();
            neededLibraries();
            symbols();
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
        const std::string what = target_.here ? "run engine" : "LibTorch";
        const std::string& version = target_.torch.version;
        if (target_.torchState == Target::Torch::Absent) {
            add(what, "not found", target_.here ? "a worker built for a LibTorch" : "LibTorch 2.6 or later", false,
                target_.here ? "Run \"pt2 doctor\" to see what is missing." : "Install a LibTorch there.");
        } else if (target_.torchState == Target::Torch::Unknown || version.empty()) {
            add(what, target_.here ? "not known" : "not stated", "LibTorch 2.6 or later", std::nullopt,
                target_.here ? "Which run engine is here is not known yet." : "The description of the target names no LibTorch.");
        } else {
            const bool ok = compareVersions(version, "2.6") >= 0;
            add(what, "LibTorch " + version, "LibTorch 2.6 or later", ok, ok ? "" : "Earlier ones have no loader of packages. Use a later LibTorch.");
        }
    }

    void library() {
        if (model_.library && model_.elf.isElf) {
            add("library", "present", "a library", true);
        } else if (model_.library) {
            const std::string kind = model_.libraryKind.empty() ? "damaged or unreadable" : model_.libraryKind;
            // What a library for another system is to that system was not looked at.
            const bool elsewhere = !model_.libraryKind.empty() && !target_.here && target_.platform != "linux";
            add("library", kind, "a Linux (ELF) library", elsewhere ? std::nullopt : std::optional(false), recompile_);
        } else {
            add("library", "none", "a library", false, model_.cppOnly ? "The package holds sources only. " + recompile_ : recompile_);
        }
    }

    void header() {
        if (!needs_.headerProblem.empty()) add("ELF header", needs_.headerProblem, "a whole shared object", false, "Get a fresh copy of the file.");
    }

    void platform() {
        const std::string stated = lower(model_.platform);
        const bool linuxByName = stated.empty() || stated.starts_with("linux");
        if (target_.platform.empty()) {
            add("platform", "not stated", "linux", std::nullopt, "The description of the target names no platform.");
        } else {
            const bool ok = target_.platform == "linux" && linuxByName;
            add("platform", target_.platform, linuxByName ? "linux" : model_.platform, ok, ok ? "" : "Recompile the model on that platform.");
        }
        const std::string& needed = model_.elf.machine;
        if (target_.machine.empty()) {
            add("processor", "not stated", needed, std::nullopt, "The description of the target names no machine.");
        } else {
            const bool ok = needed == target_.machine;
            add("processor", target_.machine, needed, ok, ok ? "" : recompile_);
        }
        if (!model_.machine.empty() && model_.machine != needed) {
            add("processor by the metadata", needed, model_.machine, std::nullopt,
                "The metadata and the library do not agree; the metadata may have been edited.");
        }
    }

    std::vector<std::string> lacking(const std::vector<std::string>& features) const {
        std::vector<std::string> missing;
        for (const std::string& feature : features) {
            if (features_.count(feature) == 0) missing.push_back(feature);
        }
        return missing;
    }

    void instructions() {
        // What a processor of another make can do is no question any more.
        if (!target_.machine.empty() && target_.machine != model_.elf.machine) return;
        const CodeAnswer answer = codeNeeds();
        if (!model_.cpuIsa.empty()) {
            judgeLabel(model_.cpuIsa, "the label in the metadata", answer);
        } else if (answer == CodeAnswer::NotKnown) {
            fromCompileCommand();
        }
        const std::string flags = machineFlags(model_.compileCommand);
        if (!flags.empty()) add("compile flags", flags, {}, true, "What the compiler was told, by the wrapper source. The code itself is judged.");
    }

    enum class CodeAnswer { NotKnown, Fits, Lacks };

    /// By the code's instructions.
    CodeAnswer codeNeeds() {
        const CodeScan& code = needs_.code;
        constexpr const char* kWhat = "instruction set";
        if (!code.read) {
            add(kWhat, "not known", code.stopped.empty() ? std::string("not read") : "not read: " + code.stopped, std::nullopt);
            return CodeAnswer::NotKnown;
        }
        CpuFeatureSet named = code.needed;
        named.reset(static_cast<std::size_t>(CpuFeature::X86Unknown));
        named.reset(static_cast<std::size_t>(CpuFeature::ArmUnknown));
        const std::vector<std::string> features = cpuFeatureNames(named);
        const std::string needed = (features.empty() ? std::string("the base set") : join(features, ", ")) + ", read from the code";
        if (!target_.cpuFeatures) {
            add(kWhat, "not known", needed, features.empty() && code.complete && code.undecoded == 0 ? std::optional(true) : std::nullopt,
                target_.here ? "The processor's features could not be read." : "The description of the target names no features.");
            return CodeAnswer::NotKnown;
        }
        if (const std::vector<std::string> missing = lacking(features); !missing.empty()) {
            const bool guarded = code.choosesAtRunTime;
            add(kWhat, "no " + join(missing, ", "), needed, guarded ? std::nullopt : std::optional(false),
                guarded ? "The library looks at the processor itself (" + code.chooser + "), so it may do without."
                        : "It would end with an illegal instruction. " + recompile_);
            return CodeAnswer::Lacks;
        }
        if (!code.complete) {
            add(kWhat, "not known", needed + "; " + code.stopped, std::nullopt, "What the rest of the code needs is not known.");
            return CodeAnswer::NotKnown;
        }
        if (named != code.needed) {
            add(kWhat, "not known", needed + ", and instructions of a later extension", std::nullopt,
                "pt2scope does not know what those ask of a processor.");
            return CodeAnswer::NotKnown;
        }
        if (named.test(static_cast<std::size_t>(CpuFeature::Sve)) || named.test(static_cast<std::size_t>(CpuFeature::Sme))) {
            add(kWhat, join(features, ", "), needed, std::nullopt, "Code for SVE may be for one length of vectors only.");
            return CodeAnswer::NotKnown;
        }
        const bool more = !lacking(cpuFeatureNames(code.perhaps)).empty();
        if (code.undecoded > 0 || more) {
            add(kWhat, "not known", needed, std::nullopt,
                formatCount(code.undecoded) + " bytes of the code are no instruction that is known, so it is not known what else is needed.");
            return CodeAnswer::NotKnown;
        }
        add(kWhat, features.empty() ? "the base set" : join(features, ", "), needed, true);
        return CodeAnswer::Fits;
    }

    void fromCompileCommand() {
        const std::string& command = model_.compileCommand;
        if (command.find("CPU_CAPABILITY_AVX512") != std::string::npos) return judgeLabel("AVX512", "the compiler's flags", CodeAnswer::NotKnown);
        if (command.find("CPU_CAPABILITY_AVX2") != std::string::npos) return judgeLabel("AVX2", "the compiler's flags", CodeAnswer::NotKnown);
    }

    /// A label says what the maker meant the code to need; it does not prove that the code needs no more.
    void judgeLabel(const std::string& label, const std::string& by, CodeAnswer code) {
        const char* const what = "instruction set by label";
        const std::vector<std::string> features = featuresOfIsaLabel(label);
        if (features.empty()) {
            add(what, {}, label + ", by " + by, code == CodeAnswer::NotKnown ? std::nullopt : std::optional(true),
                "pt2scope does not know what this label asks of a processor.");
            return;
        }
        if (!target_.cpuFeatures) {
            add(what, "not known", label + ", by " + by, std::nullopt);
            return;
        }
        const std::string needed = label + " (" + join(features, ", ") + "), by " + by;
        const std::vector<std::string> missing = lacking(features);
        if (missing.empty()) return add(what, join(features, ", "), needed, true);
        const std::string found = "no " + join(missing, ", ");
        if (code == CodeAnswer::Fits) {
            // torch only warns of such a label (format.md 4), and the code was read to its end.
            add(what, found, needed, std::nullopt,
                "Only the label says so: the code, read whole, needs none of it. The metadata may have been edited.");
        } else if (code == CodeAnswer::Lacks) {
            add(what, found, needed, false, recompile_);
        } else {
            add(what, found, needed, false,
                "Not all of the code could be read; if it is what the label says, it ends with an illegal instruction. " + recompile_);
        }
    }

    void version(const std::string& what, const std::string& found, const std::string& needed) {
        if (needed.empty()) return;
        if (found.empty()) {
            add(what, "not known", needed + " or later", std::nullopt);
            return;
        }
        const bool ok = compareVersions(found, needed) >= 0;
        add(what, found, needed + " or later", ok, ok ? "" : "The library was built on a newer system. " + recompile_);
    }

    void libc() {
        std::string glibc = model_.elf.glibc, glibcxx = model_.elf.glibcxx;
        const auto raise = [](std::string& to, const std::string& number) {
            if (to.empty() || compareVersions(number, to) > 0) to = number;
        };
        std::vector<std::string> strange;
        for (const std::string& needed : needs_.versions) {
            if (needed.starts_with("CXXABI_")) {
                const std::string least = glibcxxOfAbi(std::string_view(needed).substr(7));
                if (least.empty())
                    strange.push_back(needed);
                else
                    raise(glibcxx, least);
            } else if (needed == "GLIBC_ABI_DT_RELR") {
                raise(glibc, "2.36");
            } else if (needed.starts_with("GLIBC_") && needed.size() > 6 && std::isdigit(static_cast<unsigned char>(needed[6])) == 0) {
                strange.push_back(needed);
            }
        }
        version("glibc", target_.glibc, glibc);
        version("libstdc++ (GLIBCXX)", target_.glibcxx, glibcxx);
        for (const std::string& needed : strange) add("version " + needed, "not known", needed, std::nullopt);
    }

    void executableStack() {
        if (!model_.elf.executableStack) return;
        // pt2scope's own run is not hindered, so this is no reason against it; programs of the user's are.
        const bool known = !target_.glibc.empty();
        const bool refused = known && compareVersions(target_.glibc, "2.41") >= 0;
        const std::string by = known ? "glibc " + target_.glibc : std::string("a glibc before 2.41");
        add("executable stack", (refused ? "refused by " : "allowed by ") + by, "asked for by the library, without need", true,
            std::string(refused ? "A program of your own cannot load it"
                                : "A program of your own cannot load it with glibc 2.41 and later (Debian 13)") +
                ": \"cannot enable executable stack\". pt2scope loads a copy with the mark cleared. \"pt2 repair FILE -o COPY\" writes a file "
                "without it.");
        result_.reasons.back().warning = true;
    }

    void neededLibraries() {
        for (const std::string& name : model_.elf.needed) {
            if (isLibTorchLibrary(name)) {
                torchLibrary(name);
                continue;
            }
            if (isSystemLibrary(name)) continue;
            others_.push_back(name);
            const std::optional<bool> there = target_.hasLibrary(name);
            if (there == true) {
                add("library " + name, "found", name, true);
                continue;
            }
            const auto starts = [&](std::string_view prefix) { return name.starts_with(prefix); };
            const bool withTorch =
                starts("libgomp") || starts("libiomp") || starts("libomp") || starts("libcu") || starts("libnv") || starts("libmkl");
            const bool elsewhere = !there || withTorch || model_.libraryHasRunPath;
            add("library " + name, there ? "not among the system's libraries" : "not known", name, elsewhere ? std::nullopt : std::optional(false),
                !there      ? "The description of the target does not list its libraries."
                : elsewhere ? "It may come with LibTorch or lie where the library was built."
                            : "Install it, or set LD_LIBRARY_PATH to its folder.");
        }
    }

    /// The worker has LibTorch's libraries loaded; those for a device are in some builds only.
    void torchLibrary(const std::string& name) {
        const bool gpu = name.find("cuda") != std::string::npos || name.find("hip") != std::string::npos || name.find("xpu") != std::string::npos;
        if (!gpu || target_.torchState == Target::Torch::Absent) return;
        if (target_.torch.libraries) {
            const bool there = std::binary_search(target_.torch.libraries->begin(), target_.torch.libraries->end(), name);
            add("library " + name, there ? "found" : "not in that LibTorch", name, there,
                there ? "" : "Use a LibTorch that was built for this device.");
        } else if (target_.torch.variant == "cpu") {
            add("library " + name, "not in a LibTorch for the CPU", name, false, "Use a LibTorch that was built for this device.");
        } else {
            add("library " + name, "comes with a LibTorch for that device", name, std::nullopt, "The run engine's LibTorch must be one for GPUs.");
        }
    }

    void symbols() {
        if (std::optional<RunReason> reason = judgeSymbols(model_, needs_, target_, others_, recompile_))
            result_.reasons.push_back(std::move(*reason));
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
            for (RunReason& reason : judgeCuda(needs_, target_, model_.library.has_value())) result_.reasons.push_back(std::move(reason));
        } else if (device == "mps" && !target_.platform.empty() && target_.platform != "darwin") {
            add("device", "not on this platform", "mps", false, "It needs macOS. Recompile the program for cpu.");
        } else {
            add("device", "not known", device, std::nullopt, "It needs a LibTorch with this device.");
        }
    }

    /// "aten::addmm.out" has a function at::_ops::addmm_out::call in the LibTorch that has it.
    bool exportsOperator(const std::string& target) const {
        if (!target_.torch.symbols || !target.starts_with("aten::")) return false;
        std::string name = target.substr(6);
        if (const std::size_t overload = name.rfind(".default"); overload != std::string::npos && overload + 8 == name.size()) name.erase(overload);
        std::replace(name.begin(), name.end(), '.', '_');
        const std::string prefix = "_ZN2at4_ops" + std::to_string(name.size()) + name + "4callE";
        const std::vector<std::string>& names = target_.torch.symbols->all();
        const auto first = std::lower_bound(names.begin(), names.end(), prefix);
        return first != names.end() && first->starts_with(prefix);
    }

    /// One operator of LibTorch that the run engine could not be asked about, or one of a library of its own.
    void unseenOperator(const std::string& target) {
        if (!isLibTorchOperator(target)) {
            add("operator " + target, "not part of LibTorch", "the library that registers it", std::nullopt,
                "Without its operator library the model ends with \"Could not find schema\".");
        } else if (!exportsOperator(target)) {
            add("operator " + target, "not seen in LibTorch", "a LibTorch that has it", std::nullopt,
                "It is called by name, and whether this LibTorch knows it was not to be seen.");
        }
    }

    void operators() {
        const auto registered =
            target_.torch.schemas && !model_.externalOperators.empty() ? target_.torch.schemas(model_.externalOperators) : std::nullopt;
        for (const std::string& target : model_.externalOperators) {
            const auto schema = registered ? registered->find(target) : std::map<std::string, std::string>::const_iterator();
            if (!registered) {
                unseenOperator(target);
            } else if (schema != registered->end()) {
                compareSchema(target, schema->second);
            } else if (isLibTorchOperator(target)) {
                add("operator " + target, "LibTorch has no such operator", "a LibTorch that has it", false,
                    "It came or went with another version of torch. " + recompile_);
            } else {
                unseenOperator(target);
            }
        }
    }

    /// Both schemas are shown: what the model calls, and what is registered under that name here.
    void compareSchema(const std::string& target, const std::string& text) {
        const auto schema = parseOperatorSchema(text);
        for (const OperatorCall& call : model_.externalCalls) {
            if (call.target != target) continue;
            if (!schema) {
                add("operator " + target, text, call.text(), std::nullopt, "The registered schema was not understood.");
                continue;
            }
            const SchemaFit fit = fitSchema(call, *schema);
            std::string help;
            if (!fit.unknown.empty()) help += "It takes no " + join(fit.unknown, ", ") + ". ";
            if (!fit.missing.empty()) help += "The model does not give " + join(fit.missing, ", ") + ", which it wants. ";
            if (!fit.fits()) {
                add("operator " + target, text, call.text(), false, help + "The operator has changed since the model was compiled. " + recompile_);
            } else {
                if (!fit.defaulted.empty()) help = "Not given by the model, so by default: " + join(fit.defaulted, ", ") + ".";
                add("operator " + target, text, call.text(), true, help);
            }
        }
    }

    const CompiledModel& model_;
    const CompiledNeeds& needs_;
    const Target& target_;
    const std::set<std::string> features_;
    const std::string recompile_;
    std::vector<std::string> others_;  ///< needed libraries that are neither the system's nor LibTorch's
    Runnable result_;
};

}  // namespace

std::vector<std::string> featuresOfIsaLabel(const std::string& label) {
    if (label == "AVX2") return {"avx2", "fma"};
    if (label == "AVX512") return {"avx512f", "avx512dq", "avx512vl", "avx512bw", "fma"};
    if (label == "NEON" || label == "ASIMD") return {"asimd"};
    return {};
}

std::string illegalInstructionWords(const CompiledModel& model, const CodeScan& code, const Target& target) {
    if (!target.cpuFeatures || !code.read) return {};
    const std::set<std::string> there = withImpliedFeatures(*target.cpuFeatures);
    const auto lacking = [&there](const std::vector<std::string>& features) {
        std::vector<std::string> missing;
        std::copy_if(features.begin(), features.end(), std::back_inserter(missing), [&there](const std::string& f) { return there.count(f) == 0; });
        return missing;
    };
    CpuFeatureSet needed = code.needed, perhaps = code.perhaps;
    for (const CpuFeature unknown : {CpuFeature::X86Unknown, CpuFeature::ArmUnknown}) {
        needed.reset(static_cast<std::size_t>(unknown));
        perhaps.reset(static_cast<std::size_t>(unknown));
    }
    if (const auto missing = lacking(cpuFeatureNames(needed)); !missing.empty()) {
        return "Its code has instructions of " + join(missing, ", ") + ", which this processor lacks.";
    }
    const std::string label = model.cpuIsa.empty() ? std::string() : "Its label says " + model.cpuIsa;
    if (const auto missing = lacking(featuresOfIsaLabel(model.cpuIsa)); !missing.empty()) {
        return label + ", and this processor has no " + join(missing, ", ") + ".";
    }
    if (const auto missing = lacking(cpuFeatureNames(perhaps)); !missing.empty()) {
        return "Its code may have instructions of " + join(missing, ", ") + ", which this processor lacks.";
    }
    const std::vector<std::string> features = cpuFeatureNames(needed);
    const std::string has = features.empty() ? "Its code needs the base set of instructions only" : "Its code needs " + join(features, ", ");
    if (!code.complete || code.undecoded > 0 || needed != code.needed) return has + " as far as it could be read, and this processor has that.";
    return has +
           ", and this processor has that: the instruction is none of an extension, but one that always fails (such as ud2), or no code at all.";
}

std::string reasonLine(const RunReason& reason) {
    std::string words = reason.what + ": " + (reason.found.empty() ? "not known" : reason.found);
    if (!reason.needed.empty()) words += " (needed: " + reason.needed + ")";
    return words;
}

Runnable judgeRunnable(const CompiledModel& model, const CompiledNeeds& needs, const Target& target) { return Judge(model, needs, target).run(); }

Runnable judgeRunnable(const Archive& archive, const CompiledModel& model, const Target& target, const CancelToken& cancel) {
    return judgeRunnable(model, readNeeds(archive, model, {}, cancel), target);
}

}  // namespace pt2
