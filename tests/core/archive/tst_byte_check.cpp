#include <QFile>
#include <QTemporaryDir>
#include <QtTest>
#include <string>

#include "core/archive/byte_check.h"
#include "core/archive/writer.h"
#include "tests/corpus.h"

using namespace pt2;

/// Reading the whole of an archive finds what opening, which reads no payload, cannot.
class TestByteCheck : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    /// An archive of `count` members of 100 bytes, each with one bit changed after it was written.
    QString damaged(int count) {
        const QString path = folder_.filePath(QStringLiteral("damaged%1.pt2").arg(count));
        auto writer = ArchiveWriter::create(path.toStdString(), "m", true);
        if (!writer) return {};
        for (int i = 0; i < count; ++i) {
            const QByteArray bytes(100, 'w');
            const auto added = writer->add("data/weights/weight_" + std::to_string(i),
                                           Bytes(reinterpret_cast<const std::byte*>(bytes.constData()), static_cast<std::size_t>(bytes.size())));
            if (!added) return {};
        }
        if (!writer->finish()) return {};
        Issues issues;
        const auto archive = Archive::open(path.toStdString(), issues);
        QFile file(path);
        if (!archive || !issues.empty() || !file.open(QIODevice::ReadWrite)) return {};
        for (int i = 0; i < count; ++i) {
            const auto member = (*archive)->find("data/weights/weight_" + std::to_string(i));
            if (!member || !file.seek(static_cast<qint64>((*archive)->members()[*member].dataOffset) + 7)) return {};
            file.write("v");
        }
        return path;
    }

private slots:
    void soundArchivesAreReadWholeAndNothingIsFound_data() {
        QTest::addColumn<QString>("path");
        for (const char* path : {"2.13.0/tiny.pt2", "2.13.0/aoti/two_models.pt2", "eras/2.6/tiny.pt2", "foreign/wild_folder.pt2.d"})
            QTest::newRow(path) << path;
    }
    void soundArchivesAreReadWholeAndNothingIsFound() {
        QFETCH(QString, path);
        if (tests::corpus().isEmpty()) QSKIP("The corpus is not there, so no sound archive is read.");
        Issues issues;
        const auto archive = Archive::open((tests::corpus() + '/' + path).toStdString(), issues);
        QVERIFY(archive);
        const std::size_t before = issues.size();
        std::uint64_t size = 0;
        for (const Member& member : (*archive)->members()) size += member.isDirectory ? 0 : member.size;
        std::uint64_t reported = 0;
        bool grows = true;
        const auto read = readEveryByte(**archive, issues, {}, [&](const Progress& progress) {
            grows = grows && progress.done >= reported && progress.done <= progress.total && progress.unit == Progress::Unit::Bytes;
            reported = progress.done;
        });
        QVERIFY(read);
        QCOMPARE(*read, size);
        QCOMPARE(reported, size);
        QVERIFY(grows);
        QCOMPARE(issues.size(), before);
    }

    void aChangedBitIsFoundOnce() {
        const QString path = damaged(1);
        QVERIFY(!path.isEmpty());
        Issues issues;
        const auto archive = Archive::open(path.toStdString(), issues);
        QVERIFY(archive);
        QVERIFY(issues.empty());
        for (int i = 0; i < 2; ++i) {
            QVERIFY(readEveryByte(**archive, issues));
            QCOMPARE(issues.size(), std::size_t(1));
            QCOMPARE(issues[0].code, std::string("archive.bad-crc"));
            QCOMPARE(issues[0].where, std::string("file/data/weights/weight_0"));
            QCOMPARE(issues[0].severity, Severity::Error);
            QVERIFY(!issues[0].help.empty());
        }
    }

    void manyDamagedMembersAreCountedInsteadOfListed() {
        const QString path = damaged(1000);
        QVERIFY(!path.isEmpty());
        Issues issues;
        const auto archive = Archive::open(path.toStdString(), issues);
        QVERIFY(archive);
        QVERIFY(readEveryByte(**archive, issues));
        QVERIFY2(issues.size() < 20, qPrintable(QString::number(issues.size())));
        QVERIFY2(issues.back().message.find(" more members") != std::string::npos, issues.back().message.c_str());
    }

    void itStopsWhenAsked() {
        const QString path = damaged(3);
        QVERIFY(!path.isEmpty());
        Issues issues;
        const auto archive = Archive::open(path.toStdString(), issues);
        QVERIFY(archive);
        const CancelToken cancel;
        cancel.request();
        const auto read = readEveryByte(**archive, issues, cancel);
        QVERIFY(!read);
        QCOMPARE(read.error().kind, ErrorKind::Cancelled);
    }
};

QTEST_GUILESS_MAIN(TestByteCheck)
#include "tst_byte_check.moc"
