#include "core/contract/tree_values.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/text.h"

namespace pt2 {
namespace {

using Kind = PickleNode::Kind;
constexpr std::size_t kMostLeaves = 1U << 20;

bool isSequence(const PickleNode& node) { return node.kind == Kind::Tuple || node.kind == Kind::List; }

/// The child of `data` that stands for child number `position`, key `key`, of a spec node; null when it does not fit.
const PickleNode* childFor(const PickleNode& data, const std::string& key, std::size_t position, std::size_t count) {
    if (data.kind == Kind::Dict) {
        for (std::size_t i = 0; i + 1 < data.children.size(); i += 2) {
            const PickleNode& found = *data.children[i];
            if (found.kind == Kind::String && found.text == key) return data.children[i + 1].get();
            if (found.kind == Kind::Int && std::to_string(found.integer) == key) return data.children[i + 1].get();
        }
        return data.children.size() == 2 * count ? data.children[2 * position + 1].get() : nullptr;
    }
    // A named tuple or data class is a call with its fields, or a call whose state is a dict of them.
    if (data.kind == Kind::Call && data.children.size() != count) {
        const auto state = std::find_if(data.children.rbegin(), data.children.rend(), [](const auto& child) { return child->kind == Kind::Dict; });
        return state == data.children.rend() ? nullptr : (*state)->find(key);
    }
    const bool fits = (isSequence(data) || data.kind == Kind::Call) && data.children.size() == count;
    return fits ? data.children[position].get() : nullptr;
}

/// Walks spec and tree side by side; false when they differ in form.
bool flattenBySpec(const TreeSpec& spec, const PickleNode& root, std::vector<const PickleNode*>& leaves) {
    std::vector<std::pair<std::uint32_t, const PickleNode*>> stack = {{0, &root}};
    while (!stack.empty()) {
        const auto [index, data] = stack.back();
        stack.pop_back();
        const TreeSpecNode& node = spec.nodes[index];
        if (node.isLeaf()) {
            leaves.push_back(data);
            continue;
        }
        if (node.children.empty()) continue;
        for (std::size_t k = node.children.size(); k-- > 0;) {
            const PickleNode* child = childFor(*data, k < node.keys.size() ? node.keys[k] : std::to_string(k), k, node.children.size());
            if (child == nullptr) return false;
            stack.emplace_back(node.children[k], child);
        }
        if (leaves.size() > kMostLeaves) return false;
    }
    return true;
}

/// {"x": tensor, "batch": {...}}: the values of the arguments by their names, positional and keyword ones alike.
std::vector<const PickleNode*> flattenByNames(const Contract& contract, const PickleNode& dict) {
    std::vector<const PickleNode*> leaves(contract.inputs.size(), nullptr);
    struct Open {
        std::string path;
        const PickleNode* node;
    };
    std::vector<Open> stack;
    for (std::size_t i = 0; i + 1 < dict.children.size(); i += 2) {
        if (dict.children[i]->kind == Kind::String) stack.push_back({dict.children[i]->text, dict.children[i + 1].get()});
    }
    std::size_t steps = 0;
    while (!stack.empty() && ++steps < kMostLeaves) {
        const Open open = std::move(stack.back());
        stack.pop_back();
        const bool named = std::any_of(contract.inputs.begin(), contract.inputs.end(), [&](const ContractInput& i) {
            return i.name == open.path || i.python == open.path || i.graphName == open.path;
        });
        if (named) {
            const Result<std::size_t> index = contract.findInput(open.path);
            if (index) leaves[*index] = open.node;
        } else if (isSequence(*open.node)) {
            for (std::size_t k = 0; k < open.node->children.size(); ++k) {
                stack.push_back({open.path + "[" + std::to_string(k) + "]", open.node->children[k].get()});
            }
        } else if (open.node->kind == Kind::Dict) {
            for (std::size_t k = 0; k + 1 < open.node->children.size(); k += 2) {
                if (open.node->children[k]->kind == Kind::String)
                    stack.push_back({open.path + "." + open.node->children[k]->text, open.node->children[k + 1].get()});
            }
        }
    }
    return leaves;
}

}  // namespace

std::vector<const PickleNode*> flattenLeaves(const PickleNode& root) {
    std::vector<const PickleNode*> leaves;
    std::vector<const PickleNode*> stack = {&root};
    while (!stack.empty() && leaves.size() <= kMostLeaves) {
        const PickleNode* data = stack.back();
        stack.pop_back();
        if (isSequence(*data)) {
            for (std::size_t k = data->children.size(); k-- > 0;) stack.push_back(data->children[k].get());
        } else if (data->kind == Kind::Dict) {
            for (std::size_t k = data->children.size() / 2; k-- > 0;) stack.push_back(data->children[2 * k + 1].get());
        } else {
            leaves.push_back(data);
        }
    }
    return leaves;
}

Result<std::vector<const PickleNode*>> flattenInputs(const Contract& contract, const PickleNode& root) {
    const std::size_t count = contract.inputs.size();
    std::vector<const PickleNode*> leaves;
    const bool hasSpec = !contract.inSpec.nodes.empty();
    const bool isPair =
        root.kind == Kind::Tuple && root.children.size() == 2 && isSequence(*root.children[0]) && root.children[1]->kind == Kind::Dict;
    if (hasSpec && isPair && flattenBySpec(contract.inSpec, root, leaves) && leaves.size() == count) return leaves;
    leaves.clear();
    if (hasSpec && isSequence(root)) {  // the positional arguments alone
        PickleNode pair;
        pair.kind = Kind::Tuple;
        pair.children = {std::make_shared<PickleNode>(root), std::make_shared<PickleNode>()};
        pair.children[1]->kind = Kind::Dict;
        std::vector<const PickleNode*> found;
        if (flattenBySpec(contract.inSpec, pair, found) && found.size() == count) {
            // The copy of the root shares its children, so the leaves outlive it, unless the root itself were one.
            if (std::find(found.begin(), found.end(), pair.children[0].get()) == found.end()) return found;
        }
    }
    if (root.kind == Kind::Dict) {
        leaves = flattenByNames(contract, root);
        if (std::any_of(leaves.begin(), leaves.end(), [](const PickleNode* leaf) { return leaf != nullptr; })) return leaves;
        leaves.clear();
    }
    leaves = flattenLeaves(root);
    if (leaves.size() == count) return leaves;
    // The tensors alone, in the order the library takes them.
    std::vector<const PickleNode*> tensors;
    std::copy_if(leaves.begin(), leaves.end(), std::back_inserter(tensors), [](const PickleNode* leaf) { return leaf->kind == Kind::Tensor; });
    if (tensors.size() == contract.tensorCount() && tensors.size() == leaves.size()) {
        std::vector<const PickleNode*> placed(count, nullptr);
        for (std::size_t i = 0; i < count; ++i) {
            if (contract.inputs[i].tensorIndex) placed[i] = tensors[*contract.inputs[i].tensorIndex];
        }
        return placed;
    }
    return fail({ErrorKind::Usage,
                 "input.tree-differs",
                 "The set holds " + std::to_string(leaves.size()) + " values and the model takes " + std::to_string(count) + ".",
                 {},
                 {},
                 "It must be the tuple of arguments, (args, kwargs), or a dict by the inputs' names."});
}

std::string literalOf(const PickleNode& leaf) {
    switch (leaf.kind) {
        case Kind::Bool: return leaf.boolean ? "true" : "false";
        case Kind::Int: return std::to_string(leaf.integer);
        case Kind::BigInt: return leaf.text;
        case Kind::Float: return std::isfinite(leaf.real) ? pythonFloatRepr(leaf.real) : "\"" + pythonFloatRepr(leaf.real) + "\"";
        case Kind::String: return nlohmann::json(leaf.text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
        default: return "null";
    }
}

}  // namespace pt2
