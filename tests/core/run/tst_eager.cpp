#include <QDir>
#include <QTest>
#include <optional>

#include "core/compare/compare.h"
#include "core/compare/float64_judge.h"
#include "core/run/eager.h"
#include "core/run/eager_comparison.h"
#include "tests/core/run/corpus_inputs.h"
#include "tests/corpus.h"

using namespace pt2;

class TestEager : public QObject {
    Q_OBJECT
    QString corpus_;
    std::optional<EagerSession> session_;
    std::string noPython_;

private slots:
    void initTestCase() {
        corpus_ = tests::corpus();
        auto session = EagerSession::open({});
        if (session) {
            session_.emplace(std::move(*session));
        } else {
            noPython_ = session.error().what + " " + session.error().why;
            // Where one is named it has to work.
            if (!qEnvironmentVariableIsEmpty("PT2SCOPE_PYTHON")) QFAIL(noPython_.c_str());
        }
    }

    void outputsAreThoseTorchRecorded_data() {
        QTest::addColumn<QString>("name");
        if (corpus_.isEmpty()) QTest::newRow("no corpus") << QString();
        for (const QString& file : QDir(corpus_ + "/2.13.0").entryList({"*.pt2"}, QDir::Files))
            QTest::newRow(qPrintable(file)) << file.left(file.size() - 4);
    }
    void outputsAreThoseTorchRecorded() {
        QFETCH(QString, name);
        if (corpus_.isEmpty()) QSKIP("The corpus is not here: nothing was run in torch eager.");
        if (!session_) QSKIP(("NO PYTHON WITH TORCH: nothing was run in torch eager. " + noPython_).c_str());
        const QString stem = corpus_ + "/2.13.0/" + name;
        const tests::Recorded recorded(stem);
        if (recorded.samples.isEmpty()) QSKIP("No outputs are recorded for it: it is random, or cannot run.");
        auto document = Document::open((stem + ".pt2").toStdString());
        QVERIFY(document.has_value());
        auto contract = buildContract(*document, document->defaultModel());
        QVERIFY2(contract.has_value(), contract ? "" : contract.error().what.c_str());
        for (const auto& entry : recorded.samples) {
            const QJsonObject sample = entry.toObject();
            const auto run = session_->run(*document, *contract, {}, recorded.inputs(*contract, sample));
            const Result<NamedTensors> outputs = run ? Result<NamedTensors>(run->outputs()) : fail(run.error());
            // What needs a library of its author is said, and is no failure of ours.
            const std::map<QString, std::string> foreign = {{"custom_op", "python.missing-operator"},
                                                            {"auto_functionalized", "python.missing-operator"},
                                                            {"torchbind", "python.missing-operator"},
                                                            {"quant_pickled", "python.unsafe-pickle"}};
            if (const auto expected = foreign.find(name); expected != foreign.end()) {
                QVERIFY(!outputs.has_value());
                QCOMPARE(outputs.error().code, expected->second);
                return;
            }
            QVERIFY2(outputs.has_value(), outputs ? "" : (outputs.error().what + " " + outputs.error().why).c_str());
            std::size_t next = 0;
            for (const auto& leaf : sample["outputs"].toArray()) {
                const QJsonObject o = leaf.toObject();
                if (!o["key"].isString()) {
                    // Numbers come as tensors without dimensions, None as an undefined one; text does not come.
                    const QString value = o["value"].toString();
                    if (value.startsWith('\'') || value.startsWith('"')) continue;
                    QVERIFY(next < outputs->size());
                    const Tensor& tensor = (*outputs)[next++].second;
                    if (value == QLatin1String("None")) {
                        QVERIFY(tensor.storage.empty());
                    } else {
                        QCOMPARE(QString::fromStdString(elementText(tensor.view(), 0)), value);
                    }
                    continue;
                }
                QVERIFY(next < outputs->size());
                const auto compared = compareTensors("out", (*outputs)[next].second.view(), recorded.tensor(o).view(), {});
                QVERIFY(compared.has_value());
                QVERIFY2(
                    compared->comparable && compared->ok,
                    qPrintable(
                        QString("%1 %2: %3 max %4").arg(name, o["key"].toString(), QString::fromStdString(compared->reason)).arg(compared->maxAbs)));
                ++next;
            }
            QCOMPARE(next, outputs->size());
        }
    }

    void refusedInputsKeepTorchsWords() {
        if (corpus_.isEmpty()) QSKIP("The corpus is not here.");
        if (!session_) QSKIP(("NO PYTHON WITH TORCH. " + noPython_).c_str());
        auto document = Document::open((corpus_ + "/2.13.0/tiny.pt2").toStdString());
        auto contract = buildContract(*document, "model").value();
        InputSet inputs;
        inputs.inputs.emplace_back().tensor = allocateTensor(DType::Float32, {4, 9})->tensor;
        const auto outputs = session_->run(*document, contract, {}, inputs);
        QVERIFY(!outputs.has_value());
        QCOMPARE(outputs.error().kind, ErrorKind::RunFailed);
        QVERIFY2(outputs.error().why.find("16") != std::string::npos, outputs.error().why.c_str());
        // The helper lives on after an error.
        inputs.inputs[0].tensor = allocateTensor(DType::Float32, {1, 16})->tensor;
        QVERIFY(session_->run(*document, contract, {}, inputs).has_value());
    }

