#include "core/compiled/compiled_model.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <string_view>

#include "core/base/text.h"
#include "core/compiled/elf.h"
#include "core/compiled/gpu_files.h"
#include "core/compiled/kernel_sources.h"
#include "core/compiled/library_source.h"
#include "core/compiled/mach_o.h"
#include "core/compiled/wrapper_source.h"

namespace pt2 {
namespace {

constexpr std::size_t kMostSources = 256;                     // of one model; torch writes two
constexpr std::uint64_t kMostLooks = std::uint64_t{1} << 31;  // at bytes of the wrapper source, to find what it names

bool endsWithAny(std::string_view name, std::span<const std::string_view> ends) {
    return std::any_of(ends.begin(), ends.end(), [&](std::string_view end) { return name.ends_with(end); });
}

/// Kernels for a GPU as a file, or their source.
bool isGpuCode(std::string_view name) { return isGpuFile(name) || name.ends_with(".zebin") || name.ends_with(".ptx"); }

/// Whether torch, some backend of it or its tools may write such a file into a model's folder (format.md 4.0). What has no ending is not judged.
bool isOfTorch(std::string_view name) {
    static constexpr std::array<std::string_view, 30> kEnds{
        ".cpp", ".h",  ".hpp",  ".cu", ".so", ".dll", ".pyd", ".dylib", ".lib",  ".exp", ".pdb",   ".o",     ".obj",   ".json",   ".bin",
        ".pt",  ".ld", ".blob", ".py", ".s",  ".asm", ".ll",  ".llir",  ".ttir", ".ir",  ".ttgir", ".metal", ".cmake", ".amdgcn", "metallib"};
    return name.find('.') == std::string_view::npos || name == "CMakeLists.txt" || isGpuCode(name) || endsWithAny(name, kEnds);
}

/// Assembles one CompiledModel from the members of its folder.
class ModelReader {
public:
    ModelReader(const Archive& archive, CompiledModel& model, Issues& issues) : archive_(archive), model_(model), issues_(issues) {}

    Status run() {
        collectMembers();
        if (model_.members.empty()) {
            return fail({ErrorKind::Unreadable,
                         "compiled.empty",
                         "The compiled model \"" + model_.name + "\" has no files.",
                         model_.folder,
                         {},
                         "Get a fresh copy of the file or recompile."});
        }
        chooseRoles();
        readMetadata();
        readSources();
        readExternNodes();
        readLibrary();
        locateConstants();
        findGpuFiles();
        return {};
    }

private:
    std::string_view baseName(MemberIndex member) const {
        const std::string_view name = archive_.nameBelowRoot(member);
        const std::size_t slash = name.rfind('/');
        return slash == std::string_view::npos ? name : name.substr(slash + 1);
    }

    void issue(Severity severity, const char* code, std::optional<MemberIndex> member, std::string message, std::string help = {}) {
        const std::string where = member ? "file/" + std::string(archive_.nameBelowRoot(*member)) : "compiled/" + model_.name;
        issues_.push_back({severity, code, where, std::move(message), std::move(help)});
    }

    /// Files directly in the folder: what lies deeper belongs to another model ("a" and "a/b").
    void collectMembers() {
        const bool bare = archive_.kind() == ContainerKind::Library;
        const std::string prefix = model_.folder.empty() ? std::string() : model_.folder + "/";
        for (MemberIndex i = 0; i < archive_.members().size(); ++i) {
            if (archive_.members()[i].isDirectory) continue;
            const std::string_view name = archive_.nameBelowRoot(i);
            const bool inside = name.size() > prefix.size() && name.substr(0, prefix.size()) == prefix;
            if (bare || (inside && name.find('/', prefix.size()) == std::string_view::npos)) model_.members.push_back(i);
        }
    }

    std::optional<MemberIndex> lastEndingWith(std::string_view end) const {
        std::optional<MemberIndex> found;
        for (const MemberIndex member : model_.members) {
            if (baseName(member).ends_with(end)) found = member;
        }
        return found;
    }

    static std::string stem(std::string_view name) { return std::string(name.substr(0, name.rfind('.'))); }

