#include <QtTest>
#include <string>
#include <vector>

#include "core/run/run_text.h"

using namespace pt2;

/// What is said of a run beside its outputs.
class RunTextTest : public QObject {
    Q_OBJECT

    static Contract contractOf(const std::vector<std::string>& compiledNames) {
        Contract contract;
        for (std::size_t i = 0; i < compiledNames.size(); ++i) {
            ContractInput input;
            input.compiledName = compiledNames[i];
            input.tensorIndex = i;
            contract.inputs.push_back(std::move(input));
        }
        return contract;
    }

private slots:
    void memoryIsToldBeforeAndAfterLoading() {
        QCOMPARE(memoryText({200'000'000, 1'200'000'000, 1'400'000'000}),
                 std::string("200 MB with LibTorch alone, 1.20 GB with the model loaded (+1.00 GB), 1.40 GB at most."));
        // A run engine of before, or a system that does not tell.
        QCOMPARE(memoryText({0, 0, 1'400'000'000}), std::string("1.40 GB at most."));
        QCOMPARE(memoryText({}), std::string());
    }

    void aLibraryWithoutSourceNamesItsInputs() {
        const LibraryNames names{{"arg0_1", "arg4_1"}, {"output0"}};
        QCOMPARE(libraryNamesText(contractOf({"", ""}), names), std::string("The library calls its inputs arg0_1, arg4_1 and its outputs output0."));
        // What the contract knows is not told twice, and silence is not made into words.
        QCOMPARE(libraryNamesText(contractOf({"arg0_1", "arg4_1"}), names), std::string());
        QCOMPARE(libraryNamesText(contractOf({""}), {}), std::string());
    }

    void manyNamesAreCounted() {
        LibraryNames names;
        for (int i = 0; i < 20; ++i) names.inputs.push_back("arg" + std::to_string(i));
        QVERIFY(libraryNamesText({}, names).find("arg7 and 12 more.") != std::string::npos);
    }

    void aSourceThatIsNotTheLibrarysIsNoticed() {
        const LibraryNames names{{"arg0_1", "arg4_1"}, {}};
        QCOMPARE(strangeSourceText(contractOf({"arg0_1", "arg4_1"}), names), std::string());
        QVERIFY(strangeSourceText(contractOf({"arg0_1", "arg2_1"}), names).find("arg2_1, the library calls it arg4_1") != std::string::npos);
        QVERIFY(strangeSourceText(contractOf({"arg0_1", "arg4_1", "arg5_1"}), names).find("arg5_1, the library has no such input") !=
                std::string::npos);
        // Nothing is concluded from a library that does not say.
        QCOMPARE(strangeSourceText(contractOf({"arg0_1"}), {}), std::string());
    }
};

QTEST_APPLESS_MAIN(RunTextTest)
#include "tst_run_text.moc"
