#pragma once

#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/compare/compare.h"
#include "core/tensor/npy.h"

namespace pt2 {

/// How far one output is from the same program computed in float64, for the compiled model and for torch eager (users.md A59).
struct Float64Distance {
    std::string name;
    DType dtype = DType::Unknown;
    double compiledRms = 0, eagerRms = 0, compiledMax = 0, eagerMax = 0;
    bool noFarther = false;  ///< the compiled model's distance is eager's, or what rounding makes of it
    std::string why;         ///< why it cannot be judged; empty when it can
};

/// Judges every floating output that all three have in the same shape. Rounding differs from kernel to kernel, so the compiled model may be a half
/// farther in the mean and twice as far in the worst element, or one unit in the last place of the dtype at the output's scale, whichever is more.
Result<std::vector<Float64Distance>> judgeByFloat64(const NamedTensors& compiled, const NamedTensors& eager, const NamedTensors& exact,
                                                    const CancelToken& cancel = {});

/// Whether what is beyond tolerance is rounding alone: each output that fails is floating, was judged, and is no farther from float64 than eager.
bool isRounding(const Comparison& comparison, const std::vector<Float64Distance>& distances);

/// "Normal for bfloat16: no output is farther from float64 than eager is (result: 1.2e-03 against 1.3e-03, root mean square)."
std::string float64Sentence(const std::vector<Float64Distance>& distances);

}  // namespace pt2
