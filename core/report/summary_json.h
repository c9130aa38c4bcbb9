#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "core/package/module_summary.h"
#include "core/report/json_text.h"

namespace pt2 {

/// The document of `pt2 summary --json`: modules down to `depth` levels below the root in tree order, and the total, which is the root's. With
/// `sizes` also what the nodes give out at those values of the symbols.
Json summaryJson(const ProgramSummary& summary, const std::string& model, std::size_t depth,
                 const std::map<std::string, std::int64_t, std::less<>>* sizes = nullptr);

}  // namespace pt2
