#pragma once

#include <vector>

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/run/descriptor.h"

namespace pt2 {

/// What one read gave. `ended`: the other side closed; `again`: nothing there now (non-blocking descriptors).
struct Received {
    std::size_t bytes = 0;
    std::vector<Descriptor> descriptors;
    bool ended = false, again = false;
};
/// Waits until there is something to read, or the other side is gone; false when `fd` is not open in this process any more.
bool waitToRead(int fd);
/// Reads once, at most `into.size()` bytes, with the files that travel along when `fd` is a Unix socket.
Result<Received> receiveSome(int fd, MutableBytes into);

/// Writes once; open files travel with the first byte (Unix socket only). Bytes written, 0 when a non-blocking descriptor takes none now.
Result<std::size_t> sendSome(int fd, Bytes bytes, const std::vector<int>& descriptors = {});
/// Writes all, on a blocking descriptor.
Status sendAll(int fd, Bytes bytes, const std::vector<int>& descriptors = {});

}  // namespace pt2
