#include "core/compiled/target.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/file.h"
#include "core/compiled/cpu_features.h"
#include "core/compiled/exported_symbols.h"
#include "core/compiled/symbol_digests.h"
#include "core/compiled/this_machine.h"

namespace pt2 {
namespace {

using Json = nlohmann::json;                 // of a file: keys in a map, since a hostile one may have millions
using OrderedJson = nlohmann::ordered_json;  // written

constexpr int kFormat = 1;
constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20;
constexpr std::size_t kMostEntries = 1000000, kLongestText = 16384;
constexpr const char* kWrittenPrefix = "aoti_";

tl::unexpected<Error> bad(std::string why) {
    return fail({ErrorKind::Unreadable,
                 "target.bad",
                 "This is no description of a target.",
                 {},
                 std::move(why),
                 "\"pt2 probe\" on that machine writes one."});
}

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

bool isVersion(const std::string& text) {
    if (text.empty() || text.size() > 64 || std::isdigit(static_cast<unsigned char>(text.front())) == 0) return false;
    return std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '.' || c == '+' || c == '-'; });
}

std::string canonicalPlatform(std::string platform) {
    platform = lower(std::move(platform));
    if (platform.compare(0, 5, "linux") == 0) return "linux";
    if (platform == "macos" || platform == "osx") return "darwin";
    return platform == "win32" ? "windows" : platform;
}

std::string canonicalMachine(std::string machine) {
    machine = lower(std::move(machine));
    if (machine == "amd64" || machine == "x64") return "x86_64";
    return machine == "arm64" ? "aarch64" : machine;
}

