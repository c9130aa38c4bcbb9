#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/program/json_tokens.h"
#include "core/program/program.h"
#include "core/program/text_table.h"

namespace pt2 {

/// (graph, name) → value. Keys are the values' own names.
class ValueTable {
public:
    ValueId find(const std::vector<Value>& values, GraphId graph, std::string_view name) const;
    /// The value of that name, made (Untyped) when there is none.
    ValueId enter(std::vector<Value>& values, GraphId graph, std::string_view name);

private:
    void grow(const std::vector<Value>& values);
    struct Slot {
        ValueId value = kNone;
        std::uint32_t hash = 0;  ///< upper half, so that most others are told apart without a look at their name
    };
    std::vector<Slot> slots_;
};

struct Program::Storage {
    ByteBuffer json;
    std::size_t jsonBegin = 0, jsonSize = 0;
    std::string where;
    TextStore texts;

    std::string_view torchVersion = "<=2.4";
    int schemaMajor = 8, schemaMinor = 0;
    std::vector<std::pair<std::string_view, int>> opsetVersion;
    std::vector<std::string_view> verifiers, guardsCode;
    std::vector<RangeConstraint> rangesAsStored;
    std::vector<std::pair<std::string, SymRange>> ranges;

    std::vector<Graph> graphs;
    std::vector<Node> nodes;
    std::vector<Value> values;
    std::vector<Argument> arguments;
    std::vector<NamedArgument> namedArguments;
    std::vector<SymInt> symInts;
    std::vector<NodeId> userNodes;
    ValueTable valueTable;
    /// Names of nodes that are not known by a single output, sorted by node; and by (graph, name).
    std::vector<std::pair<NodeId, std::string_view>> nodeNames;
    std::vector<std::pair<std::pair<GraphId, std::string_view>, NodeId>> nodesByName;

    TextTable expressionTexts;
    std::vector<std::optional<SymExpr>> expressions;

    std::vector<InputSpec> inputSpecs;
    std::vector<OutputSpec> outputSpecs;
    std::vector<ModuleCallEntry> moduleCallGraph;
    std::map<std::string, std::vector<std::string>> namedtupleFields;
    std::string_view graphModuleMetadata = "{}";

    mutable std::once_flag modulesOnce;
    mutable std::vector<std::string> modulePaths;     ///< distinct
    mutable std::vector<std::uint32_t> moduleOfNode;  ///< into modulePaths
    mutable std::unordered_map<std::string, std::string> moduleTypes;

    std::string_view text() const { return asText(json).substr(jsonBegin, jsonSize); }
};

}  // namespace pt2
