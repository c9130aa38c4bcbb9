#include "core/compiled/mach_o.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/base/bytes.h"

namespace pt2 {
namespace {

constexpr std::uint32_t kMagic64 = 0xfeedfacf;
constexpr std::size_t kHeaderSize = 32, kDylibCommand = 24;  // the name's place counts from the command's start
constexpr std::uint32_t kMostCommands = 65536;
constexpr std::uint64_t kMostCommandBytes = std::uint64_t{16} << 20;
constexpr std::uint32_t kRequired = 0x80000000;
constexpr std::uint32_t kLoad = 0xc, kId = 0xd, kLoadWeak = 0x18, kReexport = 0x1f, kLazyLoad = 0x20, kLoadUpward = 0x23;

std::string machineName(std::uint32_t type) {
    if (type == 0x0100000c) return "arm64";
    if (type == 0x01000007) return "x86_64";
    return "processor type " + std::to_string(type);
}

}  // namespace

std::optional<MachOFacts> readMachO(const ByteSource& source) {
    ByteBuffer header(kHeaderSize);
    if (source.size < kHeaderSize || !source.readAt(0, header) || loadLittle<std::uint32_t>(header, 0) != kMagic64) return std::nullopt;
    MachOFacts facts;
    facts.machine = machineName(loadLittle<std::uint32_t>(header, 4));
    const std::uint32_t count = std::min(loadLittle<std::uint32_t>(header, 16), kMostCommands);
    const std::uint64_t stated = loadLittle<std::uint32_t>(header, 20);
    ByteBuffer commands(static_cast<std::size_t>(std::min({stated, source.size - kHeaderSize, kMostCommandBytes})));
    if (!source.readAt(kHeaderSize, commands)) return facts;
    std::size_t at = 0;
    for (std::uint32_t i = 0; i < count && commands.size() - at >= 8; ++i) {
        const std::uint32_t kind = loadLittle<std::uint32_t>(commands, at) & ~kRequired, size = loadLittle<std::uint32_t>(commands, at + 4);
        if (size < 8 || size > commands.size() - at) break;
        const bool loads = kind == kLoad || kind == kLoadWeak || kind == kReexport || kind == kLazyLoad || kind == kLoadUpward;
        if ((loads || kind == kId) && size >= kDylibCommand) {
            const std::uint32_t name = loadLittle<std::uint32_t>(commands, at + 8);
            if (name >= kDylibCommand && name < size) {
                const std::string_view text = asText(Bytes(commands).subspan(at + name, size - name));
                const std::string path(text.substr(0, text.find('\0')));
                if (kind == kId)
                    facts.installName = path;
                else
                    facts.needed.push_back(path);
            }
        }
        at += size;
    }
    return facts;
}

}  // namespace pt2