/// "8.6", "86" and "sm_86" are "sm_86"; empty for what is none.
std::string canonicalSm(std::string architecture) {
    if (architecture.empty() || architecture.size() > 16) return {};
    architecture = lower(std::move(architecture));
    if (architecture.compare(0, 3, "sm_") == 0) architecture.erase(0, 3);
    architecture.erase(std::remove(architecture.begin(), architecture.end(), '.'), architecture.end());
    std::string digits = architecture;
    if (!digits.empty() && (digits.back() == 'a' || digits.back() == 'f')) digits.pop_back();
    const bool number =
        (digits.size() == 2 || digits.size() == 3) && std::all_of(digits.begin(), digits.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
    return number ? "sm_" + architecture : std::string();
}

/// Takes members out of one object, and says what is wrong with them.
class Reader {
public:
    Reader(const Json& json, std::string where) : json_(json), where_(std::move(where)) {}

    const Json* find(const char* key) {
        known_.insert(key);
        const auto found = json_.find(key);
        return found == json_.end() ? nullptr : &*found;
    }

    Status text(const char* key, std::string& out) {
        const Json* value = find(key);
        if (value == nullptr) return {};
        if (!value->is_string()) return wrong(key, "is no text");
        out = value->get<std::string>();
        return out.size() > kLongestText ? wrong(key, "is too long") : Status();
    }

    Status version(const char* key, std::string& out) {
        if (auto status = text(key, out); !status) return status;
        return find(key) != nullptr && !isVersion(out) ? wrong(key, "is no version") : Status();
    }

    Status texts(const char* key, std::optional<std::vector<std::string>>& out) {
        const Json* value = find(key);
        if (value == nullptr) return {};
        if (!value->is_array()) return wrong(key, "is no list");
        if (value->size() > kMostEntries) return wrong(key, "has more than a million entries");
        std::vector<std::string> list;
        for (const Json& entry : *value) {
            if (!entry.is_string()) return wrong(key, "holds what is no text");
            list.push_back(entry.get<std::string>());
            if (list.back().size() > kLongestText) return wrong(key, "holds a text that is too long");
        }
        out = std::move(list);
        return {};
    }

    Status wrong(const char* key, const std::string& how) const { return bad("\"" + where_ + key + "\" " + how + "."); }

    void unread(std::vector<std::string>& out) const {
        for (const auto& [key, value] : json_.items()) {
            if (known_.count(key) == 0 && out.size() < 16) out.push_back((where_ + key).substr(0, 64));
        }
    }

private:
    const Json& json_;
    std::string where_;
    std::set<std::string> known_;
};

Status readSymbols(const Json& json, TargetTorch& torch) {
    if (!json.is_object()) return bad("\"libtorch.symbols\" is no object.");
    Reader reader(json, "libtorch.symbols.");
    std::optional<std::vector<std::string>> names, prefixes;
    if (auto status = reader.texts("names", names); !status) return status;
    if (auto status = reader.texts("prefixes", prefixes); !status) return status;
    SymbolNames symbols;
    if (const Json* digests = reader.find("digests")) {
        auto parsed = digests->is_string() ? parseDigests(digests->get_ref<const std::string&>(), kMostEntries) : std::nullopt;
        if (!parsed) return reader.wrong("digests", "is no list of digests");
        symbols.digests = std::move(*parsed);
    }
    if (!names && symbols.digests.empty()) return {};
    if (names) symbols.names = std::move(*names);
    std::sort(symbols.names.begin(), symbols.names.end());
    if (prefixes) symbols.prefixes = std::move(*prefixes);  // without them nothing is known to be missing
    torch.symbols = std::make_shared<const SymbolNames>(std::move(symbols));
    return {};
}

/// "aten::sort.stable(Tensor self, …) -> …" under "aten::sort.stable".
SchemaSource sourceOver(const std::vector<std::string>& schemas) {
    auto byName = std::make_shared<std::map<std::string, std::string>>();
    for (const std::string& schema : schemas) byName->emplace(schema.substr(0, schema.find('(')), schema);
    return [byName](const std::vector<std::string>& targets) -> std::optional<std::map<std::string, std::string>> {
        std::map<std::string, std::string> found;
        for (const std::string& target : targets) {
            constexpr std::string_view kDefault = ".default";
            const auto schema = byName->find(target.ends_with(kDefault) ? target.substr(0, target.size() - kDefault.size()) : target);
            if (schema != byName->end()) found.emplace(target, schema->second);
        }
        return found;
    };
}

Status readTorch(const Json& json, Target& target) {
    if (json.is_null()) {
        target.torchState = Target::Torch::Absent;
        return {};
    }
    if (!json.is_object()) return bad("\"libtorch\" is neither an object nor null.");
    target.torchState = Target::Torch::Present;
    Reader reader(json, "libtorch.");
    std::optional<std::vector<std::string>> devices;
    if (auto status = reader.version("version", target.torch.version); !status) return status;
    if (auto status = reader.text("variant", target.torch.variant); !status) return status;
    if (auto status = reader.texts("devices", devices); !status) return status;
    if (devices) target.torch.devices = std::move(*devices);
    if (auto status = reader.texts("libraries", target.torch.libraries); !status) return status;
    if (target.torch.libraries) std::sort(target.torch.libraries->begin(), target.torch.libraries->end());
    if (const Json* symbols = reader.find("symbols")) {
        if (auto status = readSymbols(*symbols, target.torch); !status) return status;
    }
    std::optional<std::vector<std::string>> operators;
    if (auto status = reader.texts("operators", operators); !status) return status;
    if (operators && !operators->empty()) {
        target.torch.schemas = sourceOver(*operators);
        target.torch.operators = std::move(*operators);
    }
    reader.unread(target.ignored);
    return {};
}

Status readGpus(const Json& json, Target& target) {
    if (!json.is_array()) return bad("\"gpus\" is no list.");
    if (json.size() > 1024) return bad("\"gpus\" has more than 1024 entries.");
    std::vector<TargetGpu> gpus;
    for (const Json& entry : json) {
        if (!entry.is_object()) return bad("\"gpus\" holds what is no object.");
        Reader reader(entry, "gpus.");
        TargetGpu gpu;
        if (auto status = reader.text("kind", gpu.kind); !status) return status;
        if (auto status = reader.text("architecture", gpu.architecture); !status) return status;
        if (auto status = reader.text("name", gpu.name); !status) return status;
        if (gpu.kind.empty()) gpu.kind = "cuda";
        if (gpu.kind == "cuda" && !gpu.architecture.empty()) {
            gpu.architecture = canonicalSm(gpu.architecture);
            if (gpu.architecture.empty()) return bad("\"gpus.architecture\" is not of the form sm_86.");
        }
        gpus.push_back(std::move(gpu));
    }
    target.gpus = std::move(gpus);
    return {};
}

Status readMembers(const Json& json, Target& target) {
    Reader reader(json, {});
    if (const Json* format = reader.find("format")) {
        if (!format->is_number_integer()) return reader.wrong("format", "is no number");
        if (*format != kFormat) return bad("It is of a form that this version does not know.");
    }
    if (auto status = reader.text("name", target.name); !status) return status;
    if (auto status = reader.text("platform", target.platform); !status) return status;
    if (auto status = reader.text("machine", target.machine); !status) return status;
    if (auto status = reader.version("glibc", target.glibc); !status) return status;
    if (auto status = reader.version("glibcxx", target.glibcxx); !status) return status;
    if (auto status = reader.texts("libraries", target.libraries); !status) return status;
    target.platform = canonicalPlatform(target.platform);
    target.machine = canonicalMachine(target.machine);
    if (target.libraries) std::sort(target.libraries->begin(), target.libraries->end());
    std::optional<std::vector<std::string>> features;
    if (auto status = reader.texts("cpu_features", features); !status) return status;
    if (features) {
        target.cpuFeatures.emplace();
        for (const std::string& feature : *features) target.cpuFeatures->insert(canonicalCpuFeature(feature));
    }
    if (const Json* torch = reader.find("libtorch")) {
        if (auto status = readTorch(*torch, target); !status) return status;
    }
    if (const Json* gpus = reader.find("gpus")) {
        if (auto status = readGpus(*gpus, target); !status) return status;
    }
    reader.unread(target.ignored);
    return {};
}

OrderedJson torchJson(const TargetTorch& torch) {
    OrderedJson out = OrderedJson::object();
    if (!torch.version.empty()) out["version"] = torch.version;
    if (!torch.variant.empty()) out["variant"] = torch.variant;
    if (!torch.devices.empty()) out["devices"] = torch.devices;
    if (torch.libraries) out["libraries"] = *torch.libraries;
    if (torch.symbols) {
        OrderedJson names = OrderedJson::array();
        for (const std::string& name : torch.symbols->all()) {
            if (name.compare(0, std::string_view(kWrittenPrefix).size(), kWrittenPrefix) == 0) names.push_back(name);
        }
        out["symbols"] = {
            {"prefixes", torch.symbols->has(kWrittenPrefix) ? OrderedJson::array({kWrittenPrefix}) : OrderedJson(torch.symbols->prefixes)},
            {"names", std::move(names)}};
        const std::vector<std::uint64_t> digests = torch.symbols->libraries ? symbolDigests(torch.symbols->all()) : torch.symbols->digests;
        if (!digests.empty()) out["symbols"]["digests"] = digestsText(digests);
    }
    if (!torch.operators.empty()) out["operators"] = torch.operators;
    return out;
}

}  // namespace

