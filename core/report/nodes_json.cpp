#include "core/report/nodes_json.h"

#include "core/package/address.h"
#include "core/program/printed_form.h"

namespace pt2 {

Json nodesJson(const Program& program, const std::string& model, const std::vector<NodeId>& nodes) {
    Address base;
    base.kind = Address::Kind::Program;
    base.model = model;
    const std::string prefix = base.text() + "/";
    Json out = Json::array();
    for (const NodeId id : nodes) {
        const Node& node = program.node(id);
        Json inputs = Json::array();
        for (std::uint32_t i = node.inputs.begin; i < node.inputs.end; ++i) {
            const NamedArgument& named = program.namedArguments()[i];
            inputs.push_back({{"name", named.name}, {"value", printArgument(program, named.argument)}});
        }
        Json outputs = Json::array();
        program.forEachOutputValue(node, [&](ValueId valueId) {
            const Value& value = program.value(valueId);
            if (value.kind == ValueKind::Tensor) {
                outputs.push_back({{"name", value.name}, {"dtype", dtypeName(value.dtype)}, {"shape", program.sizesText(value)}});
            } else {
                outputs.push_back({{"name", value.name}, {"dtype", nullptr}, {"shape", nullptr}});
            }
        });
        const NodeMetadata metadata = program.metadata(id);
        Json stack = Json::array();
        for (const SourceFrame& frame : metadata.stackTrace) {
            stack.push_back({{"file", frame.file}, {"line", frame.line}, {"function", frame.function}, {"code", frame.code}});
        }
        out.push_back({{"address", prefix + program.nodeAddress(id)},
                       {"name", program.displayName(id)},
                       {"op", node.target},
                       {"inputs", std::move(inputs)},
                       {"outputs", std::move(outputs)},
                       {"module", program.modulePath(id)},
                       {"stack", std::move(stack)},
                       {"graph", program.graph(node.graph).path}});
    }
    return out;
}

}  // namespace pt2
