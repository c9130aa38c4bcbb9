#include "core/run/engine_install.h"

#include <signal.h>

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QtTest>
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/run/engine_discovery.h"
#include "core/run/libtorch_folder.h"
#include "tests/engine_tools.h"
#include "tests/worker.h"

using namespace pt2;

namespace {

/// The compiler's work: the tree gets a worker that is a copy of `program`.
QByteArray makes(const QString& program) { return "echo '[ 50%] Building'; cp '" + program.toLocal8Bit() + "' \"$tree/pt2-worker\""; }

QStringList entries(const QString& path) { return QDir(path).entryList(QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot); }

}  // namespace

/// The set-up of the run engine with tools that are scripts; packaging/test-deb.sh does it with real ones.
class EngineInstallTest : public QObject {
    Q_OBJECT

    std::unique_ptr<tests::EngineTools> machine_;
    QString worker_;
    QByteArray path_;

    static LibTorchWish folder(const QString& path) { return {path.toStdString(), {}}; }
    static std::string codeOf(const Result<EngineInfo>& result) { return result ? std::string("installed") : result.error().code; }
    /// Nothing of a build stays: neither its folder nor an empty place for an engine.
    bool nothingIsLeft() const {
        const QStringList jobs = QDir(machine_->path(".")).entryList({"pt2scope-job-*"}, QDir::Dirs | QDir::Hidden);
        QStringList engines = entries(machine_->engines());
        engines.removeAll("build.log");
        return jobs.isEmpty() && engines.isEmpty();
    }

private slots:
    void initTestCase() {
        path_ = qgetenv("PATH");
        worker_ = tests::worker();
    }
    void init() { machine_ = std::make_unique<tests::EngineTools>(); }
    void cleanup() { machine_.reset(); }
    void cleanupTestCase() { qputenv("PATH", path_); }

    void versionsAreRead_data() {
        QTest::addColumn<QByteArray>("full");
        QTest::addColumn<QByteArray>("version");
        QTest::addColumn<QByteArray>("variant");
        QTest::newRow("wheel for the CPU") << QByteArray("2.13.0+cpu") << QByteArray("2.13.0") << QByteArray("cpu");
        QTest::newRow("CUDA") << QByteArray("2.14.1+cu130") << QByteArray("2.14.1") << QByteArray("cu130");
        QTest::newRow("no variant") << QByteArray("2.8.0") << QByteArray("2.8.0") << QByteArray();
    }
    void versionsAreRead() {
        QFETCH(QByteArray, full);
        QFETCH(QByteArray, version);
        QFETCH(QByteArray, variant);
        const QString torch = machine_->torch("torch", full);
        auto found = readLibTorchFolder(torch.toStdString());
        QVERIFY2(found, found ? "" : found.error().what.c_str());
        QCOMPARE(QByteArray::fromStdString(found->version), version);
        QCOMPARE(QByteArray::fromStdString(found->variant), variant);
        QCOMPARE(QString::fromStdString(found->folder.string()), torch);
        // An archive has build-version instead of version.py; 2.8 has its version header elsewhere.
        QVERIFY(QFile::remove(torch + "/version.py") && tests::EngineTools::write(torch + "/build-version", full + "\n"));
        QVERIFY(QDir().mkpath(torch + "/include/torch/csrc/api/include/torch"));
        QVERIFY(QFile::rename(torch + "/include/torch/headeronly/version.h", torch + "/include/torch/csrc/api/include/torch/version.h"));
        found = readLibTorchFolder(torch.toStdString());
        QVERIFY(found);
        QCOMPARE(QByteArray::fromStdString(found->version + "|" + found->variant), version + "|" + variant);
    }

    void versionsAreNumbers() {
        using Numbers = std::array<int, 3>;
        QVERIFY(versionNumbers("2.13.0") == (Numbers{2, 13, 0}));
        QVERIFY(versionNumbers("2.15.0a0+git12") == (Numbers{2, 15, 0}));
        QVERIFY(versionNumbers("2.9") == (Numbers{2, 9, 0}));
        for (const char* none : {"", "x", "-1.2", "2..1"}) QVERIFY2(versionNumbers(none) == Numbers{}, none);
        QVERIFY(versionNumbers("2.10.0") > versionNumbers("2.9.1"));
    }

