#include <sys/stat.h>
#include <unistd.h>

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include "core/archive/archive.h"

#include <algorithm>
#include "tests/corpus.h"

using namespace pt2;

namespace {

bool put(const QString& path, const QByteArray& content) {
    QDir().mkpath(QFileInfo(path).path());
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(content) == content.size();
}

bool hasIssue(const Issues& issues, const std::string& code) {
    return std::any_of(issues.begin(), issues.end(), [&](const Issue& issue) { return issue.code == code; });
}

}  // namespace

class TestFolder : public QObject {
    Q_OBJECT

    static bool makeArchiveFolder(const QString& folder) {
        return put(folder + "/archive_format", "pt2") && put(folder + "/archive_version", "0") && put(folder + "/models/model.json", "{}") &&
               put(folder + "/data/weights/weight_0", QByteArray(100, 'w'));
    }

private slots:
    void unpackedArchiveReadsAsItsZip_data() {
        QTest::addColumn<QString>("path");
        for (const char* path : {"2.13.0/tiny.pt2", "2.13.0/encoder.pt2", "2.13.0/aoti/combined.pt2", "2.13.0/aoti/two_models.pt2"})
            QTest::newRow(path) << path;
    }
    void unpackedArchiveReadsAsItsZip() {
        QFETCH(QString, path);
        if (tests::corpus().isEmpty()) QSKIP("The corpus is not there, so nothing is unpacked.");
        Issues issues;
        const auto zip = Archive::open((tests::corpus() + "/" + path).toStdString(), issues);
        QVERIFY(zip);
        QTemporaryDir folder;
        QVERIFY(extractMembers(**zip, {}, folder.path().toStdString(), false));
        // The folder above data/, and its parent (format.md 1.4).
        for (const QString& place : {folder.path(), folder.path() + "/" + QString::fromStdString((*zip)->root())}) {
            Issues folderIssues;
            const auto unpacked = Archive::open(place.toStdString(), folderIssues);
            QVERIFY2(unpacked, unpacked ? "" : unpacked.error().what.c_str());
            QVERIFY(folderIssues.empty());
            QCOMPARE((*unpacked)->kind(), ContainerKind::Folder);
            QCOMPARE((*unpacked)->root(), place == folder.path() ? (*zip)->root() : std::string());
            QCOMPARE((*unpacked)->members().size(), (*zip)->members().size());
            QVERIFY(std::is_sorted((*unpacked)->members().begin(), (*unpacked)->members().end(),
                                   [](const Member& a, const Member& b) { return a.name < b.name; }));
            for (MemberIndex i = 0; i < (*zip)->members().size(); ++i) {
                const auto same = (*unpacked)->find((*zip)->nameBelowRoot(i));
                QVERIFY(same);
                QCOMPARE((*unpacked)->members()[*same].size, (*zip)->members()[i].size);
                const auto a = (*zip)->read(i);
                const auto b = (*unpacked)->read(*same);
                QVERIFY(a && b);
                QVERIFY(*a == *b);
                ByteBuffer half(a->size() / 2);
                QVERIFY((*unpacked)->readAt(*same, a->size() - half.size(), half));
                QVERIFY(std::equal(half.begin(), half.end(), a->end() - std::ptrdiff_t(half.size())));
                QVERIFY(!(*unpacked)->readAt(*same, a->size() - half.size() + 1, half) || half.empty());
            }
            QVERIFY((*unpacked)->verifyUnchanged());
            QCOMPARE(*(*unpacked)->sha256(), std::string());
            QVERIFY((*unpacked)->file() == nullptr);
        }
    }

    void foldersWithoutAnArchiveSayWhatTheyHold() {
        QTemporaryDir folder;
        Issues issues;
        const auto empty = Archive::open(folder.path().toStdString(), issues);
        QVERIFY(!empty);
        QCOMPARE(empty.error().code, std::string("archive.no-archive"));
        QVERIFY(put(folder.filePath("b.pt2"), "x"));
        const auto withFile = Archive::open(folder.path().toStdString(), issues);
        QVERIFY(!withFile);
        QVERIFY(withFile.error().why.find("b.pt2") != std::string::npos);
        QVERIFY(makeArchiveFolder(folder.filePath("one")) && makeArchiveFolder(folder.filePath("two")));
        const auto several = Archive::open(folder.path().toStdString(), issues);
        QVERIFY(!several);
        QCOMPARE(several.error().code, std::string("archive.several"));
        QVERIFY(several.error().why.find("one, two") != std::string::npos);
    }

    void linksAndPipesAreLeftOutWithAWarning() {
        QTemporaryDir folder;
        QVERIFY(makeArchiveFolder(folder.path()));
        QCOMPARE(::symlink("/etc/passwd", qPrintable(folder.filePath("extra"))), 0);
        QCOMPARE(::symlink("..", qPrintable(folder.filePath("data/loop"))), 0);
        QCOMPARE(::mkfifo(qPrintable(folder.filePath("pipe")), 0600), 0);
        Issues issues;
        const auto archive = Archive::open(folder.path().toStdString(), issues);
        QVERIFY(archive);
        QCOMPARE((*archive)->members().size(), std::size_t{4});
        QVERIFY(hasIssue(issues, "archive.link"));
    }

    void changesUnderneathAreNoticed() {
        QTemporaryDir folder;
        QVERIFY(makeArchiveFolder(folder.path()));
        Issues issues;
        const auto archive = Archive::open(folder.path().toStdString(), issues);
        QVERIFY(archive);
        const auto weight = (*archive)->find("data/weights/weight_0");
        QVERIFY(weight);
        QVERIFY((*archive)->read(*weight));
        QVERIFY(put(folder.filePath("data/weights/weight_0"), "short"));
        const auto changed = (*archive)->read(*weight);
        QVERIFY(!changed);
        QCOMPARE(changed.error().code, std::string("file.changed"));
        QVERIFY(!(*archive)->verifyUnchanged());
        QVERIFY(QFile::remove(folder.filePath("data/weights/weight_0")));
        QVERIFY(!(*archive)->read(*weight));
        QVERIFY(!(*archive)->verifyUnchanged());
    }

    void anotherFormatIsRefused() {
        QTemporaryDir folder;
        QVERIFY(makeArchiveFolder(folder.path()));
        Issues issues;
        QVERIFY(Archive::open(folder.path().toStdString(), issues));
        QVERIFY(issues.empty());
        QVERIFY(put(folder.filePath("archive_format"), "pt3"));
        const auto other = Archive::open(folder.path().toStdString(), issues);
        QVERIFY(!other);
        QCOMPARE(other.error().code, std::string("archive.unknown-format"));
    }

    void deepFoldersEndTheWalk() {
        QTemporaryDir folder;
        QVERIFY(makeArchiveFolder(folder.path()));
        QString deep = folder.filePath("extra");
        for (int i = 0; i < 80; ++i) deep += "/d";
        QVERIFY(put(deep + "/x", "1"));
        Issues issues;
        const auto archive = Archive::open(folder.path().toStdString(), issues);
        QVERIFY(archive);
        QCOMPARE((*archive)->members().size(), std::size_t{4});
        QVERIFY(hasIssue(issues, "archive.too-deep"));
    }
};

QTEST_GUILESS_MAIN(TestFolder)
#include "tst_folder.moc"
