#pragma once

#include <cstdint>

namespace pt2 {

/// Where a recovered fact comes from (design.md 3). Unknown is never shown as fine.
enum class Origin : std::uint8_t { Unknown, Program, WrapperSource, Metadata, Library, Inferred };
const char* originName(Origin origin);  ///< "wrapper source"

/// A value that was recovered rather than stored.
template <typename T>
struct Fact {
    T value{};
    Origin origin = Origin::Unknown;
    std::uint32_t line = 0;  ///< of the wrapper source, from 1; 0: from no line of it
    bool known() const { return origin != Origin::Unknown; }
};

}  // namespace pt2
