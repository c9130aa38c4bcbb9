#pragma once

#include <string>

#include "app/pt2/output.h"
#include "core/contract/contract.h"

namespace pt2 {

/// "float32 [s77, 16]"; what is not known is "?".
std::string contractTypeText(const ContractInput& input);

/// The user inputs: flat index, name as the caller knows it, type, and the sizes that may vary, by the program and by the compiled code.
void printContractInputs(Output& out, const Contract& contract, std::string_view indent);
void printContractOutputs(Output& out, const Contract& contract, std::string_view indent);
/// Every symbol with its range, its size at export and the place it came from.
void printContractSymbols(Output& out, const Contract& contract, std::string_view indent);

}  // namespace pt2
