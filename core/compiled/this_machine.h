#pragma once

#include <set>
#include <string>
#include <vector>

namespace pt2 {

/// What this machine offers to a compiled model; read once, on first use. Plain data, so that tests can judge against another machine.
struct MachineFacts {
    std::string platform;               ///< "linux"
    std::string machine;                ///< "x86_64"
    std::set<std::string> cpuFeatures;  ///< flags of /proc/cpuinfo ("avx2", "fma"; "asimd" on aarch64); empty when it could not be read
    std::string glibc;                  ///< "2.36"; empty with another C library
    std::string glibcxx;                ///< highest GLIBCXX version of the libstdc++ in this process; empty if unknown
    bool hasCudaDevice = false;
    std::vector<std::string> libraryFolders;  ///< where the dynamic linker looks

    bool hasLibrary(const std::string& name) const;
};
const MachineFacts& thisMachine();

}  // namespace pt2
