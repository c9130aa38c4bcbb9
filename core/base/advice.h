#pragma once

#include <string>

#include "core/base/result.h"

namespace pt2 {

/// What the reader of an error can do: its own `help`, or what helps most with errors of its kind. Empty for Cancelled and for what merely does
/// not hold, which are answers, not faults.
std::string adviceOf(const Error& error);

}  // namespace pt2
