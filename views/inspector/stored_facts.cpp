#include "views/inspector/stored_facts.h"

#include <algorithm>

#include "core/base/text.h"
#include "views/inspector/fact_parts.h"
#include "views/inspector/value_words.h"
#include "views/widgets/text.h"

namespace pt2::views {
InspectorFacts weightFacts(const DocumentSession& session, const std::string& fqn) {
    InspectorFacts facts;
    const ProgramEntry* entry = session.programEntry();
    const WeightEntry* weight = entry != nullptr ? entry->findWeight(fqn) : nullptr;
    const auto program = session.program();
    ValueId value = kNone;
    const InputSpec* spec = nullptr;
    if (program) {
        for (const InputSpec& s : program->inputSpecs()) {
            if (s.kind == InputKind::UserInput || s.target != fqn) continue;
            spec = &s;
            if (s.argument != kNone) value = program->argument(s.argument).value;
        }
    }
    if (weight == nullptr && spec == nullptr) return facts;
    facts.title = shown(fqn);
    facts.icon = QStringLiteral("weight");
    facts.strong = spec != nullptr ? kindWords(spec->kind) : weight->isParameter ? QObject::tr("parameter") : QObject::tr("buffer");
    InspectorSection about;
    about.title = QObject::tr("Weight");
    if (weight != nullptr && !weight->isObject && weight->layout.dtype != DType::Unknown) {
        InspectorRow type;
        type.key = QObject::tr("type");
        type.text = QString::fromLatin1(dtypeName(weight->layout.dtype)) + ' ' + toQt(formatShape(weight->layout.sizes));
        QStringList below;
        std::vector<std::string> strides;
        for (const std::int64_t s : weight->layout.strides) strides.push_back(std::to_string(s));
        below << (weight->layout.isContiguous() ? QObject::tr("contiguous") : QObject::tr("strides (%1)").arg(toQt(join(strides, ", "))));
        if (weight->layout.storageOffset != 0) below << QObject::tr("offset %1").arg(weight->layout.storageOffset);
        type.lines.push_back({below.join(QStringLiteral(" · ")), false, true});
        about.rows.push_back(std::move(type));
        if (const auto count = weight->layout.elementCount()) {
            about.rows.push_back({QObject::tr("elements"),
                                  toQt(formatCount(*count)),
                                  {},
                                  false,
                                  toQt(formatBytes(*count * dtypeSize(weight->layout.dtype))),
                                  {},
                                  false});
        }
    } else if (value != kNone) {
        about.rows.push_back({QObject::tr("type"), typeWords(*program, program->value(value)), {}, false, {}, {}, false});
    }
    if (weight != nullptr && weight->isObject) about.rows.push_back({QObject::tr("stored as"), QObject::tr("object"), {}, false, {}, {}, false});
    if (weight != nullptr && weight->usePickle && !weight->isObject)
        about.rows.push_back({QObject::tr("stored as"), QObject::tr("pickle"), {}, false, {}, {}, false});
    if (weight != nullptr) {
        about.rows.push_back(
            {QObject::tr("gradient"), weight->requiresGrad ? QObject::tr("wanted") : QObject::tr("not wanted"), {}, false, {}, {}, false});
        const auto package = session.document().program(session.model()).package;
        if (weight->member && package && *weight->member < package->archive().members().size()) {
            const std::string name(package->archive().nameBelowRoot(*weight->member));
            about.rows.push_back({QObject::tr("record"),
                                  shown(name),
                                  toQt("file/" + name),
                                  false,
                                  toQt(formatBytes(package->archive().members()[*weight->member].size)),
                                  {},
                                  false});
        } else {
            about.rows.push_back({QObject::tr("record"), QObject::tr("missing"), {}, true, {}, {}, false});
        }
    }
    if (spec != nullptr && spec->kind == InputKind::Buffer && spec->persistent) {
        about.rows.push_back({QObject::tr("persistent"), *spec->persistent ? QObject::tr("yes") : QObject::tr("no"), {}, false, {}, {}, false});
    }
    facts.sections.push_back(std::move(about));
    if (weight != nullptr && weight->member) {
        InspectorSection sharing;
        sharing.title = QObject::tr("Shares storage with");
        for (const auto* list : {&entry->weights, &entry->constants}) {
            for (const WeightEntry& other : *list) {
                if (other.member != weight->member || other.fqn == weight->fqn) continue;
                sharing.rows.push_back({{}, shown(other.fqn), toQt("weights/" + other.fqn), false, {}, {}, false});
            }
        }
        sharing.count = static_cast<int>(sharing.rows.size());
        if (!sharing.rows.empty()) facts.sections.push_back(std::move(sharing));
    }
    if (value != kNone) {
        const auto users = program->users(program->value(value));
        facts.sections.push_back(
            usersSection(*program, session.model(), std::vector<NodeId>(users.begin(), users.end()), program->value(value).isGraphOutput));
    }
    return facts;
}

InspectorFacts memberFacts(const DocumentSession& session, const std::string& name) {
    InspectorFacts facts;
    for (const auto& package : {session.document().primary, session.document().attached}) {
        if (!package) continue;
        const auto found = package->archive().find(name);
        if (!found) continue;
        const Member& member = package->archive().members()[*found];
        const std::string_view below = package->archive().nameBelowRoot(*found);
        const auto slash = below.rfind('/');
        facts.title = shown(slash == std::string_view::npos ? below : below.substr(slash + 1));
        facts.icon = QStringLiteral("page");
        facts.mutedBefore = shown(member.name);
        InspectorSection about;
        about.title = QObject::tr("Member");
        about.rows.push_back({QObject::tr("size"), toQt(formatBytes(member.size)), {}, false, toQt(formatCount(member.size)), {}, false});
        if (member.method != 0)
            about.rows.push_back({QObject::tr("stored"), toQt(formatBytes(member.compressedSize)), {}, false, QObject::tr("deflated"), {}, false});
        if (package->archive().kind() != ContainerKind::Folder) {
            about.rows.push_back({QObject::tr("crc32"), QStringLiteral("0x%1").arg(member.crc32, 8, 16, QLatin1Char('0')), {}, false, {}, {}, false});
            about.rows.push_back({QObject::tr("offset"),
                                  toQt(formatOffset(member.dataOffset)),
                                  {},
                                  false,
                                  member.dataOffset % 64 == 0 ? QObject::tr("aligned to 64") : QString(),
                                  {}});
        }
        facts.sections.push_back(std::move(about));
        InspectorSection holds;
        holds.title = QObject::tr("Holds");
        if (const ProgramEntry* entry = session.programEntry(); entry != nullptr && package == session.document().program(session.model()).package) {
            for (const auto* list : {&entry->weights, &entry->constants}) {
                for (const WeightEntry& weight : *list) {
                    if (weight.member != *found || holds.rows.size() >= kMostRows) continue;
                    holds.rows.push_back({{}, shown(weight.fqn), toQt("weights/" + weight.fqn), false, {}, {}, false});
                }
            }
        }
        holds.count = static_cast<int>(holds.rows.size());
        if (!holds.rows.empty()) facts.sections.push_back(std::move(holds));
        return facts;
    }
    return facts;
}

}  // namespace pt2::views
