#include <QtTest>
#include <string>

#include "core/program/random_operators.h"
#include "tests/core/program/corpus_programs.h"

using namespace pt2;

/// Programs whose results differ from call to call are known by their operators.
class RandomOperatorsTest : public QObject {
    Q_OBJECT

    static std::shared_ptr<const Program> programOf(const char* name) {
        for (const tests::CorpusProgram& program : tests::corpusPrograms("2.13.0")) {
            if (QFileInfo(program.file).completeBaseName() != name) continue;
            Issues issues;
            auto parsed = Program::parse(tests::programJson(program), name, issues);
            if (parsed) return *parsed;
        }
        return nullptr;
    }

private slots:
    void randomProgramsAreWarnedOf_data() {
        QTest::addColumn<bool>("random");
        QTest::newRow("random_ops") << true;
        QTest::newRow("training_dropout") << true;
        // Dropout that is switched off, attention without a probability, and programs that draw nothing.
        for (const char* name : {"bert_tiny", "encoder", "attention", "sdpa_gqa", "lstm", "gru", "tiny", "mlp2", "vision_tiny", "llama_tiny"}) {
            QTest::newRow(name) << false;
        }
    }
    void randomProgramsAreWarnedOf() {
        QFETCH(bool, random);
        if (tests::corpus().isEmpty()) QSKIP("The corpus of real packages is not here.");
        const auto program = programOf(QTest::currentDataTag());
        QVERIFY(program);
        const std::string warning = randomWarning(*program);
        QVERIFY2(warning.empty() != random, warning.c_str());
        QCOMPARE(randomNodes(*program).empty(), !random);
    }

    void theWarningNamesOperators() {
        if (tests::corpus().isEmpty()) QSKIP("The corpus of real packages is not here.");
        const auto program = programOf("training_dropout");
        QVERIFY(program);
        QVERIFY2(randomWarning(*program).find("dropout") != std::string::npos, randomWarning(*program).c_str());
    }
};

QTEST_APPLESS_MAIN(RandomOperatorsTest)
#include "tst_random_operators.moc"
