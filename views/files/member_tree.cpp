#include "views/files/member_tree.h"

#include <QObject>
#include <algorithm>
#include <map>
#include <memory>

#include "core/base/text.h"
#include "views/files/member_kind.h"
#include "views/widgets/text.h"

namespace pt2::views {

namespace {

constexpr int kDeepest = 24;

struct Folder {
    std::string name;
    std::vector<std::pair<bool, std::size_t>> order;  ///< (is a folder, index) in file order
    std::vector<std::unique_ptr<Folder>> folders;
    std::vector<MemberIndex> members;
    std::map<std::string, std::size_t, std::less<>> byName;
    std::uint64_t bytes = 0;
    std::size_t count = 0;
};

Row memberRow(const Package& package, MemberIndex member, std::string_view label, bool isUnused) {
    const Member& record = package.archive().members()[member];
    const MemberKind kind = memberKind(package, member);
    Row row;
    row.address = QStringLiteral("file/") + toQt(package.archive().nameBelowRoot(member));
    Cell name = Cell::fixed(shown(label));
    name.icon = kind.icon;
    name.tooltip = shown(record.name);
    Cell size = Cell::number(toQt(formatBytes(record.size)), static_cast<double>(record.size));
    size.tooltip = QObject::tr("%1 bytes").arg(toQt(formatCount(record.size)));
    Cell meaning = Cell::muted(kind.meaning);
    meaning.cutLeft = !kind.meaning.contains(QLatin1Char(' '));  // an FQN
    if (isUnused) {
        meaning = Cell::missing(QObject::tr("not used"));
        meaning.tooltip = QObject::tr("Nothing in the archive refers to this member.");
    }
    row.cells = {name, size, meaning};
    return row;
}

Row folderRow(const Package& package, const Folder& given, const std::vector<MemberIndex>& unused) {  // at most kDeepest levels
    const Folder* folder = &given;
    std::string label = folder->name;
    while (folder->members.empty() && folder->folders.size() == 1) {
        folder = folder->folders.front().get();
        label += " › " + folder->name;
    }
    Row row;
    Cell name = Cell::fixed(shown(label));
    name.icon = QStringLiteral("folder");
    name.strong = true;
    row.cells = {name, Cell::number(toQt(formatBytes(folder->bytes)), static_cast<double>(folder->bytes)),
                 Cell::muted(folder->count == 1 ? QObject::tr("1 member") : QObject::tr("%1 members").arg(toQt(formatCount(folder->count))))};
    row.open = folder->count <= 60;
    for (const auto& [isFolder, index] : folder->order) {
        if (isFolder) {
            row.children.push_back(folderRow(package, *folder->folders[index], unused));
        } else {
            const MemberIndex member = folder->members[index];
            const std::string_view full = package.archive().nameBelowRoot(member);
            const std::size_t slash = full.rfind('/');
            row.children.push_back(memberRow(package, member, slash == std::string_view::npos ? full : full.substr(slash + 1),
                                             std::binary_search(unused.begin(), unused.end(), member)));
        }
    }
    return row;
}

}  // namespace

std::vector<Column> memberColumns() {
    return {
        {QObject::tr("Member"), 260, false, true, {}}, {QObject::tr("Size"), 84, true, false, {}}, {QObject::tr("Meaning"), 160, false, false, {}}};
}

std::vector<Row> memberTree(const Package& package) {
    Folder root;
    const Archive& archive = package.archive();
    for (MemberIndex i = 0; i < archive.members().size(); ++i) {
        if (archive.members()[i].isDirectory) continue;
        const std::uint64_t size = archive.members()[i].size;
        std::string_view rest = archive.nameBelowRoot(i);
        Folder* at = &root;
        for (int depth = 0; depth < kDeepest; ++depth) {
            at->bytes += size;
            ++at->count;
            const std::size_t slash = rest.find('/');
            if (slash == std::string_view::npos || slash + 1 >= rest.size()) break;
            const std::string_view part = rest.substr(0, slash);
            const auto found = at->byName.find(part);
            if (found == at->byName.end()) {
                auto made = std::make_unique<Folder>();
                made->name = std::string(part);
                at->byName.emplace(std::string(part), at->folders.size());
                at->order.emplace_back(true, at->folders.size());
                at->folders.push_back(std::move(made));
                at = at->folders.back().get();
            } else {
                at = at->folders[found->second].get();
            }
            rest = rest.substr(slash + 1);
        }
        at->order.emplace_back(false, at->members.size());
        at->members.push_back(i);
    }
    const std::vector<MemberIndex>& unused = package.unusedMembers();
    // The root is not a row; its parts are.
    std::vector<Row> rows;
    for (const auto& [isFolder, index] : root.order) {
        if (isFolder) {
            rows.push_back(folderRow(package, *root.folders[index], unused));
        } else {
            rows.push_back(memberRow(package, root.members[index], archive.nameBelowRoot(root.members[index]),
                                     std::binary_search(unused.begin(), unused.end(), root.members[index])));
        }
    }
    return rows;
}

}  // namespace pt2::views