    void aFolderThatDoesNotDoIsRefusedWithTheReason_data() {
        QTest::addColumn<QString>("missing");
        QTest::addColumn<QByteArray>("version");
        QTest::addColumn<QByteArray>("code");
        QTest::newRow("no folder") << "." << QByteArray("2.13.0") << QByteArray("libtorch.none");
        QTest::newRow("no library") << "lib/libtorch_cpu.so" << QByteArray("2.13.0") << QByteArray("libtorch.none");
        QTest::newRow("no headers") << "include" << QByteArray("2.13.0") << QByteArray("libtorch.headers");
        QTest::newRow("2.7") << QString() << QByteArray("2.7.1+cpu") << QByteArray("libtorch.old");
        QTest::newRow("1.13") << QString() << QByteArray("1.13.1") << QByteArray("libtorch.old");
        QTest::newRow("hostile version") << "include/torch/headeronly" << QByteArray("2.13.0/../../x") << QByteArray("libtorch.old");
    }
    void aFolderThatDoesNotDoIsRefusedWithTheReason() {
        QFETCH(QString, missing);
        QFETCH(QByteArray, version);
        QFETCH(QByteArray, code);
        const QString torch = machine_->torch("torch", version);
        if (!missing.isEmpty()) {
            const QString gone = torch + "/" + missing;
            QVERIFY(QFileInfo(gone).isDir() ? QDir(gone).removeRecursively() : QFile::remove(gone));
        }
        QVERIFY(machine_->build("exit 0", "exit 0"));
        const auto result = installEngine(folder(torch));
        QCOMPARE(QByteArray::fromStdString(codeOf(result)), code);
        QVERIFY(!result.error().help.empty() && !result.error().why.empty());
        QVERIFY(nothingIsLeft());
    }
    void anOlderStringIsRefused() {
        const QString torch = machine_->torch("torch");
        QVERIFY(tests::EngineTools::write(torch + "/lib/libc10.so", "_ZN3c105ErrorC1ENS_14SourceLocationESs"));
        QCOMPARE(codeOf(installEngine(folder(torch))), std::string("libtorch.abi"));
    }
    void theNameOfTheStringIsSeenAcrossPieces() {
        const QString torch = machine_->torch("torch");
        const QByteArray name = "_ZN3c105ErrorC1ENS_14SourceLocationENSt7__cxx11";
        for (qsizetype cut = 0; cut <= name.size(); cut += 7) {
            QVERIFY(tests::EngineTools::write(torch + "/lib/libc10.so", QByteArray((1 << 20) - cut, 'x') + name));
            QVERIFY(readLibTorchFolder(torch.toStdString()));
        }
    }

    void theLibTorchOfAPythonIsFound() {
        QCOMPARE(codeOf(installEngine({})), std::string("libtorch.not-found"));
        const QString torch = machine_->torch("torch");
        QVERIFY(machine_->python(torch));
        auto found = findLibTorch({});
        QVERIFY2(found, found ? "" : found.error().what.c_str());
        QCOMPARE(QString::fromStdString(found->folder.string()), torch);
        found = findLibTorch({{}, (machine_->tools() + "/python3").toStdString()});
        QVERIFY(found);
        QVERIFY(!findLibTorch({{}, "/nowhere/python"}));
        QVERIFY(QDir(torch).removeRecursively());
        QVERIFY(findLibTorch({}).error().kind == ErrorKind::CannotRun);  // nobody named that folder
    }

    void missingToolsAreNamed_data() {
        QTest::addColumn<QString>("missing");
        QTest::addColumn<QByteArray>("code");
        QTest::newRow("compiler") << "g++" << QByteArray("engine.no-compiler");
        QTest::newRow("CMake") << "cmake" << QByteArray("engine.no-cmake");
        QTest::newRow("make") << "make" << QByteArray("engine.no-build-tool");
    }
    void missingToolsAreNamed() {
        QFETCH(QString, missing);
        QFETCH(QByteArray, code);
        QVERIFY(machine_->build("exit 0", "exit 0"));
        QVERIFY(QFile::remove(machine_->tools() + "/" + missing));
        const auto result = installEngine(folder(machine_->torch("torch")));
        QCOMPARE(QByteArray::fromStdString(codeOf(result)), code);
        QVERIFY(result.error().kind == ErrorKind::System);
        QVERIFY2(result.error().help.find("g++ cmake make") != std::string::npos, result.error().help.c_str());
        QVERIFY(nothingIsLeft());
    }
    void aCompilerThatIsNotThereIsNamed() {
        QVERIFY(machine_->build("exit 0", "exit 0"));
        qputenv("CXX", "/nowhere/g++");
        const auto result = installEngine(folder(machine_->torch("torch")));
        QCOMPARE(codeOf(result), std::string("engine.no-compiler"));
        QCOMPARE(result.error().where, std::string("/nowhere/g++"));
        // With arguments, or a cache before it, it is CMake that reads the variable.
        QVERIFY(machine_->build("case \"$*\" in *CMAKE_CXX_COMPILER*) echo Error: given; esac; exit 1", "exit 0"));
        qputenv("CXX", "g++ -m64");
        const auto given = installEngine(folder(machine_->torch("torch")));
        QVERIFY(codeOf(given) == "engine.build-failed" && given.error().why.empty());
        qunsetenv("CXX");
        QVERIFY(installEngine(folder(machine_->torch("torch"))).error().why == "Error: given");
    }
    void missingSourcesAndPlacesAreSaid() {
        const QString torch = machine_->torch("torch");
        QVERIFY(machine_->build("exit 0", "exit 0"));
        qunsetenv("HOME");
        QCOMPARE(codeOf(installEngine(folder(torch))), std::string("engine.no-home"));
        QVERIFY(tests::EngineTools::write(machine_->path("file"), "x"));
        qputenv("XDG_DATA_HOME", machine_->path("file").toLocal8Bit());
        const auto result = installEngine(folder(torch));
        QVERIFY(!result && result.error().kind == ErrorKind::System && !result.error().why.empty());
    }

