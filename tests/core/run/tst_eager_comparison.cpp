#include <QtTest>
#include <cstring>
#include <string>
#include <vector>

#include "core/run/eager_comparison.h"
#include "core/run/run_text.h"

using namespace pt2;

/// A sequence of calls is held against eager's call by call, and the first difference is named.
class EagerComparisonTest : public QObject {
    Q_OBJECT

    static Tensor scalar(float value) {
        auto made = allocateTensor(DType::Float32, {1});
        std::memcpy(made->bytes.data(), &value, sizeof value);
        return made->tensor;
    }
    /// Outputs y and a buffer "total", one value a call.
    static RunOutcome ran(const std::vector<float>& outputs, const std::vector<float>& totals) {
        RunOutcome outcome;
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            outcome.steps.push_back({{"y", scalar(outputs[i])}});
            outcome.stepStates.push_back({{"total", true, {}, scalar(totals[i]), false}, {"x", true, {}, scalar(9), true}});
        }
        outcome.outputs = outcome.steps.front();
        return outcome;
    }
    static EagerRun eager(const std::vector<float>& outputs, const std::vector<float>& totals) {
        EagerRun run;
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            run.calls.push_back({{"y", scalar(outputs[i])}});
            run.states.push_back({{"total", scalar(totals[i])}});
        }
        return run;
    }

private slots:
    void equalSequencesHold() {
        const auto compared = compareWithEager(ran({1, 2, 3}, {1, 3, 6}), eager({1, 2, 3}, {1, 3, 6}));
        QVERIFY(compared && compared->ok() && !compared->firstDiffering);
        QCOMPARE(compared->calls.size(), std::size_t{3});
        QVERIFY2(compared->sentence().find("all 3 calls") != std::string::npos, compared->sentence().c_str());
    }

    /// A compiled model that forgets its state gives the first call again.
    void theFirstDifferingCallIsNamed() {
        const auto compared = compareWithEager(ran({1, 1, 1}, {1, 1, 1}), eager({1, 2, 3}, {1, 3, 6}));
        QVERIFY(compared && !compared->ok());
        QVERIFY(compared->firstDiffering == std::size_t{1});
        QCOMPARE(compared->verdict(), std::string("differs from call 2 on"));
        QVERIFY2(compared->sentence().find("output y") != std::string::npos, compared->sentence().c_str());
    }

    void aDifferingBufferIsNamedThoughOutputsHold() {
        const auto compared = compareWithEager(ran({1, 1, 1}, {1, 3, 7}), eager({1, 1, 1}, {1, 3, 6}));
        QVERIFY(compared && !compared->ok());
        QVERIFY(compared->firstDiffering == std::size_t{2});
        QVERIFY2(compared->sentence().find("buffer total") != std::string::npos, compared->sentence().c_str());
    }

    void aSoakTellsALeakFromNoise() {
        Soak flat, leak;
        for (int i = 0; i < 40; ++i) {
            flat.bytes.push_back(1e8 + (i < 5 ? i * 1e6 : 5e6) + (i % 2) * 4096);
            flat.mappings.push_back(300);
            leak.bytes.push_back(1e8 + i * 200'000.0);
            leak.mappings.push_back(300 + i * 2);
        }
        QVERIFY(!grows(flat));
        QVERIFY2(soakText(flat).find("does not grow") != std::string::npos, soakText(flat).c_str());
        QVERIFY(grows(leak));
        QVERIFY2(soakText(leak).find("each load leaves 200 kB behind; each load leaves 2 mappings behind") != std::string::npos,
                 soakText(leak).c_str());
        const Soak few{{1e8, 1e8}, {300, 300}};
        QVERIFY(soakText(few).find("too few") != std::string::npos);
    }
};

QTEST_APPLESS_MAIN(EagerComparisonTest)
#include "tst_eager_comparison.moc"
