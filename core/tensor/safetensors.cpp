#include "core/tensor/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/tensor/tensor_source.h"

namespace pt2 {

namespace {

constexpr std::uint64_t kHeaderLimit = 100'000'000;  // the format's own bound

struct NameRow {
    const char* name;
    DType dtype;
};
constexpr NameRow kNames[] = {
    {"F64", DType::Float64},
    {"F32", DType::Float32},
    {"F16", DType::Float16},
    {"BF16", DType::BFloat16},
    {"I64", DType::Int64},
    {"I32", DType::Int32},
    {"I16", DType::Int16},
    {"I8", DType::Int8},
    {"U8", DType::UInt8},
    {"BOOL", DType::Bool},
    {"U64", DType::UInt64},
    {"U32", DType::UInt32},
    {"U16", DType::UInt16},
    {"F8_E4M3", DType::Float8E4M3FN},
    {"F8_E5M2", DType::Float8E5M2},
    {"C64", DType::Complex64},
    {"F8_E8M0", DType::Float8E8M0FNU},
};

Error damaged(const std::string& where, std::string why) {
    return {ErrorKind::Unreadable, "tensor.safetensors", "The .safetensors file cannot be read.", where, std::move(why), "Get the file again."};
}

}  // namespace

Result<NamedTensors> readSafetensorsFile(const std::filesystem::path& path) {
    const std::string where = path.string();
    auto file = File::openForReading(path);
    if (!file) return tl::unexpected<Error>(file.error());
    ByteBuffer lengthBytes(8);
    if (file->size() < 8) return fail(damaged(where, "It is shorter than its first field."));
    if (auto status = file->readAt(0, lengthBytes); !status) return tl::unexpected<Error>(status.error());
    const auto headerLength = loadLittle<std::uint64_t>(lengthBytes, 0);
    if (headerLength > kHeaderLimit || headerLength > file->size() - 8) return fail(damaged(where, "Its header length does not fit the file."));
    ByteBuffer headerBytes(static_cast<std::size_t>(headerLength));
    if (auto status = file->readAt(8, headerBytes); !status) return tl::unexpected<Error>(status.error());
    // The header is flat: depth is bounded so that nested arrays cannot exhaust the stack.
    bool tooDeep = false;
    const auto header = nlohmann::json::parse(
        asText(headerBytes),
        [&tooDeep](int depth, nlohmann::json::parse_event_t, nlohmann::json&) {
            if (depth > 8) tooDeep = true;
            return depth <= 8;
        },
        false);
    if (header.is_discarded() || !header.is_object() || tooDeep) return fail(damaged(where, "Its header is not the JSON it should be."));
    const std::uint64_t dataAt = 8 + headerLength;
    struct Entry {
        std::uint64_t begin = 0, end = 0;
        std::string name;
        TensorLayout layout;
    };
    std::vector<Entry> entries;
    for (const auto& [name, value] : header.items()) {
        if (name == "__metadata__") continue;
        const std::string shown = escapeForDisplay(name);
        Entry entry;
        entry.name = name;
        const auto dtype = value.is_object() ? value.find("dtype") : value.end();
        const auto shape = value.is_object() ? value.find("shape") : value.end();
        const auto offsets = value.is_object() ? value.find("data_offsets") : value.end();
        if (!value.is_object() || dtype == value.end() || shape == value.end() || offsets == value.end() || !dtype->is_string() ||
            !shape->is_array() || !offsets->is_array() || offsets->size() != 2 || !(*offsets)[0].is_number_unsigned() ||
            !(*offsets)[1].is_number_unsigned()) {
            return fail(damaged(where, fmt::format("The entry of \"{}\" is not understood.", shown)));
        }
        const auto& dtypeName = dtype->get_ref<const std::string&>();
        for (const NameRow& row : kNames) {
            if (dtypeName == row.name) entry.layout.dtype = row.dtype;
        }
        if (entry.layout.dtype == DType::Unknown) {
            return fail(damaged(where, fmt::format("The element type \"{}\" of \"{}\" is not supported.", escapeForDisplay(dtypeName), shown)));
        }
        for (const auto& size : *shape) {
            if (!size.is_number_unsigned() || size.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
                return fail(damaged(where, fmt::format("The shape of \"{}\" is not valid.", shown)));
            }
            entry.layout.sizes.push_back(static_cast<std::int64_t>(size.get<std::uint64_t>()));
        }
        entry.layout.strides = contiguousStrides(entry.layout.sizes);
        entry.begin = (*offsets)[0].get<std::uint64_t>();
        entry.end = (*offsets)[1].get<std::uint64_t>();
        auto needed = entry.layout.requiredStorageBytes();
        if (!needed) return fail(damaged(where, fmt::format("The shape of \"{}\" is not valid.", shown)));
        if (entry.begin > entry.end || entry.end > file->size() - dataAt || entry.end - entry.begin != *needed) {
            return fail(damaged(where, fmt::format("The bytes of \"{}\" do not fit its shape or lie outside the file.", shown)));
        }
        entries.push_back(std::move(entry));
    }
    std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.begin < b.begin; });
    NamedTensors tensors;
    std::uint64_t expected = 0;
    for (Entry& entry : entries) {
        // Overlaps would let a small file claim any amount of memory.
        if (entry.begin < expected)
            return fail(damaged(where, fmt::format("The bytes of \"{}\" overlap another tensor's.", escapeForDisplay(entry.name))));
        expected = entry.end;
        ByteBuffer storage(static_cast<std::size_t>(entry.end - entry.begin));
        if (auto status = file->readAt(dataAt + entry.begin, storage); !status) return tl::unexpected<Error>(status.error());
        auto tensor = makeTensor(std::move(entry.layout), std::move(storage));
        if (!tensor) return tl::unexpected<Error>(tensor.error());
        tensors.emplace_back(std::move(entry.name), std::move(*tensor));
    }
    return tensors;
}

