#include "core/archive/zip_records.h"

#include <algorithm>

#include "core/archive/zip_layout.h"

namespace pt2 {

namespace {

constexpr std::uint64_t kMax32 = 0xFFFFFFFF;

template <typename T>
void append(ByteBuffer& out, T value) {
    for (std::size_t i = 0; i < sizeof(T); ++i) out.push_back(static_cast<std::byte>(static_cast<std::uint64_t>(value) >> (8 * i)));
}

void append(ByteBuffer& out, Bytes bytes) {
    for (const std::byte byte : bytes) out.push_back(byte);
}

bool needsZip64(const ZipRecord& record) { return record.size >= kMax32 || record.headerOffset >= kMax32; }

ByteBuffer zip64Extra(const ZipRecord& record) {
    ByteBuffer fields;
    if (record.size >= kMax32) {
        append(fields, record.size);
        append(fields, record.size);
    }
    if (record.headerOffset >= kMax32) append(fields, record.headerOffset);
    ByteBuffer extra;
    if (fields.empty()) return extra;
    append(extra, zip::kZip64ExtraId);
    append(extra, static_cast<std::uint16_t>(fields.size()));
    append(extra, Bytes(fields));
    return extra;
}

std::uint16_t flagsOf(const ZipRecord& record) { return static_cast<std::uint16_t>(zip::kFlagUtf8 | (record.size > 0 ? zip::kFlagDescriptor : 0)); }

std::uint32_t clamped32(std::uint64_t value) { return static_cast<std::uint32_t>(std::min(value, kMax32)); }

/// boost's hash_combine, as torch mixes CRCs.
std::uint64_t combine(std::uint64_t seed, std::uint64_t value) { return seed ^ (value + 0x9e3779b9 + (seed << 6) + (seed >> 2)); }

std::uint64_t fnv1a(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return hash;
}

std::string twentyDigits(std::uint64_t value) {
    const std::string digits = std::to_string(value);
    return std::string(20 - digits.size(), '0') + digits;
}

}  // namespace

ByteBuffer localHeader(const ZipRecord& record) {
    const ByteBuffer zip64 = zip64Extra(record);
    constexpr std::size_t kExtraHeader = 4;
    const std::uint64_t start = record.headerOffset + zip::kLocalSize + record.name.size() + zip64.size() + kExtraHeader;
    const std::uint64_t padding = (zip::kAlignment - start % zip::kAlignment) % zip::kAlignment;
    ByteBuffer out;
    out.reserve(zip::kLocalSize + record.name.size() + zip64.size() + kExtraHeader + padding);
    append(out, zip::kLocalSignature);
    append(out, std::uint16_t{0});  // version needed
    append(out, flagsOf(record));
    append(out, zip::kStored);
    append(out, std::uint32_t{0});  // time and date
    append(out, std::uint32_t{0});  // CRC and both sizes stand in the descriptor
    append(out, std::uint32_t{0});
    append(out, std::uint32_t{0});
    append(out, static_cast<std::uint16_t>(record.name.size()));
    append(out, static_cast<std::uint16_t>(zip64.size() + kExtraHeader + padding));
    append(out, asBytes(record.name));
    append(out, Bytes(zip64));
    append(out, asBytes("FB"));
    append(out, static_cast<std::uint16_t>(padding));
    out.insert(out.end(), padding, std::byte{'Z'});
    return out;
}

ByteBuffer dataDescriptor(const ZipRecord& record) {
    ByteBuffer out;
    if (record.size == 0) return out;
    append(out, zip::kDescriptorSignature);
    append(out, record.crc32);
    if (needsZip64(record)) {
        append(out, record.size);
        append(out, record.size);
    } else {
        append(out, static_cast<std::uint32_t>(record.size));
        append(out, static_cast<std::uint32_t>(record.size));
    }
    return out;
}

ByteBuffer centralDirectory(const std::vector<ZipRecord>& records, std::uint64_t offset) {
    ByteBuffer out;
    for (const ZipRecord& record : records) {
        const ByteBuffer zip64 = zip64Extra(record);
        append(out, zip::kCentralSignature);
        append(out, std::uint16_t{0});  // made by
        append(out, std::uint16_t{0});  // version needed
        append(out, flagsOf(record));
        append(out, zip::kStored);
        append(out, std::uint32_t{0});  // time and date
        append(out, record.crc32);
        append(out, clamped32(record.size));
        append(out, clamped32(record.size));
        append(out, static_cast<std::uint16_t>(record.name.size()));
        append(out, static_cast<std::uint16_t>(zip64.size()));
        append(out, std::uint16_t{0});  // comment
        append(out, std::uint16_t{0});  // disk
        append(out, std::uint16_t{0});  // internal attributes
        append(out, std::uint32_t{0});  // external attributes
        append(out, clamped32(record.headerOffset));
        append(out, asBytes(record.name));
        append(out, Bytes(zip64));
    }
    const std::uint64_t size = out.size();
    const std::uint64_t count = records.size();
    constexpr std::uint16_t kMadeBy = 0x031E;  // as torch's writer
    constexpr std::uint16_t kNeeded = 0x002D;  // zip64
    append(out, zip::kEnd64Signature);
    append(out, std::uint64_t{zip::kEnd64Size - 12});
    append(out, kMadeBy);
    append(out, kNeeded);
    append(out, std::uint32_t{0});
    append(out, std::uint32_t{0});
    append(out, count);
    append(out, count);
    append(out, size);
    append(out, offset);
    append(out, zip::kLocatorSignature);
    append(out, std::uint32_t{0});
    append(out, offset + size);
    append(out, std::uint32_t{1});
    append(out, zip::kEndSignature);
    append(out, std::uint32_t{0});
    append(out, static_cast<std::uint16_t>(std::min<std::uint64_t>(count, 0xFFFF)));
    append(out, static_cast<std::uint16_t>(std::min<std::uint64_t>(count, 0xFFFF)));
    append(out, clamped32(size));
    append(out, clamped32(offset));
    append(out, std::uint16_t{0});
    return out;
}

std::string serializationId(const std::vector<ZipRecord>& records, std::string_view root) {
    std::uint64_t names = 0;
    std::uint64_t checksums = 0;
    for (const ZipRecord& record : records) {
        names = combine(names, fnv1a(std::string_view(record.name).substr(root.empty() ? 0 : root.size() + 1)));
        checksums = combine(checksums, record.crc32);
    }
    return twentyDigits(names) + twentyDigits(checksums);
}

}  // namespace pt2
