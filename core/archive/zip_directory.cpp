#include "core/archive/zip_directory.h"

#include <algorithm>
#include <optional>

#include "core/archive/limited_issues.h"
#include "core/archive/zip_layout.h"
#include "core/base/bytes.h"
#include "core/base/text.h"

namespace pt2 {

namespace {

constexpr std::uint64_t kTailLimit = std::uint64_t{1} << 20;         // how far from the end an end record is looked for
constexpr std::uint64_t kDirectoryLimit = std::uint64_t{256} << 20;  // several million members
constexpr std::size_t kCandidateLimit = 64;

std::string shown(std::string_view name) { return "\"" + escapeForDisplay(elideMiddle(name, 120)) + "\""; }
std::string address(std::string_view name) { return "file/" + escapeForDisplay(elideMiddle(name, 400)); }

/// What an end record (with its zip64 companion) says, checked against the file.
struct EndRecord {
    std::uint64_t position = 0;      // of the 22-byte record
    std::uint64_t end = 0;           // behind its comment
    std::uint64_t directoryEnd = 0;  // where zip64 record or end record begins
    std::uint64_t entries = 0;
    std::uint64_t directorySize = 0;
    std::uint64_t directoryOffset = 0;  // as written
    std::uint64_t actualOffset = 0;     // where the directory is
    std::uint16_t commentLength = 0;
    bool badLocator = false;
};

bool hasSignature(const File& file, std::uint64_t offset, std::uint32_t signature) {
    std::uint64_t end = 0;
    if (!addSafe(offset, 4, end) || end > file.size()) return false;
    std::byte bytes[4];
    return file.readAt(offset, bytes) && loadLittle<std::uint32_t>(bytes, 0) == signature;
}

/// Replaces the 32-bit numbers by those of the zip64 record, when the locator leads to one.
void readZip64(const File& file, EndRecord& record) {
    if (record.position < zip::kLocatorSize) return;
    std::byte locator[zip::kLocatorSize];
    if (!file.readAt(record.position - zip::kLocatorSize, locator)) return;
    if (loadLittle<std::uint32_t>(locator, 0) != zip::kLocatorSignature) return;
    const std::uint64_t locatorPosition = record.position - zip::kLocatorSize;
    std::optional<std::uint64_t> found;
    // As written, else directly before the locator: bytes in front of the archive move it.
    const std::uint64_t written = loadLittle<std::uint64_t>(locator, 8);
    if (written <= locatorPosition && locatorPosition - written >= zip::kEnd64Size && hasSignature(file, written, zip::kEnd64Signature)) {
        found = written;
    } else if (locatorPosition >= zip::kEnd64Size && hasSignature(file, locatorPosition - zip::kEnd64Size, zip::kEnd64Signature)) {
        found = locatorPosition - zip::kEnd64Size;
        record.badLocator = true;
    }
    if (!found) {
        record.badLocator = true;
        return;
    }
    std::byte bytes[zip::kEnd64Size];
    if (!file.readAt(*found, bytes)) return;
    record.entries = loadLittle<std::uint64_t>(bytes, 32);
    record.directorySize = loadLittle<std::uint64_t>(bytes, 40);
    record.directoryOffset = loadLittle<std::uint64_t>(bytes, 48);
    record.directoryEnd = *found;
}

/// The end record at `position` if it leads to a directory, else the reason why not.
Result<EndRecord> readEndRecord(const File& file, std::uint64_t position) {
    std::byte bytes[zip::kEndSize];
    if (Status read = file.readAt(position, bytes); !read) return tl::unexpected(read.error());
    EndRecord record;
    record.position = record.directoryEnd = position;
    record.entries = loadLittle<std::uint16_t>(bytes, 10);
    record.directorySize = loadLittle<std::uint32_t>(bytes, 12);
    record.directoryOffset = loadLittle<std::uint32_t>(bytes, 16);
    record.commentLength = loadLittle<std::uint16_t>(bytes, 20);
    record.end = position + zip::kEndSize + record.commentLength;
    const std::uint16_t disk = loadLittle<std::uint16_t>(bytes, 4);
    if (disk != 0 && disk != 0xFFFF) {
        return fail({ErrorKind::Unreadable, "archive.multi-volume", "This is one part of a zip archive in several volumes.", file.name(),
                     "Its end record counts more than one disk.", "Join the volumes to one file first."});
    }
    readZip64(file, record);
    const auto bad = [&](std::string why) {
        return fail({ErrorKind::Unreadable, "archive.bad-directory", "The directory of the zip archive is damaged.", file.name(), std::move(why),
                     "Copy or download the file again; a good copy has the directory at its end."});
    };
    if (record.directorySize > record.directoryEnd) {
        return bad("The end record claims a directory of " + std::to_string(record.directorySize) + " bytes, more than lie before it.");
    }
    if (record.directorySize > kDirectoryLimit) return bad("The directory is larger than " + std::to_string(kDirectoryLimit) + " bytes.");
    if (record.directorySize == 0) {
        record.actualOffset = record.directoryEnd;
        return record;
    }
    const std::uint64_t adjacent = record.directoryEnd - record.directorySize;
    if (record.directoryOffset <= adjacent && hasSignature(file, record.directoryOffset, zip::kCentralSignature)) {
        record.actualOffset = record.directoryOffset;
    } else if (record.directoryOffset <= adjacent && hasSignature(file, adjacent, zip::kCentralSignature)) {
        record.actualOffset = adjacent;
    } else if (record.directoryOffset > adjacent) {
        return bad("The end record places the directory at byte " + std::to_string(record.directoryOffset) + ", which leaves no room for it.");
    } else {
        return bad("No directory record stands at byte " + std::to_string(record.directoryOffset) + ", where the end record places it.");
    }
    return record;
}

/// The last end record that leads to a directory. Others after it are noise or an imitation in the comment; others before it belong to zips
/// inside (sample inputs are one), so a file that begins as an archive takes only an end record that counts from its beginning.
Result<EndRecord> findEndRecord(const File& file, LimitedIssues& issues) {
    const std::uint64_t tail = std::min(file.size(), kTailLimit);
    ByteBuffer bytes(static_cast<std::size_t>(tail));
    const std::uint64_t start = file.size() - tail;
    if (Status read = file.readAt(start, bytes); !read) return tl::unexpected(read.error());
    const bool beginsAsArchive = hasSignature(file, 0, zip::kLocalSignature);
    std::optional<Error> firstError;
    std::optional<EndRecord> empty;
    std::size_t candidates = 0;
    for (std::uint64_t i = tail >= zip::kEndSize ? tail - zip::kEndSize + 1 : 0; i-- > 0 && candidates < kCandidateLimit;) {
        if (loadLittle<std::uint32_t>(bytes, static_cast<std::size_t>(i)) != zip::kEndSignature) continue;
        ++candidates;
        Result<EndRecord> record = readEndRecord(file, start + i);
        if (record && record->directorySize == 0) {
            if (!empty) empty = *record;
            continue;
        }
        if (record && beginsAsArchive && record->actualOffset != record->directoryOffset) continue;
        if (!record) {
            if (!firstError && (!beginsAsArchive || record.error().code != "archive.bad-directory" || start + i + zip::kEndSize == file.size())) {
                firstError = record.error();
            }
            continue;
        }
        if (firstError || empty) {
            issues.add(Severity::Warning, "archive.two-end-records", "file",
                       "Behind the end record of the zip archive stands something that imitates one, for instance in the comment.",
                       "torch may refuse the file; saving it anew removes the comment.");
        }
        return record;
    }
    if (firstError) return fail(std::move(*firstError));
    if (empty) return *empty;
    return fail({ErrorKind::Unreadable, "archive.no-end-record", "No zip end record was found.", file.name(), {}, {}});
}

/// Takes the 64-bit numbers from the zip64 extra field; those are present for which the 32-bit field is all ones, in this order.
void applyZip64Extra(Bytes extra, ZipEntry& entry) {
    std::size_t at = 0;
    while (extra.size() - at >= 4) {
        const auto id = loadLittle<std::uint16_t>(extra, at);
        const std::size_t length = loadLittle<std::uint16_t>(extra, at + 2);
        at += 4;
        if (length > extra.size() - at) return;
        if (id == zip::kZip64ExtraId) {
            std::size_t field = at;
            for (std::uint64_t* value : {&entry.size, &entry.compressedSize, &entry.headerOffset}) {
                if (*value != 0xFFFFFFFF) continue;
                if (at + length - field < 8) return;
                *value = loadLittle<std::uint64_t>(extra, field);
                field += 8;
            }
            return;
        }
        at += length;
    }
}

/// One central record at `at`; nullopt at the end or when it is cut.
std::optional<ZipEntry> parseCentralRecord(Bytes directory, std::size_t& at) {
    if (directory.size() - at < zip::kCentralSize || loadLittle<std::uint32_t>(directory, at) != zip::kCentralSignature) return std::nullopt;
    const std::size_t nameLength = loadLittle<std::uint16_t>(directory, at + 28);
    const std::size_t extraLength = loadLittle<std::uint16_t>(directory, at + 30);
    const std::size_t commentLength = loadLittle<std::uint16_t>(directory, at + 32);
    if (directory.size() - at - zip::kCentralSize < nameLength + extraLength + commentLength) return std::nullopt;
    ZipEntry entry;
    const auto madeBy = loadLittle<std::uint16_t>(directory, at + 4);
    entry.flags = loadLittle<std::uint16_t>(directory, at + 8);
    entry.method = loadLittle<std::uint16_t>(directory, at + 10);
    entry.crc32 = loadLittle<std::uint32_t>(directory, at + 16);
    entry.compressedSize = loadLittle<std::uint32_t>(directory, at + 20);
    entry.size = loadLittle<std::uint32_t>(directory, at + 24);
    entry.headerOffset = loadLittle<std::uint32_t>(directory, at + 42);
    const auto attributes = loadLittle<std::uint32_t>(directory, at + 38);
    entry.name = asText(directory.subspan(at + zip::kCentralSize, nameLength));
    applyZip64Extra(directory.subspan(at + zip::kCentralSize + nameLength, extraLength), entry);
    entry.isDirectory = !entry.name.empty() && entry.name.back() == '/';
    constexpr std::uint32_t kTypeMask = 0170000;
    constexpr std::uint32_t kLink = 0120000;
    entry.isLink = (madeBy >> 8) == 3 && ((attributes >> 16) & kTypeMask) == kLink;
    at += zip::kCentralSize + nameLength + extraLength + commentLength;
    return entry;
}

/// Finds the data behind the local header and says what is wrong with the two.
void readLocalHeader(const File& file, ZipEntry& entry, LimitedIssues& issues) {
    const auto problem = [&](std::string code, std::string why) {
        issues.add(Severity::Error, code, address(entry.name), "Member " + shown(entry.name) + " cannot be read: " + why,
                   "The other members can still be read; get a good copy of the file for this one.");
        entry.problemCode = std::move(code);
        entry.problem = std::move(why);
    };
    std::uint64_t headerEnd = 0;
    if (!addSafe(entry.headerOffset, zip::kLocalSize, headerEnd) || headerEnd > file.size()) {
        return problem("archive.bad-offset", "its header would lie at byte " + std::to_string(entry.headerOffset) + ", behind the end of the file.");
    }
    ByteBuffer bytes(zip::kLocalSize + entry.name.size());
    const std::size_t available = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), file.size() - entry.headerOffset));
    bytes.resize(available);
    if (Status read = file.readAt(entry.headerOffset, bytes); !read) return problem("archive.bad-offset", read.error().why);
    if (loadLittle<std::uint32_t>(bytes, 0) != zip::kLocalSignature) {
        return problem("archive.bad-header", "no member header stands at byte " + std::to_string(entry.headerOffset) + ".");
    }
    const std::size_t nameLength = loadLittle<std::uint16_t>(bytes, 26);
    const std::size_t extraLength = loadLittle<std::uint16_t>(bytes, 28);
    if (nameLength != entry.name.size() || bytes.size() != zip::kLocalSize + nameLength ||
        asText(Bytes(bytes).subspan(zip::kLocalSize)) != entry.name) {
        issues.add(Severity::Warning, "archive.name-differs", address(entry.name),
                   "Member " + shown(entry.name) + " has another name in its own header than in the directory.",
                   "The directory's name is used here; a reader that streams the file sees the other one.");
    }
    if (loadLittle<std::uint16_t>(bytes, 8) != entry.method) {
        issues.add(Severity::Warning, "archive.method-differs", address(entry.name),
                   "Member " + shown(entry.name) + " names another compression in its own header than in the directory.",
                   "The directory's is used here.");
    }
    const std::uint64_t dataOffset = headerEnd + nameLength + extraLength;
    std::uint64_t dataEnd = 0;
    if (!addSafe(dataOffset, entry.compressedSize, dataEnd) || dataEnd > file.size()) {
        return problem("archive.bad-size", "it claims " + std::to_string(entry.compressedSize) + " bytes at byte " + std::to_string(dataOffset) +
                                               ", and the file ends at " + std::to_string(file.size()) + ".");
    }
    entry.dataOffset = dataOffset;
    if ((entry.flags & (zip::kFlagEncrypted | zip::kFlagHiddenHeaders)) != 0) {
        return problem("archive.encrypted", "it is marked as encrypted.");
    }
    if (entry.method == zip::kStored && entry.size != entry.compressedSize) {
        return problem("archive.size-mismatch", "it is stored plainly, yet its two sizes differ (" + std::to_string(entry.compressedSize) + " and " +
                                                    std::to_string(entry.size) + " bytes).");
    }
    if (entry.method != zip::kStored && entry.size / 100 > entry.compressedSize && entry.size > (std::uint64_t{10} << 20)) {
        issues.add(Severity::Warning, "archive.high-ratio", address(entry.name),
                   "Member " + shown(entry.name) + " grows from " + formatBytes(entry.compressedSize) + " to " + formatBytes(entry.size) + ".",
                   "Such a ratio is typical of a file made to exhaust memory or disk.");
    }
}

