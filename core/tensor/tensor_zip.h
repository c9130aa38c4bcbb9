#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/file.h"
#include "core/base/result.h"

namespace pt2 {

/// Bytes that can be read at any place: a file, or a block of memory.
struct RandomAccess {
    std::uint64_t size = 0;
    std::function<Status(std::uint64_t offset, MutableBytes out)> readAt;
    std::string name;  ///< for error messages
};
RandomAccess accessTo(Bytes bytes, std::string name);
/// The file outlives the result.
RandomAccess accessTo(const File& file);

/// One record of the plain zip files that hold tensors (.npz, torch.save). PT2 archives are read by core/archive, which sees far more.
struct TensorZipEntry {
    std::string name;
    std::uint16_t method = 0;
    std::uint32_t crc32 = 0;
    std::uint64_t compressedSize = 0, size = 0;
    std::uint64_t dataOffset = 0;
};

/// The zip directory in its order, 64-bit sizes included; every offset is checked against the file. Errors: Unreadable.
Result<std::vector<TensorZipEntry>> readTensorZip(const RandomAccess& source);
/// The bytes of a record, stored or deflated. torch.save can be told to leave the CRCs out, so its files are read without verifying them.
enum class VerifyCrc { Yes, No };
Result<ByteBuffer> readTensorZipEntry(const RandomAccess& source, const TensorZipEntry& record, VerifyCrc verify = VerifyCrc::Yes);

/// Writes stored records one after the other, and the directory at the end; 64-bit fields only where they are needed.
class TensorZipWriter {
public:
    explicit TensorZipWriter(AtomicFile& file) : file_(file) {}
    /// `content` calls its argument with all bytes, and is called twice: once for size and CRC, once to write. `alignment`: data begins at a multiple
    /// of it (1 for none).
    Status add(const std::string& name, const std::function<Status(const std::function<Status(Bytes)>&)>& content, std::uint32_t alignment = 1);
    Status finish();

private:
    struct Written {
        std::string name;
        std::uint32_t crc32 = 0;
        std::uint64_t size = 0, headerOffset = 0;
    };
    AtomicFile& file_;
    std::vector<Written> written_;
};

}  // namespace pt2
