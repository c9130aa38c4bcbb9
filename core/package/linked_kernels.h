#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/compiled/kernel_calls.h"
#include "core/compiled/kernel_links.h"
#include "core/package/package.h"

namespace pt2 {

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
    /// The text of a kernel: its definition where it is generated, else the lines of its call.
    Result<std::string> sourceOf(std::size_t call) const;
};

/// Reads the sources of the model named (as resolveModel names it). Errors: CannotRun "model.not-compiled" for a model without a compiled form, and
/// those of readKernels.
Result<LinkedKernels> readLinkedKernels(const Document& document, const std::string& model);

}  // namespace pt2
