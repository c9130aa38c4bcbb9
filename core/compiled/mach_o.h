#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/compiled/elf.h"

namespace pt2 {

/// What the load commands of a library for macOS say: it does not load here, and what it is tied to is worth knowing all the same.
struct MachOFacts {
    std::string machine;              ///< "arm64", "x86_64", else the number
    std::string installName;          ///< LC_ID_DYLIB; empty when it has none
    std::vector<std::string> needed;  ///< libraries it loads, with their paths, in order
};

/// Nothing for what is no 64-bit little-endian Mach-O file. Of commands that are cut or break the rules, those before them are given.
std::optional<MachOFacts> readMachO(const ByteSource& source);

}  // namespace pt2
