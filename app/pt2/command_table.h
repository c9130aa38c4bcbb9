#pragma once

#include <string>
#include <vector>

namespace pt2 {

/// The command line from its arguments (without the program's name) to the exit code of cli.md. Nothing is thrown.
int runCommandLine(const std::vector<std::string>& arguments);

}  // namespace pt2
