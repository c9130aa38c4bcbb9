#include "core/run/extraction.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QtTest>
#include <array>
#include <atomic>
#include <thread>

#include "core/package/package.h"
#include "tests/corpus.h"

using namespace pt2;

namespace {

QStringList entries(const QString& path) { return QDir(path).entryList(QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot); }

void write(const QString& path, const QByteArray& text) {
    QDir().mkpath(QFileInfo(path).path());
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text);
}

}  // namespace

#define PT2_NEEDS_CORPUS() \
    if (tests::corpus().isEmpty()) QSKIP("the corpus is not there: nothing was unpacked")

class TestExtraction : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> runtime_;

    QString root() const { return runtime_->path() + "/pt2scope"; }
    Result<std::shared_ptr<const Extraction>> extract(const Document& document, const std::string& model) {
        const auto compiled = document.compiled(model);
        return extractCompiled(compiled.package->archive(), *compiled.model);
    }
    static Document open(const QString& name) {
        auto document = Document::open((tests::corpus() + "/2.13.0/aoti/" + name).toStdString());
        return document ? std::move(*document) : Document();
    }

private slots:
    void init() {
        runtime_ = std::make_unique<QTemporaryDir>();
        qputenv("XDG_RUNTIME_DIR", runtime_->path().toLocal8Bit());
    }
    void cleanup() {
        QVERIFY(!runtime_ || entries(runtime_->path()).isEmpty());
        runtime_.reset();
    }

    void everyPackageUnpacksItsLibraryAndLeavesNothing_data() {
        QTest::addColumn<QString>("name");
        if (tests::corpus().isEmpty()) QTest::newRow("no corpus") << QString();
        if (tests::corpus().isEmpty()) return;
        QDirIterator files(tests::corpus() + "/2.13.0/aoti", {"*.pt2"});
        while (files.hasNext()) {
            files.next();
            QTest::newRow(files.fileName().toUtf8().constData()) << files.fileName();
        }
    }
    void everyPackageUnpacksItsLibraryAndLeavesNothing() {
        PT2_NEEDS_CORPUS();
        QFETCH(QString, name);
        const Document document = open(name);
        QVERIFY(document.primary != nullptr);
        for (const CompiledModel& model : document.primary->compiledModels()) {
            if (!model.library) continue;
            const auto extraction = extract(document, model.name);
            QVERIFY2(extraction.has_value(), extraction ? "" : extraction.error().what.c_str());
            QVERIFY(QFileInfo::exists(QString::fromStdString((*extraction)->library().string())));
            QCOMPARE((*extraction)->identity().size(), std::size_t(64));
            const Archive& archive = document.primary->archive();
            // Byte for byte what the archive holds, apart from the executable-stack mark.
            for (const MemberIndex member : model.members) {
                const std::string below(archive.nameBelowRoot(member));
                const QString path = QString::fromStdString(((*extraction)->directory() / below).string());
                if (path.endsWith(".cpp") || path.endsWith(".o")) continue;
                QFile file(path);
                QVERIFY2(file.open(QIODevice::ReadOnly), qPrintable(path));
                const QByteArray unpacked = file.readAll();
                const auto stored = archive.read(member);
                QVERIFY(stored.has_value());
                QCOMPARE(static_cast<std::size_t>(unpacked.size()), stored->size());
                int differing = 0;
                for (std::size_t i = 0; i < stored->size(); ++i) {
                    const bool isMark = member == model.library && model.elf.gnuStackFlagsOffset && i == *model.elf.gnuStackFlagsOffset;
                    if (static_cast<std::byte>(unpacked[static_cast<qsizetype>(i)]) == (*stored)[i]) continue;
                    QVERIFY(isMark);
                    QCOMPARE(static_cast<int>(unpacked[static_cast<qsizetype>(i)]) & 1, 0);
                    ++differing;
                }
                QCOMPARE(differing, member == model.library && model.elf.executableStack ? 1 : 0);
            }
        }
        QVERIFY(entries(runtime_->path()).isEmpty());
    }

    void theSameContentIsUnpackedOnce() {
        PT2_NEEDS_CORPUS();
        const Document first = open("tiny.pt2"), second = open("tiny.pt2");
        auto a = extract(first, "model");
        auto b = extract(second, "model");
        QVERIFY(a && b);
        QCOMPARE((*a).get(), (*b).get());
        QTemporaryDir elsewhere;
        const QString copy = elsewhere.filePath("copy.pt2");
        QVERIFY(QFile::copy(tests::corpus() + "/2.13.0/aoti/tiny.pt2", copy));
        const auto copied = Document::open(copy.toStdString());
        QVERIFY(copied.has_value());
        auto c = extract(*copied, "model");
        QVERIFY(c.has_value());
        QVERIFY((*c)->directory() == (*a)->directory());
        QCOMPARE(entries(root()).size(), 3);  // the root's lock, the directory and its lock
        QVERIFY(extractedBytes() > 0);
        a = fail({});
        b = fail({});
        QVERIFY(QFileInfo::exists(QString::fromStdString((*c)->library().string())));
    }

    void differentModelsHaveDifferentPlaces() {
        PT2_NEEDS_CORPUS();
        const Document document = open("two_models.pt2");
        const auto one = extract(document, "model1"), two = extract(document, "model2");
        QVERIFY(one && two);
        QVERIFY((*one)->identity() != (*two)->identity());
    }

    void manyThreadsAtOnceLeaveNothing() {
        PT2_NEEDS_CORPUS();
        std::atomic<int> failures{0};
        std::vector<std::thread> threads;
        for (int i = 0; i < 8; ++i) {
            threads.emplace_back([&failures, this, i] {
                for (int round = 0; round < 5; ++round) {
                    const Document document = open(i % 2 == 0 ? "tiny.pt2" : "dyn_two.pt2");
                    const auto extraction = extract(document, "model");
                    if (!extraction || !std::filesystem::exists((*extraction)->library())) ++failures;
                }
            });
        }
        for (std::thread& thread : threads) thread.join();
        QCOMPARE(failures.load(), 0);
    }

    void whatACrashLeftIsRemovedAndWhatIsHeldStays() {
        // Left behind: a finished and an unfinished directory with locks nobody holds, and one without a lock.
        write(root() + "/aaaa/data/lib.so", "x");
        write(root() + "/aaaa.lock", "");
        write(root() + "/new-1-2/data/lib.so", "x");
        write(root() + "/new-1-2.lock", "");
        write(root() + "/bbbb/lib.so", "x");
        write(root() + "/held/lib.so", "x");
        write(root() + "/held.lock", "");
        QFile(root()).setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        const int held = ::open((root() + "/held.lock").toLocal8Bit().constData(), O_RDWR | O_CLOEXEC);
        QVERIFY(held >= 0 && ::flock(held, LOCK_SH) == 0);
        removeStaleExtractions();
        QCOMPARE(entries(root()), QStringList({"held", "held.lock", "lock"}));
        ::close(held);
        removeStaleExtractions();
    }

    void aProcessThatDiesLeavesWhatTheNextRemoves() {
        PT2_NEEDS_CORPUS();
        const pid_t child = ::fork();
        QVERIFY(child >= 0);
        if (child == 0) {
            const auto extraction = extract(open("tiny.pt2"), "model");
            ::_exit(extraction && std::filesystem::exists((*extraction)->library()) ? 0 : 1);
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        QCOMPARE(status, 0);
        QVERIFY(!entries(root()).isEmpty());
        const auto extraction = extract(open("dyn_two.pt2"), "model");
        QVERIFY(extraction.has_value());
        QCOMPARE(entries(root()).size(), 3);
    }

    void aPlaceOfAnotherOrALinkIsNotUsed() {
        PT2_NEEDS_CORPUS();
        QTemporaryDir trap, cache;
        QVERIFY(QFile::link(trap.path(), root()));
        qputenv("XDG_CACHE_HOME", cache.path().toLocal8Bit());
        {
            const auto extraction = extract(open("tiny.pt2"), "model");
            QVERIFY(extraction.has_value());
            QVERIFY((*extraction)->directory().string().rfind(cache.path().toStdString(), 0) == 0);
            QVERIFY(entries(trap.path()).isEmpty());
        }
        QFile::remove(root());
        write(root() + "/x", "");
        QVERIFY(::chmod(root().toLocal8Bit().constData(), 0777) == 0);
        {
            const auto extraction = extract(open("tiny.pt2"), "model");
            QVERIFY(extraction.has_value());
            QVERIFY((*extraction)->directory().string().rfind(cache.path().toStdString(), 0) == 0);
        }
        QDir(root()).removeRecursively();
        qunsetenv("XDG_CACHE_HOME");
    }

    void cancelLeavesNothing() {
        PT2_NEEDS_CORPUS();
        const Document document = open("tiny.pt2");
        const auto compiled = document.compiled("model");
        const CancelToken cancel;
        cancel.request();
        const auto extraction = extractCompiled(compiled.package->archive(), *compiled.model, cancel);
        QVERIFY(!extraction);
        QVERIFY(extraction.error().kind == ErrorKind::Cancelled);
    }

    void filesThatAreNoElfAreLeftAlone() {
        QTemporaryDir folder;
        for (const QByteArray& text : {QByteArray(), QByteArray("\177ELF"), QByteArray("\177ELF\2\1") + QByteArray(58, '\xff'), QByteArray("text")}) {
            const QString path = folder.filePath("f");
            write(path, text);
            const auto cleared = clearExecutableStack(path.toStdString());
            QVERIFY(cleared.has_value());
            QVERIFY(!*cleared);
            QFile file(path);
            QVERIFY(file.open(QIODevice::ReadOnly));
            QCOMPARE(file.readAll(), text);
        }
    }
};

QTEST_GUILESS_MAIN(TestExtraction)
#include "tst_extraction.moc"