std::optional<bool> SymbolNames::has(std::string_view name) const {
    if (libraries) return libraries->has(name);
    if (std::binary_search(names.begin(), names.end(), name)) return true;
    const bool covered =
        std::any_of(prefixes.begin(), prefixes.end(), [&](const std::string& prefix) { return name.substr(0, prefix.size()) == prefix; });
    if (covered) return false;
    if (digests.empty()) return std::nullopt;
    return std::binary_search(digests.begin(), digests.end(), symbolDigest(name));
}

const std::vector<std::string>& SymbolNames::all() const { return libraries ? libraries->names() : names; }

std::optional<bool> Target::hasLibrary(const std::string& library) const {
    for (const auto* list : {&libraries, &torch.libraries}) {
        if (*list && std::binary_search((*list)->begin(), (*list)->end(), library)) return true;
    }
    if (here && isLibraryHere(library)) return true;
    const bool all = (libraries || here) && (torchState == Torch::Absent || torch.libraries);
    return all ? std::optional(false) : std::nullopt;
}

Result<Target> parseTarget(std::string_view text) {
    if (text.size() > kMostBytes) return bad("It is larger than 64 MB.");
    // Keys are looked up by name, and a deep nest is no target: the depth is bounded before anything is built.
    const auto shallow = [](int depth, Json::parse_event_t, Json&) { return depth <= 4; };
    const Json json = Json::parse(text, shallow, false);
    if (json.is_discarded() || !json.is_object()) return bad("It is not a JSON object.");
    Target target;
    if (const Status status = readMembers(json, target); !status) return fail(status.error());
    return target;
}

Result<Target> readTargetFile(const std::string& path) {
    const Result<std::string> text = readTextFile(path, kMostBytes);
    if (!text) return fail(text.error());
    Result<Target> target = parseTarget(*text);
    if (!target) {
        Error error = target.error();
        error.where = path;
        return fail(std::move(error));
    }
    return target;
}

std::string targetText(const Target& target) {
    OrderedJson out = {{"format", kFormat}};
    const auto put = [&](const char* key, const std::string& value) {
        if (!value.empty()) out[key] = value;
    };
    put("name", target.name);
    put("platform", target.platform);
    put("machine", target.machine);
    if (target.cpuFeatures) out["cpu_features"] = *target.cpuFeatures;
    put("glibc", target.glibc);
    put("glibcxx", target.glibcxx);
    if (target.torchState == Target::Torch::Present) out["libtorch"] = torchJson(target.torch);
    if (target.torchState == Target::Torch::Absent) out["libtorch"] = nullptr;
    if (target.gpus) {
        OrderedJson gpus = OrderedJson::array();
        for (const TargetGpu& gpu : *target.gpus) {
            OrderedJson entry = {{"kind", gpu.kind}};
            if (!gpu.architecture.empty()) entry["architecture"] = gpu.architecture;
            if (!gpu.name.empty()) entry["name"] = gpu.name;
            gpus.push_back(std::move(entry));
        }
        out["gpus"] = std::move(gpus);
    }
    if (target.here)
        out["libraries"] = librariesHere();
    else if (target.libraries)
        out["libraries"] = *target.libraries;
    return out.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

}  // namespace pt2
