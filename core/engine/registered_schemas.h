#pragma once

#include <map>
#include <string>
#include <vector>

namespace pt2 {

/// Schemas of those of these operators ("aten::sort.stable", "corpus::scale_shift") that are registered in this process, by the name that was given.
std::map<std::string, std::string> registeredSchemas(const std::vector<std::string>& targets);
/// Schemas of all operators that are registered, one a line, ascending.
std::string allRegisteredSchemas();

}  // namespace pt2
