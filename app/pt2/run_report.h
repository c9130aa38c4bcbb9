#pragma once

#include "app/pt2/run_plan.h"

namespace pt2 {

/// One side of `run --json` (cli.md): outputs with statistics, state, seconds, memory, engine, device. No "format" in it.
Json outcomeJson(const RunOutcome& outcome);
/// Outputs, times, memory and the names the library goes by, for people.
void printOutcome(Output& out, const Contract& contract, const RunOutcome& outcome);
/// The inputs as they were made.
void printMadeInputs(Output& out, const RunPlan& plan);

}  // namespace pt2
