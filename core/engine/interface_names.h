#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace pt2 {

/// How a loaded library itself calls what it takes and gives, by tensor ("arg2_1", "output0").
struct InterfaceNames {
    std::vector<std::string> inputs, outputs;
};

/// Asks the C interface that AOTInductor compiles into a library (AOTInductorModelContainerGetInputName and its kin, torch's
/// aoti_runtime/interface.h). `container` is the library's own handle of the loaded model. Empty where the library does not answer.
InterfaceNames interfaceNames(const std::filesystem::path& library, void* container);

}  // namespace pt2
