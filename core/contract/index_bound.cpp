#include "core/contract/index_bound.h"

#include <algorithm>
#include <array>
#include <set>

#include "core/program/operator_family.h"

namespace pt2 {
namespace {

constexpr int kMostSteps = 8;
constexpr std::size_t kMostVisited = 4096;

bool oneOf(std::string_view name, std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// Operators whose result holds the same integers.
bool keepsValues(std::string_view name) {
    return oneOf(name, {"view",
                        "reshape",
                        "_unsafe_view",
                        "unsqueeze",
                        "squeeze",
                        "flatten",
                        "unflatten",
                        "clone",
                        "contiguous",
                        "expand",
                        "expand_as",
                        "transpose",
                        "permute",
                        "t",
                        "slice",
                        "select",
                        "detach",
                        "detach_",
                        "alias",
                        "_to_copy",
                        "to",
                        "type_as",
                        "repeat",
                        "view_as",
                        "lift_fresh_copy",
                        "narrow",
                        "split",
                        "split_with_sizes",
                        "chunk",
                        "unbind",
                        "cat",
                        "stack",
                        "pad",
                        "constant_pad_nd",
                        "roll",
                        "flip",
                        "movedim",
                        "unfold",
                        "as_strided",
                        "select_copy",
                        "slice_copy",
                        "squeeze_copy",
                        "unsqueeze_copy",
                        "view_copy",
                        "expand_copy",
                        "permute_copy",
                        "_assert_tensor_metadata"});
}

class BoundFinder {
public:
    explicit BoundFinder(const Program& program) : program_(program) {}

    std::optional<std::int64_t> run(ValueId value) {
        queue_.push_back({value, 0});
        seen_.insert(value);
        for (std::size_t i = 0; i < queue_.size() && i < kMostVisited; ++i) {
            const auto [current, steps] = queue_[i];
            for (const NodeId id : program_.users(program_.value(current))) visit(program_.node(id), current, steps);
        }
        return bound_;
    }

private:
    const Argument* argument(const Node& node, std::uint32_t position) const {
        if (position >= node.inputs.size()) return nullptr;
        return &program_.argument(program_.namedArguments()[node.inputs.begin + position].argument);
    }
    const Argument* argument(const Node& node, std::string_view name, std::uint32_t position) const {
        for (std::uint32_t i = node.inputs.begin; i < node.inputs.end; ++i) {
            const NamedArgument& named = program_.namedArguments()[i];
            if (named.name == name) return &program_.argument(named.argument);
        }
        return argument(node, position);
    }
    bool isValue(const Argument* argument, ValueId value) const { return argument != nullptr && argument->value == value; }

    void note(std::optional<std::int64_t> length) {
        if (!length || *length < 1) return;
        bound_ = bound_ ? std::min(*bound_, *length) : *length;
    }

    /// A fixed size of a tensor argument; a symbolic one promises at least 2, which is what sizes are made with.
    std::optional<std::int64_t> sizeOf(const Argument* table, std::int64_t dimension) const {
        if (table == nullptr || table->value == kNone) return std::nullopt;
        const Value& value = program_.value(table->value);
        const auto sizes = program_.sizes(value);
        if (dimension < 0) dimension += static_cast<std::int64_t>(sizes.size());
        if (dimension < 0 || dimension >= static_cast<std::int64_t>(sizes.size())) return std::nullopt;
        const SymInt& size = sizes[static_cast<std::size_t>(dimension)];
        return size.isSymbolic() ? 2 : size.integer;
    }

    void follow(ValueId value, int steps) {
        if (value != kNone && steps < kMostSteps && seen_.insert(value).second) queue_.push_back({value, steps + 1});
    }

    void visit(const Node& node, ValueId value, int steps) {
        const OperatorName target = splitOperatorName(node.target);
        if (target.ns == "higher_order") {
            intoSubgraphs(node, value, steps);
            return;
        }
        const std::string_view name = target.name;
        if (name == "embedding") {
            if (isValue(argument(node, "indices", 1), value)) note(sizeOf(argument(node, "weight", 0), 0));
        } else if (oneOf(name, {"embedding_bag", "_embedding_bag", "_embedding_bag_forward_only"})) {
            if (isValue(argument(node, "indices", 1), value)) note(sizeOf(argument(node, "weight", 0), 0));
            if (isValue(argument(node, "offsets", 2), value)) note(1);  // offsets begin at 0 and never fall
        } else if (oneOf(name, {"index", "_unsafe_index", "index_put", "index_put_", "_unsafe_index_put", "_index_put_impl_"})) {
            const Argument* indices = argument(node, "indices", 1);
            for (std::uint32_t k = 0; indices != nullptr && k < indices->children.size(); ++k) {
                if (isValue(&program_.argument(indices->children.begin + k), value)) note(sizeOf(argument(node, "self", 0), k));
            }
        } else if (oneOf(name, {"gather", "index_select", "scatter", "scatter_", "scatter_add", "scatter_add_", "scatter_reduce", "scatter_reduce_",
                                "index_add", "index_add_", "index_copy", "index_copy_", "index_fill", "index_fill_"})) {
            const Argument* dimension = argument(node, "dim", 1);
            if (isValue(argument(node, "index", 2), value) && dimension != nullptr && dimension->kind == ArgumentKind::Int) {
                note(sizeOf(argument(node, "self", 0), dimension->integer));
            }
        } else if (name == "take_along_dim") {
            const Argument* dimension = argument(node, "dim", 2);
            if (isValue(argument(node, "indices", 1), value) && dimension != nullptr && dimension->kind == ArgumentKind::Int) {
                note(sizeOf(argument(node, "self", 0), dimension->integer));
            }
        } else if (name == "one_hot") {
            const Argument* classes = argument(node, "num_classes", 1);
            if (isValue(argument(node, "self", 0), value) && classes != nullptr && classes->kind == ArgumentKind::Int) note(classes->integer);
        } else if (oneOf(name, {"cross_entropy_loss", "nll_loss", "nll_loss_nd", "nll_loss_forward", "nll_loss2d", "nll_loss2d_forward"})) {
            if (isValue(argument(node, "target", 1), value)) note(sizeOf(argument(node, "self", 0), 1));
        } else if (keepsValues(name)) {
            program_.forEachOutputValue(node, [&](ValueId output) { follow(output, steps); });
        }
    }

    /// Operands of a higher-order operator are the last inputs of its subgraphs, in order.
    void intoSubgraphs(const Node& node, ValueId value, int steps) {
        std::vector<ValueId> operands;
        program_.forEachInputValue(node, [&](ValueId operand) { operands.push_back(operand); });
        for (std::uint32_t i = node.inputs.begin; i < node.inputs.end; ++i) {
            const Argument& found = program_.argument(program_.namedArguments()[i].argument);
            if (found.kind != ArgumentKind::Graph || found.graph == kNone) continue;
            const Graph& graph = program_.graph(found.graph);
            const std::size_t count = graph.inputs.size();
            if (count > operands.size()) continue;
            for (std::size_t k = 0; k < count; ++k) {
                if (operands[operands.size() - count + k] != value) continue;
                follow(program_.argument(graph.inputs.begin + static_cast<std::uint32_t>(k)).value, steps);
            }
        }
    }

    const Program& program_;
    std::vector<std::pair<ValueId, int>> queue_;
    std::set<ValueId> seen_;
    std::optional<std::int64_t> bound_;
};

}  // namespace

std::optional<std::int64_t> indexBoundOf(const Program& program, ValueId value) { return BoundFinder(program).run(value); }

}  // namespace pt2