    std::optional<MemberIndex> named(std::string_view base) const {
        for (const MemberIndex member : model_.members) {
            if (baseName(member) == base) return member;
        }
        return std::nullopt;
    }

    void chooseRoles() {
        if (archive_.kind() == ContainerKind::Library) {
            model_.library = model_.members.front();
            return;
        }
        std::vector<MemberIndex> libraries, sources;
        for (const MemberIndex member : model_.members) {
            const std::string_view name = baseName(member);
            if (name.ends_with(".so") || name.ends_with(".pyd") || name.ends_with(".dll") || name.ends_with(".dylib")) libraries.push_back(member);
            if (name.ends_with(".cpp")) sources.push_back(member);
        }
        // 2.13 may pack launchers of kernels beside the model's own library, which bears the wrapper's name.
        for (const MemberIndex member : libraries) {
            const bool better = !model_.library || !stem(baseName(*model_.library)).ends_with(".wrapper");
            if (better || stem(baseName(member)).ends_with(".wrapper")) model_.library = member;
        }
        for (const MemberIndex member : sources) {
            const bool better = !model_.wrapperSource || !baseName(*model_.wrapperSource).ends_with(".wrapper.cpp");
            if (!baseName(member).ends_with(".kernel.cpp") && (better || baseName(member).ends_with(".wrapper.cpp"))) {
                model_.wrapperSource = member;
            }
        }
        if (model_.library) {
            const std::optional<MemberIndex> twin = named(stem(baseName(*model_.library)) + ".cpp");
            if (twin) model_.wrapperSource = twin;
            if (libraries.size() > 1) {
                issue(Severity::Note, "compiled.several-libraries", model_.library,
                      "The compiled model has " + std::to_string(libraries.size()) + " libraries; \"" + std::string(baseName(*model_.library)) +
                          "\" is taken for the model's own.");
            }
        }
        model_.blob = lastEndingWith(".blob");
        model_.weightsConfig = named("weights_config.json");
        serializedWeights_ = lastEndingWith("_serialized_weights.bin");
        const std::optional<MemberIndex> main = model_.wrapperSource ? model_.wrapperSource : model_.library;
        if (main) {
            model_.metadataMember = named(stem(baseName(*main)) + "_metadata.json");
            model_.externNodes = named(stem(baseName(*main)) + ".json");
        }
        if (!model_.metadataMember) model_.metadataMember = lastEndingWith("wrapper_metadata.json");
        if (!model_.metadataMember) model_.metadataMember = lastEndingWith("_metadata.json");
        model_.cppOnly = !model_.library && !sources.empty();
        if (!model_.library && sources.empty()) {
            issue(Severity::Error, "compiled.no-code", std::nullopt, "The compiled model has neither a library nor sources.",
                  "Get a fresh copy of the file or recompile.");
        }
    }

    std::optional<nlohmann::json> readJson(MemberIndex member) {
        const Result<ByteBuffer> bytes = archive_.read(member, kMostModelJsonBytes);
        if (!bytes) {
            issue(Severity::Error, "compiled.member-unreadable", member, bytes.error().what + " " + bytes.error().why, bytes.error().help);
            return std::nullopt;
        }
        nlohmann::json json = nlohmann::json::parse(asText(*bytes), nullptr, false);
        if (json.is_discarded() || !json.is_object()) {
            issue(Severity::Warning, "compiled.bad-json", member, "\"" + std::string(baseName(member)) + "\" is not a JSON object.");
            return std::nullopt;
        }
        return json;
    }

    void readMetadata() {
        if (!model_.metadataMember) {
            if (archive_.kind() != ContainerKind::Library) {
                issue(Severity::Warning, "compiled.no-metadata", std::nullopt, "There is no metadata file, so device and platform are not stated.",
                      "torch.export.load may call the package outdated.");
            }
            return;
        }
        const std::optional<nlohmann::json> json = readJson(*model_.metadataMember);
        if (!json) return;
        for (const auto& [key, value] : json->items()) model_.metadata[key] = value.is_string() ? value.get<std::string>() : value.dump();
        const auto take = [&](const char* key) {
            const auto found = model_.metadata.find(key);
            return found == model_.metadata.end() ? std::string() : found->second;
        };
        model_.device = take("AOTI_DEVICE_KEY");
        model_.platform = take("AOTI_PLATFORM");
        model_.machine = take("AOTI_MACHINE");
        model_.cpuIsa = take("AOTI_CPU_ISA");
        // torch writes none of its own; whoever compiles a model may.
        for (const char* key : {"torch_version", "pytorch_version", "torch.version", "torch"}) {
            const std::string version = take(key);
            if (version.empty() || version.front() < '0' || version.front() > '9' || version.size() > 64) continue;
            model_.torchVersion = {version, Origin::Metadata, 0};
            break;
        }
    }

