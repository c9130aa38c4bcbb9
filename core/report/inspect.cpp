#include "core/report/inspect.h"

#include <fmt/format.h>

#include "core/report/member_kind.h"
#include "core/report/outcome_json.h"

namespace pt2 {
namespace {

/// A record of samples above this is named with its size only; reading it would make `inspect` as slow as the samples are large.
constexpr std::uint64_t kSampleLimit = 64u << 20;
/// A pickle shares objects, so a small one can stand for a tree of any size; what is listed is bounded.
constexpr std::size_t kListedNodes = 100000;

void collectTensors(const PickleNode& root, Json& out) {
    std::vector<const PickleNode*> open{&root};
    for (std::size_t visits = 0; !open.empty() && visits < kListedNodes; ++visits) {
        const PickleNode* node = open.back();
        open.pop_back();
        if (node->kind == PickleNode::Kind::Tensor) {
            out.push_back({{"dtype", dtypeName(node->layout.dtype)}, {"shape", node->layout.sizes}, {"stride", node->layout.strides}});
            continue;
        }
        for (auto child = node->children.rbegin(); child != node->children.rend(); ++child) {
            if (*child) open.push_back(child->get());
        }
    }
}

/// Package by package: the opened file first, then the attached one.
std::vector<const Package*> packagesOf(const Document& document) {
    std::vector<const Package*> packages{document.primary.get()};
    if (document.attached) packages.push_back(document.attached.get());
    return packages;
}

Json fileJson(const Archive& archive) { return {{"path", archive.path().string()}, {"size", archive.fileSize()}}; }

}  // namespace

Json membersJson(const Archive& archive) {
    Json out = Json::array();
    for (MemberIndex i = 0; i < archive.members().size(); ++i) {
        const Member& m = archive.members()[i];
        out.push_back({{"name", m.name},
                       {"size", m.size},
                       {"crc32", fmt::format("{:08x}", m.crc32)},
                       {"compressed_size", m.compressedSize},
                       {"method", m.method},
                       {"offset_of_data", m.dataOffset},
                       {"kind", memberKind(archive, i)}});
    }
    return out;
}

Json sampleInputsJson(const Package& package, const ProgramEntry& entry) {
    if (!entry.sampleInputs) return nullptr;
    const Member& member = package.archive().members()[*entry.sampleInputs];
    if (member.size == 0) return nullptr;
    Json out = {{"member", member.name}, {"size", member.size}};
    if (member.size > kSampleLimit) return out;
    const auto samples = package.loadSampleInputs(entry);
    if (!samples) {
        out["error"] = errorJson(samples.error());
        return out;
    }
    Json tensors = Json::array();
    if (samples->root()) collectTensors(*samples->root(), tensors);
    out["tensors"] = std::move(tensors);
    return out;
}

Result<Json> inspectJson(const Document& document, const InspectOptions& options, const CancelToken& cancel, const ProgressSink& progress) {
    std::string only;
    if (!options.model.empty()) {
        auto model = document.resolveModel(options.model);
        if (!model) return fail(model.error());
        only = *model;
    }
    const Package& primary = *document.primary;
    Json out = {{"format", 1}, {"file", fileJson(primary.archive())}};
    if (options.hash) {
        auto sha = primary.archive().sha256(cancel, progress);
        if (!sha) return fail(sha.error());
        out["file"]["sha256"] = sha->empty() ? Json() : Json(*sha);
    }
    out["container"] = containerName(primary.archive().kind());
    out["root"] = primary.archive().root();
    out["archive_version"] = primary.archiveVersion();
    out["byteorder"] = primary.byteorder();
    out["members"] = membersJson(primary.archive());
    if (document.attached) out["attached"] = fileJson(document.attached->archive());

    Json programs = Json::object(), compiled = Json::object(), samples = Json::object();
    for (const Package* package : packagesOf(document)) {
        for (const ProgramEntry& entry : package->programs()) {
            if ((!only.empty() && entry.name != only) || programs.contains(entry.name)) continue;
            auto program = programJson(*package, entry, options.hash, cancel, progress);
            if (!program) return fail(program.error());
            appendKey(programs, entry.name, std::move(*program));
            appendKey(samples, entry.name, sampleInputsJson(*package, entry));
        }
        for (const CompiledModel& model : package->compiledModels()) {
            if ((!only.empty() && model.name != only) || compiled.contains(model.name)) continue;
            appendKey(compiled, model.name, compiledJson(*package, model, options.target, cancel));
        }
    }
    out["programs"] = std::move(programs);
    out["compiled"] = std::move(compiled);
    out["sample_inputs"] = std::move(samples);
    out["extra_files"] = primary.extraFiles();
    Json unused = Json::array();
    for (const MemberIndex member : primary.unusedMembers()) unused.push_back(primary.archive().members()[member].name);
    out["unused_members"] = std::move(unused);
    out["issues"] = issuesJson(document.issues());
    return out;
}

}  // namespace pt2
