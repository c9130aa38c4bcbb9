#include "core/tensor/tensor_zip.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <limits>

#include "core/base/text.h"

namespace pt2 {

namespace {

constexpr std::uint32_t kLocalHeader = 0x04034b50, kCentralHeader = 0x02014b50, kEnd = 0x06054b50, kEnd64 = 0x06064b50, kLocator64 = 0x07064b50;
constexpr std::uint64_t kNeeds64 = 0xFFFFFFFF;

Error damaged(const RandomAccess& source, std::string why) {
    return {ErrorKind::Unreadable, "tensor.zip-damaged", "The zip file cannot be read.", source.name, std::move(why), "Get the file again."};
}

Result<ByteBuffer> readRange(const RandomAccess& source, std::uint64_t offset, std::uint64_t length) {
    if (offset > source.size || length > source.size - offset) {
        return fail(damaged(source, fmt::format("{} bytes at {} lie outside the file.", length, offset)));
    }
    ByteBuffer bytes(static_cast<std::size_t>(length));
    if (auto status = source.readAt(offset, bytes); !status) return tl::unexpected<Error>(status.error());
    return bytes;
}

struct TensorZipDirectory {
    std::uint64_t offset = 0, size = 0, entries = 0;
};

Result<TensorZipDirectory> findDirectory(const RandomAccess& source) {
    const std::uint64_t tail = std::min<std::uint64_t>(source.size, 22 + 65535);
    auto bytes = readRange(source, source.size - tail, tail);
    if (!bytes) return tl::unexpected<Error>(bytes.error());
    if (tail < 22) return fail(damaged(source, "It is too short to be a zip file."));
    for (std::size_t at = tail - 22 + 1; at-- > 0;) {
        if (loadLittle<std::uint32_t>(*bytes, at) != kEnd) continue;
        TensorZipDirectory d{loadLittle<std::uint32_t>(*bytes, at + 16), loadLittle<std::uint32_t>(*bytes, at + 12),
                             loadLittle<std::uint16_t>(*bytes, at + 10)};
        const std::uint64_t place = source.size - tail + at;
        if (place >= 20 && (d.offset == kNeeds64 || d.size == kNeeds64 || d.entries == 0xFFFF)) {
            auto locator = readRange(source, place - 20, 20);
            if (!locator) return tl::unexpected<Error>(locator.error());
            if (loadLittle<std::uint32_t>(*locator, 0) == kLocator64) {
                auto end = readRange(source, loadLittle<std::uint64_t>(*locator, 8), 56);
                if (!end) return tl::unexpected<Error>(end.error());
                if (loadLittle<std::uint32_t>(*end, 0) != kEnd64) return fail(damaged(source, "Its 64-bit end record is not where it should be."));
                d = {loadLittle<std::uint64_t>(*end, 48), loadLittle<std::uint64_t>(*end, 40), loadLittle<std::uint64_t>(*end, 32)};
            }
        }
        return d;
    }
    return fail(damaged(source, "It has no zip directory; the file may be cut."));
}

/// Sizes and offset from the zip64 extra field, for those that the entry says are there.
bool readExtra64(Bytes extra, TensorZipEntry& record, std::uint64_t& headerOffset) {
    for (std::size_t at = 0; at + 4 <= extra.size();) {
        const auto id = loadLittle<std::uint16_t>(extra, at);
        const std::size_t length = loadLittle<std::uint16_t>(extra, at + 2);
        at += 4;
        if (length > extra.size() - at) return false;
        if (id == 1) {
            std::size_t field = at;
            for (std::uint64_t* value : {&record.size, &record.compressedSize, &headerOffset}) {
                if (*value != kNeeds64) continue;
                if (field + 8 > at + length) return false;
                *value = loadLittle<std::uint64_t>(extra, field);
                field += 8;
            }
            return true;
        }
        at += length;
    }
    return true;
}

template <typename T>
void put(ByteBuffer& out, T value) {
    for (std::size_t i = 0; i < sizeof(T); ++i) out.push_back(static_cast<std::byte>((static_cast<std::uint64_t>(value) >> (8 * i)) & 0xFF));
}
void putText(ByteBuffer& out, std::string_view text) {
    const Bytes bytes = asBytes(text);
    out.insert(out.end(), bytes.begin(), bytes.end());
}

std::uint32_t crcOf(std::uint32_t crc, Bytes bytes) {
    return static_cast<std::uint32_t>(::crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

Result<ByteBuffer> inflateAll(const RandomAccess& source, const TensorZipEntry& record, Bytes compressed) {
    // Deflate makes at most about 1032 bytes of one: a larger claim is not believed, and nothing is allocated for it.
    if (record.size / 1040 > compressed.size())
        return fail(damaged(source, fmt::format("The size of \"{}\" is not possible.", escapeForDisplay(record.name))));
    ByteBuffer out(static_cast<std::size_t>(record.size));
    z_stream stream{};
    if (::inflateInit2(&stream, -MAX_WBITS) != Z_OK) return fail(damaged(source, "zlib could not start."));
    std::size_t in = 0, done = 0;
    int code = Z_OK;
    std::byte spare{};
    while (code == Z_OK) {
        constexpr std::size_t step = std::size_t{1} << 30;
        const auto inPart = static_cast<uInt>(std::min(step, compressed.size() - in));
        const bool full = done == out.size();
        const auto outPart = full ? uInt{1} : static_cast<uInt>(std::min(step, out.size() - done));
        stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(compressed.data() + in));
        stream.avail_in = inPart;
        stream.next_out = reinterpret_cast<Bytef*>(full ? &spare : out.data() + done);
        stream.avail_out = outPart;
        code = ::inflate(&stream, Z_NO_FLUSH);
        in += inPart - stream.avail_in;
        const std::size_t made = outPart - stream.avail_out;
        if (full && made != 0) code = Z_DATA_ERROR;
        if (!full) done += made;
        if (code == Z_OK && made == 0 && inPart == stream.avail_in) code = Z_BUF_ERROR;
    }
    ::inflateEnd(&stream);
    if (code != Z_STREAM_END || done != out.size())
        return fail(damaged(source, fmt::format("\"{}\" cannot be inflated.", escapeForDisplay(record.name))));
    return out;
}

}  // namespace

RandomAccess accessTo(Bytes bytes, std::string name) {
    return {bytes.size(),
            [bytes](std::uint64_t offset, MutableBytes out) -> Status {
                if (offset > bytes.size() || out.size() > bytes.size() - offset) {
                    return fail({ErrorKind::Unreadable, "tensor.zip-damaged", "The zip file is cut.", {}, {}, "Get the file again."});
                }
                if (!out.empty()) std::memcpy(out.data(), bytes.data() + offset, out.size());
                return {};
            },
            std::move(name)};
}

RandomAccess accessTo(const File& file) {
    return {file.size(), [&file](std::uint64_t offset, MutableBytes out) { return file.readAt(offset, out); }, file.name()};
}

Result<std::vector<TensorZipEntry>> readTensorZip(const RandomAccess& source) {
    auto directory = findDirectory(source);
    if (!directory) return tl::unexpected<Error>(directory.error());
    auto bytes = readRange(source, directory->offset, directory->size);
    if (!bytes) return tl::unexpected<Error>(bytes.error());
    if (directory->entries > bytes->size() / 46) return fail(damaged(source, "Its directory is shorter than its number of records."));
    std::vector<TensorZipEntry> records;
    std::size_t at = 0;
    for (std::uint64_t i = 0; i < directory->entries; ++i) {
        if (at + 46 > bytes->size() || loadLittle<std::uint32_t>(*bytes, at) != kCentralHeader)
            return fail(damaged(source, "Its directory is damaged."));
        const std::size_t nameLength = loadLittle<std::uint16_t>(*bytes, at + 28);
        const std::size_t extraLength = loadLittle<std::uint16_t>(*bytes, at + 30);
        const std::size_t commentLength = loadLittle<std::uint16_t>(*bytes, at + 32);
        if (nameLength + extraLength + commentLength > bytes->size() - at - 46) return fail(damaged(source, "Its directory is damaged."));
        TensorZipEntry record;
        record.name = asText(Bytes(*bytes).subspan(at + 46, nameLength));
        record.method = loadLittle<std::uint16_t>(*bytes, at + 10);
        record.crc32 = loadLittle<std::uint32_t>(*bytes, at + 16);
        record.compressedSize = loadLittle<std::uint32_t>(*bytes, at + 20);
        record.size = loadLittle<std::uint32_t>(*bytes, at + 24);
        std::uint64_t headerOffset = loadLittle<std::uint32_t>(*bytes, at + 42);
        if (!readExtra64(Bytes(*bytes).subspan(at + 46 + nameLength, extraLength), record, headerOffset)) {
            return fail(damaged(source, "A 64-bit field of its directory is damaged."));
        }
        if ((loadLittle<std::uint16_t>(*bytes, at + 8) & 1) != 0) return fail(damaged(source, "It is encrypted."));
        auto local = readRange(source, headerOffset, 30);
        if (!local) return tl::unexpected<Error>(local.error());
        if (loadLittle<std::uint32_t>(*local, 0) != kLocalHeader) return fail(damaged(source, "A record is not where the directory says."));
        record.dataOffset = headerOffset + 30 + loadLittle<std::uint16_t>(*local, 26) + loadLittle<std::uint16_t>(*local, 28);
        if (record.dataOffset > source.size || record.compressedSize > source.size - record.dataOffset) {
            return fail(damaged(source, fmt::format("\"{}\" lies outside the file.", escapeForDisplay(record.name))));
        }
        if (record.method == 0 && record.compressedSize != record.size) return fail(damaged(source, "A stored record has two different sizes."));
        records.push_back(std::move(record));
        at += 46 + nameLength + extraLength + commentLength;
    }
    return records;
}

Result<ByteBuffer> readTensorZipEntry(const RandomAccess& source, const TensorZipEntry& record, VerifyCrc verify) {
    if (record.method != 0 && record.method != 8) {
        return fail(
            damaged(source, fmt::format("\"{}\" uses compression method {}, which is not supported.", escapeForDisplay(record.name), record.method)));
    }
    auto bytes = readRange(source, record.dataOffset, record.compressedSize);
    if (!bytes) return bytes;
    if (record.method == 8) bytes = inflateAll(source, record, *bytes);
    if (!bytes) return bytes;
    if (verify == VerifyCrc::Yes && crcOf(0, *bytes) != record.crc32)
        return fail(damaged(source, fmt::format("The checksum of \"{}\" is wrong.", escapeForDisplay(record.name))));
    return bytes;
}

Status TensorZipWriter::add(const std::string& name, const std::function<Status(const std::function<Status(Bytes)>&)>& content,
                            std::uint32_t alignment) {
    Written entry{name, 0, 0, file_.position()};
    auto measured = content([&](Bytes bytes) -> Status {
        entry.crc32 = crcOf(entry.crc32, bytes);
        entry.size += bytes.size();
        return {};
    });
    if (!measured) return measured;
    const bool large = entry.size >= kNeeds64;
    ByteBuffer extra;
    if (large) {
        put<std::uint16_t>(extra, 1);
        put<std::uint16_t>(extra, 16);
        put<std::uint64_t>(extra, entry.size);
        put<std::uint64_t>(extra, entry.size);
    }
    if (alignment > 1) {
        const std::uint64_t dataAt = entry.headerOffset + 30 + name.size() + extra.size() + 4;
        const std::uint64_t padding = (alignment - dataAt % alignment) % alignment;
        putText(extra, "FB");
        put<std::uint16_t>(extra, static_cast<std::uint16_t>(padding));
        extra.insert(extra.end(), static_cast<std::size_t>(padding), std::byte{'Z'});
    }
    ByteBuffer header;
    put<std::uint32_t>(header, kLocalHeader);
    put<std::uint16_t>(header, large ? 45 : 20);
    put<std::uint16_t>(header, 0x0800);
    put<std::uint16_t>(header, 0);
    put<std::uint32_t>(header, 0x00210000);  // 1980-01-01, so that equal content gives equal files
    put<std::uint32_t>(header, entry.crc32);
    const auto shortSize = static_cast<std::uint32_t>(large ? kNeeds64 : entry.size);
    put<std::uint32_t>(header, shortSize);
    put<std::uint32_t>(header, shortSize);
    put<std::uint16_t>(header, static_cast<std::uint16_t>(name.size()));
    put<std::uint16_t>(header, static_cast<std::uint16_t>(extra.size()));
    putText(header, name);
    header.insert(header.end(), extra.begin(), extra.end());
    if (auto status = file_.write(header); !status) return status;
    written_.push_back(entry);
    return content([&](Bytes bytes) { return file_.write(bytes); });
}

Status TensorZipWriter::finish() {
    ByteBuffer out;
    const std::uint64_t begin = file_.position();
    for (const Written& entry : written_) {
        const bool large = entry.size >= kNeeds64;
        const bool far = entry.headerOffset >= kNeeds64;
        ByteBuffer extra;
        if (large || far) {
            put<std::uint16_t>(extra, 1);
            put<std::uint16_t>(extra, static_cast<std::uint16_t>((large ? 16 : 0) + (far ? 8 : 0)));
            if (large) {
                put<std::uint64_t>(extra, entry.size);
                put<std::uint64_t>(extra, entry.size);
            }
            if (far) put<std::uint64_t>(extra, entry.headerOffset);
        }
        const auto shortSize = static_cast<std::uint32_t>(large ? kNeeds64 : entry.size);
        put<std::uint32_t>(out, kCentralHeader);
        put<std::uint16_t>(out, 45);
        put<std::uint16_t>(out, large || far ? 45 : 20);
        put<std::uint16_t>(out, 0x0800);
        put<std::uint16_t>(out, 0);
        put<std::uint32_t>(out, 0x00210000);
        put<std::uint32_t>(out, entry.crc32);
        put<std::uint32_t>(out, shortSize);
        put<std::uint32_t>(out, shortSize);
        put<std::uint16_t>(out, static_cast<std::uint16_t>(entry.name.size()));
        put<std::uint16_t>(out, static_cast<std::uint16_t>(extra.size()));
        put<std::uint16_t>(out, 0);
        put<std::uint16_t>(out, 0);
        put<std::uint16_t>(out, 0);
        put<std::uint32_t>(out, 0);
        put<std::uint32_t>(out, static_cast<std::uint32_t>(far ? kNeeds64 : entry.headerOffset));
        putText(out, entry.name);
        out.insert(out.end(), extra.begin(), extra.end());
    }
    const std::uint64_t size = out.size();
    const bool zip64 = begin >= kNeeds64 || size >= kNeeds64 || written_.size() >= 0xFFFF;
    if (zip64) {
        put<std::uint32_t>(out, kEnd64);
        put<std::uint64_t>(out, 44);
        put<std::uint16_t>(out, 45);
        put<std::uint16_t>(out, 45);
        put<std::uint32_t>(out, 0);
        put<std::uint32_t>(out, 0);
        put<std::uint64_t>(out, written_.size());
        put<std::uint64_t>(out, written_.size());
        put<std::uint64_t>(out, size);
        put<std::uint64_t>(out, begin);
        put<std::uint32_t>(out, kLocator64);
        put<std::uint32_t>(out, 0);
        put<std::uint64_t>(out, begin + size);
        put<std::uint32_t>(out, 1);
    }
    put<std::uint32_t>(out, kEnd);
    put<std::uint32_t>(out, 0);
    const auto count = static_cast<std::uint16_t>(std::min<std::uint64_t>(written_.size(), 0xFFFF));
    put<std::uint16_t>(out, count);
    put<std::uint16_t>(out, count);
    put<std::uint32_t>(out, static_cast<std::uint32_t>(std::min(size, kNeeds64)));
    put<std::uint32_t>(out, static_cast<std::uint32_t>(std::min(begin, kNeeds64)));
    put<std::uint16_t>(out, 0);
    return file_.write(out);
}

}  // namespace pt2
