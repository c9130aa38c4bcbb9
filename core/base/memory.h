#pragma once

#include <cstdint>
#include <optional>

namespace pt2 {

/// Bytes that programs can still take before the system swaps or kills: the least of /proc/meminfo's MemAvailable and what a limit of the process
/// (ulimit -v) leaves. nullopt when the system does not say.
std::optional<std::uint64_t> availableMemory();

}  // namespace pt2
