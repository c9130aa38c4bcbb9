#include <fmt/format.h>

#include <set>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/tensor/npy.h"
#include "core/tensor/tensor_source.h"
#include "core/tensor/tensor_zip.h"

namespace pt2 {

namespace {

constexpr std::string_view kSuffix = ".npy";

bool hasSuffix(std::string_view name) { return name.size() > kSuffix.size() && name.substr(name.size() - kSuffix.size()) == kSuffix; }

std::string keyOf(const std::string& name) { return hasSuffix(name) ? name.substr(0, name.size() - kSuffix.size()) : name; }

Result<Tensor> readEntry(const RandomAccess& source, const TensorZipEntry& record) {
    auto bytes = readTensorZipEntry(source, record);
    if (!bytes) return tl::unexpected<Error>(bytes.error());
    auto tensor = readNpy(*bytes);
    if (!tensor) tensor.error().where = source.name + ": " + escapeForDisplay(record.name);
    return tensor;
}

}  // namespace

Result<NamedTensors> readNpzFile(const std::filesystem::path& path) {
    auto file = File::openForReading(path);
    if (!file) return tl::unexpected<Error>(file.error());
    const RandomAccess source = accessTo(*file);
    auto records = readTensorZip(source);
    if (!records) return tl::unexpected<Error>(records.error());
    NamedTensors tensors;
    for (const TensorZipEntry& record : *records) {
        if (!record.name.empty() && record.name.back() == '/') continue;
        auto tensor = readEntry(source, record);
        if (!tensor) return tl::unexpected<Error>(tensor.error());
        tensors.emplace_back(keyOf(record.name), std::move(*tensor));
    }
    return tensors;
}

Result<Tensor> readNpzEntry(const std::filesystem::path& path, const std::string& key) {
    auto file = File::openForReading(path);
    if (!file) return tl::unexpected<Error>(file.error());
    const RandomAccess source = accessTo(*file);
    auto records = readTensorZip(source);
    if (!records) return tl::unexpected<Error>(records.error());
    std::vector<std::string> known;
    for (const TensorZipEntry& record : *records) {
        known.push_back(keyOf(record.name));
        if (known.back() == key) return readEntry(source, record);
    }
    const std::string near = nearestName(key, known);
    return fail({ErrorKind::Usage, "tensor.no-such-key", fmt::format("There is no array \"{}\" in the file.", escapeForDisplay(key)), path.string(),
                 "It has: " + escapeForDisplay(join(known, ", ")) + ".",
                 near.empty() ? "Name one of these." : "Did you mean \"" + escapeForDisplay(near) + "\"?"});
}

Status writeNpzFile(const std::filesystem::path& path, const NamedTensors& tensors, bool force) {
    return writeNpzFile(path, sourcesOf(tensors), force);
}

Status writeNpzFile(const std::filesystem::path& path, const NamedSources& tensors, bool force) {
    std::set<std::string> names;
    for (const auto& [name, tensor] : tensors) {
        if (name.empty() || name.size() > 60000 || !names.insert(name).second) {
            return fail({ErrorKind::Usage, "tensor.duplicate-key",
                         fmt::format("Two arrays would be named \"{}\".", escapeForDisplay(elideMiddle(name, 80))), path.string(),
                         "An .npz file names each array once.", "Save as .safetensors or .pt, or save fewer outputs."});
        }
    }
    auto file = AtomicFile::create(path, force);
    if (!file) return tl::unexpected<Error>(file.error());
    TensorZipWriter writer(*file);
    for (const auto& [name, tensor] : tensors) {
        const std::string header = npyHeader(tensor.layout());
        auto status = writer.add(name + std::string(kSuffix), [&header, &source = tensor](const std::function<Status(Bytes)>& sink) -> Status {
            if (auto written = sink(asBytes(header)); !written) return written;
            return source.streamWhole(sink);
        });
        if (!status) return status;
    }
    if (auto status = writer.finish(); !status) return status;
    return file->commit();
}

}  // namespace pt2
