#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pt2 {

/// One size that a guard reads: L['x'].size()[0].
struct GuardTerm {
    std::string path;  ///< as Python indexes the argument: "batch['b'][0]"
    std::size_t dimension = 0;
};

/// guards_code of an ExportedProgram (format.md 2.4): a Python condition over sizes.
struct GuardResult {
    std::optional<bool> holds;     ///< nullopt: not understood, or a size is not known; never claimed to hold
    std::vector<GuardTerm> terms;  ///< sizes it reads, in order of appearance
    std::string readable;          ///< with "x dimension 0" in place of L['x'].size()[0]
};

/// Evaluates arithmetic (+ - * // % and brackets), comparisons, "and", "or", "not", max, min. Nothing recurses.
GuardResult evaluateGuard(std::string_view guard, const std::function<std::optional<std::int64_t>(const GuardTerm&)>& sizeOf);

}  // namespace pt2
