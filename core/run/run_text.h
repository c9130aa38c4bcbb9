#pragma once

#include <string>

#include "core/run/run.h"

namespace pt2 {

// What is said of a run beside its outputs, the same in the window and on the command line. Empty where there is nothing to say.

/// "212 MB with LibTorch alone, 1.21 GB with the model loaded (+998 MB), 1.4 GB at most."
std::string memoryText(const RunMemory& memory);

/// "200 loads: 212 MB after the first, 213 MB after the last; no growth beyond 0.01 MB a load." or by how much it grows, of memory and of mappings.
std::string soakText(const Soak& soak);
/// Whether memory or mappings grow with each load, by more than noise.
bool grows(const Soak& soak);

/// How the loaded library calls its inputs and outputs, where the contract does not know it: "The library calls its inputs arg0_1, arg1_1, …"
std::string libraryNamesText(const Contract& contract, const LibraryNames& names);

/// Where the wrapper source of the file and the loaded library disagree on an input's name: then the source is another model's, and what was read of
/// it does not hold.
std::string strangeSourceText(const Contract& contract, const LibraryNames& names);

}  // namespace pt2
