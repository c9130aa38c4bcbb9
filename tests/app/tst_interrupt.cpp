#include <signal.h>
#include <unistd.h>

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <functional>
#include <memory>

#include "core/run/engine_discovery.h"
#include "core/run/python_info.h"
#include "tests/app/pt2_process.h"
#include "tests/corpus.h"
#include "tests/places.h"
#include "tests/worker.h"

using namespace pt2;
using pt2::tests::corpus;

namespace {

/// Command lines of the processes whose environment names `mark`: pt2 and all it started, wherever they were moved to.
QStringList processesWith(const QByteArray& mark) {
    QStringList found;
    for (const QString& pid : QDir("/proc").entryList(QDir::Dirs)) {
        QFile environment("/proc/" + pid + "/environ"), command("/proc/" + pid + "/cmdline");
        if (pid.toInt() <= 0 || pid.toInt() == ::getpid() || !environment.open(QIODevice::ReadOnly)) continue;
        if (!environment.readAll().contains(mark) || !command.open(QIODevice::ReadOnly)) continue;
        const QString line = QString::fromUtf8(command.readAll().replace('\0', ' '));
        if (!line.isEmpty()) found << line;
    }
    return found;
}

bool waitFor(const std::function<bool()>& condition, int seconds) {
    QElapsedTimer timer;
    timer.start();
    while (!condition()) {
        if (timer.elapsed() > seconds * 1000) return false;
        QTest::qWait(50);
    }
    return true;
}

}  // namespace

/// pt2 stopped from outside in the middle of its work: the exit code, and what is left behind.
class InterruptTest : public QObject {
    Q_OBJECT
    QTemporaryDir dir_;
    int counter_ = 0;

    QString temporary() const { return dir_.filePath("tmp"); }
    QStringList leftovers() const {
        QStringList all;
        for (const char* folder : {"tmp", "runtime", "out"}) {
            for (const QString& name : QDir(dir_.filePath(folder)).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot)) all << name;
        }
        return all;
    }

    struct Started {
        std::unique_ptr<QProcess> process;
        QByteArray mark;
    };
    Started start(const QStringList& arguments) {
        Started one{std::make_unique<QProcess>(), "PT2SCOPE_TEST_MARK=" + QByteArray::number(::getpid()) + "." + QByteArray::number(++counter_)};
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("PT2SCOPE_TEST_MARK", QString::fromUtf8(one.mark.mid(19)));
        environment.insert("TMPDIR", temporary());
        environment.insert("XDG_RUNTIME_DIR", dir_.filePath("runtime"));
        one.process->setProcessEnvironment(environment);
        one.process->start(pt2::tests::builtProgram("pt2"), arguments);
        one.process->waitForStarted();
        return one;
    }
    /// Sends the signal once a process of the job has `part` in its command line.
    bool signalWhen(const Started& one, const QString& part, int signal, int seconds) {
        const bool seen =
            waitFor([&] { return one.process->state() != QProcess::Running || !processesWith(one.mark).filter(part).isEmpty(); }, seconds);
        if (!seen || one.process->state() != QProcess::Running) return false;
        return ::kill(static_cast<pid_t>(one.process->processId()), signal) == 0;
    }

