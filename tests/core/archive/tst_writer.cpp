#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include "core/archive/archive.h"
#include "core/archive/writer.h"
#include "core/archive/zip_records.h"
#include "tests/corpus.h"

using namespace pt2;

namespace {

QByteArray contentOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// All archives of torch 2.8 and later: the writer claims to write as their writer did.
QStringList archivesOfTorch() {
    QStringList files;
    if (tests::corpus().isEmpty()) return files;
    for (const char* folder : {"/2.13.0", "/2.13.0/aoti", "/eras/2.8", "/eras/2.8/aoti"}) {
        for (const QString& name : QDir(tests::corpus() + folder).entryList({"*.pt2"}, QDir::Files)) files << tests::corpus() + folder + "/" + name;
    }
    return files;
}

}  // namespace

class TestWriter : public QObject {
    Q_OBJECT

private slots:
    void copiedArchiveEqualsTorchsToTheByte_data() {
        QTest::addColumn<QString>("path");
        for (const QString& path : archivesOfTorch()) QTest::newRow(qPrintable(path.mid(tests::corpus().size() + 1))) << path;
        if (archivesOfTorch().isEmpty()) QTest::newRow("none") << QString();
    }
    void copiedArchiveEqualsTorchsToTheByte() {
        QFETCH(QString, path);
        if (path.isEmpty()) QSKIP("The corpus is not there, so no archive of torch is written again.");
        Issues issues;
        const auto source = Archive::open(path.toStdString(), issues);
        QVERIFY(source);
        QTemporaryDir folder;
        const QString target = folder.filePath("copy.pt2");
        auto writer = ArchiveWriter::create(target.toStdString(), (*source)->root(), false);
        QVERIFY(writer);
        for (MemberIndex i = 0; i < (*source)->members().size(); ++i) {
            const auto copied = writer->copy(**source, i, (*source)->nameBelowRoot(i));
            QVERIFY2(copied, copied ? "" : copied.error().why.c_str());
        }
        QVERIFY(!QFile::exists(target));
        const auto finished = writer->finish();
        QVERIFY2(finished, finished ? "" : finished.error().why.c_str());
        QVERIFY(contentOf(target) == contentOf(path));
        QCOMPARE(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden).size(), 1);
    }

    void deflatedAndLooseMembersBecomeStoredAndAligned_data() {
        QTest::addColumn<QString>("path");
        for (const char* path : {"damaged/all_deflated.pt2", "foreign/wild_rezip_deflated_nodirs.pt2", "foreign/wild_zipfile_copy.pt2",
                                 "foreign/wild_folder.pt2.d", "eras/2.6/tiny.pt2", "damaged/bad_crc_json.pt2"}) {
            QTest::newRow(path) << path;
        }
    }
    void deflatedAndLooseMembersBecomeStoredAndAligned() {
        QFETCH(QString, path);
        if (tests::corpus().isEmpty()) QSKIP("The corpus is not there, so no archive is repacked.");
        Issues issues;
        const auto source = Archive::open((tests::corpus() + "/" + path).toStdString(), issues);
        QVERIFY(source);
        QTemporaryDir folder;
        const std::string target = folder.filePath("new.pt2").toStdString();
        auto writer = ArchiveWriter::create(target, "new", false);
        QVERIFY(writer);
        std::vector<MemberIndex> taken;
        for (MemberIndex i = 0; i < (*source)->members().size(); ++i) {
            if ((*source)->members()[i].isDirectory) continue;
            const auto copied = writer->copy(**source, i, (*source)->nameBelowRoot(i));
            QVERIFY2(copied, copied ? "" : copied.error().what.c_str());
            taken.push_back(i);
        }
        const auto finished = writer->finish();
        QVERIFY2(finished, finished ? "" : finished.error().why.c_str());
        Issues newIssues;
        const auto result = Archive::open(target, newIssues);
        QVERIFY(result);
        QVERIFY2(newIssues.empty() || path.startsWith("eras"), newIssues.empty() ? "" : newIssues.front().message.c_str());
        QCOMPARE((*result)->root(), std::string("new"));
        for (const MemberIndex i : taken) {
            const auto written = (*result)->find((*source)->nameBelowRoot(i));
            QVERIFY(written);
            QCOMPARE((*result)->members()[*written].method, std::uint16_t{0});
            QCOMPARE((*result)->members()[*written].dataOffset % 64, std::uint64_t{0});
            Issues ignored;
            const auto before = (*source)->read(i, ignored);
            const auto after = (*result)->read(*written);
            QVERIFY(before && after);
            QVERIFY(*before == *after);
        }
    }

    void markersComeLastAndOnce() {
        QTemporaryDir folder;
        const std::string target = folder.filePath("m.pt2").toStdString();
        auto writer = ArchiveWriter::create(target, "m", false);
        QVERIFY(writer);
        QVERIFY(writer->add("byteorder", asBytes("little")));
        QVERIFY(writer->add("extra/empty", {}));
        QVERIFY(writer->add("models/model.json", asBytes("{}")));
        QVERIFY(writer->finish());
        Issues issues;
        const auto archive = Archive::open(target, issues);
        QVERIFY(archive);
        std::vector<std::string> names;
        for (const Member& member : (*archive)->members()) names.push_back(member.name);
        QCOMPARE(names, (std::vector<std::string>{"m/byteorder", "m/extra/empty", "m/models/model.json", "m/archive_format", "m/archive_version",
                                                  "m/.data/version", "m/.data/serialization_id"}));
        QCOMPARE(asText(*(*archive)->read(3)), std::string_view("pt2"));
        QCOMPARE(asText(*(*archive)->read(4)), std::string_view("0"));
        QCOMPARE(asText(*(*archive)->read(5)), std::string_view("6\n"));
        const auto id = (*archive)->read(6);
        QCOMPARE(id->size(), std::size_t{40});
        for (const char c : asText(*id)) QVERIFY(c >= '0' && c <= '9');
        QCOMPARE((*archive)->members()[1].flags, std::uint16_t{0x0800});
        QCOMPARE((*archive)->members()[2].flags, std::uint16_t{0x0808});
    }

    void badNamesAndDuplicatesAreRefused() {
        QTemporaryDir folder;
        QVERIFY(!ArchiveWriter::create(folder.filePath("a.pt2").toStdString(), "../up", false));
        QVERIFY(!ArchiveWriter::create(folder.filePath("a.pt2").toStdString(), "", false));
        auto writer = ArchiveWriter::create(folder.filePath("a.pt2").toStdString(), "a", false);
        QVERIFY(writer);
        for (const char* name : {"../x", "/x", "x/../../y", "x//y", "", "C:\\x", "x\\y", "x\ny", "./x", "x/"}) {
            const auto added = writer->add(name, asBytes("1"));
            QVERIFY2(!added, name);
            QCOMPARE(added.error().kind, ErrorKind::Usage);
        }
        QVERIFY(writer->add("x", asBytes("1")));
        const auto twice = writer->add("x", asBytes("2"));
        QVERIFY(!twice);
        QCOMPARE(twice.error().code, std::string("writer.duplicate"));
        QVERIFY(writer->finish());
    }

    void existingFileIsReplacedOnlyOnRequest() {
        QTemporaryDir folder;
        const QString path = folder.filePath("a.pt2");
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("mine") == 4);
        file.close();
        const auto refused = ArchiveWriter::create(path.toStdString(), "a", false);
        QVERIFY(!refused);
        QCOMPARE(refused.error().code, std::string("output.exists"));
        {
            auto abandoned = ArchiveWriter::create(path.toStdString(), "a", true);
            QVERIFY(abandoned);
            QVERIFY(abandoned->add("x", asBytes("1")));
        }
        QCOMPARE(contentOf(path), QByteArray("mine"));
        QCOMPARE(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden), QStringList{"a.pt2"});
        auto writer = ArchiveWriter::create(path.toStdString(), "a", true);
        QVERIFY(writer);
        QVERIFY(writer->finish());
        QVERIFY(contentOf(path).startsWith("PK"));
    }

    void filesOfTheDiskAreStreamedIn() {
        QTemporaryDir folder;
        const QString source = folder.filePath("big.bin");
        QFile file(source);
        QVERIFY(file.open(QIODevice::WriteOnly));
        QByteArray content(3'000'001, '\0');
        for (int i = 0; i < content.size(); ++i) content[i] = char(i * 31);
        QCOMPARE(file.write(content), qint64(content.size()));
        file.close();
        const std::string target = folder.filePath("a.pt2").toStdString();
        auto writer = ArchiveWriter::create(target, "a", false);
        QVERIFY(writer);
        QVERIFY(writer->addFile("data/big", source.toStdString()));
        QVERIFY(!writer->addFile("data/none", folder.filePath("missing").toStdString()));
        QVERIFY(writer->finish());
        Issues issues;
        const auto archive = Archive::open(target, issues);
        QVERIFY(archive);
        const auto bytes = (*archive)->read(0);
        QVERIFY(bytes);
        QVERIFY(QByteArray(reinterpret_cast<const char*>(bytes->data()), int(bytes->size())) == content);
    }

    void cancelledCopyLeavesNothing() {
        if (tests::corpus().isEmpty()) QSKIP("The corpus is not there, so no copy is cancelled.");
        Issues issues;
        const auto source = Archive::open((tests::corpus() + "/2.13.0/tiny.pt2").toStdString(), issues);
        QVERIFY(source);
        QTemporaryDir folder;
        {
            auto writer = ArchiveWriter::create(folder.filePath("a.pt2").toStdString(), "a", false);
            QVERIFY(writer);
            const CancelToken cancel;
            cancel.request();
            const auto copied = writer->copy(**source, 0, "x", cancel);
            QVERIFY(!copied);
            QCOMPARE(copied.error().kind, ErrorKind::Cancelled);
            QVERIFY(!writer->add("y", asBytes("1")));
        }
        QVERIFY(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden).isEmpty());
    }

    void membersBeyondFourGigabytesCarryZip64Fields() {
        ZipRecord record;
        record.name = "a/data/weights/weight_0";
        for (const std::uint64_t size : {std::uint64_t{100}, std::uint64_t{0xFFFFFFFF}, std::uint64_t{5} << 30}) {
            for (const std::uint64_t offset : {std::uint64_t{0}, std::uint64_t{0xFFFFFFFF}, std::uint64_t{7} << 31}) {
                record.size = size;
                record.headerOffset = offset;
                const bool large = size >= 0xFFFFFFFF || offset >= 0xFFFFFFFF;
                QCOMPARE((record.headerOffset + localHeader(record).size()) % 64, std::uint64_t{0});
                QCOMPARE(dataDescriptor(record).size(), std::size_t(large ? 24 : 16));
            }
        }
    }

    void sparseArchiveBeyondFourGigabytesReadsBack() {
        QTemporaryDir folder;
        const QString path = folder.filePath("large.pt2");
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        const auto put = [&](const ByteBuffer& bytes) {
            return file.write(reinterpret_cast<const char*>(bytes.data()), qint64(bytes.size())) == qint64(bytes.size());
        };
        ZipRecord large;
        large.name = "a/data/weights/weight_0";
        large.size = std::uint64_t{5} << 30;
        ZipRecord format;
        format.name = "a/archive_format";
        format.size = 3;
        QVERIFY(put(localHeader(large)));
        QVERIFY(file.resize(qint64(std::uint64_t(file.size()) + large.size)));
        QVERIFY(file.seek(file.size()));
        QVERIFY(put(dataDescriptor(large)));
        format.headerOffset = std::uint64_t(file.pos());
        format.crc32 = 0x28345c30;
        QVERIFY(put(localHeader(format)));
        QVERIFY(file.write("pt2") == 3);
        QVERIFY(put(dataDescriptor(format)));
        QVERIFY(put(centralDirectory({large, format}, std::uint64_t(file.pos()))));
        file.close();
        Issues issues;
        const auto archive = Archive::open(path.toStdString(), issues);
        QVERIFY2(archive, archive ? "" : archive.error().what.c_str());
        QCOMPARE((*archive)->members()[0].size, std::uint64_t{5} << 30);
        QVERIFY((*archive)->members()[1].dataOffset > std::uint64_t{5} << 30);
        QCOMPARE(asText(*(*archive)->read(1)), std::string_view("pt2"));
        ByteBuffer window(16, std::byte{1});
        QVERIFY((*archive)->readAt(0, (std::uint64_t{5} << 30) - 16, window));
        QCOMPARE(window, ByteBuffer(16));
        for (const Issue& issue : issues) QVERIFY2(!QString::fromStdString(issue.code).contains("bad"), issue.message.c_str());
    }
};

QTEST_GUILESS_MAIN(TestWriter)
#include "tst_writer.moc"