bool safetensorsHas(DType dtype) {
    return std::any_of(std::begin(kNames), std::end(kNames), [dtype](const NameRow& row) { return row.dtype == dtype; });
}

Status writeSafetensorsFile(const std::filesystem::path& path, const NamedTensors& tensors, bool force) {
    return writeSafetensorsFile(path, sourcesOf(tensors), force);
}

Status writeSafetensorsFile(const std::filesystem::path& path, const NamedSources& tensors, bool force) {
    nlohmann::ordered_json header = nlohmann::ordered_json::object();
    std::set<std::string> names;
    std::uint64_t offset = 0;
    // Wider elements first, as the format's own writer does it: then every tensor begins at a multiple of its element size.
    NamedSources sorted = tensors;
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return dtypeSize(a.second.dtype) > dtypeSize(b.second.dtype); });
    for (const auto& [name, tensor] : sorted) {
        const auto row = std::find_if(std::begin(kNames), std::end(kNames), [&dtype = tensor.dtype](const NameRow& r) { return r.dtype == dtype; });
        if (row == std::end(kNames)) {
            return fail({ErrorKind::Usage, "tensor.safetensors-dtype",
                         fmt::format("\"{}\" cannot be written as .safetensors.", escapeForDisplay(name)), path.string(),
                         fmt::format("The format has no {}.", dtypeName(tensor.dtype)), "Save as .npz or .pt."});
        }
        if (!isValidUtf8(name) || name == "__metadata__" || !names.insert(name).second) {
            return fail({ErrorKind::Usage, "tensor.duplicate-key",
                         fmt::format("\"{}\" cannot be a name in a .safetensors file.", escapeForDisplay(name)), path.string(),
                         "Names are unique UTF-8 text.", "Save fewer outputs, or as .pt."});
        }
        auto count = tensor.layout().elementCount();
        if (!count) return tl::unexpected<Error>(count.error());
        std::uint64_t bytes = 0, end = 0;
        if (!multiplySafe(*count, dtypeSize(tensor.dtype), bytes) || !addSafe(offset, bytes, end)) {
            return fail({ErrorKind::Usage, "tensor.too-large", "The tensors are too large for one file.", path.string(), {}, "Save fewer tensors."});
        }
        header[name] = {{"dtype", row->name}, {"shape", tensor.sizes}, {"data_offsets", {offset, end}}};
        offset = end;
    }
    std::string text = header.dump();
    text.append((8 - text.size() % 8) % 8, ' ');
    auto file = AtomicFile::create(path, force);
    if (!file) return tl::unexpected<Error>(file.error());
    ByteBuffer length(8);
    for (std::size_t i = 0; i < 8; ++i) length[i] = static_cast<std::byte>((static_cast<std::uint64_t>(text.size()) >> (8 * i)) & 0xFF);
    if (auto status = file->write(length); !status) return status;
    if (auto status = file->write(asBytes(text)); !status) return status;
    for (const auto& [name, tensor] : sorted) {
        if (auto status = tensor.streamWhole([&](Bytes chunk) { return file->write(chunk); }); !status) return status;
    }
    return file->commit();
}

}  // namespace pt2
