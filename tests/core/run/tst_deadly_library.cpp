#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/types.h>

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest>
#include <thread>

#include "core/run/descriptor.h"
#include "core/run/run.h"
#include "core/run/sandbox.h"
#include "tests/worker.h"

using namespace pt2;

namespace {

/// Enough of an AOTInductor library for LibTorch's runner to load and call it.
const char* const kStub = R"(
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/types.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <netinet/in.h>
#include <arpa/inet.h>
int32_t AOTInductorModelContainerCreateWithDevice(void** h, size_t n, const char* d, const char* c) { *h = malloc(1); return 0; }
int32_t AOTInductorModelContainerDelete(void* h) { free(h); return 0; }
int32_t AOTInductorModelContainerGetNumInputs(void* h, size_t* n) { *n = 1; return 0; }
int32_t AOTInductorModelContainerGetNumOutputs(void* h, size_t* n) { *n = 1; return 0; }
int32_t AOTInductorModelContainerGetNumConstants(void* h, size_t* n) { *n = 0; return 0; }
int32_t AOTInductorModelContainerGetConstantName(void* h, size_t i, const char** n) { return 1; }
int32_t AOTInductorModelContainerGetConstantOriginalFQN(void* h, size_t i, const char** n) { return 1; }
int32_t AOTInductorModelContainerGetConstantDtype(void* h, size_t i, int32_t* n) { return 1; }
int32_t AOTInductorModelContainerExtractConstantsMap(void* h, void* m, int u) { return 1; }
int32_t AOTInductorModelContainerUpdateConstantBuffer(void* h, void* m, int u, int v) { return 1; }
int32_t AOTInductorModelContainerUpdateInactiveConstantBuffer(void* h, void* m) { return 1; }
int32_t AOTInductorModelContainerUpdateUserManagedConstantBuffer(void* h, void* m, int u, int v) { return 1; }
int32_t AOTInductorModelContainerRunConstantFolding(void* h, int u, void* s, void* p) { return 1; }
int32_t AOTInductorModelContainerSwapConstantBuffer(void* h) { return 1; }
int32_t AOTInductorModelContainerFreeInactiveConstantBuffer(void* h) { return 1; }
int32_t AOTInductorModelContainerGetCallSpec(void* h, const char** i, const char** o) { *i = ""; *o = ""; return 0; }
__attribute__((noinline)) void cpp_fused_deadly_0(void) { RUN }
int32_t AOTInductorModelContainerRun(void* h, void** i, size_t ni, void** o, size_t no, void* s, void* p) { cpp_fused_deadly_0(); return 1; }
int32_t AOTInductorModelContainerRunSingleThreaded(void* h, void** i, size_t ni, void** o, size_t no, void* s, void* p) { cpp_fused_deadly_0(); return 1; }
__attribute__((constructor)) static void loaded(void) { LOAD }
)";

struct Deadly {
    QByteArray load, run;
};

}  // namespace

/// Whatever a library does, the program that runs it lives on, says what happened, and leaves nothing behind.
class TestDeadlyLibrary : public QObject {
    Q_OBJECT

    QTemporaryDir runtime_, packages_;
    QString compiler_;
    int made_ = 0;

    /// A folder package whose library does these things; empty when the compiler refused.
    QString package(const Deadly& deadly) {
        const QString root = packages_.filePath("p" + QString::number(made_++));
        const QString folder = root + "/data/aotinductor/model";
        QDir().mkpath(folder);
        const auto write = [](const QString& path, const QByteArray& text) {
            QFile file(path);
            if (file.open(QIODevice::WriteOnly)) file.write(text);
        };
        write(root + "/archive_format", "pt2");
        write(root + "/archive_version", "0");
        write(folder + "/abc.wrapper_metadata.json",
              R"({"AOTI_DEVICE_KEY":"cpu","AOTI_PLATFORM":"linux","AOTI_MACHINE":"x86_64","AOTI_CPU_ISA":"AVX2"})");
        write(root + "/stub.c", kStub);
        QProcess compile;
        compile.start(compiler_, {"-shared", "-fPIC", "-w", "-O0", "-DLOAD=" + QString::fromUtf8(deadly.load),
                                  "-DRUN=" + QString::fromUtf8(deadly.run), "-o", folder + "/abc.wrapper.so", root + "/stub.c"});
        compile.waitForFinished();
        const bool ok = compile.exitCode() == 0;
        if (!ok) qWarning("%s", compile.readAllStandardError().constData());
        QFile::remove(root + "/stub.c");
        return ok ? root : QString();
    }

