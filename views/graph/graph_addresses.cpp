#include "views/graph/graph_addresses.h"

namespace pt2::views {

Address addressOf(const Program& program, const std::string& model, const GraphItem& item) {
    Address address;
    address.model = model;
    if (item.kind == GraphItem::Kind::Node && item.id < program.nodes().size()) {
        address.kind = Address::Kind::Program;
        const auto parsed = Address::parse(address.text() + "/" + program.nodeAddress(item.id));
        return parsed ? *parsed : Address{};
    }
    if (item.kind == GraphItem::Kind::Value && item.id < program.values().size()) {
        const Value& value = program.value(item.id);
        if (value.graph == 0 && value.inputIndex < program.inputSpecs().size()) {
            const InputSpec& spec = program.inputSpecs()[value.inputIndex];
            if (spec.kind != InputKind::UserInput && !spec.target.empty()) {
                address.kind = Address::Kind::Weight;
                address.model.clear();
                address.name = std::string(spec.target);
                return address;
            }
        }
        address.kind = Address::Kind::Value;
        address.graph = program.graph(value.graph).path;
        address.name = std::string(value.name);
        return address;
    }
    return {};
}

GraphItem itemOf(const Program& program, const Address& address) {
    if (address.kind == Address::Kind::Node) {
        const std::string text = (address.graph.empty() ? std::string() : "graph/" + address.graph + "/") + "node/" + address.name;
        if (const auto node = program.nodeFromAddress(text)) return GraphItem::node(*node);
        return {};
    }
    if (address.kind == Address::Kind::Value) {
        const auto graph = program.findGraph(address.graph);
        const auto value = graph ? program.findValue(*graph, address.name) : std::nullopt;
        return value ? GraphItem::value(*value) : GraphItem{};
    }
    if (address.kind == Address::Kind::Weight) {
        for (const InputSpec& spec : program.inputSpecs()) {
            if (spec.target != address.name || spec.argument == kNone) continue;
            const ValueId value = program.argument(spec.argument).value;
            if (value != kNone) return GraphItem::value(value);
        }
    }
    return {};
}

GraphId graphOf(const Program& program, const GraphItem& item) {
    if (item.kind == GraphItem::Kind::Node && item.id < program.nodes().size()) return program.node(item.id).graph;
    if (item.kind == GraphItem::Kind::Value && item.id < program.values().size()) return program.value(item.id).graph;
    return 0;
}

}  // namespace pt2::views
