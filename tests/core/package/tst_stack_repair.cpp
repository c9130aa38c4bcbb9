#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtEndian>
#include <QtTest>
#include <set>
#include <string>

#include "core/archive/archive.h"
#include "core/archive/byte_check.h"
#include "core/package/stack_repair.h"
#include "tests/corpus.h"

using namespace pt2;

namespace {

QByteArray contentOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

}  // namespace

/// A copy that other programs can load differs from the file in what it must, and in nothing else.
class StackRepairTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

private slots:
    void onlyTheMarkAndTheChecksumsDiffer_data() {
        QTest::addColumn<QString>("path");
        if (tests::corpus().isEmpty()) QTest::newRow("none") << QString();
        for (const char* folder : {"/2.13.0/aoti", "/eras/2.6/aoti", "/eras/2.8/aoti"}) {
            const QDir packages(tests::corpus() + folder);
            for (const QString& name : packages.entryList({"*.pt2", "*.so"}, QDir::Files))
                QTest::newRow(qPrintable(folder + ("/" + name))) << packages.filePath(name);
        }
    }
    void onlyTheMarkAndTheChecksumsDiffer() {
        QFETCH(QString, path);
        if (path.isEmpty()) QSKIP("The corpus of real packages is not here.");
        const auto before = Package::open(path.toStdString());
        QVERIFY(before);
        std::set<std::string> marked;
        for (const CompiledModel& model : (*before)->compiledModels()) {
            if (model.library && model.elf.executableStack) marked.insert((*before)->archive().members()[*model.library].name);
        }
        const QString target = folder_.filePath("copy.pt2");
        const auto repaired = writeWithoutExecutableStacks(**before, target.toStdString(), true);
        if (marked.empty()) {
            QVERIFY(!repaired && repaired.error().code == "repair.nothing");
            return;
        }
        QVERIFY2(repaired, repaired ? "" : repaired.error().why.c_str());
        QCOMPARE(std::set<std::string>(repaired->begin(), repaired->end()), marked);

        const auto after = Package::open(target.toStdString());
        QVERIFY(after);
        for (const CompiledModel& model : (*after)->compiledModels()) QVERIFY(!model.elf.executableStack);
        QCOMPARE((*after)->issues().size(), (*before)->issues().size());
        Issues broken;
        QVERIFY(readEveryByte((*after)->archive(), broken));
        QVERIFY(broken.empty());
        // One bit a library; its checksum where the directory states it, and before or behind the member.
        const QByteArray old = contentOf(path), now = contentOf(target);
        QCOMPARE(now.size(), old.size());
        qsizetype differing = 0;
        for (qsizetype i = 0; i < old.size(); ++i) differing += old[i] != now[i] ? 1 : 0;
        QVERIFY2(differing >= static_cast<qsizetype>(marked.size()) && differing <= static_cast<qsizetype>(13 * marked.size()),
                 qPrintable(QString::number(differing)));
        if ((*after)->archive().kind() == ContainerKind::Library) return;
        for (const Member& member : (*after)->archive().members()) {
            if (marked.count(member.name) == 0) continue;
            const auto word = [&now](std::uint64_t at) { return qFromLittleEndian<quint32>(now.constData() + at); };
            const quint32 local = word(member.headerOffset + 14);
            QVERIFY(local == member.crc32 || local == 0);
            if ((member.flags & 8) == 0) continue;
            const std::uint64_t end = member.dataOffset + member.compressedSize;
            QCOMPARE(word(word(end) == 0x08074b50 ? end + 4 : end), member.crc32);
        }
    }

    /// What cannot be done is said, and no file appears.
    void whatCannotBeCopiedIsSaid_data() {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("code");
        QTest::newRow("no compiled model") << "/2.13.0/tiny.pt2"
                                           << "repair.nothing";
        QTest::newRow("damaged library") << "damaged library"
                                         << "archive.bad-crc";
        QTest::newRow("file exists") << "/2.13.0/aoti/tiny.pt2"
                                     << "output.exists";
    }
    void whatCannotBeCopiedIsSaid() {
        QFETCH(QString, path);
        QFETCH(QString, code);
        if (tests::corpus().isEmpty()) QSKIP("The corpus of real packages is not here.");
        const QString target = folder_.filePath(code + ".pt2");
        QString source = tests::corpus() + path;
        if (path == "damaged library") {
            source = folder_.filePath("damaged.pt2");
            QByteArray bytes = contentOf(tests::corpus() + "/2.13.0/aoti/tiny.pt2");
            const auto whole = Package::open((tests::corpus() + "/2.13.0/aoti/tiny.pt2").toStdString());
            QVERIFY(whole);
            const Member& library = (*whole)->archive().members()[*(*whole)->compiledModels().front().library];
            bytes[static_cast<qsizetype>(library.dataOffset + library.size - 1)] ^= 1;
            QFile file(source);
            QVERIFY(file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size());
        }
        if (code == "output.exists") {
            QFile file(target);
            QVERIFY(file.open(QIODevice::WriteOnly));
        }
        const auto package = Package::open(source.toStdString());
        QVERIFY(package);
        const auto repaired = writeWithoutExecutableStacks(**package, target.toStdString(), false);
        QVERIFY(!repaired);
        QCOMPARE(QString::fromStdString(repaired.error().code), code);
        QCOMPARE(QFile::exists(target), code == "output.exists");
    }
};

QTEST_APPLESS_MAIN(StackRepairTest)
#include "tst_stack_repair.moc"
