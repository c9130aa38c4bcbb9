#include "core/package/weights_config.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/program/json_tokens.h"

namespace pt2 {

namespace {

/// Of a tensor_meta, or what is wrong with it in words.
struct StoredMeta {
    TensorLayout layout;
    bool requiresGrad = false;
    std::string reason;
};

/// {"as_int": n} or a plain number; nothing for expressions, texts and numbers beyond 64 bits, which are passed over. False: a fault of the text.
bool readPlainInteger(JsonReader& reader, std::optional<std::int64_t>& out) {
    const auto number = [&] {
        std::int64_t value = 0;
        if (!reader.tryInteger(value)) return reader.skip();
        out = value;
        return true;
    };
    if (!reader.atObject()) return number();
    return reader.readObject([&](std::string_view key) { return key == "as_int" ? number() : reader.skip(); });
}

bool readList(JsonReader& reader, std::vector<std::int64_t>& out, bool& plain) {
    out.clear();
    plain = reader.atArray();
    if (!plain) return reader.skip();
    return reader.readArray([&] {
        std::optional<std::int64_t> value;
        if (!readPlainInteger(reader, value)) return false;
        plain = plain && value.has_value();
        out.push_back(value.value_or(0));
        return true;
    });
}

bool readFlag(JsonReader& reader, bool& out) {
    out = false;
    return reader.atBoolean() ? reader.readBool(out) : reader.skip();
}

bool readMeta(JsonReader& reader, StoredMeta& out) {
    if (!reader.atObject()) {
        out.reason = "its tensor_meta is not an object";
        return reader.skip();
    }
    std::optional<std::int64_t> dtype, offset = 0;
    bool sizes = false, strides = false;
    const bool read = reader.readObject([&](std::string_view key) {
        if (key == "dtype") {
            dtype.reset();
            return reader.atObject() ? reader.skip() : readPlainInteger(reader, dtype);
        }
        if (key == "sizes") return readList(reader, out.layout.sizes, sizes);
        if (key == "strides") return readList(reader, out.layout.strides, strides);
        if (key == "storage_offset") {
            offset.reset();
            return readPlainInteger(reader, offset);
        }
        if (key == "requires_grad") return readFlag(reader, out.requiresGrad);
        return reader.skip();
    });
    if (!read) return false;
    if (dtype && *dtype >= 0 && *dtype <= 1000) out.layout.dtype = dtypeFromSchema(static_cast<int>(*dtype));
    if (offset) out.layout.storageOffset = *offset;
    if (!dtype) {
        out.reason = "its dtype is not a number";
    } else if (out.layout.dtype == DType::Unknown) {
        out.reason = fmt::format("its dtype {} is not known", *dtype);
    } else if (!sizes) {
        out.reason = "its sizes are not plain integers";
    } else if (!strides) {
        out.reason = "its strides are not plain integers";
    } else if (out.layout.sizes.size() != out.layout.strides.size()) {
        out.reason = fmt::format("it has {} sizes and {} strides", out.layout.sizes.size(), out.layout.strides.size());
    } else if (!offset) {
        out.reason = "its storage offset is not a plain integer";
    }
    return true;
}

/// One entry of the list; `meta` is empty where there is none.
bool readEntry(JsonReader& reader, WeightEntry& weight, std::optional<StoredMeta>& meta) {
    return reader.readObject([&](std::string_view key) {
        if (key == "is_param") return readFlag(reader, weight.isParameter);
        if (key == "use_pickle") return readFlag(reader, weight.usePickle);
        if (key == "path_name" && reader.atString()) {
            std::string_view path;
            if (!reader.readString(path)) return false;
            weight.pathName = path;
            return true;
        }
        if (key == "tensor_meta") {
            meta.reset();
            if (reader.atNull()) return reader.readNull();
            return readMeta(reader, meta.emplace());
        }
        return reader.skip();
    });
}

void addIssue(Issues& issues, Severity severity, const char* code, std::string_view fqn, std::string message, std::string help = {}) {
    issues.push_back({severity, code, "weights/" + std::string(fqn), std::move(message), std::move(help)});
}

/// Holds an entry against itself and the archive, and finds its record.
void checkEntry(const Archive& archive, std::string_view folder, std::optional<StoredMeta> meta, WeightEntry& weight, Issues& issues) {
    const std::string& fqn = weight.fqn;
    const bool objectRecord = weight.pathName.starts_with("custom_obj_") || weight.pathName.starts_with("opaque_obj_");
    weight.isObject = objectRecord || (!meta && weight.usePickle);
    if (meta) {
        weight.requiresGrad = meta->requiresGrad;
        if (meta->reason.empty()) {
            weight.layout = std::move(meta->layout);
        } else {
            addIssue(issues, Severity::Error, "weights.bad-meta", fqn,
                     fmt::format("\"{}\" cannot be read as a tensor: {}.", escapeForDisplay(fqn), meta->reason));
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
}

}  // namespace

Result<std::vector<WeightEntry>> readPayloadConfig(std::string_view json, const Archive& archive, std::string_view folder, std::string_view where,
                                                   Issues& issues) {
    const auto broken = [&](std::string why) {
        return fail({ErrorKind::Unreadable, "weights.bad-config", fmt::format("Cannot read the weights' list in \"{}\".", where), std::string(where),
                     std::move(why), "The graph is readable all the same; export the file again to get its weights."});
    };
    const Result<JsonTokens> tokens = JsonTokens::scan(json);
    if (!tokens) return broken("It is not valid JSON. " + tokens.error().why);
    TextStore texts;
    JsonReader reader(*tokens, texts);
    std::vector<WeightEntry> entries;
    bool found = false;
    const auto readOne = [&](std::string_view fqn) {
        WeightEntry weight;
        weight.fqn = fqn;
        if (!reader.atObject()) {
            addIssue(issues, Severity::Error, "weights.bad-entry", fqn,
                     fmt::format("The entry of \"{}\" in the weights' list is not an object.", escapeForDisplay(fqn)));
            entries.push_back(std::move(weight));
            return reader.skip();
        }
        std::optional<StoredMeta> meta;
        if (!readEntry(reader, weight, meta)) return false;
        checkEntry(archive, folder, std::move(meta), weight, issues);
        entries.push_back(std::move(weight));
        return true;
    };
    const auto readConfig = [&](std::string_view key) {
        if (key != "config" || !reader.atObject()) return reader.skip();
        found = true;
        return reader.readObject(readOne);
    };
    // Room for the shortest entries seen; pages that are never touched cost nothing, growing would hold all of them twice.
    if (json.size() > 64 * 1024) entries.reserve(json.size() / 250);
    if (!reader.atObject()) return broken("It has no object \"config\".");
    if (!reader.readObject(readConfig) || !reader.atEnd()) {
        return broken(fmt::format("It is not valid JSON: at {}, {}.", tokens->path(reader.failed() ? reader.faultToken() : reader.position()),
                                  reader.failed() ? reader.message() : "there is text behind the end of the document"));
    }
    if (!found) return broken("It has no object \"config\".");
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
        const Result<std::uint64_t> required = weight.layout.requiredStorageBytes();
        if (!required) {
            addIssue(issues, Severity::Error, "weights.bad-layout", weight.fqn,
                     fmt::format("\"{}\" has a layout no tensor can have: {}", escapeForDisplay(weight.fqn), required.error().why));
            continue;
        }
        if (size == 0 && *required > 0) {
            addIssue(issues, Severity::Note, "weights.zero-filled", weight.fqn,
                     fmt::format("The record of \"{}\" is empty though its shape is not: torch loads it as zeros.", escapeForDisplay(weight.fqn)),
                     "This is how fake tensors are stored; load real weights before running.");
            continue;
        }
        if (*required > size) {
            addIssue(issues, Severity::Error, "weights.short-record", weight.fqn,
                     fmt::format("\"{}\" needs {} of its record, which holds {}.", escapeForDisplay(weight.fqn), formatBytes(*required),
                                 formatBytes(size)),
                     "The weight cannot be read; torch.export.load will refuse the file.");
        } else if (const std::size_t item = dtypeSize(weight.layout.dtype); item > 0 && size % item != 0) {
            addIssue(issues, Severity::Error, "weights.odd-record", weight.fqn,
                     fmt::format("The record of \"{}\" holds {} bytes, no whole number of {} elements.", escapeForDisplay(weight.fqn), size,
                                 dtypeName(weight.layout.dtype)),
                     "torch.export.load will refuse the file.");
        }
    }
}

}  // namespace pt2
