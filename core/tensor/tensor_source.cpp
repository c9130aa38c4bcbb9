#include "core/tensor/tensor_source.h"

#include <fmt/format.h>

#include "core/base/file.h"

namespace pt2 {

TensorLayout TensorSource::layout() const { return {dtype, sizes, contiguousStrides(sizes), 0}; }

Status TensorSource::streamWhole(const std::function<Status(Bytes)>& sink) const {
    const auto expected = layout().requiredStorageBytes();
    if (!expected) return tl::unexpected<Error>(expected.error());
    std::uint64_t given = 0;
    const Status done = stream([&](Bytes piece) -> Status {
        given += piece.size();
        return sink(piece);
    });
    if (!done) return done;
    if (given != *expected) {
        return fail({ErrorKind::Unreadable,
                     "tensor.length",
                     "A tensor does not have the bytes its shape needs.",
                     {},
                     fmt::format("{} needs {} bytes, and {} were read.", tensorTypeText(layout()), *expected, given),
                     "The file is damaged or was changed meanwhile; open it again."});
    }
    return {};
}

TensorSource sourceOf(const Tensor& tensor) {
    return {tensor.layout.dtype, tensor.layout.sizes,
            [tensor](const std::function<Status(Bytes)>& sink) { return forEachContiguousChunk(tensor.view(), sink); }};
}

NamedSources sourcesOf(const NamedTensors& tensors) {
    NamedSources sources;
    sources.reserve(tensors.size());
    for (const auto& [name, tensor] : tensors) sources.emplace_back(name, sourceOf(tensor));
    return sources;
}

Status writeNpyFile(const std::filesystem::path& path, const TensorSource& tensor, bool force) {
    auto file = AtomicFile::create(path, force);
    if (!file) return tl::unexpected<Error>(file.error());
    if (auto status = file->write(asBytes(npyHeader(tensor.layout()))); !status) return status;
    if (auto status = tensor.streamWhole([&](Bytes piece) { return file->write(piece); }); !status) return status;
    return file->commit();
}

const char* numpyStandIn(DType dtype) {
    switch (dtype) {
        case DType::BFloat16: return "uint16";
        case DType::Complex32: return "uint32";
        case DType::Float8E4M3FN:
        case DType::Float8E5M2:
        case DType::Float8E4M3FNUZ:
        case DType::Float8E5M2FNUZ:
        case DType::Float8E8M0FNU: return "uint8";
        default: return nullptr;
    }
}

}  // namespace pt2
