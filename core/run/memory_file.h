#pragma once

#include <cstdint>
#include <memory>

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/run/descriptor.h"

namespace pt2 {

/// Memory that two processes share through a descriptor (memfd): written once by its maker, then sealed, so that neither side can cut or change
/// it under the other.
class MemoryFile {
public:
    /// Zero-filled, `size` bytes, writable through `bytes()` until seal(). Error System "memory.none" when there is not enough.
    static Result<MemoryFile> create(std::uint64_t size);
    MemoryFile(MemoryFile&&) noexcept = default;
    MemoryFile& operator=(MemoryFile&&) noexcept = default;

    MutableBytes bytes() const { return bytes_; }
    /// Ends writing: unmaps, forbids any change of size or content, and hands out the descriptor.
    Result<Descriptor> seal() &&;

private:
    MemoryFile() = default;
    Descriptor descriptor_;
    std::shared_ptr<void> mapping_;
    MutableBytes bytes_;
};

/// A mapping of someone else's memory file; lives as long as `owner` does.
struct MappedMemory {
    std::shared_ptr<const void> owner;
    MutableBytes bytes;  ///< writes stay private to this mapping
};
/// Maps the first `size` bytes. Refuses ("protocol.damaged") what is not sealed or is shorter: reading it could kill this process.
Result<MappedMemory> mapSealed(const Descriptor& descriptor, std::uint64_t size);

}  // namespace pt2