private slots:
    void initTestCase() {
        tests::worker();  // named for pt2 too
    }
    void init() {
        for (const char* folder : {"tmp", "runtime", "out"}) QVERIFY(QDir(dir_.path()).mkpath(folder));
        QVERIFY(QFile::setPermissions(dir_.filePath("runtime"), QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    }

    void interruptedCommandsExitWith130AndLeaveNothing_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("part");
        QTest::addColumn<bool>("needsPython");
        const QString model = corpus() + "/2.13.0/aoti/combined.pt2";
        const QString output = dir_.filePath("out/made.pt2");
        QTest::newRow("run") << QStringList{"run", model, "--repeat", "99000000"} << "pt2-worker" << false;
        QTest::newRow("run, saving") << QStringList{"run", model, "--steps", "99000000", "--save", dir_.filePath("out/o.npz")} << "pt2-worker"
                                     << false;
        QTest::newRow("compare") << QStringList{"compare", model, "--reference", "torch"} << "pt2scope_helper" << true;
        QTest::newRow("recompile, at the start") << QStringList{"recompile", corpus() + "/2.13.0/tiny.pt2", "-o", output} << "pt2scope_helper"
                                                 << true;
        QTest::newRow("recompile, compiling") << QStringList{"recompile", corpus() + "/2.13.0/tiny.pt2", "-o", output} << "cc1plus" << true;
    }
    void interruptedCommandsExitWith130AndLeaveNothing() {
        QFETCH(QStringList, arguments);
        QFETCH(QString, part);
        QFETCH(bool, needsPython);
        if (corpus().isEmpty()) QSKIP("The corpus is not here.");
        if (needsPython && !findPython()) QSKIP("NO PYTHON WITH TORCH.");
        if (!needsPython && !findWorker()) QSKIP("NO RUN ENGINE.");
        for (const int signal : {SIGINT, SIGTERM}) {
            const Started one = start(arguments);
            const bool sent = signalWhen(one, part, signal, 300);
            if (!sent && one.process->exitCode() == 4) QSKIP("The library of the corpus was made for another machine.");
            QVERIFY2(sent, one.process->readAllStandardError().constData());
            QVERIFY(one.process->waitForFinished(20'000));
            QCOMPARE(one.process->exitStatus(), QProcess::NormalExit);
            QVERIFY2(one.process->exitCode() == 130, one.process->readAllStandardError().constData());
            QVERIFY(waitFor([&] { return processesWith(one.mark).isEmpty(); }, 10));
            QCOMPARE(leftovers(), QStringList());
        }
    }

    void whatAKilledRecompileLeavesIsRemovedByTheNext() {
        if (corpus().isEmpty()) QSKIP("The corpus is not here.");
        if (!findPython()) QSKIP("NO PYTHON WITH TORCH.");
        const QString tiny = corpus() + "/2.13.0/tiny.pt2", output = dir_.filePath("out/made.pt2");
        const Started killed = start({"recompile", tiny, "-o", output});
        QVERIFY(signalWhen(killed, "cc1plus", SIGKILL, 300));
        QVERIFY(killed.process->waitForFinished(20'000));
        QVERIFY2(waitFor([&] { return processesWith(killed.mark).isEmpty(); }, 20), qPrintable(processesWith(killed.mark).join('\n')));
        const QStringList left = QDir(temporary()).entryList({"pt2scope-job-*"}, QDir::Dirs);
        QCOMPARE(left.size(), 1);

        // One that is at work keeps its folder while others start and end.
        const Started running = start({"recompile", tiny, "-o", output, "--no-check"});
        QStringList own;
        QVERIFY(waitFor(
            [&] {
                own = QDir(temporary()).entryList({"pt2scope-job-*"}, QDir::Dirs);
                return own.size() == 1 && own != left;
            },
            60));
        const Started other = start({"recompile", tiny, "-o", dir_.filePath("out/other.pt2")});
        QVERIFY(signalWhen(other, "pt2scope_helper", SIGINT, 120));
        QVERIFY(other.process->waitForFinished(20'000));
        QCOMPARE(QDir(temporary()).entryList({"pt2scope-job-*"}, QDir::Dirs), own);
        QVERIFY(running.process->waitForFinished(600'000));
        QVERIFY2(running.process->exitCode() == 0, running.process->readAllStandardError().constData());
        QCOMPARE(leftovers(), QStringList{"made.pt2"});
    }

    void savedOutputsAreAReference_data() {
        QTest::addColumn<QString>("extension");
        for (const char* extension : {"npz", "safetensors", "pt"}) QTest::newRow(extension) << extension;
    }
    void savedOutputsAreAReference() {
        QFETCH(QString, extension);
        if (corpus().isEmpty()) QSKIP("The corpus is not here.");
        if (!findWorker()) QSKIP("NO RUN ENGINE.");
        const QString model = corpus() + "/2.13.0/aoti/combined.pt2", saved = dir_.filePath("saved." + extension);
        const auto first = tests::pt2({"run", model, "--seed", "3", "--save", saved});
        if (first.exit == 4) QSKIP("The library of the corpus was made for another machine.");
        QVERIFY2(first.exit == 0, first.error.constData());
        QCOMPARE(tests::pt2({"run", model, "--save", saved}).exit, 2);
        QCOMPARE(tests::pt2({"run", model, "--seed", "3", "--save", saved, "--force"}).exit, 0);
        const auto same = tests::pt2({"compare", model, "--seed", "3", "--reference", saved, "--json"});
        QCOMPARE(same.exit, 0);
        QCOMPARE(same.json()["verdict"].get<std::string>(), std::string("identical"));
        const auto other = tests::pt2({"compare", model, "--seed", "4", "--reference", saved, "--json"});
        QCOMPARE(other.exit, 1);
        QVERIFY(!other.json()["ok"].get<bool>());
    }
};

QTEST_GUILESS_MAIN(InterruptTest)
#include "tst_interrupt.moc"
