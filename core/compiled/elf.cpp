#include "core/compiled/elf.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

namespace pt2 {
namespace {

constexpr std::uint64_t kMostTable = std::uint64_t{256} << 20;  // of a string or symbol table
constexpr std::uint64_t kMostRead = std::uint64_t{1} << 30;     // of all tables together: sections may name the same bytes again and again
constexpr std::size_t kLongestName = std::size_t{16} << 10;
constexpr std::size_t kMostUndefinedBytes = std::size_t{64} << 20, kMostNames = 4096;
constexpr std::uint32_t kProgramLoad = 1, kProgramDynamic = 2, kProgramGnuStack = 0x6474e551, kExecutable = 1;
constexpr std::uint32_t kSectionProgbits = 1, kSectionSymtab = 2, kSectionStrtab = 3, kSectionDynsym = 11, kSectionVerdef = 0x6ffffffd,
                        kSectionVersym = 0x6fffffff;
constexpr std::uint64_t kSectionIsCode = 6;  // SHF_ALLOC and SHF_EXECINSTR
constexpr std::size_t kMostFunctions = 4U << 20U, kMostExports = 4U << 20U;
constexpr unsigned kFunction = 2, kIndirectFunction = 10;
constexpr std::int64_t kNeeded = 1, kHash = 4, kStrtab = 5, kSymtab = 6, kStrsz = 10, kRpath = 15, kRunpath = 29, kGnuHash = 0x6ffffef5,
                       kVersym = 0x6ffffff0, kVerneed = 0x6ffffffe, kVerneednum = 0x6fffffff;

tl::unexpected<Error> damaged(std::string why) {
    return fail({ErrorKind::Unreadable, "elf.damaged", "The library is damaged.", {}, std::move(why), "Get a fresh copy of the file or recompile."});
}

struct ProgramHeader {
    std::uint32_t type = 0, flags = 0;
    std::uint64_t offset = 0, address = 0, fileSize = 0;
};
struct SectionHeader {
    std::uint32_t type = 0, link = 0, info = 0;
    std::uint64_t flags = 0, address = 0, offset = 0, size = 0;
};

class ElfReader {
public:
    ElfReader(const ByteSource& source, const ElfWanted& wanted) : source_(source), wanted_(wanted) {}

    Result<ElfReading> run() {
        if (source_.size < 64) {
            if (source_.size > 0) {
                auto magic = window(0, std::min<std::uint64_t>(source_.size, 4));
                if (!magic) return fail(magic.error());
                reading_.notElf = kindOfOther(*magic);
            } else {
                reading_.notElf = "an empty file";
            }
            return reading_;
        }
        auto header = window(0, 64);
        if (!header) return fail(header.error());
        const ByteBuffer& h = *header;
        if (asText(Bytes(h).subspan(0, 4)) != std::string_view("\x7f\x45LF", 4)) {
            reading_.notElf = kindOfOther(h);
            return reading_;
        }
        if (std::to_integer<int>(h[4]) != 2 || std::to_integer<int>(h[5]) != 1) {
            reading_.notElf = "a 32-bit or big-endian ELF file";
            return reading_;
        }
        reading_.facts.isElf = true;
        reading_.facts.machine = machineName(loadLittle<std::uint16_t>(h, 18));
        auto status = readProgramHeaders(h);
        if (status) status = readSectionHeaders(h);
        if (status) status = readDynamic();
        if (status) status = readSymbolTables();
        if (status) status = readDefinedVersions();
        if (!status) return fail(status.error());
        std::sort(reading_.facts.undefinedSymbols.begin(), reading_.facts.undefinedSymbols.end());
        if (wanted_.code) {
            findCode();
            checkHeader(loadLittle<std::uint16_t>(h, 16));
        }
        for (auto* names : {&reading_.neededVersions, &reading_.unversionedImports, &reading_.exports}) {
            std::sort(names->begin(), names->end());
            names->erase(std::unique(names->begin(), names->end()), names->end());
        }
        return std::move(reading_);
    }

private:
    Result<ByteBuffer> window(std::uint64_t offset, std::uint64_t size) const {
        std::uint64_t end = 0;
        if (!addSafe(offset, size, end) || end > source_.size) return damaged("A table points beyond the end of the file.");
        if (size > kMostTable) return damaged("A table is larger than 256 MB.");
        bytesRead_ += size;
        if (bytesRead_ > kMostRead) return damaged("Its tables name more than 1 GB.");
        ByteBuffer bytes(static_cast<std::size_t>(size));
        const Status status = source_.readAt(offset, bytes);
        if (!status) return fail(status.error());
        return bytes;
    }

