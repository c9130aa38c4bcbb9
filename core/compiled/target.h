#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/compiled/operator_schema.h"

namespace pt2 {

class ExportedSymbols;

/// Names that libraries export, and how much is known of them: a list with prefixes (of a name that begins with one it is known whether it is
/// there), or libraries of this machine, which are asked and know every name.
struct SymbolNames {
    std::vector<std::string> names;     ///< ascending
    std::vector<std::string> prefixes;  ///< an empty one covers every name
    std::shared_ptr<const ExportedSymbols> libraries = {};
    std::vector<std::uint64_t> digests = {};  ///< ascending, of every name there is (symbolDigest), where the names are too many to list
    std::optional<bool> has(std::string_view name) const;
    /// All names that are known, ascending; those of libraries are read on first use.
    const std::vector<std::string>& all() const;
};

/// The LibTorch of a target.
struct TargetTorch {
    std::string version;                                ///< "2.13.0"; empty: not known
    std::string variant;                                ///< "cpu", "cu130"; empty: not known
    std::vector<std::string> devices;                   ///< what it can run on there, "cpu", "cuda:0"; empty: not known
    std::optional<std::vector<std::string>> libraries;  ///< file names in its lib/, ascending
    /// Exported by its libraries and by those of the system that it brings into the process; none: not known.
    std::shared_ptr<const SymbolNames> symbols;
    SchemaSource schemas;  ///< of this machine: asks the run engine, which starts one; none: operators are not known
    /// Schemas of all its operators, as it prints them; of this machine only where they were asked for, to be written down.
    std::vector<std::string> operators;
};

struct TargetGpu {
    std::string kind;          ///< "cuda"
    std::string architecture;  ///< "sm_86"; empty: not known
    std::string name;          ///< "NVIDIA RTX A4000"
};

/// A machine that a compiled model may run on: this one (`pt2 probe`), or one that a file describes. Plain data; what is absent is not known, which
/// never counts as fine.
///
/// The file is a JSON object; every member may be missing, and one that is not listed here is ignored (and named in `ignored`):
///
///     {"format": 1,                              the version of this form; another number is refused
///      "name": "node 7",
///      "platform": "linux",                      "linux", "darwin", "windows"
///      "machine": "x86_64",                      as `uname -m` says; "amd64" and "arm64" are understood
///      "cpu_features": ["avx2", "fma"],          as /proc/cpuinfo names them; "sse4.1", "sse3", "neon" are understood
///      "glibc": "2.36", "glibcxx": "3.4.30",     the C library's version, the highest GLIBCXX version of libstdc++
///      "libraries": ["libc.so.6"],               file names that its dynamic linker finds
///      "libtorch": {"version": "2.13.0",         null: there is none
///                   "variant": "cpu",
///                   "devices": ["cpu"],
///                   "libraries": ["libc10.so"],   file names in its lib/
///                   "symbols": {"prefixes": ["aoti_"], "names": ["aoti_torch_clone"],
///                               "digests": "…"},      of all names (core/compiled/symbol_digests.h)
///                   "operators": ["aten::relu(Tensor self) -> Tensor"]},    all that are registered
///      "gpus": [{"kind": "cuda", "architecture": "sm_86", "name": "…"}]}       []: there is none
struct Target {
    std::string name;
    bool here = false;                                 ///< this machine
    std::string platform, machine;                     ///< empty: not known
    std::optional<std::set<std::string>> cpuFeatures;  ///< canonical names (canonicalCpuFeature)
    std::string glibc, glibcxx;
    std::optional<std::vector<std::string>> libraries;  ///< ascending; of this machine absent: it is asked for each (isLibraryHere)
    enum class Torch { Unknown, Absent, Present } torchState = Torch::Unknown;
    TargetTorch torch;
    std::optional<std::vector<TargetGpu>> gpus;
    std::vector<std::string> ignored;  ///< members of the file that say nothing to this version

    /// Whether the dynamic linker finds it, or LibTorch brings it.
    std::optional<bool> hasLibrary(const std::string& library) const;
};

/// Reads a description; Unreadable "target.bad" with the member's name for what is of a wrong kind, too long, or no version.
Result<Target> parseTarget(std::string_view text);
Result<Target> readTargetFile(const std::string& path);
/// The description as JSON text, with a final newline. Of the symbols those of the C interface of AOTInductor ("aoti_") are
/// written as names, all of them as digests; with the operators that is a megabyte.
std::string targetText(const Target& target);

}  // namespace pt2
