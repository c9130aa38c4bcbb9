#include "core/package/weights_config.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/base/text.h"

namespace pt2 {

namespace {

using OrderedJson = nlohmann::ordered_json;

/// {"as_int": n} or a plain number; nothing for expressions, texts and numbers beyond 64 bits.
std::optional<std::int64_t> plainInteger(const OrderedJson& node) {
    const OrderedJson* number = &node;
    if (node.is_object()) {
        const auto found = node.find("as_int");
        if (found == node.end()) return std::nullopt;
        number = &*found;
    }
    if (number->is_number_unsigned() && number->get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX)) return std::nullopt;
    if (!number->is_number_integer()) return std::nullopt;
    return number->get<std::int64_t>();
}

bool readList(const OrderedJson& meta, const char* key, std::vector<std::int64_t>& out) {
    const auto list = meta.find(key);
    if (list == meta.end() || !list->is_array()) return false;
    for (const OrderedJson& item : *list) {
        const std::optional<std::int64_t> value = plainInteger(item);
        if (!value) return false;
        out.push_back(*value);
    }
    return true;
}

/// Fills the layout; the reason in words when the meta is not that of a stored tensor.
std::string readTensorMeta(const OrderedJson& meta, TensorLayout& layout) {
    if (!meta.is_object()) return "its tensor_meta is not an object";
    const auto dtype = meta.find("dtype");
    if (dtype == meta.end() || !dtype->is_number_integer()) return "its dtype is not a number";
    layout.dtype = dtypeFromSchema(dtype->get<int>());
    if (layout.dtype == DType::Unknown) return fmt::format("its dtype {} is not known", dtype->get<int>());
    if (!readList(meta, "sizes", layout.sizes)) return "its sizes are not plain integers";
    if (!readList(meta, "strides", layout.strides)) return "its strides are not plain integers";
    if (layout.sizes.size() != layout.strides.size()) {
        return fmt::format("it has {} sizes and {} strides", layout.sizes.size(), layout.strides.size());
    }
    const auto offset = meta.find("storage_offset");
    if (offset != meta.end()) {
        const std::optional<std::int64_t> value = plainInteger(*offset);
        if (!value) return "its storage offset is not a plain integer";
        layout.storageOffset = *value;
    }
    return {};
}

bool flag(const OrderedJson& entry, const char* key) {
    const auto found = entry.find(key);
    return found != entry.end() && found->is_boolean() && found->get<bool>();
}

void addIssue(Issues& issues, Severity severity, const char* code, std::string_view fqn, std::string message, std::string help = {}) {
    issues.push_back({severity, code, "weights/" + std::string(fqn), std::move(message), std::move(help)});
}

}  // namespace

Result<std::vector<WeightEntry>> readPayloadConfig(std::string_view json, const Archive& archive, std::string_view folder, std::string_view where,
                                                   Issues& issues) {
    const OrderedJson document = OrderedJson::parse(json, nullptr, false);
    const auto broken = [&](std::string why) {
        return fail({ErrorKind::Unreadable, "weights.bad-config", fmt::format("Cannot read the weights' list in \"{}\".", where), std::string(where),
                     std::move(why), "The graph is readable all the same; export the file again to get its weights."});
    };
    if (document.is_discarded()) return broken("It is not valid JSON.");
    const auto config = document.is_object() ? document.find("config") : document.end();
    if (!document.is_object() || config == document.end() || !config->is_object()) return broken("It has no object \"config\".");
    std::vector<WeightEntry> entries;
    entries.reserve(config->size());
    for (const auto& [fqn, entry] : config->items()) {
        WeightEntry weight;
        weight.fqn = fqn;
        if (!entry.is_object()) {
            addIssue(issues, Severity::Error, "weights.bad-entry", fqn,
                     fmt::format("The entry of \"{}\" in the weights' list is not an object.", escapeForDisplay(fqn)));
            entries.push_back(std::move(weight));
            continue;
        }
        weight.isParameter = flag(entry, "is_param");
        weight.usePickle = flag(entry, "use_pickle");
        if (const auto path = entry.find("path_name"); path != entry.end() && path->is_string()) weight.pathName = path->get<std::string>();
        const bool objectRecord = weight.pathName.starts_with("custom_obj_") || weight.pathName.starts_with("opaque_obj_");
        const auto meta = entry.find("tensor_meta");
        const bool hasMeta = meta != entry.end() && !meta->is_null();
        weight.isObject = objectRecord || (!hasMeta && weight.usePickle);
        if (hasMeta) {
            weight.requiresGrad = meta->is_object() && flag(*meta, "requires_grad");
            if (const std::string reason = readTensorMeta(*meta, weight.layout); !reason.empty()) {
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
        weight.usePickle = true;
        if (!weight.isObject) {
            weight.layout = value.layout;
            weight.pathName = value.storageKey;
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
