#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/base/issue.h"
#include "core/base/result.h"

namespace pt2 {

/// One record of a zip's central directory, joined with what its local header says. Offsets count from the start of the file.
struct ZipEntry {
    std::string name;
    std::uint64_t size = 0;
    std::uint64_t compressedSize = 0;
    std::uint64_t headerOffset = 0;
    std::uint64_t dataOffset = 0;    ///< 0 when the local header cannot be read
    std::uint64_t recordOffset = 0;  ///< of its record in the directory
    std::uint32_t crc32 = 0;
    std::uint16_t method = 0;
    std::uint16_t flags = 0;
    bool isDirectory = false;
    bool isLink = false;      ///< a symbolic link by its Unix mode
    std::string problemCode;  ///< why its bytes cannot be read; both empty when they can
    std::string problem;
};

/// The central directory as it stands in the file.
struct ZipDirectory {
    std::vector<ZipEntry> entries;  ///< in directory order
    std::uint64_t offset = 0;       ///< where the central directory begins
    std::uint64_t endOffset = 0;    ///< where the end record begins
    std::uint64_t prefix = 0;       ///< bytes before the archive that its offsets do not count
    bool hasEndRecord = false;
};

/// Reads the directory with every number checked (format.md 1.5): zip64, bytes before and after the archive, comments that imitate an
/// end record, wrong counts. Local headers are read for the data offsets; payloads are not. Issues name members as "file/NAME".
/// Errors: "archive.no-end-record" (no zip, or a cut one), "archive.bad-directory", "archive.multi-volume".
Result<ZipDirectory> readZipDirectory(const File& file, Issues& issues);

}  // namespace pt2
