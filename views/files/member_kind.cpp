#include "views/files/member_kind.h"

#include <QObject>
#include <algorithm>
#include <cstdint>

#include "core/base/text.h"
#include "core/compiled/gpu_files.h"
#include "views/widgets/text.h"

namespace pt2::views {

namespace {

constexpr std::uint64_t kMostNamedGpuFile = std::uint64_t{4} << 20;

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

MemberKind text(const char* icon, const QString& meaning, Language language = Language::Plain, bool indent = false) {
    return {QString::fromLatin1(icon), meaning, MemberKind::View::Text, language, indent, MemberKind::Content::None};
}
MemberKind bytes(const char* icon, const QString& meaning, MemberKind::Content content = MemberKind::Content::None) {
    return {QString::fromLatin1(icon), meaning, MemberKind::View::Hex, Language::Plain, false, content};
}

}  // namespace

std::vector<HeldWeight> heldWeights(const Package& package, MemberIndex member) {
    std::vector<HeldWeight> held;
    for (const ProgramEntry& entry : package.programs()) {
        for (const auto* list : {&entry.weights, &entry.constants}) {
            for (const WeightEntry& weight : *list) {
                if (weight.member == member) held.push_back({&entry, &weight});
            }
        }
    }
    return held;
}

QStringList weightsInMember(const Package& package, MemberIndex member) {
    QStringList names;
    for (const auto& [program, weight] : heldWeights(package, member)) {
        names << (weight->isObject ? shown(weight->fqn) : QStringLiteral("%1 · %2").arg(shown(weight->fqn), toQt(tensorTypeText(weight->layout))));
    }
    return names;
}

MemberKind memberKind(const Package& package, MemberIndex member) {
    const std::string_view name = package.archive().nameBelowRoot(member);
    if (package.archive().members()[member].isDirectory) return bytes("folder", QObject::tr("folder"));
    for (const ProgramEntry& entry : package.programs()) {
        if (entry.member == member) return text("json", QObject::tr("exported program \"%1\"").arg(shown(entry.name)), Language::Json, true);
        if (entry.sampleInputs == member) return bytes("samples", QObject::tr("sample inputs, pickled"), MemberKind::Content::Pickle);
    }
    for (const CompiledModel& model : package.compiledModels()) {
        if (model.library == member) return bytes("library", QObject::tr("compiled library"), MemberKind::Content::Library);
        if (model.wrapperSource == member) return text("code", QObject::tr("wrapper: calls the kernels"), Language::Cpp);
        if (std::find(model.kernelSources.begin(), model.kernelSources.end(), member) != model.kernelSources.end())
            return text("kernel", QObject::tr("kernels"), Language::Cpp);
        if (model.metadataMember == member) return text("json", QObject::tr("metadata of the compiled model"), Language::Json, true);
        if (model.externNodes == member) return text("json", QObject::tr("nodes that call custom operators"), Language::Json, true);
        if (model.blob == member) return bytes("weight", QObject::tr("weights beside the library"));
    }
    if (const std::vector<HeldWeight> held = heldWeights(package, member); !held.empty()) {
        const QString first = shown(held.front().weight->fqn);
        return bytes(contains(name, "constants/") ? "constant" : "weight",
                     held.size() == 1 ? first : QObject::tr("%1 and %2 more").arg(first).arg(held.size() - 1),
                     held.front().weight->isObject ? MemberKind::Content::Pickle : MemberKind::Content::Tensor);
    }
    if (name == "archive_format") return text("page", QObject::tr("says that this is a PT2 archive"));
    if (name == "archive_version") return text("page", QObject::tr("version of the archive's layout"));
    if (name == "version" || name.ends_with("/version")) return text("page", QObject::tr("version of the zip writer"));
    if (name == "byteorder" || name.ends_with("byteorder")) return text("page", QObject::tr("byte order of the tensors"));
    if (contains(name, ".data/serialization_id") || name.ends_with("serialization_id")) return text("page", QObject::tr("id of this writing"));
    if (name == ".format_version" || name.ends_with(".format_version")) return text("page", QObject::tr("version of the zip's format"));
    if (name == ".storage_alignment" || name.ends_with(".storage_alignment")) return text("page", QObject::tr("alignment of the records"));
    if (name.ends_with("_weights_config.json")) return text("json", QObject::tr("where each weight lies"), Language::Json, true);
    if (name.ends_with("_constants_config.json")) return text("json", QObject::tr("where each constant lies"), Language::Json, true);
    if (name.starts_with("extra/"))
        return languageOf(name) == Language::Plain && !name.ends_with(".txt") ? bytes("extra", QObject::tr("extra file"))
                                                                              : text("extra", QObject::tr("extra file"), languageOf(name));
    if (name.ends_with(".so") || name.ends_with(".pyd") || name.ends_with(".dll") || name.ends_with(".dylib"))
        return bytes("library", QObject::tr("library"), MemberKind::Content::Library);
    if (name.ends_with(".pt") || name.ends_with(".pkl")) return bytes("samples", QObject::tr("pickled data"), MemberKind::Content::Pickle);
    if (name.ends_with(".cubin") || name.ends_with(".fatbin")) {
        // Named with what it is for; a large one is not read for its name.
        const bool small = package.archive().members()[member].size <= kMostNamedGpuFile;
        const GpuBinary binary = small ? readGpuFile(package.archive(), member) : GpuBinary{};
        const bool known = !binary.architectures.empty() || !binary.portable.empty();
        return bytes("kernel", known ? QObject::tr("GPU code: %1").arg(shown(gpuCodeWords({binary}))) : QObject::tr("GPU code"));
    }
    if (name.ends_with(".ptx") || name.ends_with(".hsaco") || name.ends_with(".spv")) return bytes("kernel", QObject::tr("GPU code"));
    if (name.ends_with(".json")) return text("json", QObject::tr("JSON"), Language::Json, true);
    const Language language = languageOf(name);
    if (language != Language::Plain) return text("code", QObject::tr("source"), language);
    if (name.ends_with(".txt") || name.ends_with(".md") || name.ends_with(".log") || name.ends_with(".cmake"))
        return text("text", QObject::tr("text"));
    return bytes("page", QObject::tr("data"));
}

}  // namespace pt2::views
