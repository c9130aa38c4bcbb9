#include "core/layout/chains.h"

#include <algorithm>

#include "core/program/operator_family.h"

namespace pt2 {
namespace {

constexpr std::size_t kMaxRows = 48;  // a box higher than a screen helps nobody

/// The one node that reads what `node` makes, or kNone when there are more readers, none, or the graph returns it.
NodeId onlyReader(const Program& program, NodeId node) {
    NodeId reader = kNone;
    bool single = true;
    program.forEachOutputValue(program.node(node), [&](ValueId v) {
        const Value& value = program.value(v);
        if (value.isGraphOutput) single = false;
        for (const NodeId user : program.users(value)) {
            if (reader != kNone && reader != user) single = false;
            reader = user;
        }
        if (isSymbolic(value)) single = false;
    });
    return single ? reader : kNone;
}

bool startsBox(const Program& program, NodeId node) {
    const OperatorFamily family = operatorFamily(program.node(node).target);
    return family == OperatorFamily::MatrixProduct || family == OperatorFamily::Convolution || family == OperatorFamily::Attention;
}

bool holdsGraph(const Program& program, NodeId id) {
    const Node& node = program.node(id);
    for (std::uint32_t i = node.inputs.begin; i < node.inputs.end; ++i) {
        if (program.argument(program.namedArguments()[i].argument).kind == ArgumentKind::Graph) return true;
    }
    return false;
}

}  // namespace

std::vector<std::vector<NodeId>> joinChains(const GraphHierarchy& hierarchy, const std::vector<NodeId>& nodes, bool join) {
    std::vector<std::vector<NodeId>> chains;
    if (!join) {
        chains.reserve(nodes.size());
        for (const NodeId n : nodes) chains.push_back({n});
        return chains;
    }
    const Program& program = hierarchy.program();
    std::vector<NodeId> sorted = nodes;
    std::sort(sorted.begin(), sorted.end());
    const auto place = [&](NodeId n) {
        const auto it = std::lower_bound(sorted.begin(), sorted.end(), n);
        return it != sorted.end() && *it == n ? static_cast<std::size_t>(it - sorted.begin()) : sorted.size();
    };
    std::vector<std::size_t> chainOf(sorted.size(), sorted.size());
    for (const NodeId n : nodes) {
        std::size_t chain = sorted.size();
        if (!startsBox(program, n) && !holdsGraph(program, n)) {
            // The first argument decides which of several chains goes on: the trunk, not the side branch.
            program.forEachInputValue(program.node(n), [&](ValueId v) {
                const NodeId from = program.value(v).producer;
                if (chain != sorted.size() || from == kNone || from >= n) return;
                const std::size_t at = place(from);
                if (at == sorted.size() || chainOf[at] == sorted.size()) return;
                const std::vector<NodeId>& candidate = chains[chainOf[at]];
                if (candidate.back() == from && candidate.size() < kMaxRows && !holdsGraph(program, from) && onlyReader(program, from) == n) {
                    chain = chainOf[at];
                }
            });
        }
        if (chain == sorted.size()) {
            chain = chains.size();
            chains.emplace_back();
        }
        chains[chain].push_back(n);
        chainOf[place(n)] = chain;
    }
    return chains;
}

}  // namespace pt2