void checkLayout(const File& file, const ZipDirectory& directory, const EndRecord& end, LimitedIssues& issues) {
    std::vector<const ZipEntry*> order;
    order.reserve(directory.entries.size());
    for (const ZipEntry& entry : directory.entries) {
        if (entry.dataOffset != 0) order.push_back(&entry);
    }
    std::sort(order.begin(), order.end(), [](const ZipEntry* a, const ZipEntry* b) { return a->headerOffset < b->headerOffset; });
    std::uint64_t covered = 0;
    const ZipEntry* last = nullptr;
    for (const ZipEntry* entry : order) {
        if (last != nullptr && entry->headerOffset < covered) {
            issues.add(Severity::Warning, "archive.overlap", address(entry->name),
                       "Members " + shown(last->name) + " and " + shown(entry->name) + " share bytes of the file.",
                       "Changing one changes the other; a normal writer never does this.");
        }
        const std::uint64_t entryEnd = entry->dataOffset + entry->compressedSize;
        if (entryEnd > directory.offset && entry->headerOffset < directory.offset) {
            issues.add(Severity::Warning, "archive.overlap", address(entry->name), "Member " + shown(entry->name) + " reaches into the directory.",
                       "The file is damaged or made by hand.");
        }
        if (entryEnd >= covered) {
            covered = entryEnd;
            last = entry;
        }
    }
    const std::uint64_t first = order.empty() ? 0 : order.front()->headerOffset;
    if (directory.prefix > 0) {
        issues.add(Severity::Warning, "archive.prefix", "file",
                   std::to_string(directory.prefix) + " bytes stand before the archive, and its offsets do not count them.",
                   "torch refuses such a file; it can be read here, and saving it anew removes them.");
    } else if (first > 0) {
        issues.add(Severity::Note, "archive.prefix", "file", std::to_string(first) + " bytes stand before the first member.");
    }
    if (end.end < file.size()) {
        issues.add(Severity::Note, "archive.trailing-bytes", "file", std::to_string(file.size() - end.end) + " bytes follow the end of the archive.");
    } else if (end.end > file.size()) {
        issues.add(Severity::Warning, "archive.comment-cut", "file", "The comment at the end of the archive is cut.");
    }
}

}  // namespace