    std::vector<SourceFile> otherSources() const {
        std::vector<SourceFile> files;
        std::set<std::string_view> names;
        for (const MemberIndex member : model_.members) names.insert(baseName(member));
        for (const MemberIndex member : model_.members) {
            const std::string_view name = baseName(member);
            if (!name.ends_with(".cpp") || model_.wrapperSource == member || name.ends_with(".wrapper.cpp")) continue;
            if (files.size() < kMostSources) files.push_back({member, std::string(name), names.contains(stem(name) + "_metadata.json")});
        }
        return files;
    }

    void findUnused(std::string_view wrapper) {
        const auto isOneOf = [&](MemberIndex member) {
            const std::array roles{model_.library, model_.wrapperSource, model_.metadataMember, model_.externNodes,
                                   model_.blob,    model_.weightsConfig, serializedWeights_};
            return std::find(roles.begin(), roles.end(), member) != roles.end() ||
                   std::find(model_.kernelSources.begin(), model_.kernelSources.end(), member) != model_.kernelSources.end();
        };
        std::set<std::string, std::less<>> unusedSources;
        std::uint64_t looks = kMostLooks;
        for (const MemberIndex member : model_.members) {
            const std::string_view name = baseName(member);
            // With sources only, the build takes them all. A file of the build machine is named with its path there; the last part is the name here.
            const bool judged = isGpuCode(name) || (name.ends_with(".cpp") && !model_.cppOnly) || !isOfTorch(name);
            if (!judged || isOneOf(member)) continue;
            if (wrapper.size() > looks) break;  // a folder of thousands of odd files is not judged to its end
            looks -= wrapper.size();
            if (wrapper.find(name) != std::string_view::npos || namesFile(wrapper, fileStem(name))) continue;
            model_.unused.push_back(member);
            if (name.ends_with(".cpp")) unusedSources.emplace(stem(name) + "_metadata.json");
        }
        for (const MemberIndex member : model_.members) {
            if (unusedSources.contains(baseName(member)) && !isOneOf(member)) model_.unused.push_back(member);
        }
        std::sort(model_.unused.begin(), model_.unused.end());
    }

    void readSources() {
        const std::vector<SourceFile> others = otherSources();
        std::optional<MemberIndex> source = model_.wrapperSource;
        if (!source && !others.empty()) {  // cpp-only packages may hold everything in one file
            source = others.back().member;
            model_.kernelSources = {*source};
        }
        if (!source) {
            if (archive_.kind() != ContainerKind::Library) {
                issue(Severity::Note, "compiled.no-source", std::nullopt,
                      "The wrapper source is not in the package, so names, types and checks of the compiled inputs are not known.",
                      "They are read from the program where there is one.");
            }
            return;
        }
        const Result<ByteBuffer> bytes = archive_.read(*source, kMostSourceBytes);
        if (!bytes) {
            issue(Severity::Error, "compiled.member-unreadable", source, bytes.error().what + " " + bytes.error().why, bytes.error().help);
            return;
        }
        WrapperFacts facts = readWrapperSource(asText(*bytes));
        model_.compileCommand = std::move(facts.compileCommand);
        model_.linkCommand = std::move(facts.linkCommand);
        if (model_.wrapperSource) {
            model_.kernelSources = chooseKernelSources(archive_, others, asText(*bytes), facts.kernels);
            if (facts.foundRunImpl) findUnused(asText(*bytes));
        }
        if (!facts.isWrapper) {
            issue(Severity::Warning, "compiled.no-wrapper", source, "The source does not hold the model's class, so nothing is known from it.");
            return;
        }
        model_.inputCount = facts.inputCount;
        model_.outputCount = facts.outputCount;
        model_.constantCount = facts.constantCount;
        model_.inputs = std::move(facts.inputs);
        model_.outputs = std::move(facts.outputs);
        model_.constants = std::move(facts.constants);
        model_.inSpec = std::move(facts.inSpec);
        model_.outSpec = std::move(facts.outSpec);
        model_.checksCompiledIn = facts.checksCompiledIn;
        model_.inSpecLine = facts.inSpecLine;
        model_.outSpecLine = facts.outSpecLine;
        model_.countsLine = facts.countsLine;
        model_.checks = std::move(facts.checks);
        model_.asserts = std::move(facts.asserts);
        model_.checksSwitched = facts.checksSwitched;
        model_.sourceRead = facts.foundRunImpl;
        if (facts.foundRunImpl) model_.kernelCalls = static_cast<std::uint32_t>(facts.kernels.size());
        model_.kernels = std::move(facts.kernels);
        if (model_.constantCount && model_.constants.size() != static_cast<std::size_t>(*model_.constantCount)) {
            issue(Severity::Warning, "compiled.constants-differ", source,
                  "The source announces " + std::to_string(*model_.constantCount) + " constants and describes " +
                      std::to_string(model_.constants.size()) + ".");
        }
    }

