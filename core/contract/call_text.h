#pragma once

#include <string>

#include "core/contract/contract.h"

namespace pt2 {

/// The call of a model as code to start from: inputs of the right dtype, shape, strides and device at the sizes of the export (else the smallest
/// legal ones of at least 2), made at random, in the structure the caller gives them.
/// `file` is the path to write into the code. Where the contract is of a compiled model, that is loaded; else Python loads the program, and C++
/// says that there is nothing it could run.
std::string callInPython(const Contract& contract, const std::string& file);
std::string callInCpp(const Contract& contract, const std::string& file);

}  // namespace pt2