    static std::string kindOfOther(Bytes bytes) {
        if (bytes.size() >= 2 && asText(bytes.subspan(0, 2)) == "MZ") return "a Windows (PE) library";
        if (bytes.size() >= 4) {
            const std::uint32_t magic = loadLittle<std::uint32_t>(bytes, 0);
            if (magic == 0xfeedfacf || magic == 0xfeedface || magic == 0xbebafeca || magic == 0xcafebabe) return "a macOS (Mach-O) library";
        }
        return "no library of a known kind";
    }

    static std::string machineName(std::uint16_t machine) {
        switch (machine) {
            case 62: return "x86_64";
            case 183: return "aarch64";
            case 243: return "riscv64";
            case 21: return "ppc64le";
            case 22: return "s390x";
            case 258: return "loongarch64";
            default: return "machine " + std::to_string(machine);
        }
    }

    Status readProgramHeaders(const ByteBuffer& h) {
        const auto offset = loadLittle<std::uint64_t>(h, 32);
        const std::uint64_t entry = loadLittle<std::uint16_t>(h, 54);
        const std::uint64_t count = loadLittle<std::uint16_t>(h, 56);
        if (count == 0) return {};
        if (entry < 56) return damaged("The program headers are too small.");
        auto table = window(offset, entry * count);
        if (!table) return fail(table.error());
        for (std::uint64_t i = 0; i < count; ++i) {
            const std::size_t at = static_cast<std::size_t>(i * entry);
            ProgramHeader p;
            p.type = loadLittle<std::uint32_t>(*table, at);
            p.flags = loadLittle<std::uint32_t>(*table, at + 4);
            p.offset = loadLittle<std::uint64_t>(*table, at + 8);
            p.address = loadLittle<std::uint64_t>(*table, at + 16);
            p.fileSize = loadLittle<std::uint64_t>(*table, at + 32);
            if (p.type == kProgramGnuStack) {
                reading_.facts.executableStack = (p.flags & 1U) != 0;
                reading_.facts.gnuStackFlagsOffset = offset + i * entry + 4;
            }
            programs_.push_back(p);
        }
        return {};
    }

    Status readSectionHeaders(const ByteBuffer& h) {
        const auto offset = loadLittle<std::uint64_t>(h, 40);
        const std::uint64_t entry = loadLittle<std::uint16_t>(h, 58);
        const std::uint64_t count = loadLittle<std::uint16_t>(h, 60);
        if (count == 0 || offset == 0) return {};
        if (entry < 64) return damaged("The section headers are too small.");
        std::uint64_t end = 0;
        if (!addSafe(offset, entry * count, end) || end > source_.size) return {};  // loading needs no sections
        auto table = window(offset, entry * count);
        if (!table) return fail(table.error());
        for (std::uint64_t i = 0; i < count; ++i) {
            const std::size_t at = static_cast<std::size_t>(i * entry);
            SectionHeader s;
            s.type = loadLittle<std::uint32_t>(*table, at + 4);
            s.flags = loadLittle<std::uint64_t>(*table, at + 8);
            s.address = loadLittle<std::uint64_t>(*table, at + 16);
            s.offset = loadLittle<std::uint64_t>(*table, at + 24);
            s.size = loadLittle<std::uint64_t>(*table, at + 32);
            s.link = loadLittle<std::uint32_t>(*table, at + 40);
            s.info = loadLittle<std::uint32_t>(*table, at + 44);
            sections_.push_back(s);
        }
        return {};
    }

    std::optional<std::uint64_t> fileOffset(std::uint64_t address) const {
        for (const ProgramHeader& p : programs_) {
            if (p.type == kProgramLoad && address >= p.address && address - p.address < p.fileSize) return p.offset + (address - p.address);
        }
        return std::nullopt;
    }

    /// The name that begins at an offset; longer ones than any linker writes are cut, since a hostile table may be one name without an end.
    static std::string_view nameAt(Bytes strings, std::size_t offset) {
        const std::string_view rest = asText(strings).substr(offset, kLongestName);
        return rest.substr(0, rest.find('\0'));
    }

    static std::string stringAt(Bytes strings, std::uint64_t offset) {
        if (offset >= strings.size()) return {};
        return std::string(nameAt(strings, static_cast<std::size_t>(offset)));
    }

