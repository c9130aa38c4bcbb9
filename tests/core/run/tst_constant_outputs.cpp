#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include "core/compare/compare_outputs.h"
#include "core/run/eager.h"
#include "core/run/python_info.h"
#include "core/run/recompile.h"
#include "core/run/run.h"
#include "tests/worker.h"

using namespace pt2;

namespace {

constexpr const char* kProgram = R"(
import sys
import torch

class Mixed(torch.nn.Module):
    def forward(self, x):
        return {"y": x * 2, "n": 3, "ok": True, "none": None, "rows": x.shape[0], "cols": x.shape[1]}

rows = {0: torch.export.Dim("rows", min=2, max=64)}
torch.export.save(torch.export.export(Mixed(), (torch.randn(4, 5),), dynamic_shapes=(rows,)), sys.argv[1])
)";

}  // namespace

/// Programs return Python numbers and None beside their tensors; a compiled model returns them too.
class TestConstantOutputs : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    std::string noPython_;

private slots:
    void initTestCase() {
        const auto python = findPython();
        if (!python) {
            noPython_ = python.error().what + " " + python.error().why;
            return;
        }
        QProcess process;
        process.start(QString::fromStdString(python->executable), {"-c", kProgram, folder_.filePath("mixed.pt2")});
        QVERIFY2(process.waitForFinished(280000) && process.exitCode() == 0, process.readAllStandardError().constData());
    }

    void numbersAndNoneAreComparedByValue() {
        if (!noPython_.empty()) QSKIP(("NO PYTHON WITH TORCH: nothing was exported. " + noPython_).c_str());
        const auto document = Document::open(folder_.filePath("mixed.pt2").toStdString()).value();
        const Contract contract = buildContract(document, "model").value();
        InputRequest asked;
        asked.sizes.emplace_back(contract.symbols.at(0).name, 7);
        const auto inputs = makeInputs(document, contract, asked);
        QVERIFY(inputs.has_value());
        const auto eager = runEager(document, contract, {}, *inputs);
        QVERIFY2(eager.has_value(), eager ? "" : (eager.error().what + " " + eager.error().why).c_str());
        const std::vector<std::pair<std::string, std::string>> numbers{{"n", "3"}, {"ok", "True"}, {"rows", "7"}, {"cols", "5"}};
        const auto valueOf = [](const NamedTensors& tensors, const std::string& name) {
            for (const auto& [key, tensor] : tensors) {
                if (key == name) return elementText(tensor.view(), 0);
            }
            return std::string("missing");
        };
        QCOMPARE(eager->outputs().size(), std::size_t{6});
        for (const auto& [name, value] : numbers) QCOMPARE(valueOf(eager->outputs(), name), value);

        PT2_NEEDS_WORKER();
        const auto output = folder_.filePath("compiled.pt2").toStdString();
        const auto made = recompile(document, output, {});
        QVERIFY2(made.has_value(), made ? "" : (made.error().what + " " + made.error().why).c_str());
        const auto compiled = Document::open(output).value();
        const Contract whole = buildContract(compiled, "model").value();
        RunRequest both;
        both.checks = RuntimeChecks::Both;
        const auto report = runCompiled(compiled, whole, both, inputs->tensors());
        QVERIFY2(report.has_value(), report ? "" : report.error().what.c_str());
        QVERIFY(report->primary().has_value());
        QVERIFY(report->same());
        const NamedTensors& actual = report->primary()->outputs;
        QCOMPARE(actual.size(), std::size_t{6});
        for (const auto& [name, value] : numbers) QCOMPARE(valueOf(actual, name), value);
        const auto comparison = compareOutputs(actual, eager->outputs());
        QVERIFY2(comparison.has_value(), comparison ? "" : comparison.error().why.c_str());
        QVERIFY2(comparison->ok(), comparison->sentence().c_str());
        // What is saved is a reference, though files hold no None.
        const std::filesystem::path saved = folder_.filePath("outputs.npz").toStdString();
        QVERIFY(writeNpzFile(saved, withoutNone(actual), false).has_value());
        QCOMPARE(compareOutputs(actual, readNpzFile(saved).value())->verdict(), std::string("identical"));
        // A number that is another one is seen.
        NamedTensors other = eager->outputs();
        for (auto& [name, tensor] : other) {
            if (name == "n") tensor = allocateTensor(DType::Int64, {})->tensor;
        }
        QVERIFY(!compareOutputs(actual, other)->ok());
    }
};

QTEST_GUILESS_MAIN(TestConstantOutputs)
#include "tst_constant_outputs.moc"
