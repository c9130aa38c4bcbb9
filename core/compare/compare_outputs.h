#pragma once

#include <map>
#include <optional>
#include <string>

#include "core/base/progress.h"
#include "core/compare/compare.h"
#include "core/tensor/npy.h"

namespace pt2 {

/// What the user asks for. Where nothing is said the default of the dtype holds; one number alone leaves the other at that default.
struct ToleranceChoice {
    std::optional<double> rtol, atol;
    std::map<std::string, Tolerance> outputs;  ///< of single outputs, by name; stronger than the two above
    std::optional<Tolerance> of(const std::string& output, DType dtype) const;
};

/// The reference of each output, under the output's name and in its place: that of its name, else "out_K", else "K"; when not all are found so, by
/// place if there are equally many. None, which is a default Tensor, needs no reference, as files hold none of it. What .npz files hold as unsigned
/// integers has the output's dtype then. Error: Usage "compare.names".
Result<NamedTensors> pairOutputs(const NamedTensors& outputs, const NamedTensors& reference);

/// What a file of tensors can hold of them.
NamedTensors withoutNone(NamedTensors outputs);

/// Outputs of a run against reference outputs, paired as above.
Result<Comparison> compareOutputs(const NamedTensors& actual, const NamedTensors& reference, const ToleranceChoice& tolerances = {},
                                  const CancelToken& cancel = {});

}  // namespace pt2
