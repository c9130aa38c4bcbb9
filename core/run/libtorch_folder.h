#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/progress.h"
#include "core/base/result.h"

namespace pt2 {

/// A LibTorch that a run engine can be built for: an unpacked LibTorch, or the folder of the Python package torch.
struct LibTorchFolder {
    std::filesystem::path folder;  ///< the one with include/ and lib/, absolute
    std::string version;           ///< "2.13.0"
    std::string variant;           ///< "cpu", "cu130"; empty when it does not say
};

/// {2, 13, 0} of "2.13.0" or "2.13.0a0+git": what is not said is 0; all 0 for no version.
std::array<int, 3> versionNumbers(std::string_view version);

/// Reads what kind of LibTorch a folder holds, without loading it. Errors: Usage "libtorch.none" (no LibTorch there), CannotRun "libtorch.headers"
/// (only libraries), "libtorch.old" (before 2.8), "libtorch.abi" (built with the older std::string).
Result<LibTorchFolder> readLibTorchFolder(const std::filesystem::path& folder);

/// Which one is meant; one of the two at most.
struct LibTorchWish {
    std::string folder;  ///< --libtorch
    std::string python;  ///< --python; empty: the one that findPython takes
};
/// The LibTorch that is named, else that of the Python with torch. Torch is not imported. Errors: those of readLibTorchFolder and findPython, System
/// "libtorch.not-found" when there is no Python with torch.
Result<LibTorchFolder> findLibTorch(const LibTorchWish& wish, const CancelToken& cancel = {});

}  // namespace pt2
