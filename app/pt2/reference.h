#pragma once

#include <string>

#include "app/pt2/run_plan.h"
#include "core/run/eager.h"

namespace pt2 {

struct ReferenceOptions {
    std::string reference;  ///< "torch", or a file: .npz, .safetensors, .pt, .pt2
    std::string python;
    bool trust = false;
    std::uint64_t seed = 0;
};

/// What outputs are held against, under names of its own, in its own order.
struct Reference {
    EagerRun run;      ///< of torch, or of another package: each call of a sequence; of a file: one call
    std::string name;  ///< "torch eager", "FILE.npz"
    bool isTorch = false;
};
Result<Reference> makeReference(const RunPlan& plan, const ReferenceOptions& options, const RunOptions& run, Context& context);
/// The same inputs in torch with everything floating in float64.
Result<EagerRun> runInFloat64(const RunPlan& plan, const ReferenceOptions& options, Context& context);

}  // namespace pt2
