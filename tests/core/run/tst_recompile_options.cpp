#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>
#include <string>

#include "core/run/python_info.h"
#include "core/run/recompile.h"
#include "tests/corpus.h"

using namespace pt2;

/// What is asked for in plain words is in the package that comes out.
class RecompileOptionsTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    std::string noPython_;

    std::string output(const char* name) const { return folder_.filePath(QString(name) + ".pt2").toStdString(); }
    static Document tiny() { return Document::open((tests::corpus() + "/2.13.0/tiny.pt2").toStdString()).value(); }
    static const CompiledModel& modelOf(const Document& document) { return *document.compiled("model").model; }

    void made(const char* name, const RecompileRequest& request, Document& document) {
        const auto report = recompile(tiny(), output(name), request);
        QVERIFY2(report, report ? "" : (report.error().what + " " + report.error().why).c_str());
        auto opened = Document::open(output(name));
        QVERIFY(opened && opened->compiled("model"));
        document = std::move(*opened);
    }

private slots:
    void initTestCase() {
        if (tests::corpus().isEmpty()) QSKIP("The corpus of real packages is not here.");
        const auto python = findPython({});
        if (python) return;
        if (!qEnvironmentVariableIsEmpty("PT2SCOPE_PYTHON")) QFAIL(python.error().what.c_str());
        QSKIP(("NO PYTHON WITH TORCH: nothing was compiled. " + python.error().what).c_str());
    }

    void weightsCanBeLeftOut() {
        RecompileRequest request;
        request.constants = ConstantsPlace::None;
        Document document;
        made("none", request, document);
        if (QTest::currentTestFailed()) return;
        QVERIFY(modelOf(document).weightsAbsent);
        for (const CompiledConstant& constant : modelOf(document).constants) QVERIFY(constant.where == CompiledConstant::Where::Absent);
    }

    void sourcesAloneCanBeMade() {
        RecompileRequest request;
        request.cppOnly = true;
        Document document;
        made("sources", request, document);
        if (QTest::currentTestFailed()) return;
        QVERIFY(modelOf(document).cppOnly && !modelOf(document).library);
    }

    /// The plainest code runs on every machine of its kind.
    void theInstructionSetIsTheOneAskedFor() {
        RecompileRequest request;
        request.cpuIsa = "scalar";
        request.environment = {{"TORCHINDUCTOR_FREEZING", "0"}};
        Document document;
        made("scalar", request, document);
        if (QTest::currentTestFailed()) return;
        QVERIFY2(modelOf(document).cpuIsa != "AVX512", modelOf(document).cpuIsa.c_str());
    }

    void weightsCanLieBesideTheLibrary() {
        if (qEnvironmentVariableIsEmpty("PT2SCOPE_FULL")) QSKIP("PT2SCOPE_FULL compiles with weights beside the library.");
        RecompileRequest request;
        request.constants = ConstantsPlace::Disk;
        Document document;
        made("disk", request, document);
        if (QTest::currentTestFailed()) return;
        QVERIFY(modelOf(document).blob && !modelOf(document).weightsAbsent);
    }

    /// What a failed compilation leaves is kept where it was asked for, with a script that does it again; else nothing is.
    void whatAFailureLeavesIsKept() {
        RecompileRequest request;
        request.environment = {{"CXX", "false"}};
        const QString kept = folder_.filePath("kept");
        request.keepOnFailure = kept.toStdString();
        const auto report = recompile(tiny(), output("failed"), request);
        QVERIFY(!report);
        QVERIFY2(report.error().help.find("reproduce_0.py") != std::string::npos, report.error().help.c_str());
        QVERIFY(!QFile::exists(QString::fromStdString(output("failed"))));
        QFile script(kept + "/reproduce_0.py"), words(kept + "/failure.txt");
        QVERIFY(script.open(QIODevice::ReadOnly) && words.open(QIODevice::ReadOnly));
        QVERIFY(script.readAll().contains("aoti_compile_and_package"));
        QVERIFY(words.readAll().contains("--- log"));
        // A folder with something in it is not written into.
        const auto again = recompile(tiny(), output("failed"), request);
        QVERIFY(!again && again.error().kind == ErrorKind::Usage);
    }

    void whatCannotBeTogetherIsRefusedAtOnce_data() {
        QTest::addColumn<int>("which");
        QTest::newRow("discard without freezing") << 0;
        QTest::newRow("minify without a folder") << 1;
        QTest::newRow("unknown instruction set") << 2;
    }
    void whatCannotBeTogetherIsRefusedAtOnce() {
        QFETCH(int, which);
        RecompileRequest request;
        if (which == 0) request.discardParameters = true;
        if (which == 1) request.minify = true;
        if (which == 2) request.cpuIsa = "sse5";
        const auto report = recompile(tiny(), output("no"), request);
        QVERIFY(!report && report.error().kind == ErrorKind::Usage && !report.error().help.empty());
    }

    /// An instruction set that this machine lacks is said by torch, before anything is compiled.
    void anInstructionSetThatIsNotHereIsRefused() {
        RecompileRequest request;
        request.cpuIsa = "neon";
        const auto report = recompile(tiny(), output("neon"), request);
        QVERIFY(!report);
        QVERIFY2((report.error().what + report.error().why).find("neon") != std::string::npos, report.error().why.c_str());
    }
};

QTEST_GUILESS_MAIN(RecompileOptionsTest)
#include "tst_recompile_options.moc"
