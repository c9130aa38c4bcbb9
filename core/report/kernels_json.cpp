#include "core/report/kernels_json.h"

#include <utility>

namespace pt2 {
namespace {

Json placeJson(const Archive& archive, const SourceLines& lines) {
    return {{"member", std::string(archive.nameBelowRoot(lines.member))}, {"line", lines.first}, {"last_line", lines.last}};
}

}  // namespace

Json kernelsJson(const LinkedKernels& kernels) {
    const Archive& archive = kernels.compiled.package->archive();
    Json out = Json::array();
    for (std::size_t i = 0; i < kernels.listing.calls.size(); ++i) {
        const KernelCall& call = kernels.listing.calls[i];
        Json links = Json::array();
        for (const KernelLink& link : kernels.links[i]) {
            links.push_back({{"address", kernels.nodeAddress(link.node)}, {"by", kernelLinkName(link.by)}, {"why", link.why}});
        }
        out.push_back({{"name", call.name},
                       {"kind", kernelKindName(call.kind)},
                       {"address", kernels.callAddress(i)},
                       {"links", std::move(links)},
                       {"aten", call.aten},
                       {"source_nodes", call.sourceNodes},
                       {"source", placeJson(archive, call.definition.value_or(call.call))},
                       {"call", placeJson(archive, call.call)},
                       {"reads", call.reads},
                       {"writes", call.writes}});
    }
    return out;
}

}  // namespace pt2
