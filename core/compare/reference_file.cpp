#include "core/compare/reference_file.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/tensor/pickle.h"
#include "core/tensor/safetensors.h"

namespace pt2 {
namespace {

constexpr std::uint64_t kReferenceLimit = std::uint64_t{8} << 30;
constexpr std::size_t kMostTensors = 100000;

/// The tensors of a torch.save tree in the order a reader meets them.
Result<NamedTensors> readTorchSave(const std::filesystem::path& path) {
    auto text = readTextFile(path, kReferenceLimit);
    if (!text) return fail(text.error());
    const Bytes bytes = asBytes(*text);
    auto file = TorchSaveFile::read(ByteBuffer(bytes.begin(), bytes.end()));
    if (!file) return fail(file.error());
    NamedTensors out;
    std::vector<std::pair<std::string, const PickleNode*>> open{{"", file->root().get()}};
    for (std::size_t visits = 0; !open.empty() && visits < kMostTensors; ++visits) {
        const auto [name, node] = open.back();
        open.pop_back();
        if (node == nullptr) continue;
        if (node->kind == PickleNode::Kind::Tensor) {
            auto tensor = file->tensor(*node);
            if (!tensor) return fail(tensor.error());
            out.emplace_back(name.empty() ? std::to_string(out.size()) : name, std::move(*tensor));
            continue;
        }
        const bool isDict = node->kind == PickleNode::Kind::Dict;
        const std::size_t step = isDict ? 2 : 1;
        std::vector<std::pair<std::string, const PickleNode*>> inner;
        for (std::size_t i = 0; i + step <= node->children.size(); i += step) {
            const auto& key = node->children[i];
            inner.emplace_back(isDict && key && key->kind == PickleNode::Kind::String ? key->text : std::string(),
                               node->children[i + step - 1].get());
        }
        open.insert(open.end(), inner.rbegin(), inner.rend());
    }
    return out;
}

}  // namespace

Result<NamedTensors> readReferenceFile(const std::filesystem::path& path) {
    const std::string ending = path.extension().string();
    if (ending == ".npz") return readNpzFile(path);
    if (ending == ".safetensors") return readSafetensorsFile(path);
    if (ending == ".pt") return readTorchSave(path);
    return fail({ErrorKind::Usage,
                 "compare.reference",
                 "\"" + path.string() + "\" is not a file of reference outputs.",
                 {},
                 {},
                 "Use a file that ends in .npz, .safetensors or .pt."});
}

}  // namespace pt2