    void readExternNodes() {
        if (!model_.externNodes) return;
        const std::optional<nlohmann::json> json = readJson(*model_.externNodes);
        if (!json) return;
        const auto nodes = json->find("nodes");
        if (nodes == json->end() || !nodes->is_array()) return;
        std::set<std::string> seen;
        for (const nlohmann::json& entry : *nodes) {
            std::string& name = model_.proxyOperators.emplace_back();
            if (!entry.is_object() || !entry.contains("node") || !entry["node"].is_object()) continue;
            const auto target = entry["node"].find("target");
            if (target == entry["node"].end() || !target->is_string()) continue;
            name = target->get<std::string>();
            if (seen.insert(name).second) model_.externalOperators.push_back(name);
            OperatorCall call{name, {}};
            const auto inputs = entry["node"].find("inputs");
            if (inputs == entry["node"].end() || !inputs->is_array()) continue;
            for (const nlohmann::json& input : *inputs) {
                const auto given = input.is_object() ? input.find("name") : input.end();
                if (input.is_object() && given != input.end() && given->is_string()) call.arguments.push_back(given->get<std::string>());
            }
            if (std::find(model_.externalCalls.begin(), model_.externalCalls.end(), call) == model_.externalCalls.end()) {
                model_.externalCalls.push_back(std::move(call));
            }
        }
    }

    void readLibrary() {
        if (!model_.library) return;
        const MemberIndex member = *model_.library;
        ByteBuffer held;
        const Result<ByteSource> source = libraryBytes(archive_, member, held);
        if (!source) {
            issue(Severity::Error, "compiled.member-unreadable", member, source.error().what + " " + source.error().why, source.error().help);
            return;
        }
        const Result<ElfReading> reading = readElf(*source);
        if (!reading) {
            issue(Severity::Error, reading.error().code.c_str(), member, reading.error().what + " " + reading.error().why, reading.error().help);
            return;
        }
        model_.elf = reading->facts;
        model_.libraryKind = reading->notElf;
        model_.libraryHasRunPath = reading->hasRunPath;
        if (!model_.elf.isElf) {
            if (const auto facts = readMachO(*source)) model_.elf.needed = facts->needed;
            issue(Severity::Warning, "compiled.not-elf", member, "The library is " + reading->notElf + ", which does not load on Linux.",
                  "Recompile it on this machine.");
            return;
        }
        constantsSize_ = reading->constantsSize;
        if (constantsSize_ == 16 && reading->constantsFileOffset) appended_ = findAppendedConstants(*source, *reading->constantsFileOffset);
    }

