#pragma once

#include <string>
#include <vector>

#include "core/program/program.h"

namespace pt2 {

/// Reasons known without Python why AOTInductor would refuse a program: numbers that vary as inputs, fixed floats as outputs, ...
std::vector<std::string> knownRefusals(const Program& program);

}  // namespace pt2
