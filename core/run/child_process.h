#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/run/descriptor.h"

namespace pt2 {

// Programs of the system that this process starts: Python, CMake and the compilers they start in turn.

/// How a child is started.
struct ChildStart {
    std::string executable;
    std::vector<std::string> arguments;
    std::vector<std::pair<std::string, std::string>> environment;  ///< added to the inherited one; a later entry wins
    std::filesystem::path workingDirectory;                        ///< empty: inherited
};

struct PipeEnds {
    Descriptor read, write;
};
Result<PipeEnds> makePipe();
/// A copy of the descriptor above 2, so that dup2 in the child cannot overwrite one that is still needed.
Result<Descriptor> aboveStandard(int fd);
/// Forks and executes in a process group of its own, with the given descriptors (all above 2) as 0, 1 and 2; its process id. Errors: System
/// "child.not-started".
Result<int> spawnChild(const ChildStart& how, int input, int output, int errors);
/// Ends a child and all of its group: asks first (compilers then remove their temporary files), kills after a moment, and takes the child away unless
/// `reaped` says that this was done.
void endChildGroup(int pid, bool reaped);
/// Cuts `text` into its complete lines and gives each to `progress` with the stage; what remains stays in `text`. Empty lines are left out.
void reportLines(std::string& text, const std::string& stage, const ProgressSink& progress);

/// How a program ended.
struct ChildEnd {
    int exitCode = -1;   ///< of one that ended by itself
    int signal = 0;      ///< that ended it, or 0
    std::string output;  ///< standard output and standard error as they came, the beginning cut away beyond 1 MiB
    bool ok() const { return signal == 0 && exitCode == 0; }
};
/// Runs a program to its end without any input. Each line it prints goes to `onLine` as it comes. Cancel ends its whole group. Errors: System
/// "child.not-started"; Cancelled. That it failed is no Error: the caller knows what it means.
Result<ChildEnd> runChild(const ChildStart& how, const CancelToken& cancel, const std::function<void(const std::string&)>& onLine = {});

}  // namespace pt2
