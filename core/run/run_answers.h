#pragma once

#include <string>
#include <vector>

#include "core/run/protocol.h"
#include "core/run/run.h"

namespace pt2 {

// The answers of a worker, taken apart into a RunOutcome. A worker runs a stranger's code, so every list may be of another length than it should.

/// What a "load" answers: times, memory before and after, the names the library goes by.
void takeLoaded(const nlohmann::json& body, RunOutcome& outcome);

/// One call of a "run". `watched` are the FQNs asked for, `steps` how many calls there are.
Status takeStep(const Frame& frame, const Contract& contract, const std::vector<std::string>& watched, int steps, RunOutcome& outcome);

/// Times and memory of a "bench" with so many runners.
Status takeBench(const Frame& frame, int runners, RunOutcome& outcome);

Status takeSoak(const Frame& frame, RunOutcome& outcome);

/// A byte count; 0 for what is none.
std::uint64_t bytesOf(const nlohmann::json& object, const char* key);

}  // namespace pt2
