#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/contract/contract.h"
#include "core/tensor/tensor.h"

namespace pt2 {

/// A whole set of inputs, by index of the contract's inputs.
struct InputFile {
    std::vector<std::optional<Tensor>> tensors;
    std::vector<std::string> literals;  ///< JSON of values that are no tensors, "" where none
    std::vector<std::string> unknownNames;
    std::string label;  ///< "file x.npz", "sample"
};

/// --inputs FILE: .npz and .safetensors by name (the caller's, the graph's, the library's), flat index ("0", "arr_0") or "in_0"; .pt as a tree.
Result<InputFile> readInputFile(const std::string& path, const Contract& contract);
/// The archive's own sample inputs; Usage error when there are none.
Result<InputFile> readSamples(const Document& document, const Contract& contract);
/// The tensors of a file whose inputs nobody knows: "0", "arr_0" or "in_0" and so on, or those of a tree in order.
Result<std::vector<Tensor>> readNumberedTensors(const std::string& path);
/// numpy has no bfloat16 and no float8: they lie in unsigned integers of the same width.
Tensor reinterpretStored(Tensor tensor, DType wanted);

}  // namespace pt2
