#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/compiled/elf_facts.h"

namespace pt2 {

/// Bytes of a library that are read in windows; it may be gigabytes of weights.
struct ByteSource {
    std::uint64_t size = 0;
    std::function<Status(std::uint64_t offset, MutableBytes out)> readAt;
};

/// A stretch of machine code in the file.
struct CodeRange {
    std::uint64_t offset = 0, size = 0, address = 0;
};

/// ElfFacts and what else the reading of a library needs.
struct ElfReading {
    ElfFacts facts;
    std::string notElf;                                ///< what the file is when it is no 64-bit little-endian ELF: "PE (Windows)", "Mach-O"
    bool hasRunPath = false;                           ///< DT_RPATH or DT_RUNPATH: libraries may lie elsewhere
    std::optional<std::uint64_t> constantsSize;        ///< _binary_constants_bin_end - _start
    std::optional<std::uint64_t> constantsFileOffset;  ///< where _start lies in the file
    std::vector<std::string> definedVersions;          ///< names of SHT_GNU_verdef ("GLIBCXX_3.4.30"), for libraries of the system
    // Only when asked for (ElfWanted):
    std::string headerProblem;  ///< why the dynamic linker would not take it: "no shared object", "cut off"; empty when it would
    std::vector<CodeRange> code;
    std::vector<std::uint64_t> functions;         ///< addresses where functions begin, ascending
    bool choosesFunctions = false;                ///< it has symbols by which code is chosen for the processor at run time (IFUNC, __cpu_model)
    std::vector<std::string> neededVersions;      ///< "GLIBCXX_3.4.30", "CXXABI_1.3.13", once each
    std::vector<std::string> unversionedImports;  ///< undefined symbols without a version: from LibTorch, or from whoever has them
    std::vector<std::string> exports;             ///< defined dynamic symbols, ascending
};

/// Parts of a reading that cost time and memory.
struct ElfWanted {
    bool code = false;     ///< code, functions, choosesFunctions, neededVersions, unversionedImports
    bool exports = false;  ///< exports
};

/// Reads headers, dynamic section, version tables and symbol names with every offset and count checked. What is cut or nonsense is an Error of kind
/// Unreadable "elf.damaged"; a file that is no ELF is no error.
Result<ElfReading> readElf(const ByteSource& source, const ElfWanted& wanted = {});

/// "2.34" against "2.4": as numbers between the dots.
int compareVersions(std::string_view a, std::string_view b);

}  // namespace pt2
