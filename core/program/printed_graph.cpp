#include "core/program/printed_graph.h"

#include "core/program/operator_family.h"
#include "core/program/printed_names.h"

namespace pt2 {

bool isHigherOrder(std::string_view target) { return target.substr(0, 23) == "torch.ops.higher_order."; }

namespace {

bool isSymbol(ArgumentKind kind) { return kind == ArgumentKind::SymInt || kind == ArgumentKind::SymFloat || kind == ArgumentKind::SymBool; }
bool isNamed(const Argument& a) { return a.value != kNone && (a.kind == ArgumentKind::Tensor || isSymbol(a.kind)); }
bool isList(ArgumentKind kind) {
    return kind == ArgumentKind::Tensors || kind == ArgumentKind::OptionalTensors || kind == ArgumentKind::NestedTensors ||
           kind == ArgumentKind::SymInts || kind == ArgumentKind::Ints;
}

/// The operator's own name as torch.fx derives node names from it: "topk_default", "cond".
std::string ownName(std::string_view target) {
    const OperatorName parts = splitOperatorName(target);
    std::string name(parts.name);
    if (!parts.overload.empty()) name += "." + std::string(parts.overload);
    std::string out;
    for (std::size_t i = 0; i < name.size(); ++i) {
        const bool upper = name[i] >= 'A' && name[i] <= 'Z';
        if (upper && i > 0 && name[i - 1] >= 'a' && name[i - 1] <= 'z') out += '_';
        out += upper ? static_cast<char>(name[i] - 'A' + 'a') : name[i];
    }
    return out;
}

class Builder {
public:
    Builder(const Program& program, GraphId graph) : program_(program), graph_(program.graph(graph)) {
        out_.nodeOfValue.assign(graph_.values.size(), kNone);
    }

    PrintedGraph run() {
        for (std::uint32_t i = graph_.inputs.begin; i < graph_.inputs.end; ++i) placeholder(program_.argument(i), i - graph_.inputs.begin);
        for (NodeId id = graph_.nodes.begin; id < graph_.nodes.end; ++id) call(id);
        return std::move(out_);
    }

private:
    std::uint32_t add(PrintedNode node) {
        const auto id = static_cast<std::uint32_t>(out_.nodes.size());
        if (node.value != kNone) out_.nodeOfValue[node.value - graph_.values.begin] = id;
        out_.nodes.push_back(std::move(node));
        return id;
    }

    void placeholder(const Argument& argument, std::uint32_t index) {
        PrintedNode node;
        node.kind = PrintedNode::Kind::Placeholder;
        if (argument.value != kNone) {
            node.value = argument.value;
            node.target = program_.value(argument.value).name;
            node.name = std::string(node.target);
            names_.request(node.name);
        } else {
            // In a subgraph the index still counts in the root's signature, as in torch.
            if (index < program_.inputSpecs().size()) node.target = program_.inputSpecs()[index].name;
            node.name = names_.request(node.target.empty() ? "arg" + std::to_string(index) : std::string(node.target));
        }
        add(std::move(node));
    }

    void graphArguments(NodeId id, const Argument& argument, std::vector<std::uint32_t>& made) {  // lists are a few levels deep
        if (argument.kind == ArgumentKind::Graph) {
            PrintedNode node;
            node.kind = PrintedNode::Kind::GetAttr;
            node.target = argument.text;
            node.name = names_.request(argument.text);
            if (isHigherOrder(program_.node(id).target)) node.node = id;
            made.push_back(add(std::move(node)));
        }
        for (std::uint32_t i = argument.children.begin; i < argument.children.end; ++i) graphArguments(id, program_.argument(i), made);
    }

    void call(NodeId id) {
        const Node& node = program_.node(id);
        const bool higherOrder = isHigherOrder(node.target);
        const bool tupleOfOne = higherOrder && !node.isHopSingleTensorReturn.value_or(false);
        PrintedNode printed;
        printed.node = id;
        for (std::uint32_t i = node.inputs.begin; i < node.inputs.end; ++i) {
            graphArguments(id, program_.argument(program_.namedArguments()[i].argument), printed.getAttrs);
        }
        const std::uint32_t count = node.outputs.size();
        const Argument* only = count == 1 ? &program_.argument(node.outputs.begin) : nullptr;
        const bool single = only != nullptr && isNamed(*only) && !tupleOfOne;
        if (!node.name.empty()) {
            printed.name = names_.request(node.name);
        } else if (single) {
            printed.name = names_.request(program_.value(only->value).name);
        } else {
            printed.name = names_.request(ownName(node.target));
        }
        if (single) {
            printed.value = only->value;
            printed.name = std::string(program_.value(only->value).name);
        } else if (only != nullptr && only->kind == ArgumentKind::None && !tupleOfOne) {
            printed.name = names_.request(ownName(node.target) + "_unused");
        }
        const std::uint32_t source = add(std::move(printed));
        if (count == 0 || single || (only != nullptr && only->kind == ArgumentKind::None && !tupleOfOne)) return;
        if (only != nullptr && isList(only->kind) && !tupleOfOne) {
            getItems(source, id, only->children);
        } else {
            getItems(source, id, node.outputs);
        }
    }

    void getItems(std::uint32_t source, NodeId id, IdRange outputs) {
        for (std::uint32_t i = outputs.begin; i < outputs.end; ++i) {
            const Argument& output = program_.argument(i);
            PrintedNode item;
            item.kind = PrintedNode::Kind::GetItem;
            item.node = id;
            item.source = source;
            item.index = i - outputs.begin;
            if (isNamed(output)) {
                item.value = output.value;
                item.name = std::string(program_.value(output.value).name);
                names_.request(item.name);
            } else {
                item.name = names_.request(isList(output.kind) ? "getitem" : "as_none");
            }
            const std::uint32_t inner = add(std::move(item));
            if (isList(output.kind)) getItems(inner, id, output.children);
        }
    }

    const Program& program_;
    const Graph& graph_;
    NameTable names_;
    PrintedGraph out_;
};

}  // namespace

PrintedGraph buildPrintedGraph(const Program& program, GraphId graph) { return Builder(program, graph).run(); }

}  // namespace pt2
