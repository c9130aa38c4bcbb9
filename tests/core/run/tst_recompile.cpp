#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <thread>

#include "core/archive/writer.h"
#include "core/base/hash.h"
#include "core/compiled/kernel_links.h"
#include "core/package/linked_kernels.h"
#include "core/run/engine_discovery.h"
#include "core/run/job_folder.h"
#include "core/run/known_refusals.h"
#include "core/run/program_copy.h"
#include "core/run/python_session.h"
#include "core/run/recompile.h"
#include "core/run/recompile_check.h"
#include "tests/corpus.h"
#include "tests/worker.h"

using namespace pt2;

namespace {

Document open(const QString& path) { return Document::open(path.toStdString()).value_or(Document{}); }

std::string sha(const Archive& archive, MemberIndex member) {
    Sha256 hash;
    const auto status = archive.stream(member, [&](Bytes bytes) -> Status {
        hash.update(bytes);
        return {};
    });
    return status ? hash.hex() : status.error().what;
}

/// Processes of a group that are alive, by /proc.
std::vector<int> processesOfGroup(int group) {
    std::vector<int> found;
    for (const QString& name : QDir("/proc").entryList(QDir::Dirs)) {
        bool isNumber = false;
        const int pid = name.toInt(&isNumber);
        if (!isNumber) continue;
        QFile stat("/proc/" + name + "/stat");
        if (!stat.open(QIODevice::ReadOnly)) continue;
        const QByteArray text = stat.readAll();
        const QList<QByteArray> fields = text.mid(text.lastIndexOf(')') + 2).split(' ');
        if (fields.size() > 2 && fields[2].toInt() == group && fields[0] != "Z") found.push_back(pid);
    }
    return found;
}

/// The helper that this process has started.
int helperPid() {
    for (const QString& name : QDir("/proc").entryList(QDir::Dirs)) {
        bool isNumber = false;
        const int pid = name.toInt(&isNumber);
        if (!isNumber) continue;
        QFile stat("/proc/" + name + "/stat"), command("/proc/" + name + "/cmdline");
        if (!stat.open(QIODevice::ReadOnly) || !command.open(QIODevice::ReadOnly)) continue;
        const QByteArray text = stat.readAll();
        const QList<QByteArray> fields = text.mid(text.lastIndexOf(')') + 2).split(' ');
        if (fields.size() > 1 && fields[1].toInt() == ::getpid() && command.readAll().contains("pt2scope_helper.py")) return pid;
    }
    return -1;
}

QStringList jobFolders() { return QDir(QDir::tempPath()).entryList({"pt2scope-job-*"}, QDir::Dirs); }

}  // namespace

class TestRecompile : public QObject {
    Q_OBJECT
    QString corpus_;
    int inferredLinks_ = 0, wrongLinks_ = 0;
    QTemporaryDir dir_;
    std::string noPython_;

    QString sample(const char* name) const { return corpus_ + "/2.13.0/" + name + ".pt2"; }
    std::filesystem::path output(const char* name) const { return dir_.filePath(name).toStdString(); }

