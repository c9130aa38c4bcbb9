#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/compiled/this_machine.h"
#include "tests/app/pt2_process.h"
#include "tests/core/compiled/built_library.h"
#include "tests/core/compiled/compiled_corpus.h"
#include "tests/corpus.h"

using nlohmann::json;
using pt2::tests::corpus;

/// probe, inspect --for, engine list, and a run that is refused before the code can crash.
class TargetsTest : public QObject {
    Q_OBJECT

    static pt2::tests::Pt2 call(const QStringList& arguments) { return pt2::tests::pt2(arguments); }
    static QString tiny() { return corpus() + "/2.13.0/aoti/tiny.pt2"; }
    static json compiledOf(const pt2::tests::Pt2& result) {
        const json document = result.json();
        return document.is_object() ? document["compiled"]["model"] : json();
    }

private slots:
    void probeWritesWhatInspectReads() {
        const auto probe = call({"probe"});
        QCOMPARE(probe.exit, 0);
        const json target = probe.json();
        QCOMPARE(target["format"].get<int>(), 1);
        QCOMPARE(target["platform"].get<std::string>(), std::string("linux"));
        QCOMPARE(target["machine"].get<std::string>(), pt2::thisMachine().machine);
        QVERIFY(target["cpu_features"].size() > 3 && !target["glibc"].get<std::string>().empty() && target.contains("libtorch"));
        QCOMPARE(call({"probe", "--json"}).out, probe.out);
        if (corpus().isEmpty()) return;
        const QTemporaryDir folder;
        QFile file(folder.filePath("t.json"));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(probe.out) == probe.out.size());
        file.close();
        const json here = compiledOf(call({"inspect", tiny(), "--json"}));
        const json there = compiledOf(call({"inspect", tiny(), "--for", file.fileName(), "--json"}));
        QCOMPARE(there["runnable"]["verdict"].dump(), here["runnable"]["verdict"].dump());
        QCOMPARE(there["needs"].dump(), here["needs"].dump());
        QVERIFY(here["needs"]["cpu"].is_array() && here["needs"]["cpu_complete"] == true && here["needs"]["executable_stack"] == true);
        if (!target["libtorch"].is_null()) QCOMPARE(here["needs"]["missing_symbols"].dump(), std::string("[]"));
        const auto words = call({"inspect", tiny(), "--for", file.fileName()});
        QVERIFY(words.exit == 0 && words.out.contains("runs there"));
    }

    /// The machine that probe describes is this one: every package is judged there as it is here, symbol by symbol and operator by operator.
    void whatProbeDescribesIsJudgedAsThisMachine() {
        if (corpus().isEmpty()) QSKIP("The corpus of real packages is not here.");
        const auto probe = call({"probe"});
        QVERIFY2(probe.out.size() < 2'000'000, qPrintable(QString::number(probe.out.size())));
        if (!probe.json()["libtorch"].is_object()) QSKIP("There is no run engine here.");
        const QTemporaryDir folder;
        QFile file(folder.filePath("here.json"));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(probe.out) == probe.out.size());
        file.close();
        int runnable = 0;
        for (const QString& package : pt2::tests::compiledPackages()) {
            const json here = call({"inspect", package + ".pt2", "--json"}).json()["compiled"];
            const json there = call({"inspect", package + ".pt2", "--for", file.fileName(), "--json"}).json()["compiled"];
            for (const auto& [name, model] : here.items()) {
                const std::string verdict = model["runnable"]["verdict"], other = there[name]["runnable"]["verdict"];
                if (verdict == "yes") ++runnable;
                QVERIFY2(other == verdict, (package.toStdString() + ": " + there[name]["runnable"].dump(1) + model["runnable"].dump(1)).c_str());
                QCOMPARE(there[name]["needs"].dump(), model["needs"].dump());
            }
        }
        QVERIFY(runnable >= 1);
    }

    /// What cannot run is not offered to be run: with a program it is to be compiled anew first, without one there is nothing of the kind.
    void whatCannotRunIsNotOfferedToBeRun() {
        if (corpus().isEmpty()) QSKIP("The corpus of real packages is not here.");
        const QTemporaryDir folder;
        QFile file(folder.filePath("old.json"));
        const QByteArray text = R"({"platform": "linux", "machine": "x86_64", "cpu_features": ["sse4.2"]})";
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text) == text.size());
        file.close();
        const auto alone = call({"inspect", tiny(), "--for", file.fileName()});
        QCOMPARE(alone.exit, 0);
        QVERIFY2(alone.out.contains("Next") && !alone.out.contains("pt2 run") && !alone.out.contains("pt2 recompile"), alone.out.constData());
        const auto joined = call({"inspect", corpus() + "/2.13.0/tiny.pt2", "--with", tiny(), "--for", file.fileName()});
        QCOMPARE(joined.exit, 0);
        QVERIFY2(joined.out.contains("pt2 recompile") && !joined.out.contains("pt2 compare"), joined.out.constData());
        QVERIFY(joined.out.indexOf("pt2 recompile") < joined.out.indexOf("pt2 run"));
    }

    /// The mark of an executable stack is told in the text, though it holds nothing up.
    void anExecutableStackIsTold() {
        if (corpus().isEmpty()) QSKIP("The corpus of real packages is not here.");
        const auto words = call({"inspect", tiny()});
        QVERIFY2(words.out.contains("executable stack") && words.out.contains("pt2 repair"), words.out.constData());
        const json runnable = compiledOf(call({"inspect", tiny(), "--json"}))["runnable"];
        int warned = 0;
        for (const json& reason : runnable["reasons"]) {
            if (reason["what"] != "executable stack") continue;
            ++warned;
            QVERIFY(reason["ok"] == true && reason["warning"] == true);
        }
        QCOMPARE(warned, 1);
    }

    /// The way out that it names works: the copy has no mark, and nothing else to say; what needs no repair is not copied.
    void theRepairedCopyAsksForNone() {
        if (corpus().isEmpty()) QSKIP("The corpus of real packages is not here.");
        const QTemporaryDir folder;
        const QString copy = folder.filePath("copy.pt2"), again = folder.filePath("again.pt2");
        const auto repaired = call({"repair", tiny(), "-o", copy});
        QVERIFY2(repaired.exit == 0 && repaired.out.contains(".so: no longer asks"), repaired.error.constData());
        QVERIFY(!call({"inspect", copy}).out.contains("executable stack"));
        QCOMPARE(call({"verify", "--deep", copy, "--json"}).out, call({"verify", "--deep", tiny(), "--json"}).out);
        QCOMPARE(call({"repair", copy, "-o", again}).exit, 1);
        QVERIFY(!QFileInfo::exists(again));
        QCOMPARE(call({"repair", tiny(), "-o", copy}).exit, 2);
        QCOMPARE(call({"repair", tiny(), "-o", tiny()}).exit, 2);
    }

    /// Libraries of other systems are libraries in the list too.
    void librariesOfOtherSystemsAreListedAsLibraries() {
        if (corpus().isEmpty()) QSKIP("The corpus of real packages is not here.");
        const QTemporaryDir folder;
        QVERIFY(QDir(folder.path()).mkpath("p/data/aotinductor/model"));
        for (const auto& [name, bytes] :
             {std::pair("p/archive_format", "pt2"), std::pair("p/version", "1"), std::pair("p/data/aotinductor/model/a.wrapper.pyd", "MZ"),
              std::pair("p/data/aotinductor/model/b.dylib", "x"), std::pair("p/data/aotinductor/model/c.dll", "MZ")}) {
            QFile file(folder.filePath(name));
            QVERIFY(file.open(QIODevice::WriteOnly) && file.write(bytes) > 0);
        }
        const auto list = call({"ls", "-l", folder.filePath("p")});
        int libraries = 0;
        for (const QByteArray& line : list.out.split('\n')) libraries += line.contains("library") ? 1 : 0;
        QVERIFY2(libraries == 3, list.out.constData());
    }

    /// What torch 2.13 ran is not refused on a machine that has LibTorch 2.13 and the instruction sets; packages of 2.6 and 2.8 too.
    void whatTorchRanIsNotRefusedHere() {
        if (corpus().isEmpty()) QSKIP("The corpus of real packages is not here.");
        const auto& features = pt2::thisMachine().cpuFeatures;
        const json target = call({"probe"}).json();
        if (!features || features->count("avx2") == 0 || pt2::thisMachine().machine != "x86_64") QSKIP("The packages are made for x86-64 with AVX2.");
        if (!target["libtorch"].is_object() || target["libtorch"].value("version", "").rfind("2.13", 0) != 0)
            QSKIP("The run engine is not one of torch 2.13.");
        int judged = 0;
        for (const QString& package : pt2::tests::compiledPackages()) {
            const json facts = pt2::tests::factsOf(package);
            const json document = call({"inspect", package + ".pt2", "--json"}).json();
            for (const auto& [name, model] : document["compiled"].items()) {
                bool ran = facts.contains("runs") && facts["runs"].is_object() && facts["runs"].contains(name) &&
                           facts["runs"][name]["variants"]["first"]["unset"]["result"] == "ran" && !model["library"].is_null();
                if (facts.contains("opens_in") && facts["opens_in"].is_object()) {
                    for (const auto& [torch, outcome] : facts["opens_in"].items())
                        ran = ran || (outcome.is_string() && torch.rfind("2.13", 0) == 0 && outcome.get<std::string>().rfind("runs", 0) == 0);
                }
                if (!ran) continue;
                ++judged;
                QVERIFY2(model["runnable"]["verdict"] != "no", (package.toStdString() + ": " + model["runnable"].dump(1)).c_str());
            }
        }
        QVERIFY(judged >= 10);
    }

    void aPoorerTargetIsJudgedInWordsAndJson() {
        if (corpus().isEmpty()) QSKIP("The corpus of real packages is not here.");
        const QTemporaryDir folder;
        QFile file(folder.filePath("old.json"));
        const QByteArray text =
            "{\"name\": \"old one\", \"platform\": \"linux\", \"machine\": \"x86_64\", \"cpu_features\": [\"sse4.2\"], \"hobby\": 1}";
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text) == text.size());
        file.close();
        const auto words = call({"inspect", tiny(), "--for", file.fileName()});
        QCOMPARE(words.exit, 0);
        QVERIFY(words.out.contains("old one") && words.out.contains("no avx"));
        QVERIFY(words.error.contains("hobby"));
        const json runnable = compiledOf(call({"inspect", tiny(), "--for", file.fileName(), "--json"}))["runnable"];
        QCOMPARE(runnable["verdict"].get<std::string>(), std::string("no"));
        for (const json& reason : runnable["reasons"]) {
            for (const char* key : {"what", "found", "needed", "ok", "help"}) QVERIFY(reason.contains(key));
        }
    }

    void aWrongTargetIsAnError() {
        const QTemporaryDir folder;
        QFile file(folder.filePath("bad.json"));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("[]") == 2);
        file.close();
        if (corpus().isEmpty()) QSKIP("The corpus of real packages is not here.");
        const auto bad = call({"inspect", tiny(), "--for", file.fileName(), "--json"});
        QCOMPARE(bad.exit, 3);
        QCOMPARE(bad.json()["error"]["code"].get<std::string>(), std::string("target.bad"));
        QVERIFY(call({"inspect", tiny(), "--for", folder.filePath("none.json")}).exit != 0);
    }

    void enginesAreListed() {
        const json list = call({"engine", "list", "--json"}).json();
        QCOMPARE(list["format"].get<int>(), 1);
        QVERIFY(list["engines"].is_array());
        for (const json& engine : list["engines"]) QVERIFY(engine["usable"] == true || !engine["problem"].get<std::string>().empty());
        QCOMPARE(call({"engine", "list", "--json"}).exit, 0);
    }

    /// The library would end the worker with an illegal instruction: exit 4, with the instruction set in the reason.
    void aRunWithInstructionsThatAreNotHereIsRefused() {
        if (corpus().isEmpty()) QSKIP("The corpus of real packages is not here.");
        if (pt2::tests::compiler().isEmpty() || pt2::thisMachine().machine != "x86_64") QSKIP("There is no compiler for x86-64 here.");
        if (pt2::thisMachine().cpuFeatures && pt2::thisMachine().cpuFeatures->count("avx512f") > 0) QSKIP("This processor has AVX-512.");
        if (call({"engine", "list", "--json"}).json()["engines"].empty()) QSKIP("There is no run engine here.");
        const QTemporaryDir folder;
        QVERIFY(QDir(folder.path()).mkpath("p"));
        QCOMPARE(call({"extract", tiny(), "-C", folder.filePath("p")}).exit, 0);
        QString library;
        QDirIterator files(folder.filePath("p"), {"*.wrapper.so"}, QDir::Files, QDirIterator::Subdirectories);
        while (files.hasNext()) library = files.next();
        QVERIFY(!library.isEmpty());
        const QByteArray source =
            "static const char weights[8192] = {1};\n"
            "void AOTInductorModelContainerRun(float* a, const float* b, long n) {\n"
            "    const float c = weights[n & 8191];\n"
            "    for (long i = 0; i < n; ++i) a[i] = a[i] * b[i] + c;\n"
            "}";
        const QString built =
            pt2::tests::buildLibrary(folder, "a.c", source, {"-O3", "-ffast-math", "-march=skylake-avx512", "-mprefer-vector-width=512"});
        QVERIFY(!built.isEmpty() && QFile::remove(library) && QFile::copy(built, library));
        QString root;
        QDirIterator roots(folder.filePath("p"), {"archive_format"}, QDir::Files, QDirIterator::Subdirectories);
        while (roots.hasNext()) root = QFileInfo(roots.next()).path();
        QVERIFY(!root.isEmpty());
        const auto run = call({"run", root, "--json"});
        QCOMPARE(run.exit, 4);
        QVERIFY2(run.out.contains("avx512f"), run.out.constData());
    }
};

QTEST_GUILESS_MAIN(TargetsTest)
#include "tst_targets.moc"
