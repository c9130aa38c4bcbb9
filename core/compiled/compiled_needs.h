#pragma once

#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/compiled/code_scan.h"
#include "core/compiled/compiled_model.h"

namespace pt2 {

/// Kernels for a GPU in a file beside the library (format.md 4.5).
struct GpuBinary {
    std::string member;                      ///< base name, "cz3….cubin"
    std::vector<std::string> architectures;  ///< "sm_86" of machine code in it; empty when it could not be read
    std::vector<std::string> portable;       ///< "compute_80": PTX, which a driver compiles for that and later ones
};

/// What a compiled model demands of where it runs, as far as that has to be read from its code. Reading it costs time in proportion to the code
/// (about a few tenths of a second a megabyte), so it is no part of opening.
struct CompiledNeeds {
    std::string headerProblem;          ///< why the dynamic linker would refuse the library; empty when nothing is wrong with its headers
    CodeScan code;                      ///< of the model's library, and of others beside it
    bool importsKnown = false;          ///< `versions` and `imports` could be read
    std::vector<std::string> versions;  ///< asked of the system's libraries, "GLIBC_2.34", "CXXABI_1.3.13"
    std::vector<std::string> imports;   ///< symbols asked of LibTorch: undefined, without a version; ascending
    std::vector<GpuBinary> gpu;
    std::vector<std::string> absentGpuFiles;  ///< named by the wrapper source and not in the package
};
CompiledNeeds readNeeds(const Archive& archive, const CompiledModel& model, const ScanBudget& budget = {}, const CancelToken& cancel = {});

}  // namespace pt2