    void seedsMakeRandomProgramsRepeatable() {
        if (corpus_.isEmpty()) QSKIP("The corpus is not here.");
        if (!session_) QSKIP(("NO PYTHON WITH TORCH. " + noPython_).c_str());
        auto document = Document::open((corpus_ + "/2.13.0/random_ops.pt2").toStdString());
        auto contract = buildContract(*document, "model").value();
        const auto inputs = makeInputs(*document, contract, {});
        QVERIFY(inputs.has_value());
        const auto hashes = [&](std::uint64_t seed) {
            EagerRequest request;
            request.seed = seed;
            std::string all;
            const auto outputs = session_->run(*document, contract, request, *inputs);
            if (outputs) {
                for (const auto& [name, tensor] : outputs->outputs()) all += tensorSha256(tensor.view()).value();
            }
            return all;
        };
        const std::string first = hashes(1);
        QVERIFY(!first.empty());
        QCOMPARE(hashes(1), first);
        QVERIFY(hashes(2) != first);
    }

    /// Each call of a sequence finds the buffers as the call before left them, and the inputs as they were given.
    void sequencesKeepTheirState_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<bool>("changes");
        QTest::addColumn<bool>("grows");
        QTest::newRow("state_wide") << "state_wide" << true << true;
        QTest::newRow("kv_cache") << "kv_cache" << true << false;  // it writes the same keys to the same place
        QTest::newRow("tiny") << "tiny" << false << false;
    }
    void sequencesKeepTheirState() {
        QFETCH(QString, name);
        QFETCH(bool, changes);
        QFETCH(bool, grows);
        if (corpus_.isEmpty()) QSKIP("The corpus is not here.");
        if (!session_) QSKIP(("NO PYTHON WITH TORCH. " + noPython_).c_str());
        auto document = Document::open((corpus_ + "/2.13.0/" + name + ".pt2").toStdString());
        QVERIFY(document);
        auto contract = buildContract(*document, "model").value();
        const auto inputs = makeInputs(*document, contract, {});
        QVERIFY(inputs.has_value());
        EagerRequest request;
        request.steps = 3;
        request.watch = changedState(*document, contract);
        QCOMPARE(!request.watch.empty(), changes);
        const auto run = session_->run(*document, contract, request, *inputs);
        QVERIFY2(run, run ? "" : run.error().why.c_str());
        QCOMPARE(run->calls.size(), std::size_t{3});
        QCOMPARE(run->states.size(), std::size_t{3});
        for (const NamedTensors& state : run->states) QCOMPARE(state.size(), request.watch.size());
        const auto digest = [](const NamedTensors& tensors) {
            std::string all;
            for (const auto& [key, tensor] : tensors) all += key + tensorSha256(tensor.view()).value();
            return all;
        };
        QCOMPARE(digest(run->states[0]) != digest(run->states[1]), grows);
        // The first call is the one that a run without a sequence makes.
        const auto alone = session_->run(*document, contract, {}, *inputs);
        QVERIFY(alone);
        QCOMPARE(digest(alone->outputs()), digest(run->outputs()));
    }

    /// Float64 is nearer to the truth than float32, and the judge of what is rounding.
    void float64JudgesRounding() {
        if (corpus_.isEmpty()) QSKIP("The corpus is not here.");
        if (!session_) QSKIP(("NO PYTHON WITH TORCH. " + noPython_).c_str());
        for (const char* name : {"tiny", "attention", "llama_tiny", "conv_bn_eval", "bert_tiny", "gru", "vision_tiny"}) {
            auto document = Document::open((corpus_ + "/2.13.0/" + name + ".pt2").toStdString());
            QVERIFY(document);
            auto contract = buildContract(*document, "model").value();
            const auto inputs = makeInputs(*document, contract, {});
            QVERIFY(inputs.has_value());
            const auto eager = session_->run(*document, contract, {}, *inputs);
            QVERIFY(eager);
            EagerRequest request;
            request.float64 = true;
            const auto exact = session_->run(*document, contract, request, *inputs);
            QVERIFY2(exact, (name + std::string(": ") + (exact ? "" : exact.error().why)).c_str());
            NamedTensors wrong = eager->outputs();
            for (auto& [key, tensor] : wrong) {
                if (tensor.layout.dtype != DType::Float32) continue;
                auto copy = allocateTensor(DType::Float32, tensor.layout.sizes);
                const std::uint64_t count = tensor.layout.elementCount().value_or(0);
                for (std::uint64_t i = 0; i < count; ++i) {
                    const float value = static_cast<float>(elementAsDouble(tensor.view(), i) * 1.02);
                    std::memcpy(copy->bytes.data() + i * sizeof(float), &value, sizeof(float));
                }
                tensor = copy->tensor;
            }
            for (const auto& [given, expected] : {std::pair(eager->outputs(), true), std::pair(wrong, false)}) {
                const auto judged = judgeByFloat64(given, eager->outputs(), exact->outputs());
                QVERIFY(judged && !judged->empty());
                for (const Float64Distance& distance : *judged) {
                    QVERIFY2(distance.why.empty(), distance.why.c_str());
                    QVERIFY2(distance.dtype != DType::Float32 || distance.noFarther == expected, (name + std::string(" ") + distance.name).c_str());
                }
            }
        }
    }
};

QTEST_GUILESS_MAIN(TestEager)
#include "tst_eager.moc"
