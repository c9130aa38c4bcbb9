#include <QDir>
#include <QTest>
#include <optional>

#include "core/compare/compare.h"
#include "core/run/eager.h"
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
            const auto outputs = session_->run(*document, *contract, {}, recorded.inputs(*contract, sample));
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
                for (const auto& [name, tensor] : *outputs) all += tensorSha256(tensor.view()).value();
            }
            return all;
        };
        const std::string first = hashes(1);
        QVERIFY(!first.empty());
        QCOMPARE(hashes(1), first);
        QVERIFY(hashes(2) != first);
    }
};

QTEST_GUILESS_MAIN(TestEager)
#include "tst_eager.moc"
