#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/compiled/elf.h"
#include "core/compiled/mach_o.h"
#include "views/widgets/data_table.h"

namespace pt2::views {

/// What the headers and tables of a shared library say: machine, what it needs, constants, and the names it takes and gives.
std::vector<Column> libraryColumns();
/// Whether a needed library is here; nothing: not known.
using LibraryLookup = std::function<std::optional<bool>(const std::string& name)>;
std::vector<Row> libraryRows(const ElfReading& reading, const LibraryLookup& found);
/// The same of a library for macOS, which is not looked for here.
std::vector<Row> libraryRows(const MachOFacts& facts);

}  // namespace pt2::views
