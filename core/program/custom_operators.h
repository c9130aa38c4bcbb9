#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/program/program.h"

namespace pt2 {

/// Whether torch itself registers the operators of a namespace ("aten"), in its libraries or in its Python modules.
bool isTorchNamespace(std::string_view ns);

/// Operators that a program calls and no torch has, subgraphs included: "corpus::scale_shift", each once, in the order of their first calls. Whoever
/// runs the program in torch eager or compiles it needs the library, or the Python module, that registers them.
std::vector<std::string> customOperators(const Program& program);

}  // namespace pt2
