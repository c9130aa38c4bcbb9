#pragma once

#include <vector>

#include "core/compiled/elf.h"
#include "views/widgets/data_table.h"

namespace pt2::views {

/// What the headers and tables of a shared library say: machine, what it needs, constants, and the names it takes and gives.
std::vector<Column> libraryColumns();
std::vector<Row> libraryRows(const ElfReading& reading);

}  // namespace pt2::views
