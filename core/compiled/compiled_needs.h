#pragma once

#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/compiled/code_scan.h"
#include "core/compiled/compiled_model.h"
#include "core/compiled/gpu_files.h"

namespace pt2 {

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
