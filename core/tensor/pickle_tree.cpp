#include "core/tensor/pickle_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "core/tensor/pickle_globals.h"

namespace pt2 {

namespace {

using Kind = PickleNode::Kind;

constexpr std::uint64_t kDepthLimit = 1000;
constexpr std::uint64_t kExpandedLimit = 16'000'000;

std::optional<std::vector<std::int64_t>> integers(const PickleNode& node) {
    if (node.kind != Kind::Tuple && node.kind != Kind::List) return std::nullopt;
    std::vector<std::int64_t> values;
    for (const PickleNodePtr& child : node.children) {
        if (child->kind != Kind::Int) return std::nullopt;
        values.push_back(child->integer);
    }
    return values;
}

struct StorageReference {
    DType dtype = DType::Unknown;
    std::string key, device;
};
/// ('storage', torch.FloatStorage, '0', 'cpu', 128)
std::optional<StorageReference> storageOf(const PickleNode& node) {
    if (node.kind != Kind::Persistent || node.children.size() < 5) return std::nullopt;
    const auto& c = node.children;
    if (c[0]->kind != Kind::String || c[0]->text != "storage" || c[1]->kind != Kind::Global || c[2]->kind != Kind::String ||
        c[3]->kind != Kind::String) {
        return std::nullopt;
    }
    if (c[2]->text.size() > 255 || c[3]->text.size() > 63) return std::nullopt;
    return StorageReference{dtypeOfStorageClass(c[1]->text), c[2]->text, c[3]->text};
}

bool flag(const PickleNode* node) { return node != nullptr && node->kind == Kind::Bool && node->boolean; }

/// torch._utils._rebuild_tensor, _v2 (storage, offset, size, stride, requires_grad, hooks, metadata) and _v3 (..., hooks, dtype, metadata).
PickleNodePtr rebuildTensor(std::string_view callee, const std::vector<PickleNodePtr>& a) {
    const bool v3 = callee == "torch._utils._rebuild_tensor_v3";
    if (a.size() < (v3 ? 7U : 4U) || a[1]->kind != Kind::Int) return nullptr;
    const auto storage = storageOf(*a[0]);
    const auto sizes = integers(*a[2]);
    const auto strides = integers(*a[3]);
    if (!storage || !sizes || !strides) return nullptr;
    DType dtype = storage->dtype;
    if (v3) dtype = a[6]->kind == Kind::Global ? dtypeFromName(a[6]->text).value_or(DType::Unknown) : DType::Unknown;
    if (dtype == DType::Unknown) return nullptr;
    auto node = std::make_shared<PickleNode>();
    node->kind = Kind::Tensor;
    node->layout = {dtype, *sizes, *strides, a[1]->integer};
    node->storageKey = storage->key;
    node->device = storage->device;
    node->requiresGrad = a.size() > 4 && flag(a[4].get());
    const std::size_t metadata = v3 ? 7 : 6;
    if (a.size() > metadata && a[metadata]->kind == Kind::Dict) {
        node->conjugate = flag(a[metadata]->find("conj"));
        node->negative = flag(a[metadata]->find("neg"));
    }
    return node;
}

PickleNodePtr copyAsParameter(const PickleNode& tensor, const std::vector<PickleNodePtr>& arguments) {
    auto node = std::make_shared<PickleNode>(tensor);
    node->isParameter = true;
    if (arguments.size() > 1) node->requiresGrad = flag(arguments[1].get());
    return node;
}

PickleNodePtr container(Kind kind, std::vector<PickleNodePtr> children) {
    auto node = std::make_shared<PickleNode>();
    node->kind = kind;
    node->children = std::move(children);
    return node;
}

bool isSequence(const PickleNode& node) { return node.kind == Kind::Tuple || node.kind == Kind::List || node.kind == Kind::Set; }

/// OrderedDict() or OrderedDict([(key, value), ...]).
PickleNodePtr orderedDict(const std::vector<PickleNodePtr>& a) {
    auto node = container(Kind::Dict, {});
    if (a.empty()) return node;
    if (a.size() != 1) return nullptr;
    if (a[0]->kind == Kind::Dict) {
        node->children = a[0]->children;
        return node;
    }
    if (!isSequence(*a[0])) return nullptr;
    for (const PickleNodePtr& pair : a[0]->children) {
        if (!isSequence(*pair) || pair->children.size() != 2) return nullptr;
        node->children.insert(node->children.end(), pair->children.begin(), pair->children.end());
    }
    return node;
}

PickleNodePtr bytesOf(const std::vector<PickleNodePtr>& a) {
    // _codecs.encode(text, 'latin1') is how protocol 2 writes bytes: each code point is one byte.
    if (a.empty() || a[0]->kind != Kind::String) return nullptr;
    if (a.size() > 1 && a[1]->text != "latin1" && a[1]->text != "latin-1") return nullptr;
    auto node = container(Kind::Bytes, {});
    const std::string& text = a[0]->text;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        if (c < 0x80) {
            node->text += static_cast<char>(c);
        } else if ((c == 0xC2 || c == 0xC3) && i + 1 < text.size()) {
            node->text += static_cast<char>(((c & 3) << 6) | (static_cast<unsigned char>(text[++i]) & 0x3F));
        } else {
            return nullptr;
        }
    }
    return node;
}

/// Attributes that torch.export's callers leave on a tensor: mark_dynamic(x, 0) makes {'_dynamo_dynamic_indices': {0}, ...}.
void readMarks(const PickleNode& state, std::vector<std::int64_t>& marked) {
    constexpr std::size_t kMostMarks = 64;  // torch tensors have at most that many dimensions
    if (state.kind != Kind::Dict) return;
    for (const char* key : {"_dynamo_dynamic_indices", "_dynamo_weak_dynamic_indices", "_dynamo_unbacked_indices"}) {
        const PickleNode* indices = state.find(key);
        if (indices == nullptr || indices->kind != Kind::Set) continue;
        for (const PickleNodePtr& index : indices->children) {
            if (index->kind == Kind::Int && index->integer >= 0 && marked.size() < kMostMarks) marked.push_back(index->integer);
        }
    }
    std::sort(marked.begin(), marked.end());
    marked.erase(std::unique(marked.begin(), marked.end()), marked.end());
}

PickleNodePtr interpretKnown(const std::string& name, const std::vector<PickleNodePtr>& a) {
    if (name == "torch._utils._rebuild_tensor_v2" || name == "torch._utils._rebuild_tensor_v3" || name == "torch._utils._rebuild_tensor") {
        return rebuildTensor(name, a);
    }
    if (name == "torch._utils._rebuild_parameter" || name == "torch._utils._rebuild_parameter_with_state" || name == "torch.nn.parameter.Parameter") {
        return !a.empty() && a[0]->kind == Kind::Tensor ? copyAsParameter(*a[0], a) : nullptr;
    }
    if (name == "torch._tensor._rebuild_from_type_v2") {
        // A plain tensor or parameter that carries Python attributes; other classes stay a labelled call.
        if (a.size() < 3 || a[0]->kind != Kind::Global || a[1]->kind != Kind::Global || a[2]->kind != Kind::Tuple) return nullptr;
        if (a[1]->text != "torch.Tensor" && a[1]->text != "torch.nn.parameter.Parameter") return nullptr;
        if (a[0]->text == name) return nullptr;
        auto inner = interpretKnown(a[0]->text, a[2]->children);
        if (!inner || inner->kind != Kind::Tensor) return nullptr;
        if (a[1]->text == "torch.nn.parameter.Parameter") inner->isParameter = true;
        if (a.size() > 3) readMarks(*a[3], inner->markedDynamic);
        return inner;
    }
    if (name == "collections.OrderedDict" || name == "builtins.dict") return orderedDict(a);
    if (name == "torch.Size" || name == "builtins.tuple")
        return a.size() == 1 && isSequence(*a[0]) ? container(Kind::Tuple, a[0]->children) : nullptr;
    if (name == "builtins.set" || name == "builtins.frozenset") {
        return a.size() == 1 && isSequence(*a[0]) ? container(Kind::Set, a[0]->children) : nullptr;
    }
    constexpr std::string_view typedLists = "torch.jit._pickle.build_";
    if (name.compare(0, typedLists.size(), typedLists) == 0) {
        return a.size() == 1 && isSequence(*a[0]) ? container(Kind::List, a[0]->children) : nullptr;
    }
    if (name == "_codecs.encode") return bytesOf(a);
    return nullptr;
}

Error tooMuch(std::string code, std::string why) {
    return {ErrorKind::Unreadable, std::move(code), "The pickle cannot be read.", {}, std::move(why), "The file is damaged or was made to harm."};
}

}  // namespace

