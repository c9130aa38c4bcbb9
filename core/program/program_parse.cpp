#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/program/program_reader.h"

namespace pt2 {

namespace {

constexpr int kKnownMajor = 8;
constexpr int kKnownMinor = 20;

}  // namespace

void ProgramReader::noteAt(Severity severity, std::string code, std::string where, std::string message, std::string help) {
    ++issueCount_;
    if (issueCount_ == kIssueLimit) {
        issues_.push_back({Severity::Note, "program.more-issues", out_.where, "There are more issues of this kind; they are not listed.", {}});
    }
    if (issueCount_ >= kIssueLimit) return;
    issues_.push_back({severity, std::move(code), std::move(where), std::move(message), std::move(help)});
}

void ProgramReader::note(Severity severity, std::string code, std::uint32_t token, std::string message, std::string help) {
    // A path costs a walk through the text, so only the first ones get one.
    std::string where = out_.where;
    if (issueCount_ < 20) where += (where.empty() ? "" : ": ") + reader_.tokens().path(token);
    noteAt(severity, std::move(code), std::move(where), std::move(message), std::move(help));
}

bool ProgramReader::isMissing(std::uint32_t token, const char* field) {
    return reader_.faultAt(token, std::string("the required field \"") + field + "\" is missing");
}

bool ProgramReader::readDocument() {
    GraphModuleFields module;
    std::uint32_t opset = kNone, ranges = kNone, version = kNone, verifiers = kNone, torchVersion = kNone, guards = kNone;
    const bool walked = findFields({{"graph_module",
                                     &module.module,
                                     {{"graph", &module.graph, {}},
                                      {"signature", &module.signature, {}},
                                      {"module_call_graph", &module.calls, {}},
                                      {"metadata", &module.metadata, {}},
                                      {"treespec_namedtuple_fields", &module.namedtuples, {}}}},
                                    {"opset_version", &opset, {}},
                                    {"range_constraints", &ranges, {}},
                                    {"schema_version", &version, {}},
                                    {"verifiers", &verifiers, {}},
                                    {"torch_version", &torchVersion, {}},
                                    {"guards_code", &guards, {}}});
    if (!walked) return false;
    if (!reader_.atEnd()) return reader_.fault("there is text behind the end of the document");

    const auto at = [this](std::uint32_t token) {
        if (token == kNone) return false;
        reader_.seek(token);
        return true;
    };
    if (at(version)) {
        if (!readSchemaVersion()) return false;
    } else {
        out_.schemaMajor = kKnownMajor;
        note(Severity::Error, "program.no-schema-version", 0, "The field \"schema_version\" is missing; the program is read as schema 8.",
             "torch refuses this file; export the program again.");
    }
    if (at(torchVersion) && !reader_.atNull() && !reader_.readString(out_.torchVersion)) return false;
    if (out_.schemaMajor > 0 && out_.schemaMajor < kKnownMajor) {
        return reader_.faultAt(version, "the schema is version " + std::to_string(out_.schemaMajor));
    }
    if (module.module == kNone) return isMissing(0, "graph_module");
    reserve(reader_.tokens().text().size());
    if (!readGraphModule(module)) return false;
    const auto wrongType = [&](const char* field) {
        note(Severity::Error, "program.wrong-type", reader_.position(),
             std::string("The field \"") + field + "\" has the wrong type; it is left out.", "torch refuses this file; export the program again.");
    };
    if (at(opset)) {
        if (!reader_.atObject()) {
            wrongType("opset_version");
        } else if (!readOpsetVersion()) {
            return false;
        }
    }
    if (at(ranges)) {
        if (!readRangeConstraints()) return false;
        keepUsedRanges();
        checkRanges();
    } else {
        note(Severity::Error, "program.no-ranges", 0, "The field \"range_constraints\" is missing.",
             "torch refuses this file; export the program again.");
    }
    for (const auto& [token, field, list] :
         {std::tuple{verifiers, "verifiers", &out_.verifiers}, std::tuple{guards, "guards_code", &out_.guardsCode}}) {
        if (!at(token) || reader_.atNull()) continue;
        if (!reader_.atArray()) {
            wrongType(field);
        } else if (!readStrings(*list)) {
            return false;
        }
    }
    return true;
}

void ProgramReader::reserve(std::size_t jsonSize) {
    // Rooms for the densest programs seen. Pages that are never touched cost nothing, growing would copy everything several times.
    if (jsonSize < 64 * 1024) return;
    out_.nodes.reserve(jsonSize / 400);
    out_.values.reserve(jsonSize / 250);
    out_.arguments.reserve(jsonSize / 60);
    out_.namedArguments.reserve(jsonSize / 120);
    out_.userNodes.reserve(jsonSize / 120);
}

bool ProgramReader::readSchemaVersion() {
    const std::uint32_t token = reader_.position();
    std::int64_t major = -1, minor = 0;
    if (reader_.atNumber()) {  // torch 2.1 and 2.2
        if (!reader_.readInteger(major)) return false;
    } else {
        const bool read = reader_.readObject([&](std::string_view key) {
            if (key == "major") return reader_.readInteger(major);
            if (key == "minor") return reader_.readInteger(minor);
            return reader_.skip();
        });
        if (!read) return false;
        if (major < 0) return isMissing(token, "major");
    }
    if (major < 0 || major > 1'000'000 || minor < 0 || minor > 1'000'000) return reader_.faultAt(token, "the version is out of range");
    out_.schemaMajor = static_cast<int>(major);
    out_.schemaMinor = static_cast<int>(minor);
    if (major > kKnownMajor || major == 0) {
        note(Severity::Error, "program.schema-major", token,
             "The schema is " + std::to_string(major) + "." + std::to_string(minor) + "; this program knows 8. What is shown may be incomplete.",
             "A newer pt2scope may know this schema.");
    } else if (major == kKnownMajor && minor > kKnownMinor) {
        note(Severity::Note, "program.schema-minor", token,
             "The schema is 8." + std::to_string(minor) + ", newer than the 8." + std::to_string(kKnownMinor) +
                 " known here; new fields are not shown.",
             "A newer pt2scope may show more.");
    }
    return true;
}

bool ProgramReader::readOpsetVersion() {
    return reader_.readObject([&](std::string_view key) {
        std::int64_t version = 0;
        if (!reader_.readInteger(version)) return false;
        out_.opsetVersion.emplace_back(key, static_cast<int>(std::clamp<std::int64_t>(version, -1'000'000, 1'000'000)));
        return true;
    });
}

bool ProgramReader::readStrings(std::vector<std::string_view>& out) {
    return reader_.readArray([&] {
        std::string_view text;
        if (!reader_.readString(text)) return false;
        out.push_back(text);
        return true;
    });
}

bool ProgramReader::readRangeConstraints() {
    const auto readBound = [this](std::optional<std::int64_t>& bound) {
        if (reader_.atNull()) return reader_.readNull();
        const std::uint32_t token = reader_.position();
        std::int64_t integer = 0;
        if (reader_.tryInteger(integer)) {
            bound = integer;
            return true;
        }
        double value = 0;
        if (!reader_.atString() && !reader_.atObject() && !reader_.atArray()) {
            if (!reader_.readReal(value)) return false;
            if (!std::isfinite(value)) return true;  // torch 2.1 to 2.5: unbounded
        } else if (!reader_.skip()) {
            return false;
        }
        note(Severity::Warning, "program.range", token, "A bound of a range is no integer of 64 bits; the range is taken as open on that side.");
        return true;
    };
    return reader_.readObject([&](std::string_view symbol) {
        RangeConstraint range;
        range.symbol = symbol;
        const std::uint32_t token = reader_.position();
        const bool read = reader_.readObject([&](std::string_view key) {
            if (key == "min_val") return readBound(range.range.minimum);
            if (key == "max_val") return readBound(range.range.maximum);
            return reader_.skip();
        });
        if (!read) return false;
        const JsonRange text = reader_.rangeSince(token);
        range.text = {text.begin, text.end};
        if (range.range.minimum && range.range.maximum && *range.range.minimum > *range.range.maximum) {
            note(Severity::Error, "program.range-inverted", token,
                 "The range of " + quoted(symbol) + " is empty: its least value is " + std::to_string(*range.range.minimum) + ", its greatest " +
                     std::to_string(*range.range.maximum) + ".",
                 "torch refuses this file; no input can satisfy it.");
        }
        out_.rangesAsStored.push_back(range);
        return true;
    });
}

/// Notes where the fields of an object begin, passing over all of them.
bool ProgramReader::findFields(std::initializer_list<Field> fields) {
    return reader_.readObject([&](std::string_view key) {
        for (const Field& field : fields) {
            if (key != field.name) continue;
            if (*field.token != kNone) {
                note(Severity::Warning, "program.duplicate-key", reader_.position(),
                     "The key " + quoted(key) + " is given twice; the last one is used.");
            }
            *field.token = reader_.position();
            if (field.inner.size() > 0 && reader_.atObject()) return findFields(field.inner);
        }
        return reader_.skip();
    });
}

bool ProgramReader::readGraphModule(const GraphModuleFields& at) {
    const auto& [module, graph, signature, calls, metadata, namedtuples] = at;
    if (reader_.tokens().first(module) != '{') return reader_.faultAt(module, "an object is missing here");
    if (graph == kNone) return isMissing(module, "graph");
    if (signature == kNone) return isMissing(module, "signature");
    if (calls == kNone) return isMissing(module, "module_call_graph");

    if (!readGraph({graph, kNone, kNone, kNone, {}, 0})) return false;
    // Names of the signature are those of the root; they make no values.
    creatingValues_ = false;
    std::vector<PendingGraph> nested = std::move(pending_);
    pending_.clear();
    reader_.seek(signature);
    if (!readSignature()) return false;
    reader_.seek(calls);
    if (!readModuleCallGraph()) return false;
    if (metadata != kNone) {
        reader_.seek(metadata);
        if (!reader_.skip()) return false;
        out_.graphModuleMetadata = reader_.textSince(metadata);
    }
    if (namedtuples != kNone) {
        reader_.seek(namedtuples);
        if (!reader_.atNull() && !readNamedtupleFields()) return false;
    }
    creatingValues_ = true;
    checkTreeSpecs(calls);

    std::reverse(nested.begin(), nested.end());
    std::vector<PendingGraph> stack = std::move(nested);
    while (!stack.empty()) {
        const PendingGraph next = stack.back();
        stack.pop_back();
        if (next.depth > kGraphDepthLimit) {
            note(Severity::Error, "program.graph-depth", next.token, "Graphs are nested more than 200 deep; the inner ones are not read.");
            continue;
        }
        pending_.clear();
        if (!readGraph(next)) return false;
        stack.insert(stack.end(), pending_.rbegin(), pending_.rend());
    }
    pending_.clear();
    nameNodes();
    return true;
}

Result<std::shared_ptr<const Program>> Program::parse(ByteBuffer json, std::string where, Issues& issues) {
    auto storage = std::make_unique<Storage>();
    storage->where = std::move(where);
    storage->jsonSize = json.size();
    storage->json = std::move(json);
    if (storage->text().substr(0, 3) == "\xEF\xBB\xBF") {
        storage->jsonBegin = 3;
        storage->jsonSize -= 3;
        issues.push_back({Severity::Warning, "program.bom", storage->where, "The program's JSON begins with a byte order mark.",
                          "torch refuses this file; take the mark (three bytes) away, or export the program again."});
    }
    Result<JsonTokens> tokens = JsonTokens::scan(storage->text());
    if (!tokens) {
        tokens.error().where = storage->where;
        return fail(std::move(tokens.error()));
    }
    ProgramReader reader(*storage, *tokens, issues);
    if (!reader.readDocument()) {
        Error error;
        error.kind = ErrorKind::Unreadable;
        const JsonReader& source = reader.reader();
        const std::string path = tokens->path(source.faultToken());
        error.where = (storage->where.empty() ? "" : storage->where + ": ") + path + ", byte " + std::to_string(tokens->offset(source.faultToken()));
        if (storage->schemaMajor > 0 && storage->schemaMajor < kKnownMajor) {
            error.code = "program.schema-old";
            error.what = "The program was written by an older torch (schema " + std::to_string(storage->schemaMajor) +
                         (storage->schemaMinor > 0 ? "." + std::to_string(storage->schemaMinor) : "") + ").";
            error.why = "Programs of torch 2.5 and earlier are not read yet.";
            error.help = "Open it with the torch that wrote it, or export the program again with torch 2.6 or later.";
        } else {
            error.code = "program.json";
            error.what = "The program's JSON is not an ExportedProgram.";
            error.why = "At " + path + ": " + source.message() + ".";
            error.help = "Export the program again, or fetch the file again.";
        }
        return fail(std::move(error));
    }
    return std::make_shared<const Program>(std::move(storage));
}

}  // namespace pt2
