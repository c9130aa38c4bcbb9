#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/bytes.h"

namespace pt2 {

/// One member as torch's writer records it (format.md 1.5): stored, version and date fields 0, sizes in descriptor and directory only.
struct ZipRecord {
    std::string name;
    std::uint64_t size = 0;
    std::uint64_t headerOffset = 0;
    std::uint32_t crc32 = 0;
};

// All functions give the bytes to be written; offsets count from the start of the archive.

/// Local header with the "FB" extra field that moves the data to a multiple of 64, preceded by a zip64 field where size or offset need one.
ByteBuffer localHeader(const ZipRecord& record);
/// The descriptor behind the data: 16 bytes, or 24 where the local header has a zip64 field; none for an empty member.
ByteBuffer dataDescriptor(const ZipRecord& record);
/// Directory, zip64 end record, locator and end record. Zip64 end records are always there.
ByteBuffer centralDirectory(const std::vector<ZipRecord>& records, std::uint64_t offset);

/// `.data/serialization_id`: 20 digits of a hash over the record names and 20 over their CRCs, in the order written.
std::string serializationId(const std::vector<ZipRecord>& records, std::string_view root);

}  // namespace pt2