Result<ZipDirectory> readZipDirectory(const File& file, Issues& issues) {
    if (file.size() < zip::kEndSize)
        return fail({ErrorKind::Unreadable, "archive.no-end-record", "No zip end record was found.", file.name(), {}, {}});
    LimitedIssues limited(issues);
    Result<EndRecord> end = findEndRecord(file, limited);
    if (!end) return tl::unexpected(end.error());
    ZipDirectory directory;
    directory.hasEndRecord = true;
    directory.offset = end->actualOffset;
    directory.endOffset = end->position;
    directory.prefix = end->directorySize == 0 ? 0 : end->actualOffset - end->directoryOffset;
    if (end->badLocator) {
        limited.add(Severity::Warning, "archive.bad-zip64-locator", "file", "The zip64 locator does not lead to a zip64 end record.",
                    "The directory was found without it; saving the file anew repairs it.");
    }

    // All that lies before the end record: the size written may be a lie, the signatures tell.
    const std::uint64_t span = end->directoryEnd - end->actualOffset;
    ByteBuffer bytes(static_cast<std::size_t>(span <= kDirectoryLimit ? span : end->directorySize));
    if (Status read = file.readAt(end->actualOffset, bytes); !read) return tl::unexpected(read.error());
    std::size_t at = 0;
    for (;;) {
        const std::size_t begin = at;
        std::optional<ZipEntry> entry = parseCentralRecord(bytes, at);
        if (!entry) break;
        entry->recordOffset = end->actualOffset + begin;
        if (!addSafe(entry->headerOffset, directory.prefix, entry->headerOffset)) entry->headerOffset = ~std::uint64_t{0};
        directory.entries.push_back(std::move(*entry));
    }
    if (directory.entries.size() != end->entries) {
        limited.add(directory.entries.size() < end->entries ? Severity::Error : Severity::Warning, "archive.bad-count", "file",
                    "The end record counts " + std::to_string(end->entries) + " members, and the directory holds " +
                        std::to_string(directory.entries.size()) + ".",
                    "All members of the directory are shown; torch refuses such a file.");
    }
    for (ZipEntry& entry : directory.entries) readLocalHeader(file, entry, limited);
    checkLayout(file, directory, *end, limited);
    limited.finish();
    return directory;
}

}  // namespace pt2