    /// What the source names, and what is inferred from operators and buffers, against the provenance that torch wrote.
    void kernelsAreLinkedAsTorchSays(const Document& made, const std::vector<std::string>& models) {
        for (const std::string& model : models) {
            const auto kernels = readLinkedKernels(made, model);
            QVERIFY2(kernels.has_value(), kernels ? "" : kernels.error().what.c_str());
            const Program& program = *kernels->program.entry->program;
            const auto found = linkKernels(kernels->listing, *kernels->compiled.model, program, false);
            for (std::size_t i = 0; i < found.size(); ++i) {
                std::set<NodeId> told;
                for (const KernelLink& link : kernels->links[i]) {
                    if (link.by == KernelLink::By::Provenance) told.insert(link.node);
                }
                for (const KernelLink& link : found[i]) {
                    const std::string words = model + ": " + kernels->listing.calls[i].name + " from " + std::string(program.displayName(link.node));
                    const bool right = told.count(link.node) != 0;
                    if (link.by == KernelLink::By::Named) {
                        QVERIFY2(right, words.c_str());
                        continue;
                    }
                    ++inferredLinks_;
                    if (right) continue;
                    ++wrongLinks_;
                    qInfo("inferred, and torch does not say so: %s", words.c_str());
                }
            }
        }
    }

private slots:
    void initTestCase() {
        corpus_ = tests::corpus();
        tests::worker();  // the run engine lies beside the programs, not beside this test
        // A temporary folder of its own, so that what others do beside this test is not seen.
        QVERIFY(QDir(dir_.path()).mkdir("tmp") && qputenv("TMPDIR", dir_.filePath("tmp").toUtf8()));
        if (auto python = findPython(); !python) noPython_ = python.error().what + " " + python.error().why;
        // Where one is named it has to work.
        if (!noPython_.empty() && !qEnvironmentVariableIsEmpty("PT2SCOPE_PYTHON")) QFAIL(noPython_.c_str());
    }

    void cleanupTestCase() {
        QCOMPARE(jobFolders(), QStringList());
        qInfo("%d kernel links inferred, %d of them not what torch says", inferredLinks_, wrongLinks_);
        QVERIFY(wrongLinks_ <= std::max(2, inferredLinks_ / 20));
    }

    void aMissingPythonIsSaidWithAdvice() {
        const auto python = findPython("/no/such/python");
        QVERIFY(!python.has_value());
        QCOMPARE(python.error().kind, ErrorKind::System);
        QCOMPARE(python.error().code, std::string("python.none"));
        QVERIFY(python.error().help.find("--python") != std::string::npos);
        QCOMPARE(findPython("/bin/true").error().code, std::string("python.none"));
        CancelToken cancel;
        cancel.request();
        if (noPython_.empty()) QCOMPARE(findPython({}, cancel).error().kind, ErrorKind::Cancelled);
    }

