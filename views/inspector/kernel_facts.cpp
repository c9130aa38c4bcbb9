#include "views/inspector/kernel_facts.h"

#include <QObject>
#include <algorithm>
#include <cstddef>

#include "views/inspector/fact_parts.h"
#include "views/kernels/kernel_rows.h"
#include "views/widgets/text.h"

namespace pt2::views {

InspectorSection kernelSection(const DocumentSession& session, NodeId node) {
    InspectorSection section;
    section.title = QObject::tr("Becomes");
    if (!session.compiledModel()) return section;
    const auto& read = session.kernels();
    if (!read || !*read) {
        section.rows.push_back({{}, read ? QObject::tr("unknown") : QObject::tr("…"), {}, true, {}, {}, false});
        return section;
    }
    const LinkedKernels& kernels = **read;
    std::size_t found = 0;
    for (std::size_t call = 0; call < kernels.links.size(); ++call) {
        const auto& links = kernels.links[call];
        const auto link = std::find_if(links.begin(), links.end(), [node](const KernelLink& each) { return each.node == node; });
        if (link == links.end()) continue;
        if (++found > kMostRows) continue;
        InspectorRow row;
        row.key = callNumbers({call});
        row.text = shortKernelName(kernels.listing.calls[call]);
        row.address = toQt(kernels.callAddress(call));
        row.lines.push_back({linkWords(link->by), false, true});
        section.rows.push_back(std::move(row));
    }
    if (found > kMostRows) section.rows.push_back({{}, {}, {}, false, {}, {{QObject::tr("… %1 more").arg(found - kMostRows), false, true}}, false});
    if (found == 0) section.rows.push_back({{}, QObject::tr("no kernel that is known to compute it"), {}, true, {}, {}, false});
    section.count = found > 0 ? static_cast<int>(found) : -1;
    return section;
}

}  // namespace pt2::views
