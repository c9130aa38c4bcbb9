#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/tensor/tensor.h"

namespace pt2 {

/// A pickle (protocols 0 to 5) read as data: opcodes are interpreted into this tree, globals and calls stand there by name; nothing is
/// imported or called. Shared objects are shared nodes; cycles are cut with kind Reference.
struct PickleNode {
    enum class Kind { None, Bool, Int, BigInt, Float, String, Bytes, Tuple, List, Dict, Set, Global, Call, Persistent, Tensor, Reference };
    Kind kind = Kind::None;
    bool boolean = false;
    std::int64_t integer = 0;
    double real = 0;
    std::string text;  ///< String, Bytes (raw), BigInt (decimal), Global ("module.name"), Call (the callee's name), Reference
    /// Tuple, List, Set: elements. Dict: key, value, key, value... Call: arguments, then state of BUILD if any. Persistent: the id's parts.
    std::vector<std::shared_ptr<PickleNode>> children;
    /// Kind Tensor: what torch._utils._rebuild_tensor_v2 (or _rebuild_parameter around it) describes. `storageKey` names the record.
    TensorLayout layout;
    std::string storageKey;
    std::string device;
    bool isParameter = false, requiresGrad = false;
    std::vector<std::int64_t> markedDynamic;   ///< dimensions that mark_dynamic or maybe_mark_dynamic marked, if the tensor carries the marks
    bool conjugate = false, negative = false;  ///< lazy views: the values are those of the storage conjugated, negated

    PickleNode() = default;
    PickleNode(const PickleNode&) = default;
    PickleNode(PickleNode&&) = default;
    PickleNode& operator=(const PickleNode&) = default;
    PickleNode& operator=(PickleNode&&) = default;
    ~PickleNode();  ///< iterative, so that no depth of a file exhausts the stack

    /// Value of a string key of a Dict, or null.
    const PickleNode* find(std::string_view key) const;
};

struct PickleScan {
    std::vector<std::string> globals;  ///< every global named, "module.name", sorted, once each
    std::vector<std::string> unsafe;   ///< those outside the short allow-list that torch's own safe unpickler has
};

/// Limits: nothing recurses, and the tree is at most 1,000 levels deep and of at most 16 million nodes when every shared one is counted at each
/// place, so that readers of the tree may recurse. Errors: Unreadable with codes "pickle....".
Result<std::shared_ptr<PickleNode>> readPickle(Bytes bytes, PickleScan* scan = nullptr);

/// A torch.save zip (root/data.pkl, root/data/KEY) held in memory: the tree, with tensors whose bytes can be had.
class TorchSaveFile {
public:
    static Result<TorchSaveFile> read(ByteBuffer bytes);
    const std::shared_ptr<PickleNode>& root() const { return root_; }
    const PickleScan& scan() const { return scan_; }
    /// The tensor a node of kind Tensor describes; Unreadable when its storage is missing or short.
    Result<Tensor> tensor(const PickleNode& node) const;

private:
    struct Contents;
    std::shared_ptr<PickleNode> root_;
    PickleScan scan_;
    std::shared_ptr<const Contents> contents_;
};

/// A torch.save file that torch.load(path, weights_only=True) reads as a dict of tensors, names in order.
Status writeTorchSaveFile(const std::filesystem::path& path, const std::vector<std::pair<std::string, Tensor>>& tensors, bool force);

}  // namespace pt2
