#include <unistd.h>

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include "core/archive/archive.h"
#include "core/archive/zip_records.h"
#include "tests/corpus.h"

using namespace pt2;

namespace {

QByteArray contentOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QStringList filesBelow(const QString& folder) {
    QStringList files;
    QDirIterator it(folder, QDir::Files | QDir::Hidden | QDir::System, QDirIterator::Subdirectories);
    while (it.hasNext()) files << it.next().mid(folder.size() + 1);
    files.sort();
    return files;
}

/// A PT2 archive whose second member has any name at all.
bool writeWithName(const QString& path, const std::string& name) {
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly)) return false;
    std::vector<ZipRecord> records;
    for (const std::string& member : {std::string("a/archive_format"), name}) {
        ZipRecord record;
        record.name = member;
        record.size = 3;
        record.crc32 = 0x28345c30;
        record.headerOffset = std::uint64_t(file.pos());
        for (const ByteBuffer& part : {localHeader(record), ByteBuffer{std::byte{'p'}, std::byte{'t'}, std::byte{'2'}}, dataDescriptor(record)}) {
            file.write(reinterpret_cast<const char*>(part.data()), qint64(part.size()));
        }
        records.push_back(record);
    }
    const ByteBuffer directory = centralDirectory(records, std::uint64_t(file.pos()));
    return file.write(reinterpret_cast<const char*>(directory.data()), qint64(directory.size())) == qint64(directory.size());
}

}  // namespace

class TestExtract : public QObject {
    Q_OBJECT

private slots:
    void hostileNamesAreNeverWritten_data() {
        QTest::addColumn<QByteArray>("name");
        const QByteArray names[] = {"../escaped",
                                    "a/../../escaped",
                                    "/tmp/pt2scope-escaped",
                                    "a/..",
                                    "..",
                                    "a//b",
                                    "./a/x",
                                    "a/./x",
                                    "..\\escaped",
                                    "a\\..\\x",
                                    "C:/escaped",
                                    "c:\\x",
                                    "a/x\ny",
                                    "a/\x1b[31m",
                                    "a/\xff",
                                    QByteArrayLiteral("a/x\0y"),
                                    "a/\xe2\x80\xaexe.txt",
                                    QByteArray(5000, 'x'),
                                    "a/" + QByteArray(256, 'x'),
                                    "//x"};
        for (const QByteArray& name : names) QTest::newRow(name.left(40).toPercentEncoding().constData()) << name;
    }
    void hostileNamesAreNeverWritten() {
        QFETCH(QByteArray, name);
        QVERIFY(!isSafeMemberName(std::string_view(name.constData(), std::size_t(name.size()))));
        QTemporaryDir folder;
        const QString path = folder.filePath("hostile.pt2");
        QVERIFY(writeWithName(path, name.toStdString()));
        QVERIFY(QDir(folder.path()).mkpath("deep/out"));
        Issues issues;
        const auto archive = Archive::open(path.toStdString(), issues);
        QVERIFY2(archive, archive ? "" : archive.error().what.c_str());
        const auto all = extractMembers(**archive, {}, folder.filePath("deep/out").toStdString(), false);
        QVERIFY(!all);
        QCOMPARE(all.error().kind, ErrorKind::DoesNotHold);
        QCOMPARE(all.error().code, std::string("archive.unsafe-name"));
        QCOMPARE(filesBelow(folder.path()), (QStringList{"deep/out/a/archive_format", "hostile.pt2"}));
        const auto chosen = extractMembers(**archive, {1}, folder.filePath("deep/other").toStdString(), false);
        QVERIFY(!chosen);
        QVERIFY(filesBelow(folder.filePath("deep/other")).isEmpty());
        // Looking at it does no harm.
        QCOMPARE(asText(*(*archive)->read(1)), std::string_view("pt2"));
    }