    /// Whatever GPU is here: without them the model does not load on any.
    void findGpuFiles() {
        if (model_.device == "cpu") return;
        const std::vector<std::string> absent = absentGpuFiles(archive_, model_);
        if (absent.empty()) return;
        std::vector<std::string> named;
        for (std::size_t i = 0; i < absent.size() && i < 3; ++i) named.push_back("\"" + escapeForDisplay(absent[i]) + "\"");
        std::string names = join(named, ", ");
        if (absent.size() > named.size()) names += " and " + formatCount(absent.size() - named.size()) + " more";
        issue(Severity::Error, "compiled.gpu-file-absent", model_.wrapperSource,
              (absent.size() == 1 ? "A file of GPU kernels that the wrapper source loads is not in the package: "
                                  : "Files of GPU kernels that the wrapper source loads are not in the package: ") +
                  names + ".",
              "Get a complete package, or recompile the program it was made of.");
    }

    void markConstants(CompiledConstant::Where where) {
        model_.constantsLocated = true;
        for (CompiledConstant& constant : model_.constants) {
            if (!constant.fromFolded) constant.where = where;
        }
    }

    void locateConstants() {
        std::uint64_t needed = 0;  // bytes of the constants that the loader wants; folded ones are computed
        bool any = model_.constantCount.value_or(0) > 0 && model_.constants.empty();
        for (const CompiledConstant& constant : model_.constants) {
            if (constant.fromFolded) continue;
            any = true;
            if (!addSafe(needed, constant.dataSize, needed)) return;
        }
        if (model_.wrapperSource && model_.constantCount && !any) {
            model_.constantsLocated = true;
            return;
        }
        using Where = CompiledConstant::Where;
        if (model_.cppOnly) {
            const bool beside = serializedWeights_ || model_.blob || lastEndingWith(".o");
            if (beside) markConstants(Where::Beside);
            return;
        }
        if (!model_.library || !model_.elf.isElf) return;
        using State = AppendedConstants::State;
        if (appended_.state == State::Found && appended_.length >= needed) return markConstants(Where::Library);
        if (appended_.state != State::None) {
            if (needed > 16 || appended_.state == State::Found) {
                issue(Severity::Error, "compiled.weights-cut", model_.library,
                      "The weights that are appended to the library are cut or were moved; the library's end does not match its mark.",
                      "Get a fresh copy of the file or recompile.");
                model_.weightsAbsent = true;
                return markConstants(Where::Absent);
            }
            return markConstants(Where::Library);
        }
        if (model_.blob) return markConstants(Where::Beside);
        if (model_.weightsConfig) {
            // Pickles beside: only Python's load_pt2(load_weights_from_disk=True) reads them; the library itself has none.
            model_.weightsAbsent = true;
            return markConstants(Where::Beside);
        }
        if (!constantsSize_) return;
        if (model_.constants.empty() && !any) {
            if (*constantsSize_ > 16) model_.constantsLocated = true;  // without sources: something is there
            return;
        }
        if (*constantsSize_ >= needed) return markConstants(Where::Library);
        model_.weightsAbsent = true;
        markConstants(Where::Absent);
        // A note: such files are made on purpose (package_constants_in_so=False) and are sound; a run is refused all the same.
        issue(Severity::Note, "compiled.weights-absent", model_.library,
              "The compiled model's weights are neither in its library nor beside it; running it would crash.",
              "Recompile it with the weights in the library, from the program it was made of.");
    }

    const Archive& archive_;
    CompiledModel& model_;
    Issues& issues_;
    std::optional<MemberIndex> serializedWeights_;
    std::optional<std::uint64_t> constantsSize_;
    AppendedConstants appended_;
};

}  // namespace

const char* originName(Origin origin) {
    switch (origin) {
        case Origin::Unknown: return "unknown";
        case Origin::Program: return "program";
        case Origin::WrapperSource: return "wrapper source";
        case Origin::Metadata: return "metadata";
        case Origin::Library: return "library";
        case Origin::Inferred: return "inferred";
    }
    return "unknown";
}

Result<CompiledModel> CompiledModel::read(const Archive& archive, std::string name, std::string folder, Issues& issues) {
    CompiledModel model;
    model.name = std::move(name);
    model.folder = std::move(folder);
    const Status done = ModelReader(archive, model, issues).run();
    if (!done) return fail(done.error());
    return model;
}

}  // namespace pt2
