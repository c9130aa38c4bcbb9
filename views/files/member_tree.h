#pragma once

#include <vector>

#include "core/package/package.h"
#include "views/widgets/data_table.h"

namespace pt2::views {

/// Members as a tree of folders with totals; a folder that holds one folder only is joined with it into one row. Depth is capped, so a hostile
/// name makes a long row, not a deep tree.
std::vector<Row> memberTree(const Package& package);
std::vector<Column> memberColumns();

}  // namespace pt2::views
