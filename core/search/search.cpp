#include "core/search/search.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/base/text.h"
#include "core/package/address.h"
#include "core/search/matcher.h"

namespace pt2 {
namespace {

/// Generated sources above this are not searched line by line.
constexpr std::uint64_t kSourceLimit = 64u << 20;

/// Collects hits with how well each fits, so that exact names come first.
class Hits {
public:
    Hits(const NameMatcher& matcher, const CancelToken& cancel) : matcher_(matcher), cancel_(cancel) {}
    const NameMatcher& matcher() const { return matcher_; }
    bool stopped() const { return cancel_.requested(); }
    void add(int rank, std::string address, const char* kind, std::string text) {
        ranked_.push_back({rank, {std::move(address), kind, std::move(text)}});
    }
    std::vector<SearchHit> take(std::size_t limit) {
        std::stable_sort(ranked_.begin(), ranked_.end(), [](const Ranked& a, const Ranked& b) { return a.rank < b.rank; });
        std::vector<SearchHit> out;
        out.reserve(std::min(limit, ranked_.size()));
        for (Ranked& r : ranked_) {
            if (out.size() == limit) break;
            out.push_back(std::move(r.hit));
        }
        return out;
    }

private:
    struct Ranked {
        int rank;
        SearchHit hit;
    };
    const NameMatcher& matcher_;
    const CancelToken& cancel_;
    std::vector<Ranked> ranked_;
};

std::string addressOf(Address::Kind kind, const std::string& model, std::string_view name) {
    Address address;
    address.kind = kind;
    address.model = model;
    address.name = name;
    return address.text();
}

std::string programPrefix(const std::string& model) { return addressOf(Address::Kind::Program, model, {}) + "/"; }

std::string typeText(const Program& program, const Value& value) {
    if (value.kind != ValueKind::Tensor) return {};
    return std::string(dtypeName(value.dtype)) + " " + formatShape(program.sizesText(value));
}

std::string nodeText(const Program& program, NodeId id) {
    const Node& node = program.node(id);
    std::string text(program.displayName(id));
    text += " = ";
    text += node.target;
    if (node.outputs.size() == 1) {
        const Argument& output = program.argument(node.outputs.begin);
        if (output.value != kNone) {
            const std::string type = typeText(program, program.value(output.value));
            if (!type.empty()) text += ": " + type;
        }
    }
    return text;
}

/// Nodes by name, by the names of their outputs, and by operator; graph inputs by name.
void findNodes(const Program& program, const std::string& model, const std::string& prefix, Hits& hits) {
    // Targets are interned, so one look at each distinct text is enough.
    std::unordered_map<const char*, int> targetRanks;
    const auto nodes = program.nodes();
    for (NodeId id = 0; id < nodes.size(); ++id) {
        if ((id & 0xFFFu) == 0 && hits.stopped()) return;
        int rank = hits.matcher().rank(program.displayName(id));
        if (rank == NameMatcher::kNoMatch) {
            program.forEachOutputValue(nodes[id], [&](ValueId value) {
                if (rank == NameMatcher::kNoMatch) rank = hits.matcher().rank(program.value(value).name);
            });
        }
        if (rank == NameMatcher::kNoMatch) {
            const auto [entry, isNew] = targetRanks.try_emplace(nodes[id].target.data(), NameMatcher::kNoMatch);
            if (isNew && hits.matcher().rank(nodes[id].target) != NameMatcher::kNoMatch) entry->second = NameMatcher::kInside;
            rank = entry->second;
        }
        if (rank != NameMatcher::kNoMatch) hits.add(rank, prefix + program.nodeAddress(id), "node", nodeText(program, id));
    }
    const Graph& root = program.rootGraph();
    for (std::uint32_t i = root.inputs.begin; i < root.inputs.end; ++i) {
        const Argument& argument = program.argument(i);
        if (argument.value == kNone) continue;
        const Value& value = program.value(argument.value);
        const int rank = hits.matcher().rank(value.name);
        if (rank == NameMatcher::kNoMatch) continue;
        hits.add(rank, addressOf(Address::Kind::Value, model, value.name), "input", std::string(value.name) + ": " + typeText(program, value));
    }
}

void findSymbols(const Program& program, const std::string& model, Hits& hits) {
    for (const RangeConstraint& constraint : program.rangeConstraintsAsStored()) {
        const int rank = hits.matcher().rank(constraint.symbol);
        if (rank == NameMatcher::kNoMatch) continue;
        const auto bound = [](const std::optional<std::int64_t>& b) { return b ? std::to_string(*b) : std::string("no limit"); };
        hits.add(rank, addressOf(Address::Kind::Symbol, model, constraint.symbol), "symbol",
                 std::string(constraint.symbol) + ": " + bound(constraint.range.minimum) + " to " + bound(constraint.range.maximum));
    }
}

/// Modules by path, and source lines. Node metadata is text of the JSON: it is scanned as it stands, and parsed only where the scan says that the
/// pattern may be there.
void findModulesAndLines(const Program& program, const std::string& prefix, Hits& hits) {
    std::unordered_set<std::string> modules, lines;
    const auto addModule = [&](std::string_view path, std::string_view type) {
        const int rank = hits.matcher().rank(path);
        if (path.empty() || rank == NameMatcher::kNoMatch || !modules.emplace(path).second) return;
        hits.add(rank, prefix + "module/" + std::string(path), "module",
                 type.empty() ? std::string(path) : std::string(path) + ": " + std::string(type));
    };
    for (const ModuleCallEntry& call : program.moduleCallGraph()) addModule(call.fqn, {});
    const auto nodes = program.nodes();
    for (NodeId id = 0; id < nodes.size(); ++id) {
        if ((id & 0xFFFu) == 0 && hits.stopped()) return;
        if (!hits.matcher().mayOccurInJson(program.slice(nodes[id].metadata))) continue;
        const NodeMetadata metadata = program.metadata(id);
        for (const ModuleFrame& frame : metadata.moduleStack) addModule(frame.path, frame.type);
        for (const SourceFrame& frame : metadata.stackTrace) {
            if (hits.matcher().rank(frame.code) == NameMatcher::kNoMatch && hits.matcher().rank(frame.file) == NameMatcher::kNoMatch) continue;
            std::string text = frame.file + ":" + std::to_string(frame.line) + " in " + frame.function + ": " + frame.code;
            if (lines.insert(text).second) hits.add(NameMatcher::kInside, prefix + program.nodeAddress(id), "source", std::move(text));
        }
    }
}

std::string memberAddress(std::string_view name) { return addressOf(Address::Kind::Member, {}, name); }

void findMembers(const Package& package, Hits& hits) {
    const Archive& archive = package.archive();
    for (MemberIndex i = 0; i < archive.members().size(); ++i) {
        const int rank = std::min(hits.matcher().rank(archive.members()[i].name), hits.matcher().rank(archive.nameBelowRoot(i)));
        if (rank == NameMatcher::kNoMatch) continue;
        const Member& member = archive.members()[i];
        hits.add(rank, memberAddress(archive.nameBelowRoot(i)), "member", member.name + ", " + formatBytes(member.size));
    }
}

void findWeights(const std::vector<WeightEntry>& weights, Hits& hits) {
    for (const WeightEntry& weight : weights) {
        const int rank = hits.matcher().rank(weight.fqn);
        if (rank == NameMatcher::kNoMatch) continue;
        hits.add(rank, addressOf(Address::Kind::Weight, {}, weight.fqn), "weight",
                 weight.fqn + (weight.isObject ? ": object" : ": " + tensorTypeText(weight.layout)));
    }
}

/// The generated C++ of compiled models, line by line.
void findSourceLines(const Package& package, Hits& hits) {
    for (const CompiledModel& model : package.compiledModels()) {
        for (const MemberIndex index : model.members) {
            const Member& member = package.archive().members()[index];
            const bool isSource = member.name.ends_with(".cpp") || member.name.ends_with(".h");
            if (!isSource || member.size > kSourceLimit) continue;
            const auto bytes = package.archive().read(index, kSourceLimit);
            if (!bytes) continue;  // the issues of the package say that the record cannot be read
            const std::string address = memberAddress(package.archive().nameBelowRoot(index));
            std::size_t number = 0;
            for (const std::string_view line : splitView(asText(*bytes), '\n')) {
                ++number;
                if ((number & 0xFFFu) == 0 && hits.stopped()) return;
                if (hits.matcher().rank(line) == NameMatcher::kNoMatch) continue;
                hits.add(NameMatcher::kInside, address + "#L" + std::to_string(number), "source",
                         "line " + std::to_string(number) + ": " + std::string(line));
            }
        }
    }
}

}  // namespace

std::vector<SearchHit> findInDocument(const Document& document, std::string_view pattern, std::size_t limit, const CancelToken& cancel) {
    const NameMatcher matcher(pattern);
    if (matcher.empty()) return {};
    Hits hits(matcher, cancel);
    for (const auto& package : {document.primary, document.attached}) {
        if (!package) continue;
        for (const ProgramEntry& entry : package->programs()) {
            findWeights(entry.weights, hits);
            findWeights(entry.constants, hits);
            if (!entry.program) continue;
            const std::string prefix = programPrefix(entry.name);
            findNodes(*entry.program, entry.name, prefix, hits);
            findSymbols(*entry.program, entry.name, hits);
            findModulesAndLines(*entry.program, prefix, hits);
        }
        findMembers(*package, hits);
        findSourceLines(*package, hits);
    }
    return hits.take(limit);
}

}  // namespace pt2
