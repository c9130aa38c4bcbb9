#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include <cstring>

#include "core/tensor/npy.h"
#include "core/tensor/tensor.h"
#include "tests/app/pt2_process.h"
#include "tests/corpus.h"
#include "tests/worker.h"

using nlohmann::json;
using namespace pt2;

/// What an engineer asks of a run beyond its outputs: several runners, modes, memory over loads, other constants, sequences.
class RunOptionsTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    static QString package(const char* name) { return tests::corpus() + "/2.13.0/aoti/" + name + ".pt2"; }
    static QString program(const char* name) { return tests::corpus() + "/2.13.0/" + name + ".pt2"; }

    static tests::Pt2 run(const QString& file, QStringList options) {
        options.prepend(file);
        options.prepend("run");
        options << "--json";
        return tests::pt2(options);
    }
    static json valuesOf(const json& outcome) {
        json values = json::array();
        for (const json& output : outcome["outputs"]) values.push_back(output["values"]);
        return values;
    }

    /// Weights of a program, each multiplied by `factor` and with `added`, as an .npz; `only` names the one to write, empty for all.
    QString weights(const char* name, double factor, const std::string& only = {}, double added = 0) {
        const QString file = folder_.filePath(QString("%1-%2-%3-%4.npz").arg(name).arg(factor).arg(added).arg(only.c_str()));
        const QString plain = folder_.filePath(QString(name) + "-plain.npz");
        if (!QFile::exists(plain) && tests::pt2({"weights", program(name), "--save", plain}).exit != 0) return {};
        auto tensors = readNpzFile(plain.toStdString());
        if (!tensors) return {};
        NamedTensors changed;
        for (auto& [key, tensor] : *tensors) {
            if (!only.empty() && key != only) continue;
            auto copy = allocateTensor(DType::Float32, tensor.layout.sizes);
            const std::uint64_t count = tensor.layout.elementCount().value_or(0);
            for (std::uint64_t i = 0; i < count; ++i) {
                const float value = static_cast<float>(elementAsDouble(tensor.view(), i) * factor + added);
                std::memcpy(copy->bytes.data() + i * sizeof(float), &value, sizeof(float));
            }
            changed.emplace_back(key, copy->tensor);
        }
        return writeNpzFile(file.toStdString(), changed, true) ? file : QString();
    }

