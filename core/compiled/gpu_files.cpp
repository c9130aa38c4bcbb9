#include "core/compiled/gpu_files.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>

#include "core/base/bytes.h"
#include "core/base/text.h"

namespace pt2 {
namespace {

constexpr std::uint64_t kMostGpuFile = std::uint64_t{256} << 20;
constexpr std::uint16_t kMachineCuda = 190;
constexpr std::uint32_t kFatBinary = 0xba55ed50;
constexpr std::size_t kMostFatEntries = 1024, kMostAbsent = 1000, kLongestName = 512;

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

/// "sm_86" is 8.6, "compute_120" is 12.0; empty for what has no such form.
std::string capability(std::string_view architecture) {
    std::string digits(architecture.substr(architecture.find('_') + 1));
    if (!digits.empty() && std::isdigit(static_cast<unsigned char>(digits.back())) == 0) digits.pop_back();
    if (digits.size() < 2 || digits.size() > 3) return {};
    return digits.insert(digits.size() - 1, ".");
}

std::string listed(const std::set<std::string>& architectures) {
    std::vector<std::string> parts;
    for (const std::string& architecture : architectures) {
        const std::string number = capability(architecture);
        parts.push_back(number.empty() ? architecture : architecture + " (compute capability " + number + ")");
    }
    return join(parts, ", ");
}

}  // namespace

bool isGpuFile(std::string_view name) {
    return name.ends_with(".cubin") || name.ends_with(".fatbin") || name.ends_with(".hsaco") || name.ends_with(".spv");
}

GpuBinary readGpuFile(const Archive& archive, MemberIndex member) {
    GpuBinary binary;
    const std::string_view name = baseName(archive, member);
    binary.member = std::string(name);
    if (!name.ends_with(".cubin") && !name.ends_with(".fatbin")) return binary;
    const Result<ByteBuffer> bytes = archive.read(member, kMostGpuFile);
    if (bytes && bytes->size() >= 4 && loadLittle<std::uint32_t>(*bytes, 0) == kFatBinary) {
        readFatBinary(*bytes, binary);
    } else if (bytes) {
        if (std::string architecture = architectureOfCubin(*bytes); !architecture.empty()) binary.architectures.push_back(std::move(architecture));
    }
    return binary;
}

std::string gpuCodeWords(const std::vector<GpuBinary>& binaries) {
    std::set<std::string> code, portable;
    for (const GpuBinary& binary : binaries) {
        code.insert(binary.architectures.begin(), binary.architectures.end());
        portable.insert(binary.portable.begin(), binary.portable.end());
    }
    if (code.empty() && portable.empty()) return binaries.empty() ? std::string() : std::string("not known");
    std::string words;
    if (!code.empty()) words = "machine code for " + listed(code) + ", ";
    return words + (portable.empty() ? std::string("no PTX") : "PTX for " + listed(portable) + " and later");
}

std::vector<std::string> absentGpuFiles(const Archive& archive, const CompiledModel& model) {
    // The wrapper loads each kernel by the file name it had when it was built; only the last part counts, in the package's folder.
    if (!model.wrapperSource) return {};
    const Result<ByteBuffer> bytes = archive.read(*model.wrapperSource, kMostSourceBytes);
    if (!bytes) return {};
    std::set<std::string_view> present;
    for (const MemberIndex member : model.members) present.insert(baseName(archive, member));
    const std::string_view source = asText(*bytes);
    std::set<std::string> absent;
    for (const std::string_view end : {".cubin\"", ".fatbin\"", ".hsaco\"", ".spv\""}) {
        for (std::size_t at = source.find(end); at != std::string_view::npos && absent.size() < kMostAbsent; at = source.find(end, at + 1)) {
            const std::size_t start = source.find_last_of("\"/", at == 0 ? 0 : at - 1);
            if (start == std::string_view::npos || at - start > kLongestName) continue;
            const std::string_view name = source.substr(start + 1, at - start - 1 + end.size() - 1);
            if (name.size() >= end.size() && present.count(name) == 0) absent.emplace(name);
        }
    }
    return {absent.begin(), absent.end()};
}

}  // namespace pt2
