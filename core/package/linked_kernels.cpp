#include "core/package/linked_kernels.h"

#include <cstdint>
#include <string_view>
#include <utility>

#include "core/package/address.h"

namespace pt2 {

std::string LinkedKernels::nodeAddress(NodeId node) const {
    Address base;
    base.kind = Address::Kind::Program;
    base.model = model;
    return base.text() + "/" + program.entry->program->nodeAddress(node);
}

std::string LinkedKernels::callAddress(std::size_t call) const {
    Address address;
    address.kind = Address::Kind::Kernel;
    address.model = model;
    address.name = listing.calls[call].name;
    return address.text();
}

Result<std::string> LinkedKernels::sourceOf(std::size_t call) const {
    const KernelCall& kernel = listing.calls[call];
    const SourceLines lines = kernel.definition.value_or(kernel.call);
    const Result<ByteBuffer> bytes = compiled.package->archive().read(lines.member, std::uint64_t{512} << 20);
    if (!bytes) return fail(bytes.error());
    const std::string_view text = asText(*bytes);
    std::size_t begin = 0;
    for (std::uint32_t line = 1; line < lines.first && begin != std::string_view::npos; ++line) {
        const std::size_t end = text.find('\n', begin);
        begin = end == std::string_view::npos ? end : end + 1;
    }
    if (begin == std::string_view::npos) return std::string();
    std::size_t end = begin;
    for (std::uint32_t line = lines.first; line <= lines.last && end != std::string_view::npos; ++line) {
        end = text.find('\n', end);
        if (end != std::string_view::npos) ++end;
    }
    return std::string(text.substr(begin, end == std::string_view::npos ? end : end - begin));
}

Result<LinkedKernels> readLinkedKernels(const Document& document, const std::string& model) {
    LinkedKernels kernels;
    kernels.model = model;
    kernels.compiled = document.compiled(model);
    if (!kernels.compiled) {
        return fail({ErrorKind::CannotRun,
                     "model.not-compiled",
                     "There is no compiled model \"" + model + "\" in this file, so there are no kernels.",
                     {},
                     "It holds the exported program only.",
                     "Recompile it: pt2 recompile FILE -o OUT.pt2."});
    }
    Result<KernelListing> listing = readKernels(kernels.compiled.package->archive(), *kernels.compiled.model);
    if (!listing) return fail(listing.error());
    kernels.listing = std::move(*listing);
    kernels.program = document.program(model);
    if (kernels.program && kernels.program.entry->program) {
        kernels.links = linkKernels(kernels.listing, *kernels.compiled.model, *kernels.program.entry->program);
    } else {
        kernels.program = {};
        kernels.links.resize(kernels.listing.calls.size());
    }
    return kernels;
}

}  // namespace pt2