    Status readDynamic() {
        const auto dynamic = std::find_if(programs_.begin(), programs_.end(), [](const ProgramHeader& p) { return p.type == kProgramDynamic; });
        if (dynamic == programs_.end()) return {};
        auto table = window(dynamic->offset, dynamic->fileSize);
        if (!table) return fail(table.error());
        std::vector<std::uint64_t> needed;
        std::uint64_t strtab = 0, strsz = 0, verneed = 0, verneedCount = 0;
        for (std::size_t at = 0; at + 16 <= table->size(); at += 16) {
            const auto tag = static_cast<std::int64_t>(loadLittle<std::uint64_t>(*table, at));
            const auto value = loadLittle<std::uint64_t>(*table, at + 8);
            if (tag == 0) break;
            if (tag == kNeeded && needed.size() < kMostNames) needed.push_back(value);
            if (tag == kStrtab) strtab = value;
            if (tag == kStrsz) strsz = value;
            if (tag == kSymtab) dynamicSymbols_ = value;
            if (tag == kHash) hash_ = value;
            if (tag == kGnuHash) gnuHash_ = value;
            if (tag == kRpath || tag == kRunpath) reading_.hasRunPath = true;
            if (tag == kVersym) versionSymbols_ = value;
            if (tag == kVerneed) verneed = value;
            if (tag == kVerneednum) verneedCount = value;
        }
        const std::optional<std::uint64_t> at = fileOffset(strtab);
        if (strtab != 0 && at) {
            auto strings = window(*at, strsz);
            if (!strings) return fail(strings.error());
            dynamicStrings_ = std::move(*strings);
        }
        for (const std::uint64_t name : needed) reading_.facts.needed.push_back(stringAt(dynamicStrings_, name));
        return verneed == 0 ? Status() : readNeededVersions(verneed, verneedCount);
    }

    Status readNeededVersions(std::uint64_t address, std::uint64_t count) {
        const std::optional<std::uint64_t> start = fileOffset(address);
        if (!start) return damaged("The version table lies outside of the loaded part.");
        std::uint64_t at = *start;
        std::uint64_t versions = 0;
        for (std::uint64_t i = 0; i < count && i < 4096; ++i) {
            auto entry = window(at, 16);
            if (!entry) return fail(entry.error());
            std::uint64_t aux = at + loadLittle<std::uint32_t>(*entry, 8);
            const std::uint16_t auxCount = loadLittle<std::uint16_t>(*entry, 2);
            for (std::uint16_t k = 0; k < auxCount && versions < 65536; ++k, ++versions) {
                auto record = window(aux, 16);
                if (!record) return fail(record.error());
                note(stringAt(dynamicStrings_, loadLittle<std::uint32_t>(*record, 8)));
                const auto next = loadLittle<std::uint32_t>(*record, 12);
                if (next == 0) break;
                aux += next;
            }
            const auto next = loadLittle<std::uint32_t>(*entry, 12);
            if (next == 0) break;
            at += next;
        }
        return {};
    }

    void note(const std::string& version) {
        if (wanted_.code && reading_.neededVersions.size() < kMostNames) reading_.neededVersions.push_back(version);
        const auto highest = [&](std::string_view prefix, std::string& kept) {
            if (version.compare(0, prefix.size(), prefix) != 0) return;
            const std::string number = version.substr(prefix.size());
            if (number.empty() || number[0] < '0' || number[0] > '9') return;
            if (kept.empty() || compareVersions(number, kept) > 0) kept = number;
        };
        highest("GLIBC_", reading_.facts.glibc);
        highest("GLIBCXX_", reading_.facts.glibcxx);
    }

    Status readSymbolTables() {
        bool dynamicDone = false;
        for (const SectionHeader& section : sections_) {
            if (section.type != kSectionSymtab && section.type != kSectionDynsym) continue;
            if (section.link >= sections_.size() || sections_[section.link].type != kSectionStrtab) continue;
            auto symbols = window(section.offset, section.size);
            auto strings = window(sections_[section.link].offset, sections_[section.link].size);
            if (!symbols || !strings) continue;  // a debugger's table may be cut; loading does not need it
            const bool isDynamic = section.type == kSectionDynsym;
            readSymbols(*symbols, *strings, isDynamic, isDynamic ? symbolVersions(symbols->size() / 24) : ByteBuffer());
            dynamicDone = dynamicDone || section.type == kSectionDynsym;
        }
        if (dynamicDone || dynamicSymbols_ == 0) return {};
        const std::optional<std::uint64_t> at = fileOffset(dynamicSymbols_);
        const std::optional<std::uint64_t> count = dynamicSymbolCount();
        if (!at || !count) return {};
        auto symbols = window(*at, *count * 24);
        if (!symbols) return fail(symbols.error());
        readSymbols(*symbols, dynamicStrings_, true, symbolVersions(*count));
        return {};
    }

