#pragma once

#include <cstdint>

#include "core/contract/contract.h"

namespace pt2 {

/// What pt2scope takes for legal: what the program and, where it is known, the compiled code both allow.
SymRange legalRange(const ContractSymbol& symbol);
/// The legal size nearest to the given one.
std::int64_t nearestLegalSize(const ContractSymbol& symbol, std::int64_t size);
/// Another legal size, away from the one at export: near twice of it and at least 2; the one at export when there is no other.
std::int64_t otherLegalSize(const ContractSymbol& symbol);

}  // namespace pt2
