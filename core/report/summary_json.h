#pragma once

#include <cstddef>
#include <string>

#include "core/package/module_summary.h"
#include "core/report/json_text.h"

namespace pt2 {

/// The document of `pt2 summary --json`: modules down to `depth` levels below the root in tree order, and the total, which is the root's.
Json summaryJson(const ProgramSummary& summary, const std::string& model, std::size_t depth);

}  // namespace pt2