    /// The version index of each dynamic symbol, two bytes each; empty when there is no such table.
    ByteBuffer symbolVersions(std::uint64_t count) const {
        if (!wanted_.code) return {};
        std::optional<std::uint64_t> at = versionSymbols_ == 0 ? std::nullopt : fileOffset(versionSymbols_);
        for (const SectionHeader& section : sections_) {
            if (!at && section.type == kSectionVersym) at = section.offset;
        }
        if (!at) return {};
        auto table = window(*at, count * 2);
        return table ? std::move(*table) : ByteBuffer();
    }

    /// Code is what the sections call so, else, in a library without sections, every executable segment.
    void findCode() {
        const auto add = [&](std::uint64_t offset, std::uint64_t size, std::uint64_t address) {
            if (offset < source_.size && size > 0) reading_.code.push_back({offset, std::min(size, source_.size - offset), address});
        };
        for (const SectionHeader& s : sections_) {
            if (s.type == kSectionProgbits && (s.flags & kSectionIsCode) == kSectionIsCode) add(s.offset, s.size, s.address);
        }
        if (reading_.code.empty()) {
            for (const ProgramHeader& p : programs_) {
                if (p.type == kProgramLoad && (p.flags & kExecutable) != 0) add(p.offset, p.fileSize, p.address);
            }
        }
        // Sections may name the same bytes again and again.
        std::sort(reading_.code.begin(), reading_.code.end(), [](const CodeRange& a, const CodeRange& b) { return a.offset < b.offset; });
        std::uint64_t end = 0;
        std::vector<CodeRange> apart;
        for (CodeRange range : reading_.code) {
            const std::uint64_t covered = range.offset < end ? std::min(end - range.offset, range.size) : 0;
            range = {range.offset + covered, range.size - covered, range.address + covered};
            if (range.size == 0) continue;
            end = range.offset + range.size;
            apart.push_back(range);
        }
        reading_.code = std::move(apart);
        std::sort(reading_.functions.begin(), reading_.functions.end());
        reading_.functions.erase(std::unique(reading_.functions.begin(), reading_.functions.end()), reading_.functions.end());
    }

    void checkHeader(std::uint16_t type) {
        constexpr std::uint16_t kSharedObject = 3;
        bool loads = false;
        for (const ProgramHeader& p : programs_) {
            if (p.type != kProgramLoad) continue;
            loads = true;
            std::uint64_t end = 0;
            if (!addSafe(p.offset, p.fileSize, end) || end > source_.size) reading_.headerProblem = "cut off";
        }
        if (!loads) reading_.headerProblem = "nothing to load";
        if (type != kSharedObject) reading_.headerProblem = "no shared object";
    }

    void noteForCode(std::string_view name, unsigned type, bool defined, std::uint64_t value) {
        if (type == kIndirectFunction && defined) reading_.choosesFunctions = true;
        if ((type == kFunction || type == kIndirectFunction) && defined && reading_.functions.size() < kMostFunctions)
            reading_.functions.push_back(value);
        for (const std::string_view chooser : {"__cpu_model", "__cpu_indicator_init", "__cpu_features2", "__aarch64_have_lse_atomics", "getauxval",
                                               "__x86_get_cpuid_feature_leaf", "__init_cpu_features_resolver", "__aarch64_cpu_features"}) {
            if (name == chooser) reading_.choosesFunctions = true;
        }
    }

    /// Without sections the number of symbols follows from the hash tables.
    std::optional<std::uint64_t> dynamicSymbolCount() const {
        if (const auto at = fileOffset(hash_); hash_ != 0 && at) {
            auto head = window(*at, 8);
            if (head) return loadLittle<std::uint32_t>(*head, 4);
        }
        const auto at = fileOffset(gnuHash_);
        if (gnuHash_ == 0 || !at) return std::nullopt;
        auto head = window(*at, 16);
        if (!head) return std::nullopt;
        const std::uint64_t buckets = loadLittle<std::uint32_t>(*head, 0);
        const std::uint64_t first = loadLittle<std::uint32_t>(*head, 4);
        const std::uint64_t bloom = loadLittle<std::uint32_t>(*head, 8);
        auto table = window(*at + 16 + bloom * 8, buckets * 4);
        if (!table) return std::nullopt;
        std::uint64_t last = 0;
        for (std::uint64_t i = 0; i < buckets; ++i)
            last = std::max<std::uint64_t>(last, loadLittle<std::uint32_t>(*table, static_cast<std::size_t>(i * 4)));
        if (last < first) return first;
        const std::uint64_t chains = *at + 16 + bloom * 8 + buckets * 4;
        for (std::uint64_t i = last; i - last < (1U << 20); ++i) {
            auto link = window(chains + (i - first) * 4, 4);
            if (!link) return std::nullopt;
            if ((loadLittle<std::uint32_t>(*link, 0) & 1U) != 0) return i + 1;
        }
        return std::nullopt;
    }

