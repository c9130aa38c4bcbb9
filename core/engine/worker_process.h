#pragma once

#include <cstdint>

#include "core/base/result.h"
#include "core/run/descriptor.h"

namespace pt2 {

// What a worker does to its own process before a stranger's code runs in it (design.md 5).

/// The protocol's streams, which no model can reach by printing.
struct PrivateStreams {
    Descriptor in, out;
    bool descriptorsTravel = false;  ///< a Unix socket to a process of this machine: tensors are shared memory
};
/// Takes a private copy of descriptor 0, a Unix socket of the process that started this one; or of 0 and 1, a byte stream from wherever. Then 0 gives
/// nothing any more, and 1 is the log, as 2 is.
Result<PrivateStreams> takeStreams(bool socket);

/// Ends this process when the one that started it ends. `expectedParent` catches a parent that ended already.
void dieWithParent(long expectedParent);
/// Own process group, no core files.
void standAlone();
/// Limits what this process may allocate; 0 for no limit.
Status limitMemory(std::uint64_t bytes);
/// On a deadly signal, writes its name, the address and the stack with the library's symbols to the log, and then dies of it.
void reportCrashes();

/// Resident memory of this process, the highest so far and now, bytes; 0 when the system does not tell.
std::uint64_t peakMemoryBytes();
std::uint64_t residentMemoryBytes();
/// Mapped regions of this process; 0 when the system does not tell.
std::uint64_t mappingCount();
/// Whether any libpython is mapped into this process.
bool pythonIsMapped();

}  // namespace pt2
