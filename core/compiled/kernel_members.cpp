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
    std::optional<MemberIndex> wrapper = model.wrapperSource;
    if (!wrapper && !model.kernelSources.empty()) wrapper = model.kernelSources.front();
    if (!wrapper) {
        return fail({ErrorKind::Usage, "compiled.no-source", "The compiled model has no source, so its kernels are not known.", model.folder,
                     "Only its library was packed.", "Recompile the program: the package then holds the source."});
    }
    const Result<ByteBuffer> source = archive.read(*wrapper, kMostSourceBytes);
    if (!source) return fail(source.error());
    std::vector<ByteBuffer> held;
    held.reserve(model.kernelSources.size());  // the texts point into it
    std::vector<SourceText> kernels;
    for (const MemberIndex member : model.kernelSources) {
        if (member == *wrapper) continue;
        Result<ByteBuffer> read = archive.read(member, kMostSourceBytes);
        if (!read) return fail(read.error());
        held.push_back(std::move(*read));
        kernels.push_back({member, asText(held.back())});
    }
    KernelListing listing = listKernels({*wrapper, asText(*source)}, kernels, model.proxyOperators);
    listing.provenance = readProvenance(archive, model);
    return listing;
}

}  // namespace pt2
