#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/text.h"
#include "core/tensor/pickle.h"
#include "core/tensor/pickle_globals.h"
#include "core/tensor/tensor_source.h"
#include "core/tensor/tensor_zip.h"

namespace pt2 {

struct TorchSaveFile::Contents {
    ByteBuffer bytes;
    std::map<std::string, TensorZipEntry> storages;  // by key
    bool bigEndian = false;
};

namespace {

Error unreadable(std::string code, std::string why) {
    return {ErrorKind::Unreadable,
            std::move(code),
            "The torch.save data cannot be read.",
            {},
            std::move(why),
            "Get the file again, or save it anew with torch.save."};
}

void swapUnits(MutableBytes bytes, std::size_t unit) {
    for (std::size_t at = 0; unit > 1 && at + unit <= bytes.size(); at += unit) std::reverse(bytes.data() + at, bytes.data() + at + unit);
}

/// Flips the sign bit of real and imaginary parts, for lazily conjugated or negated tensors.
Result<Tensor> resolveLazyView(const Tensor& tensor, bool conjugate, bool negative) {
    auto plain = contiguous(tensor);
    if (!plain) return plain;
    ByteBuffer bytes(plain->storage.begin(), plain->storage.end());
    const bool complex = isComplex(tensor.layout.dtype);
    const std::size_t part = dtypeSize(tensor.layout.dtype) / (complex ? 2 : 1);
    for (std::size_t at = 0, index = 0; at + part <= bytes.size(); at += part, ++index) {
        const bool flip = negative != (conjugate && complex && index % 2 == 1);
        if (flip) bytes[at + part - 1] ^= std::byte{0x80};
    }
    return makeTensor(plain->layout, std::move(bytes));
}

class PickleWriter {
public:
    void op(char c) { out_.push_back(static_cast<std::byte>(c)); }
    void raw(std::string_view text) {
        const Bytes bytes = asBytes(text);
        out_.insert(out_.end(), bytes.begin(), bytes.end());
    }
    void global(std::string_view module, std::string_view name) {
        op('c');
        raw(module);
        op('\n');
        raw(name);
        op('\n');
    }
    void text(std::string_view value) {
        op('X');
        little(static_cast<std::uint32_t>(value.size()), 4);
        raw(value);
    }
    void integer(std::int64_t value) {
        if (value >= 0 && value < 0x7FFFFFFF) {
            op('J');
            little(static_cast<std::uint64_t>(value), 4);
        } else {
            op('\x8a');
            op('\x08');
            little(static_cast<std::uint64_t>(value), 8);
        }
    }
    void tuple(const std::vector<std::int64_t>& values) {
        op('(');
        for (const std::int64_t value : values) integer(value);
        op('t');
    }
    ByteBuffer take() { return std::move(out_); }

private:
    void little(std::uint64_t value, int bytes) {
        for (int i = 0; i < bytes; ++i) op(static_cast<char>((value >> (8 * i)) & 0xFF));
    }
    ByteBuffer out_;
};

ByteBuffer dictOfTensors(const NamedSources& tensors) {
    PickleWriter w;
    w.raw("\x80\x02");
    w.op('}');
    w.op('(');
    std::size_t key = 0;
    for (const auto& [name, tensor] : tensors) {
        const DType dtype = tensor.dtype;
        const char* storage = storageClassFor(dtype);
        std::int64_t count = 1;
        for (const std::int64_t size : tensor.sizes) count *= size;
        w.text(name);
        w.global("torch._utils", storage ? "_rebuild_tensor_v2" : "_rebuild_tensor_v3");
        w.op('(');
        w.op('(');
        w.text("storage");
        if (storage) {
            w.global("torch", storage);
        } else {
            w.global("torch.storage", "UntypedStorage");
        }
        w.text(std::to_string(key++));
        w.text("cpu");
        w.integer(storage ? count : count * static_cast<std::int64_t>(dtypeSize(dtype)));
        w.op('t');
        w.op('Q');
        w.integer(0);
        w.tuple(tensor.sizes);
        w.tuple(contiguousStrides(tensor.sizes));
        w.op('\x89');  // requires_grad: False
        w.global("collections", "OrderedDict");
        w.op(')');
        w.op('R');
        if (!storage) w.global("torch", dtypeName(dtype));
        w.op('t');
        w.op('R');
    }
    w.op('u');
    w.op('.');
    return w.take();
}

}  // namespace

Result<TorchSaveFile> TorchSaveFile::read(ByteBuffer bytes) {
    if (bytes.size() < 4 || loadLittle<std::uint32_t>(bytes, 0) != 0x04034b50) {
        const bool bare = !bytes.empty() && bytes[0] == std::byte{0x80};
        return fail(unreadable(bare ? "pickle.legacy" : "pickle.not-torch-save", bare ? "It was written by torch.save before 1.6 or by pickle itself."
                                                                                      : "It is not the zip file that torch.save writes."));
    }
    auto contents = std::make_shared<Contents>();
    contents->bytes = std::move(bytes);
    const RandomAccess source = accessTo(Bytes(contents->bytes), {});
    auto records = readTensorZip(source);
    if (!records) return tl::unexpected<Error>(records.error());
    const auto data = std::find_if(records->begin(), records->end(), [](const TensorZipEntry& record) {
        const std::size_t slash = record.name.find('/');
        return slash != std::string::npos && record.name.substr(slash + 1) == "data.pkl";
    });
    if (data == records->end()) return fail(unreadable("pickle.not-torch-save", "The zip file has no data.pkl."));
    const std::string root = data->name.substr(0, data->name.find('/') + 1);
    const std::string storagePrefix = root + "data/";
    for (const TensorZipEntry& record : *records) {
        if (record.name.compare(0, storagePrefix.size(), storagePrefix) == 0) contents->storages[record.name.substr(storagePrefix.size())] = record;
        if (record.name == root + "byteorder") {
            auto order = readTensorZipEntry(source, record, VerifyCrc::No);
            if (!order) return tl::unexpected<Error>(order.error());
            contents->bigEndian = asText(*order).substr(0, 3) == "big";
        }
    }
    auto pickle = readTensorZipEntry(source, *data, VerifyCrc::No);
    if (!pickle) return tl::unexpected<Error>(pickle.error());
    TorchSaveFile file;
    auto tree = readPickle(*pickle, &file.scan_);
    if (!tree) {
        std::string& where = tree.error().where;
        where = where.empty() ? data->name : data->name + ", " + where;
        return tl::unexpected<Error>(tree.error());
    }
    file.root_ = std::move(*tree);
    file.contents_ = std::move(contents);
    return file;
}

Result<Tensor> TorchSaveFile::tensor(const PickleNode& node) const {
    if (node.kind != PickleNode::Kind::Tensor) return fail(unreadable("pickle.no-tensor", "A tensor was expected."));
    const auto found = contents_->storages.find(node.storageKey);
    if (found == contents_->storages.end()) {
        return fail(unreadable("pickle.storage-missing", fmt::format("The storage \"{}\" is missing.", escapeForDisplay(node.storageKey))));
    }
    const TensorZipEntry& record = found->second;
    Tensor tensor;
    if (record.method == 0 && !contents_->bigEndian) {
        tensor = {node.layout, contents_, Bytes(contents_->bytes).subspan(record.dataOffset, record.size)};
        auto needed = node.layout.requiredStorageBytes();
        if (!needed) return tl::unexpected<Error>(needed.error());
        if (*needed > tensor.storage.size()) {
            return fail(unreadable("tensor.storage-short", fmt::format("{} needs {} bytes, and its storage has {}.", tensorTypeText(node.layout),
                                                                       *needed, tensor.storage.size())));
        }
    } else {
        auto bytes = readTensorZipEntry(accessTo(Bytes(contents_->bytes), {}), record, VerifyCrc::No);
        if (!bytes) return tl::unexpected<Error>(bytes.error());
        if (contents_->bigEndian) swapUnits(*bytes, dtypeSize(node.layout.dtype) / (isComplex(node.layout.dtype) ? 2 : 1));
        auto made = makeTensor(node.layout, std::move(*bytes));
        if (!made) return made;
        tensor = std::move(*made);
    }
    if (node.conjugate || node.negative) return resolveLazyView(tensor, node.conjugate, node.negative);
    return tensor;
}

Status writeTorchSaveFile(const std::filesystem::path& path, const std::vector<std::pair<std::string, Tensor>>& tensors, bool force) {
    return writeTorchSaveFile(path, sourcesOf(tensors), force);
}

Status writeTorchSaveFile(const std::filesystem::path& path, const NamedSources& tensors, bool force) {
    for (const auto& [name, tensor] : tensors) {
        if (const auto bytes = tensor.layout().requiredStorageBytes(); !bytes) return tl::unexpected<Error>(bytes.error());
    }
    auto file = AtomicFile::create(path, force);
    if (!file) return tl::unexpected<Error>(file.error());
    TensorZipWriter writer(*file);
    const auto whole = [](Bytes bytes) { return [bytes](const std::function<Status(Bytes)>& sink) { return sink(bytes); }; };
    const ByteBuffer pickle = dictOfTensors(tensors);
    constexpr std::uint32_t alignment = 64;
    if (auto status = writer.add("archive/data.pkl", whole(pickle), alignment); !status) return status;
    if (auto status = writer.add("archive/byteorder", whole(asBytes("little")), alignment); !status) return status;
    std::size_t key = 0;
    for (const auto& [name, tensor] : tensors) {
        auto status = writer.add(
            fmt::format("archive/data/{}", key++), [&source = tensor](const std::function<Status(Bytes)>& sink) { return source.streamWhole(sink); },
            alignment);
        if (!status) return status;
    }
    if (auto status = writer.add("archive/version", whole(asBytes("3\n")), alignment); !status) return status;
    if (auto status = writer.finish(); !status) return status;
    return file->commit();
}

}  // namespace pt2
