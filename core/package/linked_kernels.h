#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/compiled/kernel_calls.h"
#include "core/compiled/kernel_links.h"
#include "core/package/package.h"

namespace pt2 {

/// Lines of a source member.
struct KernelSource {
    SourceLines lines;
    std::string text;
};

/// The kernel calls of a document's compiled model, with the nodes of its program that each comes from. It holds what it points to.
struct LinkedKernels {
    std::string model;
    Document::CompiledRef compiled;
    Document::ProgramRef program;  ///< null without an exported program: then there are no links
    KernelListing listing;
    std::vector<std::vector<KernelLink>> links;  ///< per call

    /// "program/model/node/relu"
    std::string nodeAddress(NodeId node) const;
    /// "compiled/model/kernel/cpp_fused_0"; calls of one function share it.
    std::string callAddress(std::size_t call) const;
    /// The text of a kernel: its definition where it is generated, else the statement of its call.
    Result<KernelSource> sourceOf(std::size_t call) const;
    /// The call in run_impl with that many lines before and after it.
    Result<KernelSource> callSiteOf(std::size_t call, std::uint32_t around) const;

private:
    Result<KernelSource> read(SourceLines lines) const;
};

/// Reads the sources of the model named (as resolveModel names it). Errors: CannotRun "model.not-compiled" for a model without a compiled form, and
/// those of readKernels.
Result<LinkedKernels> readLinkedKernels(const Document& document, const std::string& model);

}  // namespace pt2