    void foldersOfCrashedJobsAreRemovedAndThoseInUseAreNot() {
        const QString base = QDir::tempPath() + "/pt2scope-job-";
        for (const char* name : {"left", "held"}) QVERIFY(QDir().mkpath(base + name + "/below"));
        QVERIFY(QFile::link("/", base + "link"));
        const int held = ::open((base + "held").toUtf8().constData(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        QVERIFY(held >= 0 && ::flock(held, LOCK_SH) == 0);
        QString inUse;
        {
            const auto folder = JobFolder::create(1);
            QVERIFY(folder.has_value());
            inUse = QString::fromStdString(folder->path().string());
            QVERIFY(!QDir(base + "left").exists());
            QVERIFY(QDir(base + "held/below").exists() && QFile::exists(base + "link"));
            QVERIFY(JobFolder::create(1).has_value());
            removeStaleJobFolders();
            QVERIFY(QDir(inUse).exists());
        }
        QVERIFY(!QDir(inUse).exists());
        ::close(held);
        removeStaleJobFolders();
        QVERIFY(!QDir(base + "held").exists());
        QVERIFY(QFile::remove(base + "link"));
        QCOMPARE(JobFolder::create(~std::uint64_t{0}).error().code, std::string("python.no-space"));
    }

    /// Many at once: each gets a folder that nobody takes away while it is used.
    void foldersOfJobsThatStartTogetherStay() {
        std::atomic<int> lost = 0;
        std::vector<std::thread> threads;
        for (int t = 0; t < 8; ++t) {
            threads.emplace_back([&lost] {
                for (int i = 0; i < 50; ++i) {
                    const auto folder = JobFolder::create(1);
                    if (!folder || !std::filesystem::create_directory(folder->path() / "work")) ++lost;
                }
            });
        }
        for (std::thread& thread : threads) thread.join();
        QCOMPARE(lost.load(), 0);
        QCOMPARE(jobFolders(), QStringList());
    }

    void theOutputsNameIsChecked() {
        if (corpus_.isEmpty()) QSKIP("The corpus is not here.");
        const Document tiny = open(sample("tiny"));
        QCOMPARE(recompile(tiny, output("x.zip"), {}).error().code, std::string("recompile.extension"));
        QFile::copy(sample("tiny"), dir_.filePath("there.pt2"));
        QCOMPARE(recompile(tiny, output("there.pt2"), {}).error().code, std::string("output.exists"));
        QCOMPARE(recompile(tiny, output("none/x.pt2"), {}).error().kind, ErrorKind::System);
        RecompileRequest other;
        other.models = {"modell"};
        QCOMPARE(recompile(tiny, output("x.pt2"), other).error().kind, ErrorKind::Usage);
        const Document compiled = open(corpus_ + "/2.13.0/aoti/tiny.pt2");
        QCOMPARE(recompile(compiled, output("x.pt2"), {}).error().kind, ErrorKind::CannotRun);
    }

    void whatAotInductorRefusesIsSaidBefore() {
        if (corpus_.isEmpty()) QSKIP("The corpus is not here.");
        QFile file(corpus_ + "/2.13.0/compiles.json");
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QJsonObject verdicts = QJsonDocument::fromJson(file.readAll()).object();
        QStringList refused;
        for (const QString& name : verdicts.keys()) {
            const Document document = open(sample(qPrintable(name)));
            for (const std::string& model : document.modelNames()) {
                if (!document.program(model)) continue;
                const auto reasons = knownRefusals(*document.program(model).entry->program);
                if (reasons.empty()) continue;
                refused << name;
                // Nothing that torch compiles may be refused.
                QCOMPARE(verdicts[name].toObject()["compiles"].toString(), QString("no"));
                const auto result = recompile(document, output("refused.pt2"), {});
                QCOMPARE(result.error().kind, ErrorKind::CannotRun);
                QCOMPARE(result.error().code, std::string("recompile.refused"));
                QVERIFY(!std::filesystem::exists(output("refused.pt2")));
            }
        }
        QVERIFY(refused.contains("outputs_mixed"));
        QVERIFY(refused.contains("args_kinds"));
    }

    void hostilePicklesNeedConsent() {
        if (corpus_.isEmpty()) QSKIP("The corpus is not here.");
        // The record of a pickled weight, replaced by one that calls os.system when Python reads it.
        const auto flag = dir_.filePath("ran").toStdString();
        const std::string pickle =
            "\x80\x02"
            "cos\nsystem\nX" +
            std::string(1, static_cast<char>(6 + flag.size())) + std::string(3, '\0') + "touch " + flag + "\x85R.";
        const Document source = open(sample("two_tensor"));
        const Archive& archive = source.primary->archive();
        for (const bool bare : {true, false}) {
            const auto path = output(bare ? "bare.pt2" : "zip.pt2");
            auto writer = ArchiveWriter::create(path, "hostile", true);
            QVERIFY(writer.has_value());
            auto zip = ArchiveWriter::create(output("record.zip"), "archive", true);
            QVERIFY(zip->add("data.pkl", asBytes(pickle)).has_value());
            QVERIFY(zip->finish().has_value());
            for (MemberIndex i = 0; i < archive.members().size(); ++i) {
                const std::string name(archive.nameBelowRoot(i));
                if (name != "data/weights/weight_0") {
                    QVERIFY(writer->copy(archive, i, name).has_value());
                } else if (bare) {
                    QVERIFY(writer->add(name, asBytes(pickle)).has_value());
                } else {
                    QVERIFY(writer->addFile(name, output("record.zip")).has_value());
                }
            }
            QVERIFY(writer->finish().has_value());
            const Document document = open(QString::fromStdString(path.string()));
            QCOMPARE(unsafeGlobals(document, "model").value(), std::vector<std::string>{"os.system"});
            const auto result = recompile(document, output("hostile_out.pt2"), {});
            QCOMPARE(result.error().kind, ErrorKind::CannotRun);
            QCOMPARE(result.error().code, std::string("python.unsafe-pickle"));
            QVERIFY(result.error().why.find("os.system") != std::string::npos);
            QVERIFY(!std::filesystem::exists(output("hostile_out.pt2")));
            QVERIFY(!std::filesystem::exists(flag));
        }
        QCOMPARE(unsafeGlobals(source, "model").value(), std::vector<std::string>{"torch.testing._internal.two_tensor.TwoTensor"});
        QVERIFY(unsafeGlobals(open(sample("tiny")), "model")->empty());
        QVERIFY(unsafeGlobals(open(sample("torchbind")), "model")->empty());
    }

    void pythonGetsOneProgramWithoutSamples() {
        if (corpus_.isEmpty()) QSKIP("The corpus is not here.");
        const Document document = open(sample("multi_program"));
        QVERIFY(document.modelNames().size() == 3);
        for (const std::string& model : document.modelNames()) {
            const auto path = copyForPython(document, model, false, output("copy"), {});
            QVERIFY(path.has_value());
            const Document copy = open(QString::fromStdString(path->string()));
            QCOMPARE(copy.modelNames(), std::vector<std::string>{"model"});
            const Archive& archive = copy.primary->archive();
            QCOMPARE(archive.members()[*archive.find("data/sample_inputs/model.pt")].size, std::uint64_t{0});
            QCOMPARE(copy.program("model").entry->weights.size(), document.program(model).entry->weights.size());
            for (const WeightEntry& weight : copy.program("model").entry->weights) {
                const auto original = document.primary->loadWeight(*document.program(model).entry->findWeight(weight.fqn)).value();
                QCOMPARE(tensorSha256(copy.primary->loadWeight(weight)->view()).value(), tensorSha256(original.view()).value());
            }
        }
    }

    void programsCompileAndMatchEager_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("compiles");
        QTest::addColumn<QString>("why");
        // Asked anew: -datatags does not call initTestCase.
        const QString corpus = tests::corpus();
        if (corpus.isEmpty()) QTest::newRow("none") << QString() << QString() << QString();
        QFile file(corpus + "/2.13.0/compiles.json");
        if (!file.open(QIODevice::ReadOnly)) return;
        const QJsonObject verdicts = QJsonDocument::fromJson(file.readAll()).object();
        const bool full = qEnvironmentVariableIsSet("PT2SCOPE_FULL");
        const QStringList few = {"tiny", "encoder", "kwargs", "cond", "conv_bn_eval"};
        for (const QString& name : full ? verdicts.keys() : few) {
            QTest::newRow(qPrintable(name)) << name << verdicts[name].toObject()["compiles"].toString()
                                            << verdicts[name].toObject()["why"].toString();
        }
    }
    void programsCompileAndMatchEager() {
        QFETCH(QString, name);
        QFETCH(QString, compiles);
        QFETCH(QString, why);
        if (corpus_.isEmpty()) QSKIP("The corpus is not here: nothing was compiled.");
        if (!noPython_.empty()) QSKIP(("NO PYTHON WITH TORCH: nothing was compiled. " + noPython_).c_str());
        const Document document = open(sample(qPrintable(name)));
        RecompileRequest request;
        request.trust = true;
        QStringList stages;
        int lines = 0;
        const auto path = output(qPrintable(name + ".pt2"));
        const auto result = recompile(document, path, request, {}, [&](const Progress& p) {
            const QString stage = QString::fromStdString(p.stage);
            if (stages.isEmpty() || stages.last() != stage) stages << stage;
            if (!p.line.empty()) ++lines;
        });
        // What needs a library of its author cannot be loaded here, whatever torch said where it was made.
        if (!result && (result.error().code == "python.missing-operator" || result.error().code == "python.import")) {
            QSKIP(("It needs a library that is not here: " + result.error().why).c_str());
        }
        const bool several = document.modelNames().size() > 1 || name == "model_slash_name";
        if (compiles == "no" && !several) {
            QVERIFY(!result.has_value());
            QCOMPARE(result.error().kind, ErrorKind::CannotRun);
            QVERIFY(!result.error().why.empty());
            QVERIFY(!std::filesystem::exists(path));
            // Either it was known before, or torch's own words come through.
            const QString words = why.section('\n', 0, 0).section(": ", 1);
            const bool before = result.error().code == "recompile.refused";
            QVERIFY2(before || QString::fromStdString(result.error().why).contains(words), (result.error().code + " " + result.error().why).c_str());
            return;
        }
        QVERIFY2(result.has_value(), result ? "" : (result.error().what + " " + result.error().why + "\n").c_str());
        for (const char* stage : {"loading the program", "lowering", "generating code", "compiling C++", "packaging"}) {
            QVERIFY2(!stages.filter(stage).isEmpty(), qPrintable(stages.join(", ")));
        }
        QVERIFY(lines > 0);
        QVERIFY(result->libraryBytes > 0);
        // Program members stand as they were, under the same root.
        const Document made = open(QString::fromStdString(path.string()));
        QVERIFY(made.primary != nullptr);
        const Archive& before = document.primary->archive();
        const Archive& after = made.primary->archive();
        QCOMPARE(after.root(), before.root());
        for (MemberIndex i = 0; i < before.members().size(); ++i) {
            const std::string member(before.nameBelowRoot(i));
            if (member == ".data/serialization_id") continue;
            const auto same = after.find(member);
            QVERIFY2(same.has_value(), member.c_str());
            QCOMPARE(sha(after, *same), sha(before, i));
        }
        for (const Issue& issue : made.primary->issues()) QVERIFY2(issue.severity != Severity::Error, issue.message.c_str());
        for (const std::string& model : result->models) {
            QVERIFY(made.compiled(model) && made.program(model));
            QVERIFY(after.find("data/aotinductor/" + model + "/kernel_information.json").has_value());
        }
        kernelsAreLinkedAsTorchSays(made, result->models);
        if (QTest::currentTestFailed()) return;
        const auto verdict = findWorker();
        if (!verdict) QSKIP(("It compiles. NO RUN ENGINE: it was not run. " + verdict.error().what).c_str());
        const bool random = name == "random_ops" || name == "training_dropout";
        if (random) return;
        EagerRequest eager;
        eager.trust = true;
        const auto checks = checkRecompiled(path, result->models, eager);
        QVERIFY2(checks.has_value(), checks ? "" : checks.error().what.c_str());
        QVERIFY(!checks->empty());
        for (const CompiledCheck& check : *checks) {
            QVERIFY2(check.comparison.has_value(),
                     check.comparison ? "" : (check.comparison.error().what + " " + check.comparison.error().why).c_str());
            QVERIFY2(check.comparison->ok(), check.comparison->sentence().c_str());
        }
    }

    void compilerTroubleNamesItsCause() {
        if (corpus_.isEmpty()) QSKIP("The corpus is not here.");
        if (!noPython_.empty()) QSKIP(("NO PYTHON WITH TORCH. " + noPython_).c_str());
        const Document tiny = open(sample("tiny"));
        RecompileRequest request;
        request.environment = {{"CXX", "/bin/false"}};
        const auto failed = recompile(tiny, output("cxx.pt2"), request);
        QVERIFY(!failed.has_value());
        QVERIFY2(failed.error().code == "recompile.compiler" || failed.error().code == "recompile.no-compiler",
                 (failed.error().code + ": " + failed.error().why).c_str());
        QCOMPARE(failed.error().kind, ErrorKind::System);
        QVERIFY(!std::filesystem::exists(output("cxx.pt2")));
        request = {};
        request.config = {{"max_autotun", "true"}};
        const auto unknown = recompile(tiny, output("config.pt2"), request);
        QCOMPARE(unknown.error().kind, ErrorKind::Usage);
        QVERIFY2(unknown.error().what.find("max_autotune") != std::string::npos, unknown.error().what.c_str());
    }

    void foldersMayHaveBlanksInTheirNames() {
        if (corpus_.isEmpty()) QSKIP("The corpus is not here.");
        if (!noPython_.empty()) QSKIP(("NO PYTHON WITH TORCH. " + noPython_).c_str());
        // Temporary folder, environment of Python and output, each below such a name.
        const QString before = qEnvironmentVariable("TMPDIR"), blank = dir_.filePath("my \"own\" things");
        QVERIFY(QDir().mkpath(blank + "/tmp") && qputenv("TMPDIR", (blank + "/tmp").toUtf8()));
        const QFileInfo python(QString::fromStdString(findPython()->executable));
        QVERIFY(QFile::link(QFileInfo(python.path()).path(), blank + "/env"));
        RecompileRequest request;
        request.compiledOnly = true;
        request.python = (blank + "/env/bin/" + python.fileName()).toStdString();
        const auto result = recompile(open(sample("tiny")), (blank + "/out.pt2").toStdString(), request);
        qputenv("TMPDIR", before.toUtf8());
        QVERIFY2(result.has_value(), result ? "" : (result.error().what + " " + result.error().why).c_str());
    }

    void cancelEndsTheCompilersToo() {
        if (corpus_.isEmpty()) QSKIP("The corpus is not here.");
        if (!noPython_.empty()) QSKIP(("NO PYTHON WITH TORCH. " + noPython_).c_str());
        const Document tiny = open(sample("tiny"));
        const CancelToken cancel;
        std::atomic<int> helper{-1};
        std::atomic<bool> sawCompiler{false}, done{false};
        std::thread watcher([&] {
            // Cancels in the middle of a compile: as soon as a process of the group is a compiler proper.
            while (!done) {
                if (helper < 0) helper = helperPid();
                for (const int pid : helper > 0 ? processesOfGroup(helper) : std::vector<int>()) {
                    QFile command(QString("/proc/%1/cmdline").arg(pid));
                    if (command.open(QIODevice::ReadOnly) && command.readAll().contains("cc1plus")) {
                        sawCompiler = true;
                        cancel.request();
                        return;
                    }
                }
                std::this_thread::sleep_for(std::chrono::milliseconds(20));
            }
        });
        const auto result = recompile(tiny, output("cancelled.pt2"), {}, cancel);
        done = true;
        watcher.join();
        QVERIFY(sawCompiler);
        QVERIFY(!result.has_value());
        QCOMPARE(result.error().kind, ErrorKind::Cancelled);
        QVERIFY(processesOfGroup(helper).empty());
        QVERIFY(!std::filesystem::exists(output("cancelled.pt2")));
    }

    void inheritedVariablesAreRecorded() {
        if (corpus_.isEmpty()) QSKIP("The corpus is not here.");
        if (!noPython_.empty()) QSKIP(("NO PYTHON WITH TORCH. " + noPython_).c_str());
        RecompileRequest request;
        request.compiledOnly = true;
        request.environment = {{"TORCHINDUCTOR_PT2SCOPE_TEST", "yes"}};
        const auto path = output("alone.pt2");
        const auto result = recompile(open(sample("tiny")), path, request);
        QVERIFY2(result.has_value(), result ? "" : result.error().why.c_str());
        QVERIFY(std::find(result->inheritedEnvironment.begin(), result->inheritedEnvironment.end(),
                          std::pair<std::string, std::string>("TORCHINDUCTOR_PT2SCOPE_TEST", "yes")) != result->inheritedEnvironment.end());
        const Document made = open(QString::fromStdString(path.string()));
        QVERIFY(made.compiled("model") && !made.program("model"));
        const auto& metadata = made.compiled("model").model->metadata;
        QVERIFY(metadata.count("pt2scope.environment") == 1);
        QVERIFY(metadata.at("pt2scope.environment").find("TORCHINDUCTOR_PT2SCOPE_TEST") != std::string::npos);
        QCOMPARE(made.primary->archive().root(), std::string("alone"));
    }
};

QTEST_GUILESS_MAIN(TestRecompile)
#include "tst_recompile.moc"
