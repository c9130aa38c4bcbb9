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

/// ElfFacts and what else the reading of a library needs.
struct ElfReading {
    ElfFacts facts;
    std::string notElf;                                ///< what the file is when it is no 64-bit little-endian ELF: "PE (Windows)", "Mach-O"
    bool hasRunPath = false;                           ///< DT_RPATH or DT_RUNPATH: libraries may lie elsewhere
    std::optional<std::uint64_t> constantsSize;        ///< _binary_constants_bin_end - _start
    std::optional<std::uint64_t> constantsFileOffset;  ///< where _start lies in the file
    std::vector<std::string> definedVersions;          ///< names of SHT_GNU_verdef ("GLIBCXX_3.4.30"), for libraries of the system
};

/// Reads headers, dynamic section, version tables and symbol names with every offset and count checked. What is cut or nonsense is an Error of kind
/// Unreadable "elf.damaged"; a file that is no ELF is no error.
Result<ElfReading> readElf(const ByteSource& source);

/// "2.34" against "2.4": as numbers between the dots.
int compareVersions(std::string_view a, std::string_view b);

}  // namespace pt2
