#include "core/compiled/exported_symbols.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <utility>

#include "core/compiled/elf.h"

namespace pt2 {
namespace {

constexpr std::uint64_t kMostTable = std::uint64_t{64} << 20;
constexpr std::uint32_t kMostChain = 1U << 16;  // of one hash value; real ones are below a hundred
constexpr std::uint32_t kLoad = 1, kDynamic = 2;
constexpr std::uint64_t kStringTable = 5, kSymbolTable = 6, kStringsSize = 10, kGnuHash = 0x6ffffef5;
constexpr std::size_t kSymbolSize = 24;

struct Segment {
    std::uint64_t address = 0, offset = 0, size = 0;
};

std::optional<ByteBuffer> bytesAt(const File& file, std::uint64_t offset, std::uint64_t size) {
    if (size > kMostTable || offset > file.size() || size > file.size() - offset) return std::nullopt;
    ByteBuffer bytes(static_cast<std::size_t>(size));
    if (!file.readAt(offset, bytes)) return std::nullopt;
    return bytes;
}

/// The hash of DT_GNU_HASH.
std::uint32_t gnuHash(std::string_view name) {
    std::uint32_t hash = 5381;
    for (const char c : name) hash = hash * 33 + static_cast<unsigned char>(c);
    return hash;
}

bool addExports(const std::filesystem::path& library, std::vector<std::string>& names) {
    const Result<File> file = File::openForReading(library);
    if (!file) return false;
    ElfWanted wanted;
    wanted.exports = true;
    Result<ElfReading> reading = readElf({file->size(), [&](std::uint64_t offset, MutableBytes out) { return file->readAt(offset, out); }}, wanted);
    if (!reading || !reading->facts.isElf) return false;
    names.insert(names.end(), std::make_move_iterator(reading->exports.begin()), std::make_move_iterator(reading->exports.end()));
    return true;
}

}  // namespace

std::optional<SymbolTable> SymbolTable::open(const std::filesystem::path& library) {
    SymbolTable table;
    Result<File> file = File::openForReading(library);
    if (!file) return std::nullopt;
    table.file_ = std::move(*file);
    const auto header = bytesAt(table.file_, 0, 64);
    if (!header || asText(Bytes(*header).subspan(0, 6)) != std::string_view("\x7f\x45LF\x02\x01", 6)) return std::nullopt;
    const std::uint64_t entry = loadLittle<std::uint16_t>(*header, 54), count = loadLittle<std::uint16_t>(*header, 56);
    if (entry < 56) return std::nullopt;
    const auto programs = bytesAt(table.file_, loadLittle<std::uint64_t>(*header, 32), entry * count);
    if (!programs) return std::nullopt;
    std::vector<Segment> segments;
    std::optional<Segment> dynamic;
    for (std::size_t at = 0; at + entry <= programs->size(); at += entry) {
        const Segment segment{loadLittle<std::uint64_t>(*programs, at + 16), loadLittle<std::uint64_t>(*programs, at + 8),
                              loadLittle<std::uint64_t>(*programs, at + 32)};
        const auto type = loadLittle<std::uint32_t>(*programs, at);
        if (type == kLoad) segments.push_back(segment);
        if (type == kDynamic) dynamic = segment;
    }
    if (!dynamic) return std::nullopt;
    const auto entries = bytesAt(table.file_, dynamic->offset, dynamic->size);
    if (!entries) return std::nullopt;
    std::array<std::uint64_t, 4> addresses{};  // strings, symbols, hash, size of the strings
    for (std::size_t at = 0; at + 16 <= entries->size(); at += 16) {
        const auto tag = loadLittle<std::uint64_t>(*entries, at), value = loadLittle<std::uint64_t>(*entries, at + 8);
        if (tag == 0) break;
        if (tag == kStringTable) addresses[0] = value;
        if (tag == kSymbolTable) addresses[1] = value;
        if (tag == kGnuHash) addresses[2] = value;
        if (tag == kStringsSize) addresses[3] = value;
    }
    const auto inFile = [&](std::uint64_t address) -> std::optional<std::uint64_t> {
        for (const Segment& segment : segments) {
            if (address >= segment.address && address - segment.address < segment.size) return segment.offset + (address - segment.address);
        }
        return std::nullopt;
    };
    const auto strings = inFile(addresses[0]), symbols = inFile(addresses[1]), hash = inFile(addresses[2]);
    if (!strings || !symbols || !hash || addresses[0] == 0 || addresses[1] == 0 || addresses[2] == 0) return std::nullopt;
    table.strings_ = *strings;
    table.symbols_ = *symbols;
    table.stringsSize_ = addresses[3];
    const auto sizes = bytesAt(table.file_, *hash, 16);
    if (!sizes) return std::nullopt;
    const std::uint64_t buckets = loadLittle<std::uint32_t>(*sizes, 0), words = loadLittle<std::uint32_t>(*sizes, 8);
    table.firstHashed_ = loadLittle<std::uint32_t>(*sizes, 4);
    table.shift_ = loadLittle<std::uint32_t>(*sizes, 12);
    // The filter's words are a power of two, chosen by a mask.
    if (buckets == 0 || words == 0 || (words & (words - 1)) != 0 || table.shift_ > 31) return std::nullopt;
    const auto bloom = bytesAt(table.file_, *hash + 16, words * 8);
    const auto lists = bytesAt(table.file_, *hash + 16 + words * 8, buckets * 4);
    if (!bloom || !lists) return std::nullopt;
    for (std::size_t i = 0; i < words; ++i) table.bloom_.push_back(loadLittle<std::uint64_t>(*bloom, i * 8));
    for (std::size_t i = 0; i < buckets; ++i) table.buckets_.push_back(loadLittle<std::uint32_t>(*lists, i * 4));
    table.chains_ = *hash + 16 + words * 8 + buckets * 4;
    return table;
}

std::optional<bool> SymbolTable::has(std::string_view name) const {
    const std::uint32_t hash = gnuHash(name);
    const std::uint64_t word = bloom_[(hash / 64) & (bloom_.size() - 1)];
    const std::uint64_t wanted = (std::uint64_t{1} << (hash % 64)) | (std::uint64_t{1} << ((hash >> shift_) % 64));
    if ((word & wanted) != wanted) return false;
    std::uint32_t symbol = buckets_[hash % buckets_.size()];
    if (symbol == 0) return false;
    if (symbol < firstHashed_) return std::nullopt;
    for (std::uint32_t step = 0; step < kMostChain; ++step, ++symbol) {
        const auto link = bytesAt(file_, chains_ + std::uint64_t{symbol - firstHashed_} * 4, 4);
        if (!link) return std::nullopt;
        const auto chained = loadLittle<std::uint32_t>(*link, 0);
        if ((chained | 1U) == (hash | 1U)) {
            const auto record = bytesAt(file_, symbols_ + std::uint64_t{symbol} * kSymbolSize, kSymbolSize);
            if (!record) return std::nullopt;
            const std::uint64_t at = loadLittle<std::uint32_t>(*record, 0);
            if (at + name.size() < stringsSize_) {
                const auto text = bytesAt(file_, strings_ + at, name.size() + 1);
                if (!text) return std::nullopt;
                const bool isDefined = loadLittle<std::uint16_t>(*record, 6) != 0;
                if (isDefined && asText(Bytes(*text).subspan(0, name.size())) == name && (*text)[name.size()] == std::byte{0}) return true;
            }
        }
        if ((chained & 1U) != 0) return false;
    }
    return std::nullopt;
}

std::shared_ptr<const ExportedSymbols> ExportedSymbols::of(std::vector<std::filesystem::path> libraries) {
    std::shared_ptr<ExportedSymbols> symbols(new ExportedSymbols);
    for (const std::filesystem::path& library : libraries) {
        if (auto table = SymbolTable::open(library)) {
            symbols->tables_.push_back(std::move(*table));
            continue;
        }
        symbols->complete_ = false;
        std::vector<std::string> names;
        if (!addExports(library, names)) return nullptr;
    }
    symbols->libraries_ = std::move(libraries);
    return symbols;
}

bool ExportedSymbols::has(std::string_view name) const {
    bool certain = complete_;
    for (const SymbolTable& table : tables_) {
        const std::optional<bool> there = table.has(name);
        if (there == true) return true;
        certain = certain && there.has_value();
    }
    return !certain && std::binary_search(names().begin(), names().end(), name);
}

const std::vector<std::string>& ExportedSymbols::names() const {
    std::call_once(listed_, [this] {
        for (const std::filesystem::path& library : libraries_) addExports(library, names_);
        std::sort(names_.begin(), names_.end());
        names_.erase(std::unique(names_.begin(), names_.end()), names_.end());
    });
    return names_;
}

}  // namespace pt2
