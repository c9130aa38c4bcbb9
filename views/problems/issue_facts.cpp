#include "views/problems/issue_facts.h"

#include <algorithm>
#include <set>
#include <string>

#include "core/base/advice.h"
#include "core/base/text.h"
#include "core/package/address.h"
#include "views/widgets/text.h"

namespace pt2::views {

State issueState(Severity severity) {
    switch (severity) {
        case Severity::Error: return State::Error;
        case Severity::Warning: return State::Warning;
        case Severity::Note: break;
    }
    return State::Info;
}

ProblemsHead problemsHead(const DocumentSession& session) {
    const int errors = session.issueCount(Severity::Error), warnings = session.issueCount(Severity::Warning);
    if (errors == 0) return {};
    ProblemsHead head;
    head.state = State::Error;
    QStringList sound;
    std::set<std::string> broken;  // places of errors
    for (const Issue& issue : session.issues()) {
        if (issue.severity == Severity::Error) broken.insert(issue.where);
    }
    std::size_t programs = 0, readable = 0, weights = 0, present = 0;
    for (const auto* package : {session.document().primary.get(), session.document().attached.get()}) {
        if (!package) continue;
        for (const ProgramEntry& entry : package->programs()) {
            ++programs;
            readable += entry.program ? 1 : 0;
            for (const WeightEntry& weight : entry.weights) {
                ++weights;
                const bool whole = weight.member && broken.count("weights/" + weight.fqn) == 0 &&
                                   broken.count("file/" + std::string(package->archive().nameBelowRoot(*weight.member))) == 0 &&
                                   weight.layout.dtype != DType::Unknown;
                present += whole || (weight.member && weight.isObject) ? 1 : 0;
            }
        }
    }
    if (programs > 0 && readable == programs)
        sound << QObject::tr("Graph and signature can be read");
    else if (programs > 0)
        sound << QObject::tr("%1 of %2 programs can be read").arg(readable).arg(programs);
    if (weights > 0) sound << QObject::tr("%1 of %2 weights can be read").arg(toQt(formatCount(present)), toQt(formatCount(weights)));
    head.title =
        readable > 0 || programs == 0 ? QObject::tr("This file has errors. Most of it can still be read.") : QObject::tr("This file has errors.");
    head.text = sound.isEmpty() ? QObject::tr("Its members can be read in Files.") : sound.join(QStringLiteral(", ")) + u'.';
    if (warnings > 0) head.text += QObject::tr(" The warnings below do not stop anything.");
    return head;
}

QString checkedText(const DocumentSession& session) {
    const QString opening = QObject::tr("Container, programs, places of weights and compiled models were checked while opening.");
    if (session.isReadingWhole()) return opening + QObject::tr(" Every byte is being read…");
    const auto& whole = session.wholeRead();
    if (!whole) return opening + QObject::tr(" Nothing was run, and no weight was read.");
    bool checksums = true;
    for (const auto* package : {session.document().primary.get(), session.document().attached.get()}) {
        if (package && package->archive().kind() == ContainerKind::Folder) checksums = false;
    }
    const QString read = QObject::tr(" Every byte was read: %1 in %2").arg(toQt(formatBytes(whole->bytes)), toQt(formatDuration(whole->seconds)));
    if (whole->found > 0)
        return opening + read + QObject::tr("; that found %1.").arg(counted(whole->found, QObject::tr("problem"), QObject::tr("problems")));
    return opening + read + (checksums ? QObject::tr(", and every member agrees with its checksum.") : QObject::tr("; a folder has no checksums."));
}

std::vector<Row> issueRows(const Issues& issues, bool errors, bool warnings, bool notes) {
    std::vector<Row> rows;
    for (std::size_t i = 0; i < issues.size(); ++i) {
        const Issue& issue = issues[i];
        if ((issue.severity == Severity::Error && !errors) || (issue.severity == Severity::Warning && !warnings) ||
            (issue.severity == Severity::Note && !notes))
            continue;
        const State state = issueState(issue.severity);
        Row row;
        row.address = QStringLiteral("issue/%1").arg(i);
        Cell what(shown(issue.message));
        what.strong = true;
        what.icon = stateIcon(state);
        what.iconColour = stateRole(state);
        what.second = issue.where.empty() ? toQt(issue.code) : shown(issue.where);
        what.secondCode = true;
        what.sort = static_cast<int>(i);
        what.tooltip = shown(issue.message);
        const QString help = shown(adviceOf(issue));
        Cell advice = help.isEmpty() ? Cell::muted(QObject::tr("nothing to do")) : Cell(help);
        advice.tooltip = help;
        advice.wrap = true;
        row.cells = {what, advice};
        rows.push_back(std::move(row));
    }
    return rows;
}

QString issuesReport(const DocumentSession& session) {
    QStringList lines{QStringLiteral("%1: %2").arg(session.fileName(), QObject::tr("%1 errors, %2 warnings, %3 notes")
                                                                           .arg(session.issueCount(Severity::Error))
                                                                           .arg(session.issueCount(Severity::Warning))
                                                                           .arg(session.issueCount(Severity::Note)))};
    for (const Issue& issue : session.issues()) {
        lines << QStringLiteral("%1 [%2] %3").arg(QString::fromLatin1(severityName(issue.severity)), toQt(issue.code), shown(issue.message));
        if (!issue.where.empty()) lines << QStringLiteral("  at %1").arg(shown(issue.where));
        if (const std::string help = adviceOf(issue); !help.empty()) lines << QStringLiteral("  %1").arg(shown(help));
    }
    return lines.join(u'\n');
}

std::optional<std::size_t> issueIndex(const QString& address) {
    if (!address.startsWith(QLatin1String("issue/"))) return std::nullopt;
    bool ok = false;
    const qulonglong index = address.mid(6).toULongLong(&ok);
    if (!ok) return std::nullopt;
    return static_cast<std::size_t>(index);
}

namespace {

using FoundMember = std::optional<std::pair<std::shared_ptr<const Package>, MemberIndex>>;

FoundMember memberNamed(const DocumentSession& session, const std::string& name) {
    if (name.empty()) return std::nullopt;
    for (const auto& package : {session.document().primary, session.document().attached}) {
        if (!package) continue;
        const Archive& archive = package->archive();
        if (const auto found = archive.find(name)) return std::make_pair(package, *found);
        for (MemberIndex i = 0; i < archive.members().size(); ++i) {
            if (archive.members()[i].name == name) return std::make_pair(package, i);
        }
        if (name.rfind("weights/", 0) == 0) {
            for (const ProgramEntry& entry : package->programs()) {
                const WeightEntry* weight = entry.findWeight(name.substr(8));
                if (weight && weight->member) return std::make_pair(package, *weight->member);
            }
        }
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::pair<std::shared_ptr<const Package>, MemberIndex>> issueMember(const DocumentSession& session, const Issue& issue) {
    std::string name = issue.where;
    if (name.rfind("file/", 0) == 0) name = name.substr(5);
    if (const auto member = memberNamed(session, name)) return member;
    // A place within a member follows its name.
    const std::size_t colon = name.find(": ");
    return colon == std::string::npos ? std::nullopt : memberNamed(session, name.substr(0, colon));
}

}  // namespace pt2::views
