#pragma once

#include <string>

#include "app/pt2/run_plan.h"
#include "core/tensor/npy.h"

namespace pt2 {

struct ReferenceOptions {
    std::string reference;  ///< "torch", or a file: .npz, .safetensors, .pt, .pt2
    std::string python;
    bool trust = false;
    std::uint64_t seed = 0;
};

/// What outputs are held against, under names of its own, in its own order.
struct Reference {
    NamedTensors tensors;
    std::string name;  ///< "torch eager", "FILE.npz"
};
Result<Reference> makeReference(const RunPlan& plan, const ReferenceOptions& options, const RunOptions& run, Context& context);

}  // namespace pt2
