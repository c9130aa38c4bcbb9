#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/compiled/compiled_model.h"
#include "core/compiled/kernel_calls.h"
#include "core/program/program.h"

namespace pt2 {

/// A node of the exported program that a kernel call computes, or a part of it.
struct KernelLink {
    enum class By : std::uint8_t {
        Provenance,  ///< kernel_information.json, which torch wrote
        Named,       ///< the comment before the call names the node
        Inferred,    ///< its operator and the buffers that the call reads and writes fit no other place
    };
    NodeId node = kNone;
    By by = By::Inferred;
    std::string why;
};
const char* kernelLinkName(KernelLink::By by);   ///< "provenance", as JSON has it
const char* kernelLinkWords(KernelLink::By by);  ///< the same for people, in window and command line: "recorded by torch"

/// For each call of the listing, in its order, the nodes it comes from, each once. What is not known is left out: a call may have no link.
/// `useProvenance` off leaves kernel_information.json aside, so that the rest can be compared with it.
std::vector<std::vector<KernelLink>> linkKernels(const KernelListing& listing, const CompiledModel& model, const Program& program,
                                                 bool useProvenance = true);

}  // namespace pt2
