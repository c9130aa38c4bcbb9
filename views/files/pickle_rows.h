#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/tensor/pickle.h"
#include "views/widgets/data_table.h"

namespace pt2::views {

/// A pickle as a tree of rows: where a thing lies, what it is, and its value. Beyond 20,000 rows the rest is counted, not shown.
/// `values` gives the words for a tensor's elements where they can be had; empty text where they cannot.
std::vector<Column> pickleColumns();
std::vector<Row> pickleRows(const PickleNode& root, const std::function<std::string(const PickleNode&)>& values = {});

}  // namespace pt2::views
