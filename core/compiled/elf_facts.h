#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pt2 {

/// What an ELF header and its tables say, read without loading.
struct ElfFacts {
    bool isElf = false;
    std::string machine;                               ///< "x86_64", "aarch64"
    std::vector<std::string> needed;                   ///< DT_NEEDED
    bool executableStack = false;                      ///< PT_GNU_STACK with X (format.md 4.4a)
    std::optional<std::uint64_t> gnuStackFlagsOffset;  ///< file offset of p_flags, for clearing the mark in an extracted copy
    std::string glibc, glibcxx;                        ///< highest version required, "2.34", "3.4.30"
    std::vector<std::string> undefinedSymbols;
    bool exportsContainer = false;  ///< AOTInductorModelContainer* are there
};

}  // namespace pt2
