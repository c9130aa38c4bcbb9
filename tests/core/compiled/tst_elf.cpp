#include <QtTest>
#include <algorithm>
#include <random>

#include "core/base/file.h"
#include "core/compiled/elf.h"
#include "core/compiled/this_machine.h"
#include "tests/core/compiled/compiled_corpus.h"

using namespace pt2;

namespace {

ByteSource sourceOver(const ByteBuffer& bytes) {
    return {bytes.size(), [&bytes](std::uint64_t offset, MutableBytes out) -> Status {
                if (offset > bytes.size() || out.size() > bytes.size() - offset) {
                    return fail({ErrorKind::Unreadable, "test.outside", "Read outside of the file.", {}, {}, {}});
                }
                std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(offset), out.size(), out.begin());
                return {};
            }};
}

ByteBuffer bytesOf(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) return {};
    const QByteArray all = file.readAll();
    const Bytes bytes = asBytes({all.constData(), static_cast<std::size_t>(all.size())});
    return {bytes.begin(), bytes.end()};
}

}  // namespace

class ElfTest : public QObject {
    Q_OBJECT

private slots:
    void otherFilesAreNoElf() {
        const std::vector<std::pair<std::string, std::string>> files = {
            {"", "an empty file"},
            {"MZ\x90", "a Windows (PE) library"},
            {std::string("\xcf\xfa\xed\xfe", 4) + std::string(100, '\0'), "a macOS (Mach-O) library"},
            {std::string(100, 'x'), "no library of a known kind"}};
        for (const auto& [text, kind] : files) {
            const Bytes view = asBytes(text);
            const ByteBuffer bytes(view.begin(), view.end());
            const Result<ElfReading> reading = readElf(sourceOver(bytes));
            QVERIFY(reading);
            QVERIFY(!reading->facts.isElf);
            QCOMPARE(reading->notElf, kind);
        }
    }

    void ownBinaryIsRead() {
        const ByteBuffer bytes = bytesOf(QCoreApplication::applicationFilePath());
        const Result<ElfReading> reading = readElf(sourceOver(bytes));
        QVERIFY(reading);
        QVERIFY(reading->facts.isElf);
        QCOMPARE(reading->facts.machine, thisMachine().machine);
        QVERIFY(!reading->facts.executableStack);
        QVERIFY(!reading->facts.exportsContainer);
        QVERIFY(std::any_of(reading->facts.needed.begin(), reading->facts.needed.end(),
                            [](const std::string& name) { return name.rfind("libc.so", 0) == 0; }));
    }

    void versionsCompareAsNumbers() {
        QVERIFY(compareVersions("2.34", "2.4") > 0);
        QVERIFY(compareVersions("2.2.5", "2.2") > 0);
        QVERIFY(compareVersions("3.4.30", "3.4.30") == 0);
        QVERIFY(compareVersions("", "1") < 0);
    }

    void thisMachineIsKnown() {
        QVERIFY(!thisMachine().glibc.empty());
        QVERIFY(!thisMachine().machine.empty());
        QVERIFY(thisMachine().hasLibrary("libc.so.6") == true);
        QVERIFY(thisMachineWithoutTorch().hasLibrary("libnothere.so") == false);
        // Of several folders with a library of that name, the one for this machine is taken: a 32-bit one may come first.
        const std::vector<std::string> found = systemLibraries({"libc.so.6", "libstdc++.so.6", "libnothere.so"});
        QCOMPARE(found.size(), std::size_t(2));
        for (const std::string& path : found) {
            const ByteBuffer bytes = bytesOf(QString::fromStdString(path));
            const Result<ElfReading> reading = readElf(sourceOver(bytes));
            QVERIFY2(reading && reading->facts.isElf && reading->facts.machine == thisMachine().machine, path.c_str());
        }
    }

    /// format.md 4.4a: every CPU library of 2.6, 2.8 and 2.13 has the mark, and clearing one bit where we say clears it.
    void executableStackMarkIsFoundAndClearable() {
        if (tests::corpus().isEmpty()) QSKIP("The corpus of real packages is not here.");
        for (const QString& package : tests::compiledPackages()) {
            const tests::OpenedModels opened = tests::openModels(package + ".pt2");
            for (const auto& [name, model] : opened.models) {
                if (!model.library) continue;
                QVERIFY2(model.elf.isElf && model.elf.executableStack && model.elf.gnuStackFlagsOffset, qPrintable(package));
                QVERIFY(model.elf.exportsContainer);
                QCOMPARE(model.elf.machine, std::string("x86_64"));
                QCOMPARE(model.elf.glibc, std::string("2.34"));
                QVERIFY(!model.elf.undefinedSymbols.empty());
                Result<ByteBuffer> library = opened.archive->read(*model.library);
                QVERIFY(library);
                (*library)[static_cast<std::size_t>(*model.elf.gnuStackFlagsOffset)] &= std::byte{0xFE};
                const Result<ElfReading> cleared = readElf(sourceOver(*library));
                QVERIFY(cleared);
                QVERIFY(!cleared->facts.executableStack);
            }
        }
    }

    /// Cut at any place or with bytes turned, a library gives an Error or facts, never a read outside.
    void damagedLibrariesNeverReadOutside() {
        const ByteBuffer whole = bytesOf(QCoreApplication::applicationFilePath());
        QVERIFY(whole.size() > 1000);
        std::mt19937 random(7);  // NOLINT: the same damage every time
        for (int round = 0; round < 400; ++round) {
            ByteBuffer bytes = whole;
            if (round % 2 == 0) bytes.resize(random() % bytes.size());
            const std::size_t limit = round % 3 == 0 ? 64 : std::min<std::size_t>(bytes.size(), 4096);
            for (int k = 0; k < 8 && !bytes.empty(); ++k)
                bytes[random() % std::min(limit, bytes.size())] ^= static_cast<std::byte>(1U << (random() % 8));
            const Result<ElfReading> reading = readElf(sourceOver(bytes));
            if (!reading) QVERIFY(reading.error().code != "test.outside");
        }
    }
};

QTEST_GUILESS_MAIN(ElfTest)
#include "tst_elf.moc"
