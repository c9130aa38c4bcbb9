#pragma once

#include <string>

#include "app/pt2/output.h"
#include "core/run/eager_comparison.h"

namespace pt2 {

/// `compare --json` (cli.md): verdict, sentence and outputs of the first call; with a sequence each call; distances to float64 where they were asked.
Json comparisonJson(const EagerComparison& comparison, const std::string& reference);
/// The same for people.
void printComparison(Output& out, const EagerComparison& comparison, const std::string& reference);

}  // namespace pt2
