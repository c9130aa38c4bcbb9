#include "core/contract/legal_size.h"

#include <algorithm>
#include <limits>

namespace pt2 {

namespace {

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

}  // namespace

SymRange legalRange(const ContractSymbol& symbol) { return symbol.compiledKnown ? intersectRanges(symbol.program, symbol.compiled) : symbol.program; }

std::int64_t nearestLegalSize(const ContractSymbol& symbol, std::int64_t size) {
    const SymRange range = legalRange(symbol);
    if (range.minimum) size = std::max(size, *range.minimum);
    if (range.maximum) size = std::min(size, *range.maximum);
    return size;
}

std::int64_t otherLegalSize(const ContractSymbol& symbol) {
    const SymRange range = legalRange(symbol);
    const std::int64_t hint = symbol.hint.value_or(2);
    const std::int64_t low = std::max<std::int64_t>(range.minimum.value_or(0), 2), high = range.maximum.value_or(kLargest);
    if (high < low) return hint;
    // A hint out of the range comes back into it first, so that neither step leaves 64 bits.
    const std::int64_t from = std::clamp(hint, low, high);
    const std::int64_t wanted = from > kLargest / 4 ? high : std::min(2 * from + 1, high);
    if (wanted != hint) return wanted;
    return std::max(from - 1, low);
}

}  // namespace pt2
