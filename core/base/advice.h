#pragma once

#include <string>

#include "core/base/issue.h"
#include "core/base/result.h"

namespace pt2 {

/// What the reader of an error can do: its own `help`, or what helps most with errors of its kind. Empty for Cancelled and for what merely does
/// not hold, which are answers, not faults.
std::string adviceOf(const Error& error);

/// What to do about an issue; empty for a note that wants nothing.
std::string adviceOf(const Issue& issue);

}  // namespace pt2