    void aFailedBuildSaysWhy_data() {
        QTest::addColumn<QByteArray>("configure");
        QTest::addColumn<QByteArray>("compile");
        QTest::addColumn<QByteArray>("code");
        QTest::addColumn<QByteArray>("why");
        QTest::newRow("CMake fails") << QByteArray("echo CMake Error: no; exit 1") << QByteArray() << QByteArray("engine.build-failed")
                                     << QByteArray("CMake Error: no");
        QTest::newRow("CMake's words are below the place")
            << QByteArray("printf 'CMake Error at CMakeLists.txt:3 (message):\\n  Nothing fits.\\n\\nSee also x\\n'; exit 1") << QByteArray()
            << QByteArray("engine.build-failed") << QByteArray("Nothing fits.");
        QTest::newRow("headers missing") << QByteArray("echo 'pt2scope: missing headers: fmt/format.h'; exit 1") << QByteArray()
                                         << QByteArray("engine.no-headers") << QByteArray("fmt/format.h");
        QTest::newRow("the compiler fails") << QByteArray("exit 0") << QByteArray("echo a.cpp:1:2: error: wrong; echo make: *** stopped; exit 2")
                                            << QByteArray("engine.build-failed") << QByteArray("a.cpp:1:2: error: wrong");
        QTest::newRow("the disk is full") << QByteArray("exit 0") << QByteArray("echo 'error: cannot write: No space left on device'; exit 1")
                                          << QByteArray("engine.no-space") << QByteArray("disk is full");
        QTest::newRow("a signal") << QByteArray("exit 0") << QByteArray("kill -SEGV $$") << QByteArray("engine.build-failed")
                                  << QByteArray("signal 11");
        QTest::newRow("nothing is said") << QByteArray("exit 0") << QByteArray("exit 9") << QByteArray("engine.build-failed") << QByteArray();
        QTest::newRow("no program comes of it") << QByteArray("exit 0") << QByteArray("exit 0") << QByteArray("engine.unusable")
                                                << QByteArray("cannot be started");
        QTest::newRow("the program does not work") << QByteArray("exit 0")
                                                   << QByteArray(
                                                          "printf '#!/bin/sh\\nexit 3\\n' >\"$tree/pt2-worker\"; chmod +x \"$tree/pt2-worker\"")
                                                   << QByteArray("engine.unusable") << QByteArray();
    }
    void aFailedBuildSaysWhy() {
        QFETCH(QByteArray, configure);
        QFETCH(QByteArray, compile);
        QFETCH(QByteArray, code);
        QFETCH(QByteArray, why);
        QVERIFY(machine_->build(configure, compile));
        const auto result = installEngine(folder(machine_->torch("torch")));
        QCOMPARE(QByteArray::fromStdString(codeOf(result)), code);
        QVERIFY2(QByteArray::fromStdString(result.error().why).contains(why), result.error().why.c_str());
        QVERIFY(!result.error().help.empty());
        QVERIFY(nothingIsLeft());
        QVERIFY(!findWorker());
        if (code.startsWith("engine.build")) {
            QCOMPARE(QString::fromStdString(result.error().where), machine_->engines() + "/build.log");
            QVERIFY(QFileInfo::exists(machine_->engines() + "/build.log"));
        }
    }

    void aCancelStopsEverythingAndLeavesNothing() {
        const QString id = machine_->path("id");
        QVERIFY(machine_->build("exit 0", "sleep 600 & echo $! >" + id.toLocal8Bit() + "; echo '[1/9] Building'; wait"));
        CancelToken cancel;
        QElapsedTimer clock;
        const auto result = installEngine(folder(machine_->torch("torch")), cancel, [&](const Progress& progress) {
            if (!progress.line.empty() && progress.line.find("Building") != std::string::npos) {
                clock.start();
                cancel.request();
            }
        });
        QCOMPARE(codeOf(result), std::string("cancelled"));
        QVERIFY2(clock.isValid() && clock.elapsed() < 5000, qPrintable(QString::number(clock.elapsed())));
        QFile file(id);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const int child = file.readAll().trimmed().toInt();
        QVERIFY(child > 0);
        QTRY_VERIFY(::kill(child, 0) != 0 || QFile("/proc/" + QString::number(child) + "/cmdline").size() == 0);
        QVERIFY(nothingIsLeft());
    }

