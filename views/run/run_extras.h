#pragma once

#include "core/run/run.h"

class QWidget;

namespace pt2::views {

// Cards about a run that was asked for more than outputs and times; null where it was not.

/// Each call of a sequence: the range of its outputs, and what it changed.
QWidget* makeSequenceCard(const RunOutcome& outcome);
/// Memory while calls were repeated, or after each load of a soak.
QWidget* makeMemoryCard(const RunOutcome& outcome);

}  // namespace pt2::views