private slots:
    void initTestCase() {
        if (tests::corpus().isEmpty()) QSKIP("The corpus of real packages is not here.");
        PT2_NEEDS_WORKER();
    }

    /// Several runners and calls at once, boxed calls and the mode without locks compute what one plain call does.
    void modesGiveTheSameOutputs() {
        const json plain = run(package("mlp2"), {"--seed", "3"}).json();
        QVERIFY(plain["outputs"].is_array());
        for (const QStringList& options :
             {QStringList{"--runners", "3", "--repeat", "60"}, QStringList{"--boxed", "--repeat", "5"},
              QStringList{"--single-threaded", "--repeat", "5"}, QStringList{"--warmup", "4", "--repeat", "9", "--threads", "1"}}) {
            const auto call = run(package("mlp2"), QStringList{"--seed", "3"} + options);
            QVERIFY2(call.exit == 0, call.error.constData());
            QCOMPARE(valuesOf(call.json()).dump(), valuesOf(plain).dump());
        }
        const json many = run(package("mlp2"), {"--runners", "3", "--repeat", "60"}).json();
        QCOMPARE(many["throughput"]["runners"], json(3));
        QCOMPARE(many["throughput"]["calls"], json(60));
        QVERIFY(many["throughput"]["per_second"].get<double>() > 0 && many["seconds"]["median"].get<double>() > 0);
        QVERIFY(!many["memory_curve"]["bytes"].empty() && many["memory_curve"]["bytes"].size() == many["memory_curve"]["seconds"].size());
    }

    /// Single-threaded mode leaves out the locks that several runners need (users.md A52).
    void singleThreadedModeHasOneRunner() {
        const auto refused = run(package("tiny"), {"--single-threaded", "--runners", "2"});
        QCOMPARE(refused.exit, 2);
        QVERIFY2(refused.error.contains("one runner") || refused.out.contains("one runner"), refused.out.constData());
    }

    /// Memory is looked at after each of many loads (users.md A53).
    void aSoakTellsWhetherMemoryGrows() {
        const auto call = run(package("tiny"), {"--soak", "24"});
        QVERIFY2(call.exit == 0, call.error.constData());
        const json soak = call.json()["soak"];
        QCOMPARE(soak["loads"], json(24));
        QCOMPARE(soak["bytes"].size(), std::size_t{24});
        QCOMPARE(soak["mappings"].size(), std::size_t{24});
        QVERIFY(soak["bytes_per_load"].is_number() && soak["mappings_per_load"].is_number());
        const auto words = tests::pt2({"run", package("tiny"), "--soak", "24"});
        QVERIFY2(words.out.contains("Soak: 24 loads: "), words.out.constData());
    }

    /// A constant given anew changes the output as its value says; what is not given stays (users.md A56).
    void constantsAreReplacedFromAFile() {
        const QStringList fixed{"--input", "0=ones[4,10]"};
        const json before = run(package("mlp2"), fixed).json();
        const QString same = weights("mlp2", 1), twice = weights("mlp2", 2, "fc1.weight");
        QVERIFY(!same.isEmpty() && !twice.isEmpty());
        const auto one = run(package("mlp2"), fixed + QStringList{"--constants", twice});
        QVERIFY2(one.exit == 0, one.error.constData());
        QCOMPARE(one.json()["constants"]["replaced"], json({"fc1.weight"}));
        QVERIFY(one.json()["constants"]["kept"].size() >= 2);
        QVERIFY(valuesOf(one.json()) != valuesOf(before));
        // Another run finds the model as it is in the file.
        QCOMPARE(valuesOf(run(package("mlp2"), fixed).json()).dump(), valuesOf(before).dump());
        const auto partly = run(package("mlp2"), fixed + QStringList{"--constants", twice, "--all-constants"});
        QCOMPARE(partly.exit, 1);
        const auto words = tests::pt2({"run", package("mlp2"), "--constants", twice});
        QVERIFY2(words.out.contains("Constants: 1 of ") && words.out.contains(" constants was replaced. As they were: "), words.out.constData());
    }

    /// What freezing has put into the code is said to be without effect.
    void frozenConstantsAreSaidToBeWithoutEffect() {
        const auto call = tests::pt2({"run", package("mlp2_freezing"), "--with", program("mlp2"), "--constants", weights("mlp2", 2), "--json"});
        QVERIFY2(call.exit == 0, (call.error + call.out).constData());
        const json use = call.json()["constants"];
        QVERIFY2(use["unknown"].empty() && use["ineffective"].size() == 3 && use["replaced"].size() == 1, use.dump().c_str());
        const auto alone = tests::pt2({"run", package("mlp2_freezing"), "--constants", weights("mlp2", 2)});
        QVERIFY2(alone.out.contains("compiled with freezing"), alone.out.constData());
    }

    /// A model whose weights are absent runs once all are given, and gives what torch eager gives; with some of them it is not tried.
    void absentWeightsCanBeGiven() {
        QCOMPARE(run(package("weights_absent"), {}).exit, 4);
        QCOMPARE(run(package("weights_absent"), {"--constants", weights("mlp2", 1, "fc1.weight")}).exit, 1);
        const auto given = run(package("weights_absent"), {"--input", "0=ones[4,10]", "--constants", weights("mlp2", 1)});
        QVERIFY2(given.exit == 0, (given.error + given.out).constData());
        const json values = valuesOf(given.json()), expected = valuesOf(run(package("mlp2"), {"--input", "0=ones[4,10]"}).json());
        QCOMPARE(values[0].size(), expected[0].size());
    }

    void constantsThatDoNotFitAreRefused() {
        auto wide = allocateTensor(DType::Float32, {16, 11}), wrong = allocateTensor(DType::Float64, {16, 10});
        for (const auto& [name, tensor] : {std::pair("wide", wide->tensor), std::pair("wrong", wrong->tensor)}) {
            const QString file = folder_.filePath(QString(name) + ".npz");
            QVERIFY(writeNpzFile(file.toStdString(), {{"fc1.weight", tensor}}, true));
            const auto call = run(package("mlp2"), {"--constants", file});
            QCOMPARE(call.exit, 1);
            QVERIFY2(call.json()["error"]["why"].get<std::string>().find("[16, 10]") != std::string::npos, call.out.constData());
        }
        const QString file = folder_.filePath("unknown.npz");
        QVERIFY(writeNpzFile(file.toStdString(), {{"nobody", wide->tensor}}, true));
        const auto call = run(package("mlp2"), {"--constants", file});
        QCOMPARE(call.exit, 0);
        QCOMPARE(call.json()["constants"]["unknown"], json({"nobody"}));
        QCOMPARE(run(package("mlp2"), {"--constants", folder_.filePath("none.npz")}).exit, 3);
    }

    void operatorLibrariesThatCannotBeLoadedAreNamed() {
        QCOMPARE(run(package("tiny"), {"--op-library", folder_.filePath("none.so")}).exit, 2);
        QFile file(folder_.filePath("text.so"));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("no library") > 0);
        file.close();
        const auto call = run(package("tiny"), {"--op-library", file.fileName()});
        QCOMPARE(call.exit, 4);
        QVERIFY2(call.json()["error"]["what"].get<std::string>().find("operator library") != std::string::npos, call.out.constData());
    }

    /// A sequence equals eager's, buffer by buffer; a model that begins with another state differs from the first call on, and float64 is no excuse.
    void sequencesEqualThoseOfEager() {
        if (qEnvironmentVariableIsEmpty("PT2SCOPE_PYTHON")) QSKIP("PT2SCOPE_PYTHON names no Python with torch.");
        const QStringList options{"compare", package("state_wide"), "--with", program("state_wide"), "--reference", "torch", "--steps", "3", "--json"};
        const auto equal = tests::pt2(options);
        QVERIFY2(equal.exit == 0, (equal.error + equal.out).constData());
        QCOMPARE(equal.json()["calls"].size(), std::size_t{3});
        QVERIFY(equal.json()["first_differing_call"].is_null());
        QCOMPARE(equal.json()["calls"][2]["outputs"].back()["name"], json("buffer total"));
        const auto other = tests::pt2(options + QStringList{"--constants", weights("state_wide", 1, {}, 1)});
        QCOMPARE(other.exit, 1);
        QVERIFY(other.json()["first_differing_call"].is_number());
    }

    /// Calls in sequence find the state as the call before left it; a second run begins anew.
    void sequencesTellTheStateOfEachCall() {
        const QStringList options{"--steps", "3", "--input", "0=ones[16]"};
        const auto call = run(package("state_wide"), options);
        QVERIFY2(call.exit == 0, (call.error + call.out).constData());
        const json outcome = call.json();
        QCOMPARE(outcome["steps"].size(), std::size_t{3});
        QCOMPARE(outcome["step_states"].size(), std::size_t{3});
        for (std::size_t i = 0; i < 3; ++i) {
            const json& state = outcome["step_states"][i];
            QCOMPARE(state.size(), std::size_t{1});
            QCOMPARE(state[0]["changed"], json(true));
            if (i > 0) QCOMPARE(state[0]["before"]["values"].dump(), outcome["step_states"][i - 1][0]["after"]["values"].dump());
        }
        QCOMPARE(run(package("state_wide"), options).json()["steps"].dump(), outcome["steps"].dump());
        // Warm-up and timing come after the call that is shown.
        const json warm = run(package("state_wide"), {"--input", "0=ones[16]", "--warmup", "3", "--repeat", "4"}).json();
        QCOMPARE(valuesOf(warm).dump(), valuesOf(outcome).dump());
    }
};

QTEST_GUILESS_MAIN(RunOptionsTest)
#include "tst_run_options.moc"
