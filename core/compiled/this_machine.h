#pragma once

#include <string>
#include <vector>

#include "core/compiled/target.h"

namespace pt2 {

/// This machine, without a LibTorch; read once, on first use.
const Target& thisMachine();
/// This machine with the LibTorch of its run engine.
Target thisMachineWith(TargetTorch torch);
/// This machine where no run engine was found.
Target thisMachineWithoutTorch();
/// Whether the dynamic linker finds a library of that file name for a program like this one.
bool isLibraryHere(const std::string& name);
/// File names of all that it finds, ascending. Looks into each of some thousand files.
std::vector<std::string> librariesHere();
/// Where the dynamic linker finds these libraries, those that it finds.
std::vector<std::string> systemLibraries(const std::vector<std::string>& names);

}  // namespace pt2