PickleNode::~PickleNode() {
    if (children.empty()) return;
    std::vector<PickleNodePtr> pending = std::move(children);
    while (!pending.empty()) {
        const PickleNodePtr node = std::move(pending.back());
        pending.pop_back();
        if (node && node.use_count() == 1) {
            for (PickleNodePtr& child : node->children) pending.push_back(std::move(child));
            node->children.clear();
        }
    }
}

const PickleNode* PickleNode::find(std::string_view key) const {
    if (kind != Kind::Dict) return nullptr;
    for (std::size_t i = 0; i + 1 < children.size(); i += 2) {
        if (children[i]->kind == Kind::String && children[i]->text == key) return children[i + 1].get();
    }
    return nullptr;
}

PickleNodePtr interpretCall(const PickleNodePtr& callee, std::vector<PickleNodePtr> arguments) {
    const std::string name = callee->kind == Kind::Global                               ? callee->text
                             : callee->kind == Kind::Call && callee->text.size() < 2000 ? callee->text + "()"
                                                                                        : std::string("?");
    if (auto known = interpretKnown(name, arguments)) return known;
    auto node = container(Kind::Call, std::move(arguments));
    node->text = name;
    return node;
}

Status makeWalkable(const PickleNodePtr& root, std::unordered_set<const PickleNode*>& reached) {
    struct Facts {
        bool open = true;
        std::uint64_t depth = 1, expanded = 1;
    };
    struct Frame {
        PickleNode* node;
        std::size_t next;
    };
    std::unordered_map<const PickleNode*, Facts> seen;
    std::vector<Frame> path;
    seen.emplace(root.get(), Facts{});
    path.push_back({root.get(), 0});
    while (!path.empty()) {
        Frame& frame = path.back();
        if (frame.next < frame.node->children.size()) {
            PickleNodePtr& child = frame.node->children[frame.next];
            const auto found = seen.find(child.get());
            if (found != seen.end() && found->second.open) {
                auto reference = std::make_shared<PickleNode>();
                reference->kind = Kind::Reference;
                reference->text = "a container above";
                child = std::move(reference);
            }
            PickleNode* target = child.get();
            ++frame.next;
            if (found == seen.end() || target != found->first) {
                if (path.size() >= kDepthLimit) return fail(tooMuch("pickle.too-deep", fmt::format("It nests deeper than {} levels.", kDepthLimit)));
                if (seen.emplace(target, Facts{}).second) path.push_back({target, 0});
            }
            continue;
        }
        Facts& facts = seen[frame.node];
        for (const PickleNodePtr& child : frame.node->children) {
            const Facts& inner = seen[child.get()];
            facts.depth = std::max(facts.depth, inner.depth + 1);
            facts.expanded += inner.expanded;
        }
        facts.open = false;
        if (facts.depth > kDepthLimit) return fail(tooMuch("pickle.too-deep", fmt::format("It nests deeper than {} levels.", kDepthLimit)));
        if (facts.expanded > kExpandedLimit) {
            return fail(tooMuch("pickle.too-large", "Written out with every shared object at each of its places it has more than 16 million nodes."));
        }
        path.pop_back();
    }
    for (const auto& [node, facts] : seen) reached.insert(node);
    return {};
}

}  // namespace pt2
