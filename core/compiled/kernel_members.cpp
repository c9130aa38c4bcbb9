#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/compiled/kernel_calls.h"

namespace pt2 {

namespace {

std::map<std::string, std::vector<std::string>> readProvenance(const Archive& archive, const CompiledModel& model) {
    std::map<std::string, std::vector<std::string>> links;
    const auto member = archive.find(model.folder + "/kernel_information.json");
    if (!member) return links;
    const Result<ByteBuffer> bytes = archive.read(*member, kMostModelJsonBytes);
    if (!bytes) return links;
    const nlohmann::json json = nlohmann::json::parse(asText(*bytes), nullptr, false);
    if (!json.is_object()) return links;
    for (const auto& [handle, entry] : json.items()) {
        const auto nodes = entry.is_object() ? entry.find("pre_grad_nodes") : entry.end();
        if (!entry.is_object() || nodes == entry.end() || !nodes->is_array()) continue;
        std::vector<std::string>& names = links[handle];
        for (const nlohmann::json& name : *nodes) {
            if (name.is_string()) names.push_back(name.get<std::string>());
        }
    }
    return links;
}

}  // namespace

Result<KernelListing> readKernels(const Archive& archive, const CompiledModel& model) {
    std::optional<MemberIndex> wrapper = model.wrapperSource ? model.wrapperSource : model.kernelSource;
    if (!wrapper) {
        return fail({ErrorKind::Usage, "compiled.no-source", "The compiled model has no source, so its kernels are not known.", model.folder,
                     "Only its library was packed.", "Recompile the program: the package then holds the source."});
    }
    const Result<ByteBuffer> source = archive.read(*wrapper, kMostSourceBytes);
    if (!source) return fail(source.error());
    ByteBuffer kernels;
    MemberIndex kernelMember = *wrapper;
    if (model.kernelSource && *model.kernelSource != *wrapper) {
        Result<ByteBuffer> read = archive.read(*model.kernelSource, kMostSourceBytes);
        if (!read) return fail(read.error());
        kernels = std::move(*read);
        kernelMember = *model.kernelSource;
    }
    KernelListing listing = listKernels(asText(*source), asText(kernels), *wrapper, kernelMember, model.proxyOperators);
    listing.provenance = readProvenance(archive, model);
    return listing;
}

}  // namespace pt2