    Result<RunReport> run(const Deadly& deadly, RunRequest request = {}, const CancelToken& cancel = {}, const ProgressSink& progress = {}) {
        const QString path = package(deadly);
        if (path.isEmpty()) return fail({ErrorKind::System, "test", "the stub does not compile", {}, {}, {}});
        const auto document = Document::open(path.toStdString());
        if (!document) return fail(document.error());
        if (request.timeoutSeconds == 0) request.timeoutSeconds = 60;
        return runCompiled(*document, Contract(), request, {allocateTensor(DType::Float32, {2, 2})->tensor}, cancel, progress);
    }

    /// How the run failed.
    Error failure(const Deadly& deadly, RunRequest request = {}) {
        const auto report = run(deadly, request);
        if (!report) return report.error();
        if (report->primary()) return {ErrorKind::DoesNotHold, "test", "it ran", {}, {}, {}};
        return report->primary().error();
    }

    bool nothingLeft() const { return QDir(runtime_.path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot).isEmpty(); }

private slots:
    void initTestCase() {
        PT2_NEEDS_WORKER();
        compiler_ = QStandardPaths::findExecutable("gcc");
        if (compiler_.isEmpty()) compiler_ = QStandardPaths::findExecutable("cc");
        if (compiler_.isEmpty()) QSKIP("there is no C compiler: no deadly library was made");
        qputenv("XDG_RUNTIME_DIR", runtime_.path().toLocal8Bit());
    }
    void cleanup() { QVERIFY(nothingLeft()); }

