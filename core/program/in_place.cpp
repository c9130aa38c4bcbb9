#include "core/program/in_place.h"

#include <algorithm>
#include <string_view>

#include "core/program/operator_family.h"

namespace pt2 {
namespace {

// Operators whose result is a view of their first argument.
constexpr std::string_view kViews[] = {
    "alias",  "as_strided", "chunk",  "detach", "diagonal",  "expand", "expand_as",        "imag",         "lift_fresh",      "mT",       "movedim",
    "narrow", "permute",    "real",   "select", "slice",     "split",  "split_with_sizes", "squeeze",      "swapaxes",        "swapdims", "t",
    "T",      "transpose",  "unbind", "unfold", "unsqueeze", "view",   "view_as",          "view_as_real", "view_as_complex",
};
// A view or a copy, as strides and dtypes have it.
constexpr std::string_view kPerhapsViews[] = {"contiguous", "flatten", "reshape", "reshape_as", "to", "type_as", "unflatten", "ravel"};
constexpr std::string_view kTrainable[] = {"batch_norm",       "native_batch_norm", "_native_batch_norm_legit",
                                           "cudnn_batch_norm", "miopen_batch_norm", "instance_norm"};

template <std::size_t N>
bool isOneOf(const std::string_view (&names)[N], std::string_view name) {
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

/// Which graph input a value is a view of.
struct Origin {
    ValueId input = kNone;
    bool certain = true;
};

class Tracer {
public:
    explicit Tracer(const Program& program) : program_(program), origins_(program.values().size()), states_(program.values().size(), State::No) {
        const Graph& root = program.rootGraph();
        for (std::uint32_t a = root.inputs.begin; a < root.inputs.end; ++a) {
            const ValueId value = program.argument(a).value;
            if (value < origins_.size()) origins_[value] = {value, true};
        }
        for (NodeId n = root.nodes.begin; n < root.nodes.end; ++n) visit(n);
    }

    InPlaceWrites writes() const {
        InPlaceWrites result;
        const Graph& root = program_.rootGraph();
        for (std::uint32_t a = root.inputs.begin; a < root.inputs.end; ++a) {
            const ValueId value = program_.argument(a).value;
            if (value >= states_.size()) continue;
            if (states_[value] == State::Yes) result.written.push_back(value);
            if (states_[value] == State::Perhaps) result.perhaps.push_back(value);
        }
        for (const InPlaceWrites::By& write : by_) {
            if (write.certain || states_[write.input] != State::Yes) result.by.push_back(write);
        }
        return result;
    }

private:
    enum class State { No, Perhaps, Yes };

    Origin originOf(ArgumentId argument) const {
        const ValueId value = program_.argument(argument).value;
        return value < origins_.size() ? origins_[value] : Origin{};
    }

    void mark(const Origin& origin, bool certain) {
        if (origin.input == kNone) return;
        State& state = states_[origin.input];
        state = std::max(state, certain && origin.certain ? State::Yes : State::Perhaps);
        if (!by_.empty() && by_.back().input == origin.input && by_.back().node == node_) {
            by_.back().certain = by_.back().certain || (certain && origin.certain);
            return;
        }
        by_.push_back({origin.input, node_, certain && origin.certain});
    }

    void pass(const Node& node, Origin origin, bool certain) {
        if (origin.input == kNone) return;
        origin.certain = origin.certain && certain;
        program_.forEachOutputValue(node, [&](ValueId value) {
            if (value < origins_.size()) origins_[value] = origin;
        });
    }

    const NamedArgument* named(const Node& node, std::string_view name) const {
        for (std::uint32_t i = node.inputs.begin; i < node.inputs.end; ++i) {
            if (program_.namedArguments()[i].name == name) return &program_.namedArguments()[i];
        }
        return nullptr;
    }

    bool isTrue(const Node& node, std::string_view name) const {
        const NamedArgument* found = named(node, name);
        return found != nullptr && program_.argument(found->argument).kind == ArgumentKind::Bool && program_.argument(found->argument).integer != 0;
    }

    void visit(NodeId id) {
        node_ = id;
        const Node& node = program_.node(id);
        if (node.inputs.size() == 0) return;
        const OperatorName op = splitOperatorName(node.target);
        const Origin first = originOf(program_.namedArguments()[node.inputs.begin].argument);
        if (op.ns != "aten" && op.ns != "prims") {  // a function of Python reads; what another operator does is not said
            if (node.target.find("torch.ops.") == std::string_view::npos) return;
            program_.forEachInputValue(node, [&](ValueId value) {
                if (value < origins_.size()) mark(origins_[value], false);
            });
            return;
        }
        if (op.name.ends_with('_') && !op.name.ends_with("__")) {
            mark(first, true);
            pass(node, first, true);
        } else if (isOneOf(kViews, op.name)) {
            pass(node, first, true);
        } else if (isOneOf(kPerhapsViews, op.name)) {
            pass(node, first, false);
        } else if (isOneOf(kTrainable, op.name) && (isTrue(node, "training") || isTrue(node, "train") || isTrue(node, "use_input_stats"))) {
            for (const std::string_view statistic : {"running_mean", "running_var"}) {
                if (const NamedArgument* found = named(node, statistic)) mark(originOf(found->argument), true);
            }
        }
        if (const NamedArgument* out = named(node, "out")) mark(originOf(out->argument), true);
    }

    const Program& program_;
    std::vector<Origin> origins_;
    std::vector<State> states_;
    std::vector<InPlaceWrites::By> by_;
    NodeId node_ = kNone;
};

}  // namespace

InPlaceWrites inPlaceWrites(const Program& program) { return Tracer(program).writes(); }

}  // namespace pt2
