#include "core/package/weights_config.h"

#include <fmt/format.h>

#include <simdjson.h>

#include "core/base/text.h"

namespace pt2 {

namespace {

using simdjson::dom::element;
using simdjson::dom::object;

/// {"as_int": n} or a plain number; nothing for expressions, texts and numbers beyond 64 bits.
std::optional<std::int64_t> plainInteger(const element& node) {
    std::int64_t value = 0;
    if (node.is_object() ? node["as_int"].get(value) == simdjson::SUCCESS : node.get(value) == simdjson::SUCCESS) return value;
    return std::nullopt;
}

bool readList(const object& meta, const char* key, std::vector<std::int64_t>& out) {
    simdjson::dom::array list;
    if (meta[key].get(list) != simdjson::SUCCESS) return false;
    for (const element item : list) {
        const std::optional<std::int64_t> value = plainInteger(item);
        if (!value) return false;
        out.push_back(*value);
    }
    return true;
}

/// Fills the layout; the reason in words when the meta is not that of a stored tensor.
std::string readTensorMeta(const element& node, TensorLayout& layout) {
    object meta;
    if (node.get(meta) != simdjson::SUCCESS) return "its tensor_meta is not an object";
    std::int64_t dtype = 0;
    if (meta["dtype"].get(dtype) != simdjson::SUCCESS) return "its dtype is not a number";
    layout.dtype = dtype >= 0 && dtype <= 1000 ? dtypeFromSchema(static_cast<int>(dtype)) : DType::Unknown;
    if (layout.dtype == DType::Unknown) return fmt::format("its dtype {} is not known", dtype);
    if (!readList(meta, "sizes", layout.sizes)) return "its sizes are not plain integers";
    if (!readList(meta, "strides", layout.strides)) return "its strides are not plain integers";
    if (layout.sizes.size() != layout.strides.size()) {
        return fmt::format("it has {} sizes and {} strides", layout.sizes.size(), layout.strides.size());
    }
    element offset;
    if (meta["storage_offset"].get(offset) == simdjson::SUCCESS) {
        const std::optional<std::int64_t> value = plainInteger(offset);
        if (!value) return "its storage offset is not a plain integer";
        layout.storageOffset = *value;
    }
    return {};
}

bool flag(const object& entry, const char* key) {
    bool value = false;
    return entry[key].get(value) == simdjson::SUCCESS && value;
}

void addIssue(Issues& issues, Severity severity, const char* code, std::string_view fqn, std::string message, std::string help = {}) {
    issues.push_back({severity, code, "weights/" + std::string(fqn), std::move(message), std::move(help)});
}

}  // namespace

Result<std::vector<WeightEntry>> readPayloadConfig(std::string_view json, const Archive& archive, std::string_view folder, std::string_view where,
                                                   Issues& issues) {
    const auto broken = [&](std::string why) {
        return fail({ErrorKind::Unreadable, "weights.bad-config", fmt::format("Cannot read the weights' list in \"{}\".", where), std::string(where),
                     std::move(why), "The graph is readable all the same; export the file again to get its weights."});
    };
    simdjson::dom::parser parser;
    element document;
    if (const auto error = parser.parse(json.data(), json.size()).get(document)) {
        return broken(fmt::format("It is not valid JSON ({}).", simdjson::error_message(error)));
    }
    object config;
    if (document["config"].get(config) != simdjson::SUCCESS) return broken("It has no object \"config\".");
    std::vector<WeightEntry> entries;
    entries.reserve(config.size());
    for (const simdjson::dom::key_value_pair field : config) {
        const std::string_view fqn = field.key;
        WeightEntry weight;
        weight.fqn = fqn;
        object entry;
        if (field.value.get(entry) != simdjson::SUCCESS) {
            addIssue(issues, Severity::Error, "weights.bad-entry", fqn,
                     fmt::format("The entry of \"{}\" in the weights' list is not an object.", escapeForDisplay(fqn)));
            entries.push_back(std::move(weight));
            continue;
        }
        weight.isParameter = flag(entry, "is_param");
        weight.usePickle = flag(entry, "use_pickle");
        std::string_view path;
        if (entry["path_name"].get(path) == simdjson::SUCCESS) weight.pathName = path;
        const bool objectRecord = weight.pathName.starts_with("custom_obj_") || weight.pathName.starts_with("opaque_obj_");
        element meta;
        const bool hasMeta = entry["tensor_meta"].get(meta) == simdjson::SUCCESS && !meta.is_null();
        weight.isObject = objectRecord || (!hasMeta && weight.usePickle);
        if (hasMeta) {
            object fields;
            weight.requiresGrad = meta.get(fields) == simdjson::SUCCESS && flag(fields, "requires_grad");
            if (const std::string reason = readTensorMeta(meta, weight.layout); !reason.empty()) {
                weight.layout = {};
                addIssue(issues, Severity::Error, "weights.bad-meta", fqn,
                         fmt::format("\"{}\" cannot be read as a tensor: {}.", escapeForDisplay(fqn), reason));
            }
        } else if (!weight.isObject) {
            addIssue(issues, Severity::Error, "weights.no-meta", fqn,
                     fmt::format("\"{}\" has no tensor_meta, so neither its dtype nor its shape is known.", escapeForDisplay(fqn)));
        }
        if (!isSafeMemberName(weight.pathName)) {
            addIssue(issues, Severity::Error, "weights.unsafe-path", fqn,
                     fmt::format("The record of \"{}\" is named \"{}\", which leads out of the archive's folder.", escapeForDisplay(fqn),
                                 escapeForDisplay(weight.pathName)),
                     "The record is not read.");
        } else {
            weight.member = archive.find(fmt::format("{}/{}", folder, weight.pathName));
            if (!weight.member) {
                addIssue(issues, Severity::Error, "weights.no-record", fqn,
                         fmt::format("The record \"{}\" of \"{}\" is not in the archive.", escapeForDisplay(weight.pathName), escapeForDisplay(fqn)),
                         "torch.export.load will refuse the file; export it again.");
            }
        }
        entries.push_back(std::move(weight));
    }
    return entries;
}

std::vector<WeightEntry> entriesOfTorchSave(const TorchSaveFile& file, MemberIndex member) {
    std::vector<WeightEntry> entries;
    const PickleNode* dict = file.root().get();
    // An OrderedDict with attributes is a Call whose first child holds the items.
    while (dict != nullptr && dict->kind == PickleNode::Kind::Call && !dict->children.empty()) dict = dict->children.front().get();
    if (dict == nullptr || dict->kind != PickleNode::Kind::Dict) return entries;
    for (std::size_t i = 0; i + 1 < dict->children.size(); i += 2) {
        const PickleNode& key = *dict->children[i];
        const PickleNode& value = *dict->children[i + 1];
        if (key.kind != PickleNode::Kind::String) continue;
        WeightEntry weight;
        weight.fqn = key.text;
        weight.member = member;
        weight.inTorchSave = true;
        weight.isObject = value.kind != PickleNode::Kind::Tensor;
        weight.usePickle = weight.isObject;
        if (!weight.isObject) {
            weight.layout = value.layout;
            weight.pathName = value.storageKey;
            weight.isParameter = value.isParameter;
            weight.requiresGrad = value.requiresGrad;
        }
        entries.push_back(std::move(weight));
    }
    return entries;
}

void checkWeightEntries(const Archive& archive, const std::vector<WeightEntry>& entries, Issues& issues) {
    for (const WeightEntry& weight : entries) {
        if (!weight.member || weight.usePickle || weight.isObject || weight.inTorchSave || weight.layout.dtype == DType::Unknown) continue;
        const std::uint64_t size = archive.members()[*weight.member].size;
        const std::string name = escapeForDisplay(weight.fqn);
        const Result<std::uint64_t> required = weight.layout.requiredStorageBytes();
        if (!required) {
            addIssue(issues, Severity::Error, "weights.bad-layout", weight.fqn,
                     fmt::format("\"{}\" has a layout no tensor can have: {}", name, required.error().why));
            continue;
        }
        if (size == 0 && *required > 0) {
            addIssue(issues, Severity::Note, "weights.zero-filled", weight.fqn,
                     fmt::format("The record of \"{}\" is empty though its shape is not: torch loads it as zeros.", name),
                     "This is how fake tensors are stored; load real weights before running.");
            continue;
        }
        if (*required > size) {
            addIssue(issues, Severity::Error, "weights.short-record", weight.fqn,
                     fmt::format("\"{}\" needs {} of its record, which holds {}.", name, formatBytes(*required), formatBytes(size)),
                     "The weight cannot be read; torch.export.load will refuse the file.");
        } else if (const std::size_t item = dtypeSize(weight.layout.dtype); item > 0 && size % item != 0) {
            addIssue(issues, Severity::Error, "weights.odd-record", weight.fqn,
                     fmt::format("The record of \"{}\" holds {} bytes, no whole number of {} elements.", name, size, dtypeName(weight.layout.dtype)),
                     "torch.export.load will refuse the file.");
        }
    }
}

}  // namespace pt2
