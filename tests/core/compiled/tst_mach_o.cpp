#include <QtTest>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/bytes.h"
#include "core/compiled/mach_o.h"

using namespace pt2;

namespace {

void put(ByteBuffer& bytes, std::uint32_t value) {
    for (unsigned shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<std::byte>((value >> shift) & 0xffU));
}

/// A command that names a library.
ByteBuffer dylib(std::uint32_t kind, const std::string& name) {
    const std::size_t size = (24 + name.size() + 8) / 8 * 8;
    ByteBuffer bytes;
    for (const std::uint32_t value : {kind, static_cast<std::uint32_t>(size), 24U, 2U, 0x10000U, 0x10000U}) put(bytes, value);
    for (const char c : name) bytes.push_back(static_cast<std::byte>(c));
    bytes.resize(size);
    return bytes;
}

ByteBuffer file(const std::vector<ByteBuffer>& commands, std::uint32_t machine = 0x0100000c) {
    std::size_t size = 0;
    for (const ByteBuffer& command : commands) size += command.size();
    ByteBuffer bytes;
    for (const std::uint32_t value :
         {0xfeedfacfU, machine, 0U, 6U, static_cast<std::uint32_t>(commands.size()), static_cast<std::uint32_t>(size), 0U, 0U})
        put(bytes, value);
    for (const ByteBuffer& command : commands) bytes.insert(bytes.end(), command.begin(), command.end());
    return bytes;
}

std::optional<MachOFacts> read(const ByteBuffer& bytes) {
    return readMachO({bytes.size(), [&bytes](std::uint64_t offset, MutableBytes out) -> Status {
                          if (offset > bytes.size() || out.size() > bytes.size() - offset)
                              return fail({ErrorKind::Unreadable, "test.short", {}, {}, {}, {}});
                          std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(offset), out.size(), out.begin());
                          return {};
                      }});
}

}  // namespace

class MachOTest : public QObject {
    Q_OBJECT

private slots:
    void loadCommandsAreRead() {
        const auto facts =
            read(file({dylib(0xd, "@rpath/a.so"), dylib(0xc, "/opt/llvm-openmp/lib/libomp.dylib"), dylib(0x80000018, "libweak.dylib")}));
        QVERIFY(facts);
        QCOMPARE(facts->machine, std::string("arm64"));
        QCOMPARE(facts->installName, std::string("@rpath/a.so"));
        QCOMPARE(facts->needed, (std::vector<std::string>{"/opt/llvm-openmp/lib/libomp.dylib", "libweak.dylib"}));
        QCOMPARE(read(file({}, 0x01000007))->machine, std::string("x86_64"));
        QVERIFY(!read(ByteBuffer(64)) && !read({}));
    }

    /// Every cut and every flipped byte: facts or nothing, and no read beyond the file.
    void damagedFilesAreNoHarm() {
        const ByteBuffer whole = file({dylib(0xd, "a"), dylib(0xc, "b"), dylib(0xc, "c")});
        for (std::size_t size = 0; size < whole.size(); ++size) {
            const auto facts = read(ByteBuffer(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)));
            QVERIFY(!facts || facts->needed.size() <= 2);
        }
        for (std::size_t at = 0; at < whole.size(); ++at) {
            for (const unsigned value : {0U, 1U, 0x7fU, 0xffU}) {
                ByteBuffer bytes = whole;
                bytes[at] = static_cast<std::byte>(value);
                const auto facts = read(bytes);
                QVERIFY(!facts || facts->needed.size() <= 3);
            }
        }
    }
};

QTEST_GUILESS_MAIN(MachOTest)
#include "tst_mach_o.moc"
