#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/archive/archive.h"
#include "core/compiled/compiled_model.h"

namespace pt2 {

/// Kernels for a GPU in a file beside the library (format.md 4.5).
struct GpuBinary {
    std::string member;                      ///< base name, "cz3….cubin"
    std::vector<std::string> architectures;  ///< "sm_86" of machine code in it; empty when it could not be read
    std::vector<std::string> portable;       ///< "compute_80": PTX, which a driver compiles for that and later ones
};

/// By the end of its name: .cubin, .fatbin, .hsaco, .spv.
bool isGpuFile(std::string_view name);
/// What a member of that kind says of itself. Reads up to 256 MB.
GpuBinary readGpuFile(const Archive& archive, MemberIndex member);
/// "machine code for sm_86 (compute capability 8.6), no PTX"; empty for no files, "not known" where none of them says anything.
std::string gpuCodeWords(const std::vector<GpuBinary>& binaries);
/// Files of kernels that the wrapper source names and the package does not hold, ascending. Reads the source.
std::vector<std::string> absentGpuFiles(const Archive& archive, const CompiledModel& model);

}  // namespace pt2
