#include "views/inspector/fact_parts.h"

#include "views/graph/graph_addresses.h"
#include "views/widgets/text.h"

namespace pt2::views {

QString addressText(const Program& program, const std::string& model, const GraphItem& item) { return toQt(addressOf(program, model, item).text()); }

InspectorSection usersSection(const Program& program, const std::string& model, const std::vector<NodeId>& users, bool isOutput) {
    InspectorSection section;
    section.title = QObject::tr("Used by");
    section.count = static_cast<int>(users.size()) + (isOutput ? 1 : 0);
    for (std::size_t i = 0; i < users.size() && i < kMostRows; ++i) {
        InspectorRow row;
        row.text = shown(program.displayName(users[i]));
        row.address = addressText(program, model, GraphItem::node(users[i]));
        row.right = shown(program.modulePath(users[i])).replace('.', QStringLiteral(" › "));
        section.rows.push_back(std::move(row));
    }
    if (users.size() > kMostRows)
        section.rows.push_back({{}, {}, {}, false, {}, {{QObject::tr("… %1 more").arg(users.size() - kMostRows), false, true}}, false});
    if (isOutput) section.rows.push_back({{}, {}, {}, false, {}, {{QObject::tr("an output of the graph"), false, true}}, false});
    if (section.rows.empty()) section.rows.push_back({{}, QObject::tr("nobody"), {}, true, {}, {}, false});
    return section;
}

QString kindWords(InputKind kind) {
    switch (kind) {
        case InputKind::UserInput: return QObject::tr("input");
        case InputKind::Parameter: return QObject::tr("parameter");
        case InputKind::Buffer: return QObject::tr("buffer");
        case InputKind::ConstantTensor: return QObject::tr("constant");
        case InputKind::CustomObj: return QObject::tr("object");
        case InputKind::Token: return QObject::tr("token");
        case InputKind::Unknown: return QObject::tr("unknown kind");
    }
    return {};
}

}  // namespace pt2::views