    void readSymbols(Bytes symbols, Bytes strings, bool dynamic, const ByteBuffer& versions) {
        std::optional<std::uint64_t> start, end;
        for (std::size_t at = 0; at + 24 <= symbols.size(); at += 24) {
            const std::uint32_t nameOffset = loadLittle<std::uint32_t>(symbols, at);
            if (nameOffset == 0 || nameOffset >= strings.size()) continue;
            const std::string_view name = nameAt(strings, nameOffset);
            const std::uint16_t section = loadLittle<std::uint16_t>(symbols, at + 6);
            const std::uint64_t value = loadLittle<std::uint64_t>(symbols, at + 8);
            if (section != 0 && name == "_binary_constants_bin_start") start = value;
            if (section != 0 && name == "_binary_constants_bin_end") end = value;
            const unsigned type = std::to_integer<unsigned>(symbols[at + 4]) & 0xfU;
            if (wanted_.code) noteForCode(name, type, section != 0, value);
            if (!dynamic) continue;
            const auto binding = std::to_integer<unsigned>(symbols[at + 4]) >> 4U;
            if (section == 0 && binding == 1 && undefinedBytes_ < kMostUndefinedBytes) {
                undefinedBytes_ += name.size();
                reading_.facts.undefinedSymbols.emplace_back(name);
                const std::size_t version = at / 24 * 2;
                const bool versioned = version + 2 <= versions.size() && (loadLittle<std::uint16_t>(versions, version) & 0x7fffU) > 1;
                if (wanted_.code && !versioned) reading_.unversionedImports.emplace_back(name);
            }
            if (wanted_.exports && section != 0 && binding != 0 && reading_.exports.size() < kMostExports) reading_.exports.emplace_back(name);
            if (section != 0 && name.substr(0, 25) == "AOTInductorModelContainer") reading_.facts.exportsContainer = true;
        }
        if (start && end && *end >= *start) {
            reading_.constantsSize = *end - *start;
            reading_.constantsFileOffset = fileOffset(*start);
        }
    }

    Status readDefinedVersions() {
        for (const SectionHeader& section : sections_) {
            if (section.type != kSectionVerdef || section.link >= sections_.size()) continue;
            auto table = window(section.offset, section.size);
            auto strings = window(sections_[section.link].offset, sections_[section.link].size);
            if (!table || !strings) return {};
            std::uint64_t at = 0;
            for (std::uint32_t i = 0; i < section.info && i < kMostNames && at + 20 <= table->size(); ++i) {
                const std::uint64_t aux = at + loadLittle<std::uint32_t>(*table, static_cast<std::size_t>(at + 12));
                if (aux + 8 <= table->size()) {
                    reading_.definedVersions.push_back(stringAt(*strings, loadLittle<std::uint32_t>(*table, static_cast<std::size_t>(aux))));
                }
                const std::uint32_t next = loadLittle<std::uint32_t>(*table, static_cast<std::size_t>(at + 16));
                if (next == 0) break;
                at += next;
            }
        }
        return {};
    }

    const ByteSource& source_;
    const ElfWanted wanted_;
    ElfReading reading_;
    std::vector<ProgramHeader> programs_;
    std::vector<SectionHeader> sections_;
    ByteBuffer dynamicStrings_;
    mutable std::uint64_t bytesRead_ = 0;
    std::size_t undefinedBytes_ = 0;
    std::uint64_t dynamicSymbols_ = 0, hash_ = 0, gnuHash_ = 0, versionSymbols_ = 0;
};

}  // namespace

Result<ElfReading> readElf(const ByteSource& source, const ElfWanted& wanted) { return ElfReader(source, wanted).run(); }

int compareVersions(std::string_view a, std::string_view b) {
    while (!a.empty() || !b.empty()) {
        const auto take = [](std::string_view& text) {
            unsigned long long number = 0;
            const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
            const bool ok = error == std::errc();
            text.remove_prefix(ok ? static_cast<std::size_t>(end - text.data()) : text.size());
            if (!text.empty()) text.remove_prefix(1);
            return ok ? number : 0;
        };
        const unsigned long long x = take(a);
        const unsigned long long y = take(b);
        if (x != y) return x < y ? -1 : 1;
    }
    return 0;
}

}  // namespace pt2
