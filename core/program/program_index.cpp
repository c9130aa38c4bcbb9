#include <algorithm>

#include "core/program/operator_family.h"
#include "core/program/program_reader.h"

namespace pt2 {

void ProgramReader::linkGraph(GraphId graphId) {
    const Graph& graph = out_.graphs[graphId];
    std::vector<Value>& values = out_.values;
    const ValueId firstValue = graph.values.begin;
    const auto nodeWhere = [&](NodeId node) {
        return (out_.where.empty() ? "" : out_.where + ": ") + (graph.path.empty() ? "" : graph.path + ": ") + "node " +
               std::to_string(out_.nodes[node].index);
    };
    // Lists nest at most kArgumentDepthLimit deep, by the reader above.
    const auto visit = [&](const auto& self, const Argument& argument, const auto& use) -> void {
        if (argument.value != kNone) use(argument.value);
        for (std::uint32_t i = argument.children.begin; i < argument.children.end; ++i) self(self, out_.arguments[i], use);
    };

    for (std::uint32_t i = graph.inputs.begin; i < graph.inputs.end; ++i) {
        const ValueId value = out_.arguments[i].value;
        if (value == kNone) continue;
        if (values[value].inputIndex != kNone) {
            noteAt(Severity::Error, "program.duplicate-value", out_.where, "Two inputs of a graph have the name " + quoted(values[value].name) + ".",
                   "torch refuses this file; export the program again.");
        }
        values[value].inputIndex = i - graph.inputs.begin;
    }
    for (NodeId node = graph.nodes.begin; node < graph.nodes.end; ++node) {
        for (std::uint32_t i = out_.nodes[node].outputs.begin; i < out_.nodes[node].outputs.end; ++i) {
            visit(visit, out_.arguments[i], [&](ValueId value) {
                if (values[value].producer != kNone || values[value].inputIndex != kNone) {
                    noteAt(Severity::Error, "program.duplicate-value", nodeWhere(node), "The value " + quoted(values[value].name) + " is made twice.",
                           "torch refuses this file; export the program again.");
                    return;
                }
                values[value].producer = node;
            });
        }
    }
    for (std::uint32_t i = graph.outputs.begin; i < graph.outputs.end; ++i) {
        visit(visit, out_.arguments[i], [&](ValueId value) { values[value].isGraphOutput = true; });
        if (out_.arguments[i].kind == ArgumentKind::String) {
            noteAt(Severity::Error, "program.string-output", out_.where, "An output of the program is a text.",
                   "torch writes such programs but cannot load them.");
        }
    }
    // Users: counted, then placed, each node once for a value.
    std::vector<NodeId> lastUser(graph.values.size(), kNone);
    const auto forUses = [&](const auto& use) {
        std::fill(lastUser.begin(), lastUser.end(), kNone);
        for (NodeId node = graph.nodes.begin; node < graph.nodes.end; ++node) {
            for (std::uint32_t i = out_.nodes[node].inputs.begin; i < out_.nodes[node].inputs.end; ++i) {
                visit(visit, out_.arguments[out_.namedArguments[i].argument], [&](ValueId value) {
                    if (lastUser[value - firstValue] == node) return;
                    lastUser[value - firstValue] = node;
                    use(node, value);
                });
            }
        }
    };
    forUses([&](NodeId node, ValueId value) {
        ++values[value].users.end;
        const NodeId producer = values[value].producer;
        if (producer != kNone && producer >= node) {
            noteAt(Severity::Error, "program.order", nodeWhere(node),
                   "The node reads " + quoted(values[value].name) + ", which only a later node or it itself makes.",
                   "torch refuses this file; export the program again.");
        } else if (producer == kNone && values[value].inputIndex == kNone) {
            noteAt(Severity::Error, "program.dangling", nodeWhere(node), "The node reads " + quoted(values[value].name) + ", which nothing makes.",
                   "torch refuses this file; export the program again.");
        }
    });
    auto next = static_cast<std::uint32_t>(out_.userNodes.size());
    for (ValueId value = firstValue; value < graph.values.end; ++value) {
        const std::uint32_t count = values[value].users.end;
        values[value].users = {next, next};
        next += count;
    }
    out_.userNodes.resize(next);
    forUses([&](NodeId node, ValueId value) { out_.userNodes[values[value].users.end++] = node; });

    for (ValueId id = firstValue; id < graph.values.end; ++id) {
        const Value& value = values[id];
        if (value.isGraphOutput && value.producer == kNone && value.inputIndex == kNone) {
            noteAt(Severity::Error, "program.dangling", out_.where, "The graph's output " + quoted(value.name) + " is made by nothing.",
                   "torch refuses this file; export the program again.");
        }
        if (value.kind == ValueKind::Untyped && (value.producer != kNone || value.inputIndex != kNone)) {
            noteAt(Severity::Error, "program.untyped-value", value.producer != kNone ? nodeWhere(value.producer) : out_.where,
                   "The value " + quoted(value.name) + " has no description of its type and sizes.",
                   "torch refuses this file; export the program again.");
        }
    }
}

void ProgramReader::nameNodes() {
    for (const Graph& graph : out_.graphs) {
        const GraphId graphId = static_cast<GraphId>(&graph - out_.graphs.data());
        TextTable taken;
        TextTable bases;
        std::vector<std::uint32_t> lastNumbers;
        for (NodeId id = graph.nodes.begin; id < graph.nodes.end; ++id) {
            const Node& node = out_.nodes[id];
            if (node.outputs.size() == 1 && out_.arguments[node.outputs.begin].value != kNone) continue;
            std::string_view name = node.name.empty() ? splitOperatorName(node.target).name : node.name;
            if (name.empty()) name = "node";
            const auto isFree = [&](std::string_view candidate) {
                const ValueId value = out_.valueTable.find(out_.values, graphId, candidate);
                return (value == kNone || out_.values[value].producer == id) && taken.find(candidate) == kNone;
            };
            bool added = false;
            const std::uint32_t base = bases.enter(name, added);
            if (added) lastNumbers.push_back(0);
            std::string candidate(name);
            while (!isFree(candidate)) candidate = std::string(bases.text(base)) + "_" + std::to_string(++lastNumbers[base]);
            if (candidate != name) name = out_.texts.keep(std::move(candidate));
            taken.enter(name, added);
            out_.nodeNames.emplace_back(id, name);
            out_.nodesByName.push_back({{graphId, name}, id});
        }
    }
    std::sort(out_.nodesByName.begin(), out_.nodesByName.end());
}

}  // namespace pt2
