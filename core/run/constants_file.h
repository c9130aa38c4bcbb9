#pragma once

#include <string>

#include "core/package/package.h"
#include "core/run/run.h"
#include "core/tensor/npy.h"

namespace pt2 {

/// A file of values by FQN, held against what the library takes (users.md A56).
struct ConstantsFile {
    NamedTensors tensors;      ///< that the library may have; contiguous or not, as the file has them
    bool shapesKnown = false;  ///< dtypes and shapes were held against the wrapper source
    /// In the file and not to be given to the library: constants of the program that it has no copy of, since they were frozen or inlined into its
    /// code or folded into another constant; and names that neither knows.
    std::vector<std::string> ineffective, unknown;
};

/// Reads .npz, .safetensors or .pt. Errors: those of reading; DoesNotHold "run.constant-shape" for a tensor of another dtype or shape, with both.
Result<ConstantsFile> readConstantsFile(const Document& document, const std::string& model, const std::string& path);

/// What became of it, in one sentence or several: "2 of 4 constants were replaced; fc.bias and fc2.bias kept their values. …"
std::string constantsText(const ConstantsUse& use);

}  // namespace pt2
