#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "core/base/progress.h"
#include "core/compiled/cpu_features.h"
#include "core/compiled/elf.h"

namespace pt2 {

/// How much of a library is looked at. What lies beyond is unknown, and said to be.
struct ScanBudget {
    std::chrono::milliseconds time{5000};
    std::uint64_t bytes = std::uint64_t{1} << 30;
};

/// What the machine code of a library asks of a processor, read from its instructions.
struct CodeScan {
    std::string machine;    ///< "x86_64", "aarch64"; of other machines no code is read
    bool read = false;      ///< the code was looked at
    bool complete = false;  ///< to its end
    CpuFeatureSet needed;   ///< by instructions that were read in step from the start of a section or function
    CpuFeatureSet perhaps;  ///< by what was read after bytes that are no instruction: it may be data
    std::uint64_t codeBytes = 0, undecoded = 0;
    bool choosesAtRunTime = false;  ///< the library looks at the processor itself, so a needed feature may be one it does without
    std::string chooser;            ///< by what that is known: "the instruction cpuid"
    std::string stopped;            ///< why it is not complete; empty when it is
};

/// Reads the code of a library in windows. Errors of reading end the scan and are said in `stopped`. `elf` was read with ElfWanted::code.
CodeScan scanCode(const ByteSource& source, const ElfReading& elf, const ScanBudget& budget = {}, const CancelToken& cancel = {});

}  // namespace pt2
