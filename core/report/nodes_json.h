#pragma once

#include <string>
#include <vector>

#include "core/program/program.h"
#include "core/report/json_text.h"

namespace pt2 {

/// Nodes with their arguments, results, module and source lines (cli.md "nodes --json").
Json nodesJson(const Program& program, const std::string& model, const std::vector<NodeId>& nodes);

}  // namespace pt2
