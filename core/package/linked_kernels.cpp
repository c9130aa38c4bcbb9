#include "core/package/linked_kernels.h"

#include <algorithm>
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

Result<KernelSource> LinkedKernels::read(SourceLines lines) const {
    const Result<ByteBuffer> bytes = compiled.package->archive().read(lines.member, kMostSourceBytes);
    if (!bytes) return fail(bytes.error());
    const std::string_view text = asText(*bytes);
    KernelSource source{lines, {}};
    std::size_t begin = 0;
    std::uint32_t line = 1;
    for (; line < lines.first && begin < text.size(); ++line) {
        const std::size_t end = text.find('\n', begin);
        begin = end == std::string_view::npos ? text.size() : end + 1;
    }
    std::size_t end = begin;
    for (; line <= lines.last && end < text.size(); ++line) {
        const std::size_t next = text.find('\n', end);
        end = next == std::string_view::npos ? text.size() : next + 1;
    }
    source.text = std::string(text.substr(begin, end - begin));
    source.lines.last = line > lines.first ? line - 1 : lines.first;
    return source;
}

Result<KernelSource> LinkedKernels::sourceOf(std::size_t call) const {
    const KernelCall& kernel = listing.calls[call];
    return read(kernel.definition.value_or(kernel.call));
}

Result<KernelSource> LinkedKernels::callSiteOf(std::size_t call, std::uint32_t around) const {
    SourceLines lines = listing.calls[call].call;
    lines.first -= std::min(around, lines.first - 1);
    lines.last += std::min(around, UINT32_MAX - lines.last);
    return read(lines);
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