    void usualNamesAreSafe_data() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"tiny/models/model.json", ".data/version", "a/..b/c..", "größe/模型", "a b (1)/x", "extra/a:b", "x"})
            QTest::newRow(name) << QString::fromUtf8(name);
    }
    void usualNamesAreSafe() {
        QFETCH(QString, name);
        QVERIFY(isSafeMemberName(name.toStdString()));
    }

    void everyDamagedFileStaysInsideTheFolder() {
        if (tests::corpus().isEmpty()) QSKIP("The corpus is not there, so damaged files are not extracted.");
        const QString damaged = tests::corpus() + "/damaged";
        for (const QString& name : QDir(damaged).entryList({"*.pt2"}, QDir::Files)) {
            QTemporaryDir folder;
            QVERIFY(QDir(folder.path()).mkpath("deep/out"));
            Issues issues;
            const auto archive = Archive::open((damaged + "/" + name).toStdString(), issues);
            if (!archive) continue;
            for (MemberIndex i = 0; i < (*archive)->members().size(); ++i) {
                (void)extractMembers(**archive, {i}, folder.filePath("deep/out").toStdString(), true);
            }
            for (const QString& file : filesBelow(folder.path())) QVERIFY2(file.startsWith("deep/out/"), qPrintable(name + ": " + file));
            for (const QString& file : filesBelow(folder.path())) QVERIFY2(!file.contains(".pt2scope-"), qPrintable(name + ": " + file));
        }
    }

    void chosenMembersAreWrittenWithTheirBytes() {
        if (tests::corpus().isEmpty()) QSKIP("The corpus is not there, so no member is extracted.");
        Issues issues;
        const auto archive = Archive::open((tests::corpus() + "/2.13.0/tiny.pt2").toStdString(), issues);
        QVERIFY(archive);
        QTemporaryDir folder;
        const auto model = (*archive)->find("models/model.json");
        QVERIFY(model);
        std::uint64_t last = 0;
        const auto done =
            extractMembers(**archive, {*model}, folder.path().toStdString(), false, {}, [&](const Progress& progress) { last = progress.done; });
        QVERIFY(done);
        QCOMPARE(last, (*archive)->members()[*model].size);
        QCOMPARE(filesBelow(folder.path()), QStringList{"tiny/models/model.json"});
        const auto bytes = (*archive)->read(*model);
        QCOMPARE(contentOf(folder.filePath("tiny/models/model.json")), QByteArray(reinterpret_cast<const char*>(bytes->data()), int(bytes->size())));
    }

    void existingFilesAreKeptWithoutForce() {
        if (tests::corpus().isEmpty()) QSKIP("The corpus is not there, so no file is overwritten.");
        Issues issues;
        const auto archive = Archive::open((tests::corpus() + "/2.13.0/tiny.pt2").toStdString(), issues);
        QVERIFY(archive);
        QTemporaryDir folder;
        QVERIFY(QDir(folder.path()).mkpath("tiny"));
        QFile file(folder.filePath("tiny/byteorder"));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("mine") == 4);
        file.close();
        const auto refused = extractMembers(**archive, {}, folder.path().toStdString(), false);
        QVERIFY(!refused);
        QCOMPARE(refused.error().kind, ErrorKind::Usage);
        QCOMPARE(filesBelow(folder.path()), QStringList{"tiny/byteorder"});
        QVERIFY(extractMembers(**archive, {}, folder.path().toStdString(), true));
        QCOMPARE(contentOf(folder.filePath("tiny/byteorder")), QByteArray("little"));
    }

    void linksInTheTargetAreNotFollowed() {
        if (tests::corpus().isEmpty()) QSKIP("The corpus is not there, so nothing is extracted over links.");
        Issues issues;
        const auto archive = Archive::open((tests::corpus() + "/2.13.0/tiny.pt2").toStdString(), issues);
        QVERIFY(archive);
        QTemporaryDir folder;
        QVERIFY(QDir(folder.path()).mkpath("outside") && QDir(folder.path()).mkpath("out"));
        QCOMPARE(::symlink(qPrintable(folder.filePath("outside")), qPrintable(folder.filePath("out/tiny"))), 0);
        const auto refused = extractMembers(**archive, {}, folder.filePath("out").toStdString(), true);
        QVERIFY(!refused);
        QCOMPARE(refused.error().code, std::string("extract.link"));
        QVERIFY(filesBelow(folder.filePath("outside")).isEmpty());
    }

    void damagedMembersLeaveNoHalfFile() {
        if (tests::corpus().isEmpty()) QSKIP("The corpus is not there, so no damaged member is extracted.");
        Issues issues;
        const auto archive = Archive::open((tests::corpus() + "/damaged/bad_crc_weight.pt2").toStdString(), issues);
        QVERIFY(archive);
        const auto weight = (*archive)->find("data/weights/weight_0");
        QVERIFY(weight);
        QTemporaryDir folder;
        const auto refused = extractMembers(**archive, {*weight}, folder.path().toStdString(), false);
        QVERIFY(!refused);
        QCOMPARE(refused.error().code, std::string("archive.bad-crc"));
        QVERIFY(filesBelow(folder.path()).isEmpty());
    }
};

QTEST_GUILESS_MAIN(TestExtract)
#include "tst_extract.moc"
