#pragma once

#include <string>

#include "core/contract/contract.h"
#include "core/report/json_text.h"

namespace pt2 {

/// {"from": "wrapper source", "line": 712}; line null where none can be named.
Json factSourceJson(const FactSource& source);
/// Origins of the facts of one input: name, dtype, sizes, strides, device, and per dimension the line that tests it.
Json inputOriginsJson(const ContractInput& input);
/// What the contract means, in sentences: {"order", "equalities", "guards", "bounds", "size_one", "fixed_sizes", "not_checked"}. Each
/// condition once: a guard that an equality says already is not among "guards".
Json contractNotesJson(const Document& document, const Contract& contract);
/// What the program asserts and whether the compiled code tests it; null without a program.
Json programAssertsJson(const Document& document, const Contract& contract);
/// What a call leaves changed, also by in-place operators of which the signature says nothing; null without a program.
Json callChangesJson(const Document& document, const Contract& contract);
/// The call as code: {"python", "cpp"}; cpp null without a compiled model.
Json callJson(const Contract& contract, const std::string& file);

}  // namespace pt2
