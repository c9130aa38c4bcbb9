#include <QtTest>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/compiled/operator_schema.h"
#include "core/compiled/runnable.h"
#include "tests/core/compiled/compiled_corpus.h"
#include "tests/core/compiled/targets.h"
#include "tests/corpus.h"

using namespace pt2;

namespace {

QString parametersOf(const char* text) {
    const auto schema = parseOperatorSchema(text);
    if (!schema) return "none";
    QStringList names;
    for (const OperatorSchema::Parameter& parameter : schema->parameters) {
        names << QString::fromStdString(parameter.name) + (parameter.hasDefault ? "=" : "");
    }
    return names.join(' ');
}

}  // namespace

/// What a model calls by name is held against what a LibTorch has under that name.
class TestOperatorSchema : public QObject {
    Q_OBJECT

    /// The verdict on the package whose one operator is corpus::scale_shift(x, scale, shift, tag), where this is what is registered.
    static std::optional<RunReason> reasonWith(const std::optional<std::map<std::string, std::string>>& registered) {
        const tests::OpenedModels opened = tests::openModels(tests::corpus() + "/2.13.0/aoti/custom_op.pt2");
        const CompiledModel& model = opened.models.begin()->second;
        const CompiledNeeds needs = readNeeds(*opened.archive, model);
        Target target = tests::goodTarget(needs);
        target.torch.schemas = [&](const std::vector<std::string>&) { return registered; };
        for (const RunReason& reason : judgeRunnable(model, needs, target).reasons) {
            if (reason.what == "operator corpus::scale_shift") return reason;
        }
        return std::nullopt;
    }

private slots:
    void parametersAreReadWithTheirDefaults_data() {
        QTest::addColumn<QString>("parameters");
        const auto row = [](const char* schema, const char* parameters) { QTest::newRow(schema) << QString(parameters); };
        row("corpus::scale_shift(Tensor x, float scale, int[] shift, str tag) -> (Tensor, Tensor)", "x scale shift tag");
        row("aten::sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", "self dim keepdim= dtype=");
        row("aten::addmm.out(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)",
            "self mat1 mat2 beta= alpha= out");
        row("lib::text(str a=\"x, (y)\", str b='\\'', int[2] c=[1, 2]) -> ()", "a= b= c=");
        row("aten::view_as(Tensor(a) self, Tensor other) -> Tensor(a)", "self other");
        row("lib::nothing() -> ()", "");
        row("aten::percentFormat(str self, ...) -> str", "self");
        row("lib::anything(...) -> ...", "");
        row("no schema", "none");
        row("lib::cut(Tensor x, float", "none");
        row("lib::nameless(Tensor) -> ()", "none");
        row("lib::open(str a=\"x) -> ()", "none");
        row("", "none");
    }
    void parametersAreReadWithTheirDefaults() {
        QFETCH(QString, parameters);
        QCOMPARE(parametersOf(QTest::currentDataTag()), parameters);
    }

    void theModelsCallStandsWithItsArguments() {
        if (tests::corpus().isEmpty()) QSKIP("the corpus is not there");
        const tests::OpenedModels opened = tests::openModels(tests::corpus() + "/2.13.0/aoti/custom_op.pt2");
        const CompiledModel& model = opened.models.begin()->second;
        QCOMPARE(model.externalCalls.size(), std::size_t(1));
        QCOMPARE(model.externalCalls[0].text(), std::string("corpus::scale_shift(x, scale, shift, tag)"));
    }

    void anOperatorThatTakesTheCallIsFineAndBothAreShown() {
        if (tests::corpus().isEmpty()) QSKIP("the corpus is not there");
        const std::string schema = "corpus::scale_shift(Tensor x, float scale, int[] shift, str tag) -> (Tensor, Tensor)";
        const auto reason = reasonWith({{{"corpus::scale_shift", schema}}});
        QVERIFY(reason);
        QCOMPARE(reason->ok, std::optional<bool>(true));
        QCOMPARE(reason->found, schema);
        QCOMPARE(reason->needed, std::string("corpus::scale_shift(x, scale, shift, tag)"));
    }

    void aFurtherParameterWithADefaultIsNamed() {
        if (tests::corpus().isEmpty()) QSKIP("the corpus is not there");
        const auto reason = reasonWith(
            {{{"corpus::scale_shift", "corpus::scale_shift(Tensor x, float scale, int[] shift, str tag, bool fast=False) -> (Tensor, Tensor)"}}});
        QVERIFY(reason);
        QCOMPARE(reason->ok, std::optional<bool>(true));
        QVERIFY2(reason->help.find("fast") != std::string::npos, reason->help.c_str());
    }

    void aCallThatTheSchemaDoesNotTakeIsANo_data() {
        QTest::addColumn<QString>("schema");
        QTest::addColumn<QString>("named");
        QTest::newRow("a parameter went") << "corpus::scale_shift(Tensor x, float scale, int[] shift) -> (Tensor, Tensor)"
                                          << "tag";
        QTest::newRow("one came without a default")
            << "corpus::scale_shift(Tensor x, float scale, int[] shift, str tag, int axis) -> (Tensor, Tensor)"
            << "axis";
        QTest::newRow("one has another name") << "corpus::scale_shift(Tensor x, float factor, int[] shift, str tag) -> (Tensor, Tensor)"
                                              << "factor";
    }
    void aCallThatTheSchemaDoesNotTakeIsANo() {
        if (tests::corpus().isEmpty()) QSKIP("the corpus is not there");
        QFETCH(QString, schema);
        QFETCH(QString, named);
        const auto reason = reasonWith({{{"corpus::scale_shift", schema.toStdString()}}});
        QVERIFY(reason);
        QCOMPARE(reason->ok, std::optional<bool>(false));
        QCOMPARE(QString::fromStdString(reason->found), schema);
        QVERIFY2(reason->help.find(named.toStdString()) != std::string::npos, reason->help.c_str());
    }

    void whatIsNotRegisteredOrNotUnderstoodIsUnknown() {
        if (tests::corpus().isEmpty()) QSKIP("the corpus is not there");
        for (const auto& registered : {std::optional<std::map<std::string, std::string>>(), std::optional(std::map<std::string, std::string>()),
                                       std::optional(std::map<std::string, std::string>{{"corpus::scale_shift", "odd"}})}) {
            const auto reason = reasonWith(registered);
            QVERIFY(reason);
            QVERIFY(!reason->ok);
        }
    }
};

QTEST_GUILESS_MAIN(TestOperatorSchema)
#include "tst_operator_schema.moc"
