#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/progress.h"
#include "core/contract/contract.h"

namespace pt2 {

/// How inputs were asked for, as the command line and the run page write it (cli.md "Inputs").
struct InputRequest {
    bool useSample = false;                                   ///< --sample
    std::string inputsFile;                                   ///< --inputs FILE (.npz, .safetensors, .pt)
    std::vector<std::pair<std::string, std::string>> inputs;  ///< --input NAME=SPEC
    std::vector<std::pair<std::string, std::int64_t>> sizes;  ///< --size SYMBOL=N, "x:0", "batch"
    std::uint64_t seed = 0;
};

/// One made input: a tensor, or a constant that only the caller's pytree has.
struct MadeInput {
    std::size_t contractIndex = 0;
    bool isTensor = true;
    bool given = false;  ///< the values are the user's (file, literal, sample): only a copy or a cast may touch them
    Tensor tensor;       ///< dtype Unknown: none was given and none could be made
    /// Set while `tensor` has a layout and no values yet: makes them, in the dtype and sizes of the layout, in row-major order.
    std::function<Result<Tensor>(const TensorLayout&, const CancelToken&)> generate;
    std::string constantText;  ///< JSON literal for constants
    std::string madeBy;        ///< "randn", "sample", "file x.npy": for people
};

struct InputSet {
    std::vector<MadeInput> inputs;  ///< one per Contract::inputs; where those are not known, one per number given
    std::vector<std::pair<std::string, std::int64_t>> symbolValues;
    std::vector<std::string> unknownNames;  ///< what a file holds beyond the model's inputs
    /// The tensors in the order the library takes them; they must have been filled.
    std::vector<Tensor> tensors() const;
};

/// Plans every input: what is given is read, what is generated has its layout only, so that a check need not wait for (or hold) the values. Usage
/// errors: unknown input or symbol, ambiguous `batch=`, bad SPEC, a size that contradicts what is given. A size out of range is not an error here:
/// the check says it. Order of what is not given: stored samples (when no size is asked for, no seed is set, and their sizes agree with what is
/// given), else sizes at the hint or the smallest legal of at least 2; integers stay below the length of the table they index, other integers are 0
/// or 1, floats are randn of the documented generator. Where the inputs are not known (Contract::inputsKnown) they are those given by number. What is
/// made has the strides that the contract wants; what comes from a file keeps its own.
Result<InputSet> planInputs(const Document& document, const Contract& contract, const InputRequest& request);
/// Makes the values that planInputs left open. Errors: System "input.memory" when they need more memory than is free, Cancelled.
Status fillInputs(InputSet& inputs, const CancelToken& cancel = {});
/// Both steps, for those who do not check in between.
Result<InputSet> makeInputs(const Document& document, const Contract& contract, const InputRequest& request, const CancelToken& cancel = {});

/// The documented generator: SplitMix64 seeded with seed + flat index gives uniform 53-bit doubles, (next() >> 11) * 2^-53; randn is Box-Muller,
/// computed in double and rounded to the dtype: with u, v uniform, r = sqrt(-2 ln(1 - u)), the two values are r cos(2 pi v) and r sin(2 pi v).
/// Integers in [LO, HI) are LO + floor(u * (HI - LO)). Tensors are filled in row-major order; complex ones take real, then imaginary part.
/// The Python snippet makes the same numbers.
class DocumentedGenerator {
public:
    explicit DocumentedGenerator(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next();
    double uniform();  ///< [0, 1)
    double normal();
    double integer(std::int64_t low, std::int64_t high);  ///< [low, high), which must not be empty

private:
    std::uint64_t state_;
    double spare_ = 0;
    bool hasSpare_ = false;
};

/// SPEC of cli.md, parsed: generator with optional shape and dtype, @file, or a JSON literal. `suggested` gives dtype and sizes where the SPEC does
/// not. The result is row-major, or as the file has it.
Result<Tensor> makeFromSpec(std::string_view spec, DType suggestedDtype, const std::vector<std::int64_t>& suggestedSizes, std::uint64_t seed,
                            const CancelToken& cancel = {});

}  // namespace pt2
