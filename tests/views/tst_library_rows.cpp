#include <QtTest>
#include <optional>
#include <string>
#include <vector>

#include "views/files/library_rows.h"

using namespace pt2;
using namespace pt2::views;

namespace {

const Row* groupOf(const std::vector<Row>& rows, const QString& title) {
    for (const Row& row : rows) {
        if (row.cells.front().text.startsWith(title)) return &row;
    }
    return nullptr;
}

}  // namespace

/// What the Files page says of a library.
class LibraryRowsTest : public QObject {
    Q_OBJECT

private slots:
    void neededLibrariesAreFoundOrNot() {
        ElfReading reading;
        reading.facts.isElf = true;
        reading.facts.machine = "x86_64";
        reading.facts.needed = {"libc.so.6", "libnothere12.so", "libwho.so"};
        const std::vector<Row> rows = libraryRows(reading, [](const std::string& name) -> std::optional<bool> {
            if (name == "libwho.so") return std::nullopt;
            return name == "libc.so.6";
        });
        const Row* needs = groupOf(rows, QStringLiteral("Needs these libraries"));
        QVERIFY(needs && needs->children.size() == 3);
        QCOMPARE(needs->children[0].cells[0].text, QStringLiteral("found"));
        QCOMPARE(needs->children[1].cells[0].text, QStringLiteral("not found here"));
        QCOMPARE(needs->children[1].cells[1].text, QStringLiteral("libnothere12.so"));
        QCOMPARE(needs->children[2].cells[0].text, QStringLiteral("not known"));
    }

    void aLibraryForMacOsIsTakenApartToo() {
        const std::vector<Row> rows = libraryRows(MachOFacts{"arm64", "@rpath/a.so", {"/opt/llvm-openmp/lib/libomp.dylib"}});
        const Row* needs = groupOf(rows, QStringLiteral("Needs these libraries"));
        QVERIFY(needs && needs->children.size() == 1);
        QCOMPARE(needs->children[0].cells[1].text, QStringLiteral("/opt/llvm-openmp/lib/libomp.dylib"));
        const Row* header = groupOf(rows, QStringLiteral("Header"));
        QVERIFY(header && header->children.size() == 4);
        QCOMPARE(header->children[1].cells[1].text, QStringLiteral("arm64"));
        QCOMPARE(header->children[2].cells[1].text, QStringLiteral("@rpath/a.so"));
    }
};

QTEST_GUILESS_MAIN(LibraryRowsTest)
#include "tst_library_rows.moc"