    void progressTellsStagesStepsAndLines() {
        QVERIFY(machine_->build("echo looking", "echo '[ 3/12] Building CXX'; echo '[ 75%] Linking'; exit 1"));
        std::vector<Progress> seen;
        (void)installEngine(folder(machine_->torch("torch")), {}, [&seen](const Progress& progress) { seen.push_back(progress); });
        const auto has = [&seen](const char* stage, const char* line, std::uint64_t done, std::uint64_t total) {
            return std::any_of(seen.begin(), seen.end(),
                               [&](const Progress& p) { return p.stage == stage && p.line == line && p.done == done && p.total == total; });
        };
        QVERIFY(has("configuring for LibTorch 2.13.0+cpu", "looking", 0, 0));
        QVERIFY(has("compiling for LibTorch 2.13.0+cpu", "[ 3/12] Building CXX", 3, 12));
        QVERIFY(has("compiling for LibTorch 2.13.0+cpu", "[ 75%] Linking", 75, 100));
    }

    void anInstalledEngineIsFoundAndReplaced() {
        if (worker_.isEmpty()) QSKIP("there is no pt2-worker (no LibTorch at configuration): no engine was installed");
        qunsetenv("PT2SCOPE_WORKER");
        const QString torch = machine_->torch("torch");
        QVERIFY(machine_->build("exit 0", makes(worker_)));
        QVERIFY(!findWorker());
        for (int i = 0; i < 2; ++i) {
            const auto installed = installEngine(folder(torch));
            QVERIFY2(installed, installed ? "" : (installed.error().what + installed.error().why).c_str());
            const QString place = machine_->engines() + "/2.13.0-cpu/pt2-worker";
            QCOMPARE(QString::fromStdString(installed->workerPath), place);
            QVERIFY(QFileInfo(place).isExecutable());
            QCOMPARE(entries(machine_->engines() + "/2.13.0-cpu"), QStringList({"engine.json", "pt2-worker"}));
            const auto found = findWorker();
            QVERIFY(found && QString::fromStdString(*found) == place);
            const auto listed = listEngines();
            QCOMPARE(listed.size(), std::size_t{1});
            QVERIFY(listed[0].chosen && listed[0].info.problem.empty() && !listed[0].info.devices.empty());
            QCOMPARE(listed[0].info.torchVersion, installed->torchVersion);
            QVERIFY(describeEngine() && describeEngine()->problem.empty());
        }
    }

    void theLatestEngineWhoseLibTorchIsThereIsTaken() {
        const auto put = [this](const QString& name, const QString& torch) {
            const QString home = machine_->engines() + "/" + name;
            const nlohmann::json record = {{"torch_version", name.section('-', 0, 0).toStdString()}, {"libtorch", torch.toStdString()}};
            return tests::EngineTools::write(home + "/engine.json", QByteArray::fromStdString(record.dump())) &&
                   tests::EngineTools::write(home + "/pt2-worker", "#!/bin/sh\nexit 3\n") &&
                   QFile::setPermissions(home + "/pt2-worker", QFile::ReadOwner | QFile::ExeOwner);
        };
        const QString torch = machine_->torch("torch");
        QVERIFY(put("2.9.1-cpu", torch) && put("2.13.0-cpu", torch) && put("2.10.0", torch) && put("2.14.1-cu130", "/nowhere/torch"));
        QVERIFY(QDir().mkpath(machine_->engines() + "/2.99.0"));  // without a worker
        QVERIFY(tests::EngineTools::write(machine_->engines() + "/build.log", "text"));
        const auto chosen = [] { return QFileInfo(QString::fromStdString(findWorker().value_or(std::string()))).dir().dirName(); };
        QCOMPARE(chosen(), QString("2.13.0-cpu"));
        QStringList order;
        for (const FoundEngine& engine : listEngines()) order << QFileInfo(QString::fromStdString(engine.info.workerPath)).dir().dirName();
        QCOMPARE(order, QStringList({"2.13.0-cpu", "2.10.0", "2.9.1-cpu", "2.14.1-cu130"}));
        QVERIFY(QDir(torch).removeRecursively());
        QCOMPARE(chosen(), QString("2.14.1-cu130"));
        // A record that is no record is no reason to lose the engine.
        QVERIFY(tests::EngineTools::write(machine_->engines() + "/2.14.1-cu130/engine.json", "[1,"));
        QCOMPARE(chosen(), QString("2.14.1-cu130"));
    }
};

QTEST_GUILESS_MAIN(EngineInstallTest)
#include "tst_engine_install.moc"
