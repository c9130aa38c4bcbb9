#include "core/compiled/compiled_needs.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string_view>
#include <utility>

#include "core/compiled/library_source.h"

namespace pt2 {
namespace {

constexpr std::uint64_t kMostGpuFile = std::uint64_t{256} << 20;
constexpr std::uint16_t kMachineCuda = 190;
constexpr std::uint32_t kFatBinary = 0xba55ed50;
constexpr std::size_t kMostFatEntries = 1024;

std::string_view baseName(const Archive& archive, MemberIndex member) {
    const std::string_view name = archive.nameBelowRoot(member);
    return name.substr(name.rfind('/') + 1);  // npos + 1 is 0
}

/// The architecture of a cubin is in e_flags: bits 0 to 7 up to ABI version 7, bits 8 to 15 since; a bit beside it says "for this one only" (sm_90a).
std::string architectureOfCubin(Bytes elf) {
    if (elf.size() < 64 || asText(elf.subspan(0, 4)) != std::string_view("\x7f\x45LF", 4) || loadLittle<std::uint16_t>(elf, 18) != kMachineCuda)
        return {};
    const auto flags = loadLittle<std::uint32_t>(elf, 48);
    const bool newer = std::to_integer<unsigned>(elf[8]) >= 8;
    const std::uint32_t number = newer ? (flags >> 8U) & 0xffU : flags & 0xffU;
    const bool only = (flags & (newer ? 0x8U : 0x800U)) != 0;
    return number == 0 ? std::string() : "sm_" + std::to_string(number) + (only ? "a" : "");
}

/// Entries of a fat binary: kind 1 is PTX, 2 is machine code; each says its architecture.
void readFatBinary(Bytes bytes, GpuBinary& out) {
    if (bytes.size() < 16) return;
    std::uint64_t at = loadLittle<std::uint16_t>(bytes, 6);
    for (std::size_t i = 0; i < kMostFatEntries && at + 32 <= bytes.size(); ++i) {
        const auto start = static_cast<std::size_t>(at);
        const std::uint16_t kind = loadLittle<std::uint16_t>(bytes, start);
        const std::uint32_t header = loadLittle<std::uint32_t>(bytes, start + 4), number = loadLittle<std::uint32_t>(bytes, start + 28);
        const std::uint64_t size = loadLittle<std::uint64_t>(bytes, start + 8);
        if (header < 32 || number == 0 || number > 999) return;
        if (kind == 1) out.portable.push_back("compute_" + std::to_string(number));
        if (kind == 2) out.architectures.push_back("sm_" + std::to_string(number));
        std::uint64_t step = 0;
        if (!addSafe(size, header, step) || !addSafe(at, step, at)) return;
    }
}

class NeedsReader {
public:
    NeedsReader(const Archive& archive, const CompiledModel& model, const ScanBudget& budget, const CancelToken& cancel)
        : archive_(archive), model_(model), budget_(budget), cancel_(cancel) {}

    CompiledNeeds run() {
        if (model_.library && model_.elf.isElf) {
            readLibrary(*model_.library, true);
            for (const MemberIndex member : model_.members) {
                if (member != *model_.library && baseName(archive_, member).ends_with(".so")) readLibrary(member, false);
            }
        }
        for (const MemberIndex member : model_.members) readGpuFile(member);
        if (!needs_.gpu.empty() || model_.device == "cuda") findAbsentGpuFiles();
        return std::move(needs_);
    }

private:
    void readLibrary(MemberIndex member, bool own) {
        ByteBuffer held;
        const Result<ByteSource> source = libraryBytes(archive_, member, held);
        ElfWanted wanted;
        wanted.code = true;
        const Result<ElfReading> elf = source ? readElf(*source, wanted) : fail(source.error());
        CodeScan scan;
        if (elf && elf->facts.isElf) {
            scan = scanCode(*source, *elf, budget_, cancel_);
        } else {
            scan.stopped = "it could not be read";
        }
        if (own) {
            needs_.code = std::move(scan);
            needs_.importsKnown = elf && elf->facts.isElf;
            if (needs_.importsKnown) {
                needs_.headerProblem = elf->headerProblem;
                needs_.imports = elf->unversionedImports;
                needs_.versions = elf->neededVersions;
            }
            return;
        }
        // A launcher beside the library runs with it: what it needs, the model needs.
        CodeScan& code = needs_.code;
        code.needed |= scan.needed;
        code.perhaps |= scan.perhaps;
        code.codeBytes += scan.codeBytes;
        code.undecoded += scan.undecoded;
        code.complete = code.complete && scan.complete;
        if (scan.choosesAtRunTime && !code.choosesAtRunTime) {
            code.choosesAtRunTime = true;
            code.chooser = scan.chooser;
        }
        if (code.stopped.empty() && !scan.stopped.empty()) code.stopped = "\"" + std::string(baseName(archive_, member)) + "\": " + scan.stopped;
    }

    void readGpuFile(MemberIndex member) {
        const std::string_view name = baseName(archive_, member);
        const bool cubin = name.ends_with(".cubin"), fat = name.ends_with(".fatbin");
        if (!cubin && !fat && !name.ends_with(".hsaco") && !name.ends_with(".spv")) return;
        GpuBinary binary;
        binary.member = std::string(name);
        if (cubin || fat) {
            const Result<ByteBuffer> bytes = archive_.read(member, kMostGpuFile);
            if (bytes && bytes->size() >= 4 && loadLittle<std::uint32_t>(*bytes, 0) == kFatBinary) {
                readFatBinary(*bytes, binary);
            } else if (bytes) {
                if (std::string architecture = architectureOfCubin(*bytes); !architecture.empty()) {
                    binary.architectures.push_back(std::move(architecture));
                }
            }
        }
        needs_.gpu.push_back(std::move(binary));
    }

    /// The wrapper loads each kernel by the file name it had when it was built; only the last part counts, in the package's folder.
    void findAbsentGpuFiles() {
        if (!model_.wrapperSource) return;
        const Result<ByteBuffer> bytes = archive_.read(*model_.wrapperSource, kMostSourceBytes);
        if (!bytes) return;
        std::set<std::string_view> present;
        for (const MemberIndex member : model_.members) present.insert(baseName(archive_, member));
        const std::string_view source = asText(*bytes);
        std::set<std::string> absent;
        for (const std::string_view end : {".cubin\"", ".fatbin\"", ".hsaco\""}) {
            for (std::size_t at = source.find(end); at != std::string_view::npos && absent.size() < 1000; at = source.find(end, at + 1)) {
                const std::size_t start = source.find_last_of("\"/", at == 0 ? 0 : at - 1);
                if (start == std::string_view::npos || at - start > 512) continue;
                const std::string_view name = source.substr(start + 1, at - start - 1 + end.size() - 1);
                if (present.count(name) == 0) absent.emplace(name);
            }
        }
        needs_.absentGpuFiles.assign(absent.begin(), absent.end());
    }

    const Archive& archive_;
    const CompiledModel& model_;
    const ScanBudget& budget_;
    const CancelToken& cancel_;
    CompiledNeeds needs_;
};

}  // namespace

CompiledNeeds readNeeds(const Archive& archive, const CompiledModel& model, const ScanBudget& budget, const CancelToken& cancel) {
    return NeedsReader(archive, model, budget, cancel).run();
}

}  // namespace pt2