    void deathIsAnErrorInWords_data() {
        QTest::addColumn<QByteArray>("load");
        QTest::addColumn<QByteArray>("run");
        QTest::addColumn<QString>("code");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* name, const char* load, const char* body, const char* code, const char* says) {
            QTest::newRow(name) << QByteArray(load) << QByteArray(body) << QString(code) << QString(says);
        };
        row("constructor aborts", "abort();", "", "run.signal", "SIGABRT.*loaded.*before it sees any input");
        row("constructor segfaults", "*(volatile int*)8=1;", "", "run.signal", "SIGSEGV.*loaded.*0x8");
        row("constructor exits", "_exit(0);", "", "run.exited", "loaded.*status 0");
        row("constructor exits with status", "exit(3);", "", "run.exited", "loaded.*status 3");
        row("constructor loops", "for(;;);", "", "run.timeout", "loaded");
        row("constructor sleeps", "for(;;) pause();", "", "run.timeout", "loaded");
        row("call segfaults", "", "*(volatile int*)0=1;", "run.signal", "SIGSEGV.*ran.*cpp_fused_deadly_0 .abc.wrapper.so.");
        row("call aborts with words", "", "puts(\"about to fall\"); abort();", "run.signal", "SIGABRT.*ran.*about to fall");
        row("call divides by zero", "", "volatile int z = 0; z = 7 / z;", "run.signal", "SIGFPE");
        row("call executes rubbish", "", "__builtin_trap();", "run.signal", "SIGILL.*this processor has that.*always fails.*[Rr]ecompile");
        row("call overflows its stack", "", "volatile char big[4096]; big[0] = 1; cpp_fused_deadly_0();", "run.signal", "SIGSEGV");
        row("call exits", "", "puts(\"bye\"); exit(7);", "run.exited", "status 7.*bye");
        row("call is killed", "", "kill(getpid(), SIGKILL);", "run.memory", "SIGKILL");
        row("call loops", "", "for(;;);", "run.timeout", "ran");
        row("call closes everything and loops", "", "for(int i=0;i<256;i++) close(i); for(;;);", "run.lost", "closed the connection.*ran");
        row("call closes everything and returns", "", "for(int i=0;i<256;i++) close(i);", "run.lost", "closed the connection.*ran");
        row("call puts a file in place of everything", "", "int z = open(\"/dev/zero\", 0); for(int i=0;i<256;i++) if(i!=z) dup2(z,i); for(;;);",
            "run.lost", "closed the connection.*ran");
        row("child holds everything open", "", "if(fork()) _exit(5); else for(;;) pause();", "run.exited", "status 5");
        row("call floods the log", "", "for(int i=0;i<200000;i++) puts(\"a line of no importance\"); puts(\"the last line\"); abort();", "run.signal",
            "the last line");
        row("call prints bytes", "", "write(1, \"\\xff\\x1b[31m\\0x\\n\", 9); abort();", "run.signal", "x1b");
        row("library prints at load", "puts(\"hello\"); abort();", "", "run.signal", "hello");
    }
    void deathIsAnErrorInWords() {
        QFETCH(QByteArray, load);
        QFETCH(QByteArray, run);
        QFETCH(QString, code);
        QFETCH(QString, says);
        RunRequest request;
        request.timeoutSeconds = code == "run.timeout" ? 2 : 60;
        const Error error = failure({load, run}, request);
        const QString text = QString::fromStdString(error.what + " " + error.why + " " + error.help);
        QVERIFY2(error.kind == ErrorKind::RunFailed, qPrintable(text));
        QCOMPARE(QString::fromStdString(error.code), code);
        QVERIFY2(QRegularExpression(says, QRegularExpression::DotMatchesEverythingOption).match(text).hasMatch(), qPrintable(text));
        QVERIFY2(!text.contains('\n'), qPrintable(text));
    }

    void memoryBeyondTheLimitIsAnErrorInWords() {
        RunRequest request;
        request.memoryGb = 1;
        const Error error = failure(
            {"", "char* p = malloc(3000000000u); if (!p) { fputs(\"std::bad_alloc\\n\", stderr); abort(); } memset(p, 1, 3000000000u);"}, request);
        QVERIFY(error.kind == ErrorKind::RunFailed);
        QCOMPARE(QString::fromStdString(error.code), QString("run.memory"));
        QVERIFY(error.why.find("1.00 GB") != std::string::npos);
    }

    void bothSidesKeepTheirOwnError() {
        RunRequest request;
        request.checks = RuntimeChecks::Both;
        const auto report = run({"", "if (getenv(\"AOTI_RUNTIME_CHECK_INPUTS\")) abort(); else _exit(9);"}, request);
        QVERIFY(report.has_value());
        QVERIFY(report->off && report->on && !*report->off && !*report->on);
        QCOMPARE(report->off->error().code, std::string("run.exited"));
        QCOMPARE(report->on->error().code, std::string("run.signal"));
        QVERIFY(!report->same());
    }

    void cancelEndsAModelThatDoesNotListen() {
        CancelToken cancel;
        QElapsedTimer timer;
        std::thread canceller;
        const auto report = run({"", "for(;;);"}, {}, cancel, [&](const Progress& progress) {
            if (progress.stage == "running" && !canceller.joinable()) {
                timer.start();
                canceller = std::thread([cancel] { cancel.request(); });
            }
        });
        if (canceller.joinable()) canceller.join();
        QVERIFY(!report);
        QVERIFY(report.error().kind == ErrorKind::Cancelled);
        QVERIFY(timer.elapsed() < 20'000);
    }

    void whatTheModelStartedEndsWithIt() {
        // Inside a sandbox it has another number, so it is known by its name.
        const QByteArray name = "orphan" + QByteArray::number(QCoreApplication::applicationPid() % 100000);
        const auto report = run({"", "if (!fork()) { prctl(15, \"" + name + "\"); for(;;) pause(); } usleep(100000); puts(\"born\"); abort();"});
        QVERIFY(report && !report->primary());
        // It is dead, or a zombie that the system's first process has not fetched yet.
        const auto living = [&name] {
            for (const QString& process : QDir("/proc").entryList(QDir::Dirs)) {
                QFile state("/proc/" + process + "/stat");
                if (!state.open(QIODevice::ReadOnly)) continue;
                const QByteArray text = state.readAll();
                if (text.contains("(" + name + ")") && !text.contains(") Z")) return true;
            }
            return false;
        };
        QTRY_VERIFY(!living());
    }

    /// What a library wants of the rest of the machine it does not get: home, network, other processes.
    void aHostileLibraryIsContained() {
        if (!sandbox().works()) QSKIP(("There is no sandbox here. " + sandbox().why).c_str());
        const Descriptor server(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t length = sizeof address;
        QVERIFY(::bind(server.get(), reinterpret_cast<sockaddr*>(&address), length) == 0 && ::listen(server.get(), 4) == 0);
        QVERIFY(::getsockname(server.get(), reinterpret_cast<sockaddr*>(&address), &length) == 0);
        const QString mark = QDir::home().filePath(".pt2scope-hostile-" + QString::number(QCoreApplication::applicationPid()));
        const QByteArray body = "int f = open(\"" + mark.toLocal8Bit() +
                                "\", O_CREAT | O_WRONLY, 0600); printf(\"home %d\\n\", f < 0);"
                                "struct sockaddr_in a = {AF_INET, htons(" +
                                QByteArray::number(ntohs(address.sin_port)) +
                                "), {htonl(INADDR_LOOPBACK)}};"
                                "int s = socket(AF_INET, SOCK_STREAM, 0); printf(\"net %d\\n\", connect(s, (struct sockaddr*)&a, sizeof a) < 0);"
                                "printf(\"kill %d\\n\", kill(" +
                                QByteArray::number(QCoreApplication::applicationPid()) +
                                ", 0) < 0);"
                                "f = open(\"" +
                                packages_.path().toLocal8Bit() +
                                "/x\", O_CREAT | O_WRONLY, 0600); printf(\"tmp %d\\n\", f < 0); fflush(stdout); abort();";
        std::string log;
        const auto report = run({"", body}, {}, {}, [&log](const Progress& progress) { log += progress.line + "\n"; });
        QVERIFY(report && !report->primary());
        for (const char* held : {"home 1", "net 1", "kill 1", "tmp 1"}) QVERIFY2(log.find(held) != std::string::npos, (held + (": " + log)).c_str());
        QVERIFY(!QFile::exists(mark));
        QVERIFY(::accept(server.get(), nullptr, nullptr) < 0);
        QVERIFY(report->primary().error().code == "run.signal");
    }

    void aLibraryThatIsNoneOfAotInductorsIsNotLoaded() {
        const QString path = package({"abort();", ""});
        QProcess strip;
        const QString library = path + "/data/aotinductor/model/abc.wrapper.so";
        QFile source(path + "/none.c");
        QVERIFY(source.open(QIODevice::WriteOnly));
        source.write("__attribute__((constructor)) static void f(void) { __builtin_trap(); }\n");
        source.close();
        strip.start(compiler_, {"-shared", "-fPIC", "-o", library, source.fileName()});
        strip.waitForFinished();
        source.remove();
        const auto document = Document::open(path.toStdString());
        QVERIFY(document.has_value());
        const auto report = runCompiled(*document, Contract(), RunRequest(), {});
        QVERIFY(!report);
        QVERIFY(report.error().kind == ErrorKind::CannotRun);
    }
};

QTEST_GUILESS_MAIN(TestDeadlyLibrary)
#include "tst_deadly_library.moc"
