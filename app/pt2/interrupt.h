#pragma once

#include "core/base/progress.h"

namespace pt2 {

/// From now on Ctrl+C (and SIGTERM, SIGHUP) asks `token` to stop; a second one ends the process at once. A closed pipe is an error of the write,
/// not a signal; children get the default for all of these.
void installInterrupt(const CancelToken& token);

}  // namespace pt2
