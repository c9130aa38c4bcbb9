#pragma once

#include <optional>

#include "core/program/program.h"

namespace pt2 {

/// The length of the shortest table that the integers of `value` index (embedding, gather, index, scatter, one_hot, a loss's classes), looked for
/// through views and casts and into subgraphs for a few steps. nullopt: none was found.
std::optional<std::int64_t> indexBoundOf(const Program& program, ValueId value);

}  // namespace pt2
