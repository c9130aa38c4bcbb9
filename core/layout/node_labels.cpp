#include "core/layout/node_labels.h"

#include <optional>

#include "core/base/text.h"
#include "core/program/operator_family.h"

namespace pt2 {
namespace {

/// The sign an arithmetic operator is written with; nullptr for others.
const char* arithmeticSign(std::string_view name) {
    if (name == "add" || name == "add_") return "+";
    if (name == "sub" || name == "sub_") return "−";
    if (name == "mul" || name == "mul_") return "×";
    if (name == "div" || name == "div_" || name == "true_divide") return "÷";
    if (name == "pow") return "^";
    if (name == "gt") return ">";
    if (name == "ge") return "≥";
    if (name == "lt") return "<";
    if (name == "le") return "≤";
    if (name == "eq") return "=";
    if (name == "ne") return "≠";
    return nullptr;
}

}  // namespace

ValueId firstOutput(const Program& program, NodeId node) {
    ValueId first = kNone;
    program.forEachOutputValue(program.node(node), [&](ValueId v) {
        if (first == kNone) first = v;
    });
    return first;
}

std::string shapeLabel(const Program& program, const Value& value) {
    switch (value.kind) {
        case ValueKind::Tensor: {
            const auto sizes = program.sizes(value);
            if (sizes.empty()) return "[]";
            std::string text;
            for (const SymInt& dim : sizes) {
                if (!text.empty()) text += "×";
                text += dim.isSymbolic() ? program.dimText(dim) : std::to_string(dim.integer);
            }
            return text;
        }
        case ValueKind::SymInt:
        case ValueKind::SymBool: return program.dimText(value.symbolic);
        case ValueKind::SymFloat: return value.symbolic.isSymbolic() ? program.dimText(value.symbolic) : formatFloat(value.real);
        case ValueKind::CustomObj: return "object";
        case ValueKind::Untyped: break;
    }
    return "?";
}

std::string typeLabel(const Program& program, const Value& value) {
    switch (value.kind) {
        case ValueKind::Tensor: return std::string(dtypeShortName(value.dtype)) + " " + shapeLabel(program, value);
        case ValueKind::SymInt: return "int " + shapeLabel(program, value);
        case ValueKind::SymBool: return "bool " + shapeLabel(program, value);
        case ValueKind::SymFloat: return "float " + shapeLabel(program, value);
        default: return shapeLabel(program, value);
    }
}

NodeLabel nodeLabel(const Program& program, NodeId id) {
    const Node& node = program.node(id);
    NodeLabel label;
    label.name = escapeForDisplay(splitOperatorName(node.target).name);
    if (label.name.empty()) label.name = escapeForDisplay(node.target);
    if (node.inputs.size() >= 2) {
        if (const char* sign = arithmeticSign(label.name)) {
            const Argument& second = program.argument(program.namedArguments()[node.inputs.begin + 1].argument);
            if (second.kind == ArgumentKind::Int) label.detail = std::string(sign) + " " + std::to_string(second.integer);
            if (second.kind == ArgumentKind::Float) label.detail = std::string(sign) + " " + formatFloat(second.real);
            if (!label.detail.empty()) return label;
        }
    }
    const ValueId out = firstOutput(program, id);
    if (out == kNone) return label;
    label.detail = shapeLabel(program, program.value(out));
    std::uint32_t count = 0;
    program.forEachOutputValue(node, [&](ValueId) { ++count; });
    if (count > 1) label.detail += " +" + std::to_string(count - 1);
    return label;
}

std::string weightLabel(const Program& program, ValueId weight) {
    const Value& value = program.value(weight);
    std::string_view name = value.name;
    // A subgraph captures weights under their names in the root graph.
    const std::optional<ValueId> outer = value.graph == 0 ? std::optional(weight) : program.findValue(0, value.name);
    if (outer) {
        const std::uint32_t place = program.value(*outer).inputIndex;
        if (place < program.inputSpecs().size() && !program.inputSpecs()[place].target.empty()) name = program.inputSpecs()[place].target;
    }
    if (const auto dot = name.rfind('.'); dot != std::string_view::npos) name.remove_prefix(dot + 1);
    const bool scalar = value.kind == ValueKind::Tensor && value.sizes.size() == 0;
    return escapeForDisplay(name) + (scalar ? std::string() : " " + shapeLabel(program, value));
}

}  // namespace pt2
