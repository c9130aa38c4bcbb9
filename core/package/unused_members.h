#pragma once

#include <vector>

#include "core/package/package.h"

namespace pt2 {

/// Members that nothing in the archive refers to, ascending: records below data/weights and data/constants that no configuration names, and what
/// CompiledModel::unused holds. What this cannot judge is left out: other places, folders whose configuration could not be read, models without a
/// wrapper source. Only the small configurations of compiled models are read. Package keeps them: Package::unusedMembers().
std::vector<MemberIndex> findUnusedMembers(const Package& package);

}  // namespace pt2
