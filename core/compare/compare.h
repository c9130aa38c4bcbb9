#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/tensor/tensor.h"

namespace pt2 {

struct Tolerance {
    double rtol = 0, atol = 0;
};
/// torch.testing.assert_close's defaults for a dtype (float32: 1.3e-6, 1e-5; bfloat16: 1.6e-2, 1e-5; integers and bool: 0, 0).
Tolerance defaultTolerance(DType dtype);

/// What stands for None among outputs: an Unknown dtype without storage.
bool isNone(const TensorView& output);
/// A reference from an .npz holds what numpy lacks as unsigned integers of the same width; its bits are then those of the output's dtype.
bool isNumpyStandIn(DType actual, DType expected);

/// Numbers of one output against its reference. Not comparable (shape or dtype differ) is said before any number. Errors and sums run over the
/// elements that are finite on both sides; infinities of one sign and NaNs agree with each other, and nothing else that is not finite does.
/// maxRel is over elements whose reference is not 0. For complex numbers errors are magnitudes, and the cosine is the real part of the product.
struct OutputComparison {
    std::string name;
    bool comparable = true;
    std::string reason;  ///< why not comparable
    bool ok = false;     ///< allclose as torch judges it, NaN equal to NaN
    Tolerance tolerance;
    double maxAbs = 0, meanAbs = 0, maxRel = 0, cosine = 1;
    std::optional<double> sqnrDb;  ///< nullopt: infinite (identical) or no signal
    std::uint64_t mismatched = 0, total = 0;
    std::uint64_t nanMismatch = 0;         ///< NaN or infinity on one side only, or infinities of two signs
    std::vector<std::int64_t> worstIndex;  ///< element with the largest error over the allowed error; empty for 0-d and without elements
    std::string worstActual, worstExpected;
    double neededRtol = 0;   ///< smallest rtol that would pass with this atol; infinity if none would
    bool identical = false;  ///< to the bit
    DType dtype = DType::Unknown;
};
/// None equals itself and nothing else.
/// `expected` may hold bfloat16, float8 and complex32 as unsigned integers of the same width, as .npz files do. Without a tolerance the dtype's
/// default holds. Errors: Usage (a negative tolerance), Unreadable (a layout outside its storage), Cancelled.
Result<OutputComparison> compareTensors(std::string name, const TensorView& actual, const TensorView& expected, std::optional<Tolerance> tolerance,
                                        const CancelToken& cancel = {});

struct Comparison {
    std::vector<OutputComparison> outputs;
    bool ok() const;  ///< false without outputs
    /// "identical", "within tolerance", "beyond tolerance", "not comparable" (look.md 15), then one sentence.
    std::string verdict() const;
    std::string sentence() const;
};

}  // namespace pt2
