#include "core/program/program.h"

#include <algorithm>
#include <charconv>

#include "core/program/program_storage.h"

namespace pt2 {

ValueId ValueTable::find(const std::vector<Value>& values, GraphId graph, std::string_view name) const {
    if (slots_.empty()) return kNone;
    const std::size_t mask = slots_.size() - 1;
    const std::uint64_t hash = hashText(name, graph);
    const auto upper = static_cast<std::uint32_t>(hash >> 32);
    for (std::size_t slot = hash & mask;; slot = (slot + 1) & mask) {
        const auto [id, stored] = slots_[slot];
        if (id == kNone || (stored == upper && values[id].graph == graph && values[id].name == name)) return id;
    }
}

ValueId ValueTable::enter(std::vector<Value>& values, GraphId graph, std::string_view name) {
    if (values.size() * 2 >= slots_.size()) grow(values);
    const std::size_t mask = slots_.size() - 1;
    const std::uint64_t hash = hashText(name, graph);
    const auto upper = static_cast<std::uint32_t>(hash >> 32);
    std::size_t slot = hash & mask;
    for (; slots_[slot].value != kNone; slot = (slot + 1) & mask) {
        if (slots_[slot].hash != upper) continue;
        const Value& value = values[slots_[slot].value];
        if (value.graph == graph && value.name == name) return slots_[slot].value;
    }
    const auto id = static_cast<ValueId>(values.size());
    slots_[slot] = {id, upper};
    values.emplace_back();
    values.back().name = name;
    values.back().graph = graph;
    return id;
}

void ValueTable::grow(const std::vector<Value>& values) {
    slots_.assign(slots_.empty() ? 256 : slots_.size() * 2, Slot{});
    const std::size_t mask = slots_.size() - 1;
    for (ValueId id = 0; id < values.size(); ++id) {
        const std::uint64_t hash = hashText(values[id].name, values[id].graph);
        std::size_t slot = hash & mask;
        while (slots_[slot].value != kNone) slot = (slot + 1) & mask;
        slots_[slot] = {id, static_cast<std::uint32_t>(hash >> 32)};
    }
}

const char* inputKindName(InputKind kind) {
    switch (kind) {
        case InputKind::UserInput: return "USER_INPUT";
        case InputKind::Parameter: return "PARAMETER";
        case InputKind::Buffer: return "BUFFER";
        case InputKind::ConstantTensor: return "CONSTANT_TENSOR";
        case InputKind::CustomObj: return "CUSTOM_OBJ";
        case InputKind::Token: return "TOKEN";
        case InputKind::Unknown: break;
    }
    return "UNKNOWN";
}

const char* outputKindName(OutputKind kind) {
    switch (kind) {
        case OutputKind::UserOutput: return "USER_OUTPUT";
        case OutputKind::LossOutput: return "LOSS_OUTPUT";
        case OutputKind::BufferMutation: return "BUFFER_MUTATION";
        case OutputKind::ParameterMutation: return "PARAMETER_MUTATION";
        case OutputKind::GradientToParameter: return "GRADIENT_TO_PARAMETER";
        case OutputKind::GradientToUserInput: return "GRADIENT_TO_USER_INPUT";
        case OutputKind::UserInputMutation: return "USER_INPUT_MUTATION";
        case OutputKind::Token: return "TOKEN";
        case OutputKind::Unknown: break;
    }
    return "UNKNOWN";
}

Program::Program(std::unique_ptr<Storage> storage) : storage_(std::move(storage)) {}
Program::~Program() = default;

std::string_view Program::json() const { return storage_->text(); }

std::string_view Program::slice(TextRange range) const {
    const std::string_view text = storage_->text();
    if (range.begin > text.size() || range.end < range.begin) return {};
    return text.substr(range.begin, range.end - range.begin);
}

std::string_view Program::torchVersion() const { return storage_->torchVersion; }
int Program::schemaMajor() const { return storage_->schemaMajor; }
int Program::schemaMinor() const { return storage_->schemaMinor; }
const std::vector<std::pair<std::string_view, int>>& Program::opsetVersion() const { return storage_->opsetVersion; }
const std::vector<std::string_view>& Program::verifiers() const { return storage_->verifiers; }
const std::vector<std::string_view>& Program::guardsCode() const { return storage_->guardsCode; }
const std::vector<RangeConstraint>& Program::rangeConstraintsAsStored() const { return storage_->rangesAsStored; }
const std::vector<std::pair<std::string, SymRange>>& Program::rangeConstraints() const { return storage_->ranges; }

std::optional<SymRange> Program::rangeOf(std::string_view symbol) const {
    for (const auto& [name, range] : storage_->ranges)
        if (name == symbol) return range;
    for (const RangeConstraint& stored : storage_->rangesAsStored)
        if (stored.symbol == symbol) return stored.range;
    return std::nullopt;
}

std::span<const Graph> Program::graphs() const { return storage_->graphs; }
std::span<const Node> Program::nodes() const { return storage_->nodes; }
std::span<const Value> Program::values() const { return storage_->values; }
std::span<const Argument> Program::arguments() const { return storage_->arguments; }
std::span<const NamedArgument> Program::namedArguments() const { return storage_->namedArguments; }
std::span<const SymInt> Program::symInts() const { return storage_->symInts; }
std::span<const NodeId> Program::userNodes() const { return storage_->userNodes; }
std::span<const InputSpec> Program::inputSpecs() const { return storage_->inputSpecs; }
std::span<const OutputSpec> Program::outputSpecs() const { return storage_->outputSpecs; }
std::span<const ModuleCallEntry> Program::moduleCallGraph() const { return storage_->moduleCallGraph; }
const std::map<std::string, std::vector<std::string>>& Program::namedtupleFields() const { return storage_->namedtupleFields; }
std::string_view Program::graphModuleMetadata() const { return storage_->graphModuleMetadata; }

std::optional<ValueId> Program::findValue(GraphId graphId, std::string_view name) const {
    const ValueId id = storage_->valueTable.find(storage_->values, graphId, name);
    if (id == kNone) return std::nullopt;
    return id;
}

std::string_view Program::displayName(NodeId id) const {
    const Node& n = node(id);
    if (n.outputs.size() == 1 && argument(n.outputs.begin).value != kNone) return value(argument(n.outputs.begin).value).name;
    const auto& names = storage_->nodeNames;
    const auto found = std::lower_bound(names.begin(), names.end(), id, [](const auto& entry, NodeId wanted) { return entry.first < wanted; });
    return found != names.end() && found->first == id ? found->second : n.name;
}

std::optional<NodeId> Program::findNode(GraphId graphId, std::string_view name) const {
    const ValueId valueId = storage_->valueTable.find(storage_->values, graphId, name);
    if (valueId != kNone && value(valueId).producer != kNone) {
        const Node& n = node(value(valueId).producer);
        if (n.outputs.size() == 1 && argument(n.outputs.begin).value == valueId) return value(valueId).producer;
    }
    const auto& byName = storage_->nodesByName;
    const std::pair<GraphId, std::string_view> key{graphId, name};
    const auto found =
        std::lower_bound(byName.begin(), byName.end(), key, [](const auto& entry, const auto& wanted) { return entry.first < wanted; });
    if (found == byName.end() || found->first != key) return std::nullopt;
    return found->second;
}

std::optional<GraphId> Program::findGraph(std::string_view path) const {
    for (GraphId id = 0; id < graphs().size(); ++id)
        if (graphs()[id].path == path) return id;
    return std::nullopt;
}

std::string Program::nodeAddress(NodeId id) const {
    const Graph& owner = graph(node(id).graph);
    std::string address = owner.path.empty() ? "" : "graph/" + owner.path + "/";
    address += "node/";
    address += displayName(id);
    return address;
}

std::optional<NodeId> Program::nodeFromAddress(std::string_view address) const {
    constexpr std::string_view graphPrefix = "graph/", nodePrefix = "node/";
    GraphId owner = 0;
    if (address.substr(0, graphPrefix.size()) == graphPrefix) {
        const std::size_t at = address.rfind("/node/");
        if (at == std::string_view::npos || at < graphPrefix.size()) return std::nullopt;
        const std::optional<GraphId> found = findGraph(address.substr(graphPrefix.size(), at - graphPrefix.size()));
        if (!found) return std::nullopt;
        owner = *found;
        address.remove_prefix(at + 1);
    }
    if (address.substr(0, nodePrefix.size()) != nodePrefix) return std::nullopt;
    return findNode(owner, address.substr(nodePrefix.size()));
}

std::string Program::dimText(const SymInt& dim) const {
    if (!dim.isSymbolic()) return std::to_string(dim.integer);
    const std::optional<SymExpr>& parsed = expression(dim.expr);
    return parsed ? parsed->print() : std::string(expressionText(dim.expr));
}

std::vector<std::string> Program::sizesText(const Value& v) const {
    std::vector<std::string> texts;
    for (const SymInt& dim : sizes(v)) texts.push_back(dimText(dim));
    return texts;
}

std::vector<std::string> Program::stridesText(const Value& v) const {
    std::vector<std::string> texts;
    for (const SymInt& dim : strides(v)) texts.push_back(dimText(dim));
    return texts;
}

const std::optional<SymExpr>& Program::expression(ExprId id) const { return storage_->expressions[id]; }
std::string_view Program::expressionText(ExprId id) const { return storage_->expressionTexts.text(id); }

}  // namespace pt2
