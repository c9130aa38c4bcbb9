#pragma once

#include <string>

#include "core/archive/archive.h"

namespace pt2 {

/// What a member is, in a few words, by the names of format.md 1.1 to 1.3 and 4.0: "program", "weight", "wrapper source", "library".
std::string memberKind(const Archive& archive, MemberIndex member);

}  // namespace pt2
