#pragma once

#include <exception>
#include <string>

#include "core/base/result.h"

namespace pt2 {

/// What LibTorch or a model threw, in its own words.
struct Thrown {
    std::string text;
    bool outOfMemory = false;
};
Thrown describe(std::exception_ptr thrown);

/// RunFailed: "run.memory" or "run.model-error".
tl::unexpected<Error> runFailed(Thrown thrown, std::string what);
/// What the dynamic linker or LibTorch says when a library does not fit this process: CannotRun, else as runFailed.
tl::unexpected<Error> loadFailed(Thrown thrown);

}  // namespace pt2
