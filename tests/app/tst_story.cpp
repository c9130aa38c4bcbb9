#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

#include "core/run/python_info.h"
#include "tests/app/pt2_process.h"
#include "tests/corpus.h"
#include "tests/worker.h"

namespace tests = pt2::tests;
using pt2::findPython;
using tests::Pt2;

/// The main job on the command line, as users and their CI do it: a program is compiled for this machine, run in and out of its range, and compared.
class StoryTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    QString package_;

    QString made(const char* name) const { return folder_.filePath(name); }
    static QByteArray all(const Pt2& run) { return run.out + run.error; }

private slots:
    void initTestCase() {
        // A folder of its own for what is temporary: other tests use the common one at the same time.
        QVERIFY(QDir(folder_.path()).mkpath("tmp"));
        qputenv("TMPDIR", folder_.filePath("tmp").toLocal8Bit());
        qputenv("XDG_RUNTIME_DIR", folder_.filePath("tmp").toLocal8Bit());
        if (tests::corpus().isEmpty()) QSKIP("The corpus is not here; the main job is not done on the command line.");
        PT2_NEEDS_WORKER();
        // Where one is named it has to work.
        if (!findPython() && qEnvironmentVariableIsEmpty("PT2SCOPE_PYTHON"))
            QSKIP("There is no Python with torch; the main job is not done on the command line.");
        package_ = made("tiny.pt2");
        const Pt2 run = tests::pt2({"recompile", tests::corpus() + "/2.13.0/tiny.pt2", "-o", package_, "--json"}, {}, 600);
        QVERIFY2(run.exit == 0, all(run).constData());
        QVERIFY(!run.json().is_discarded());
        QVERIFY(QFile::exists(package_));
    }

    void anExistingOutputIsReplacedOnlyByForce() {
        const Pt2 run = tests::pt2({"recompile", tests::corpus() + "/2.13.0/tiny.pt2", "-o", package_});
        QCOMPARE(run.exit, 2);
        QVERIFY(all(run).contains("--force"));
    }

    void itRunsAtAnySizeOfItsRange_data() {
        QTest::addColumn<QString>("size");
        QTest::addColumn<int>("batch");
        for (const char* name : {"s77", "x:0", "batch"}) {
            for (const int batch : {1, 2, 512, 1024})
                QTest::addRow("%s=%d", name, batch) << QStringLiteral("%1=%2").arg(QLatin1String(name)).arg(batch) << batch;
        }
    }
    void itRunsAtAnySizeOfItsRange() {
        QFETCH(const QString, size);
        QFETCH(const int, batch);
        const Pt2 run = tests::pt2({"run", package_, "--size", size, "--json"});
        QVERIFY2(run.exit == 0, all(run).constData());
        const nlohmann::json json = run.json();
        QCOMPARE(json["outputs"].size(), std::size_t{1});
        QCOMPARE(json["outputs"][0]["shape"].dump(), nlohmann::json({batch, 8}).dump());
        QCOMPARE(json["outputs"][0]["dtype"].get<std::string>(), std::string("float32"));
        QCOMPARE(json["runtime_checks"].get<std::string>(), std::string("off"));
        QCOMPARE(json["python_mapped"].get<bool>(), false);
    }

    void whatIsOutOfRangeIsRefusedWithWords() {
        const Pt2 run = tests::pt2({"run", package_, "--size", "s77=2000"});
        QCOMPARE(run.exit, 1);
        QVERIFY2(all(run).contains("1024") && all(run).contains("2000") && all(run).contains("\"x\""), all(run).constData());
    }

    void whatIsRefusedIsNotMadeFirst() {
        for (const char* size : {"s77=50000000", "s77=9223372036854775807"}) {
            QElapsedTimer timer;
            timer.start();
            const Pt2 run = tests::pt2({"run", package_, "--size", size}, {}, 20);
            QVERIFY2(run.exit == 1, all(run).constData());
            QVERIFY(timer.elapsed() < 10000);
        }
        const Pt2 beyond = tests::pt2({"run", package_, "--size", "s77=9223372036854775807", "--skip-contract"}, {}, 20);
        QVERIFY2(beyond.exit == 2 && beyond.error.contains("smaller sizes"), all(beyond).constData());
    }

    void aSizeBesideAnInputThatHasAnotherIsRefused() {
        const Pt2 run = tests::pt2({"run", package_, "--size", "s77=8", "--input", "x=randn[4,16]"});
        QVERIFY2(run.exit == 2 && all(run).contains("s77 = 8"), all(run).constData());
        QCOMPARE(tests::pt2({"run", package_, "--size", "s77=4", "--input", "x=randn[4,16]"}).exit, 0);
    }

    void valuesOfTheUserAreNeverReplacedByAMend() {
        const QString saved = folder_.filePath("given.npz");
        QVERIFY(tests::pt2({"run", package_, "--size", "s77=2000", "--skip-contract", "--save", saved}).exit == 0);  // float32 [2000,8]
        const Pt2 run = tests::pt2({"run", package_, "--input", "x=@" + saved + ":result", "--mend"});
        QVERIFY2(run.exit == 1 && !all(run).contains("anew"), all(run).constData());
        QVERIFY(tests::pt2({"run", package_, "--size", "s77=2000", "--mend"}).exit == 0);
    }

    void anotherDeviceIsNothingItCanRunOn() {
        const Pt2 run = tests::pt2({"run", package_, "--device", "cuda"});
        QVERIFY2(run.exit == 4 && all(run).contains("cpu"), all(run).constData());
    }

    void uncheckedItIsComputed() {
        const Pt2 run = tests::pt2({"run", package_, "--size", "s77=2000", "--skip-contract", "--runtime-checks", "off", "--json"});
        QVERIFY2(run.exit == 0, all(run).constData());
        QCOMPARE(run.json()["outputs"][0]["shape"].dump(), std::string("[2000,8]"));
    }

    void withChecksOnTheModelSaysItItself() {
        const Pt2 run = tests::pt2({"run", package_, "--size", "s77=2000", "--skip-contract", "--runtime-checks", "on"});
        QCOMPARE(run.exit, 5);
        QVERIFY2(all(run).contains("dim value is too large"), all(run).constData());
    }

    void batchOneIsComputedWithANoteAndRefusedByTheModelsOwnCheck() {
        // Compiled right after its export, this one tests for 2 or more; compiled from the saved program it tests for the range, which begins at 1.
        const QString compiled = tests::corpus() + "/2.13.0/aoti/combined.pt2";
        const Pt2 check = tests::pt2({"check", compiled, "--size", "s77=1", "--json"});
        QCOMPARE(check.exit, 0);
        QVERIFY(check.json()["ok"].get<bool>());
        QCOMPARE(check.json()["notes"].size(), std::size_t{1});
        const Pt2 off = tests::pt2({"run", compiled, "--size", "s77=1"});
        if (off.exit == 4) QSKIP("The library of combined.pt2 does not run on this machine.");
        QCOMPARE(off.exit, 0);
        QVERIFY(off.error.contains("2 or more"));
        const Pt2 on = tests::pt2({"run", compiled, "--size", "s77=1", "--runtime-checks", "on"});
        QCOMPARE(on.exit, 5);
        QVERIFY2(all(on).contains(">= 2"), all(on).constData());
    }

    void bothWaysOfCheckingGiveTheSame() {
        const Pt2 run = tests::pt2({"run", package_, "--size", "s77=3", "--runtime-checks", "both", "--json"});
        QVERIFY2(run.exit == 0, all(run).constData());
        const nlohmann::json json = run.json();
        QVERIFY(json["same"].get<bool>());
        QCOMPARE(json["on"]["outputs"].dump(), json["off"]["outputs"].dump());
    }

    void itMatchesTorchEager() {
        for (const char* size : {"s77=2", "s77=512"}) {
            const Pt2 run = tests::pt2({"compare", package_, "--reference", "torch", "--size", size, "--json"}, {}, 300);
            QVERIFY2(run.exit == 0, all(run).constData());
            const nlohmann::json json = run.json();
            QVERIFY(json["ok"].get<bool>());
            for (const char* field : {"max_abs", "mean_abs", "max_rel", "cosine", "mismatched", "total", "worst", "needed_rtol"})
                QVERIFY2(json["outputs"][0].contains(field), field);
        }
    }

    void aSavedOutputIsAReference_data() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"out.npz", "out.safetensors", "out.pt"}) QTest::newRow(name) << QString::fromLatin1(name);
    }
    void aSavedOutputIsAReference() {
        QFETCH(const QString, name);
        const QString reference = folder_.filePath(name);
        QVERIFY(tests::pt2({"run", package_, "--size", "s77=5", "--save", reference}).exit == 0);
        const Pt2 same = tests::pt2({"compare", package_, "--size", "s77=5", "--reference", reference});
        QVERIFY2(same.exit == 0, all(same).constData());
        const Pt2 other = tests::pt2({"compare", package_, "--size", "s77=5", "--seed", "1", "--reference", reference});
        QCOMPARE(other.exit, 1);
        QVERIFY(tests::pt2({"run", package_, "--size", "s77=5", "--save", reference}).exit == 2);  // never replaced unasked
        QCOMPARE(tests::pt2({"compare", package_, "--size", "s77=6", "--reference", reference}).exit, 1);
    }

    void theSameSeedGivesTheSameNumbers() {
        const Pt2 first = tests::pt2({"run", package_, "--size", "s77=4", "--seed", "7", "--json"}),
                  second = tests::pt2({"run", package_, "--size", "s77=4", "--seed", "7", "--json"});
        QCOMPARE(first.json()["outputs"].dump(), second.json()["outputs"].dump());
        QVERIFY(first.json()["outputs"].dump() != tests::pt2({"run", package_, "--size", "s77=4", "--seed", "8", "--json"}).json()["outputs"].dump());
    }

    void repeatsAreTimed() {
        const Pt2 run = tests::pt2({"run", package_, "--repeat", "20", "--warmup", "2", "--json"});
        QVERIFY2(run.exit == 0, all(run).constData());
        const nlohmann::json seconds = run.json()["seconds"];
        for (const char* field : {"start", "load", "first", "median", "p90", "p99", "min"}) QVERIFY2(seconds[field].is_number(), field);
        QVERIFY(seconds["min"].get<double>() <= seconds["median"].get<double>());
        QVERIFY(seconds["median"].get<double>() <= seconds["p99"].get<double>());
    }

    void wrongInputsAreCaughtWhateverTheVariableSays_data() {
        QTest::addColumn<QString>("spec");
        QTest::newRow("dtype") << "x=randn[4,16]:float64";
        QTest::newRow("rank") << "x=randn[64]";
        QTest::newRow("size") << "x=randn[4,15]";
        QTest::newRow("rank 3") << "x=randn[1,4,16]";
    }
    void wrongInputsAreCaughtWhateverTheVariableSays() {
        QFETCH(const QString, spec);
        for (const char* checks : {"off", "on", "both"}) {
            const Pt2 run = tests::pt2({"run", package_, "--input", spec, "--runtime-checks", checks});
            QVERIFY2(run.exit == 1, all(run).constData());
        }
    }

    void everyAnswerInJsonIsOneDocument_data() {
        QTest::addColumn<QStringList>("line");
        QTest::newRow("run") << QStringList{"run", "FILE"};
        QTest::newRow("refused") << QStringList{"run", "FILE", "--size", "s77=2000"};
        QTest::newRow("model's error") << QStringList{"run", "FILE", "--size", "s77=2000", "--skip-contract", "--runtime-checks", "on"};
        QTest::newRow("check") << QStringList{"check", "FILE"};
        QTest::newRow("unknown input") << QStringList{"run", "FILE", "--input", "nothing=randn"};
        QTest::newRow("unknown symbol") << QStringList{"run", "FILE", "--size", "s1=2"};
        QTest::newRow("compare") << QStringList{"compare", "FILE", "--reference", "torch"};
        QTest::newRow("no reference") << QStringList{"compare", "FILE", "--reference", "/nothing.npz"};
    }
    void everyAnswerInJsonIsOneDocument() {
        QFETCH(QStringList, line);
        line.replaceInStrings("FILE", package_);
        const Pt2 run = tests::pt2(line << "--json", {}, 300);
        QVERIFY2(!run.json().is_discarded() && run.json().is_object(), all(run).constData());
        QVERIFY(run.json().contains("format"));
    }

    void nothingIsLeftBehind() {
        QVERIFY(tests::pt2({"run", package_}).exit == 0);
        QVERIFY(tests::pt2({"compare", package_, "--reference", "torch"}, {}, 300).exit == 0);
        const QStringList left = QDir(folder_.filePath("tmp")).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot);
        QVERIFY2(left.isEmpty(), qPrintable(left.join(' ')));
    }
};

QTEST_GUILESS_MAIN(StoryTest)
#include "tst_story.moc"
