#pragma once

#include <vector>

#include "core/package/package.h"

namespace pt2 {

/// Members that nothing in the archive refers to, ascending: records below data/weights and data/constants that no configuration names, and GPU code
/// in a compiled model's folder that its wrapper does not load. What this cannot judge is left out: other places, folders whose configuration could
/// not be read, models without a wrapper source. Reads the wrapper of models with GPU code.
std::vector<MemberIndex> unusedMembers(const Package& package);

}  // namespace pt2
