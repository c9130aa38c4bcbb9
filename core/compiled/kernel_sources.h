#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/archive/archive.h"

namespace pt2 {

/// A source of a model's folder that may hold its kernels.
struct SourceFile {
    MemberIndex member = 0;
    std::string name;          ///< without its folder
    bool hasMetadata = false;  ///< NAME_metadata.json lies beside it, as torch 2.6 and later write for each of a model's own sources
};

/// Which of `files` are the model's kernel sources (format.md 4.0): those that the wrapper's text names by stem (its link command does), then those
/// that define functions which the wrapper calls and nothing before them defines, the one with most of them first. A source that is merely there,
/// left from another build, is none. Where nothing tells, the only candidate called *.kernel.cpp is taken, else none.
/// `called` are the functions that run_impl calls. Unnamed files are read only where there are any.
std::vector<MemberIndex> chooseKernelSources(const Archive& archive, const std::vector<SourceFile>& files, std::string_view wrapper,
                                             const std::vector<std::string>& called);

/// Whether a source's text names a file by its stem: "x.kernel" of /build/x.kernel.o, but not of /build/ax.kernel.o.
bool namesFile(std::string_view text, std::string_view stem);

/// "model.wrapper" of "model.wrapper.cpp".
std::string_view fileStem(std::string_view name);

}  // namespace pt2
