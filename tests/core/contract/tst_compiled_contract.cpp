#include <QRegularExpression>
#include <QtTest>
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "tests/core/contract/contract_corpus.h"

using namespace pt2;

namespace {

/// What one line of a model's own message says: "input_handles[0]: dim value is too large at 0, expected to be <= 64, but got: 65".
struct Complaint {
    std::size_t input = 0;
    RuntimeCheck::What what = RuntimeCheck::What::DType;
    std::optional<std::size_t> dimension;
    QString expected;
};

std::optional<Complaint> complaintOf(const QString& message) {
    static const QRegularExpression head(
        "input_handles\\[(\\d+)\\]: (unmatched dtype|unmatched dim value|dim value is too small|dim value is too "
        "large|unmatched stride value|unmatched device type)(?: at (\\d+))?, expected(?: it)?(?: to be)?:? ?(?:[<>]= )?(-?\\d+)");
    const QRegularExpressionMatch match = head.match(message);
    if (!match.hasMatch()) return std::nullopt;
    using What = RuntimeCheck::What;
    static const std::map<QString, What> whats = {{"unmatched dtype", What::DType},          {"unmatched dim value", What::Size},
                                                  {"dim value is too small", What::Minimum}, {"dim value is too large", What::Maximum},
                                                  {"unmatched stride value", What::Stride},  {"unmatched device type", What::Device}};
    Complaint complaint;
    complaint.input = match.captured(1).toULongLong();
    complaint.what = whats.at(match.captured(2));
    if (!match.captured(3).isEmpty()) complaint.dimension = match.captured(3).toULongLong();
    complaint.expected = match.captured(4);
    return complaint;
}

const CompiledModel* compiledOf(const Document& document, const std::string& model) {
    const Document::CompiledRef found = document.compiled(model);
    return found ? found.model : nullptr;
}

/// Every model of the corpus' packages that torch recorded runs of.
template <typename Visit>
int forEachPackage(Visit&& visit) {
    int packages = 0;
    for (const QString& path : tests::corpusFiles("2.13.0/aoti") + tests::corpusFiles("eras/2.8/aoti") + tests::corpusFiles("eras/2.6/aoti")) {
        const nlohmann::json facts = tests::factsOf(path);
        const Document document = tests::opened(path);
        ++packages;
        for (const auto& [model, aoti] : facts["aoti"].items()) visit(path, document, model, facts);
    }
    return packages;
}

}  // namespace

/// "Done means" of the contract: what torch wrote of every compiled package, against what is recovered without running it.
class CompiledContractTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        if (tests::corpus().isEmpty()) QSKIP("The corpus of real files is not here.");
    }

    void metadataCallSpecAndConstantNames() {
        std::set<std::string> seen;
        const int packages =
            forEachPackage([&](const QString& path, const Document& document, const std::string& model, const nlohmann::json& facts) {
                const QByteArray where = (path + " " + QString::fromStdString(model)).toUtf8();
                const CompiledModel* compiled = compiledOf(document, model);
                QVERIFY2(compiled != nullptr, where);
                const nlohmann::json& aoti = facts["aoti"][model];
                QVERIFY2(nlohmann::json(compiled->metadata) == aoti["metadata"], where);
                seen.insert(path.toStdString() + model);
                if (!aoti["loader"].is_object()) return;
                QVERIFY2(compiled->inSpec == aoti["loader"]["in_spec"].get<std::string>(), where);
                QVERIFY2(compiled->outSpec == aoti["loader"]["out_spec"].get<std::string>(), where);
                std::set<std::string> fqns;
                for (const CompiledConstant& constant : compiled->constants) fqns.insert(constant.fqn);
                QVERIFY2(fqns == aoti["loader"]["constant_fqns"].get<std::set<std::string>>(), where);
            });
        QVERIFY2(packages >= 28 && seen.size() >= 29, qPrintable(QString("%1 packages").arg(packages)));
    }

    /// Inputs that torch ran are legal: of `runs` where there are records, of `io` for older packages.
    void inputsThatRanAreLegal() {
        int first = 0, second = 0, older = 0;
        forEachPackage([&](const QString& path, const Document& document, const std::string& model, const nlohmann::json& facts) {
            const Result<Contract> contract = buildContract(document, model);
            QVERIFY2(contract, qPrintable(path));
            const auto isLegal = [&](const nlohmann::json& given, const QString& which) {
                QCOMPARE(contract->tensorCount(), static_cast<std::size_t>(given.size()));
                const CheckReport report = checkInputs(*contract, tests::givenInputs(*contract, given));
                QVERIFY2(report.ok(), qPrintable(path + " " + which + ": " + tests::sentences(report)));
            };
            if (facts["runs"].is_object()) {
                for (const auto& [name, record] : facts["runs"][model]["variants"].items()) {
                    isLegal(record["inputs"], QString::fromStdString(name));
                    ++(name == "first" ? first : second);
                }
                return;
            }
            for (const nlohmann::json& sample : facts["io"]) {
                nlohmann::json tensors = nlohmann::json::array();
                for (const nlohmann::json& input : sample["inputs"]) {
                    if (!input["key"].is_null()) tensors.push_back(input);
                }
                isLegal(tensors, "io");
                ++older;
            }
        });
        QVERIFY2(first >= 23 && second >= 12 && older >= 6, qPrintable(QString("%1 %2 %3").arg(first).arg(second).arg(older)));
    }

    /// Every wrong call that torch recorded is a breach, of the kind and at the input that are wrong, and it is caught by the runtime checks
    /// exactly where the model raised with the variable at 1.
    void wrongCallsAreBreaches() {
        int wrong = 0, notes = 0;
        forEachPackage([&](const QString& path, const Document& document, const std::string& model, const nlohmann::json& facts) {
            if (!facts["runs"].is_object() || !facts["runs"][model].contains("wrong")) return;
            const Result<Contract> contract = buildContract(document, model);
            QVERIFY2(contract, qPrintable(path));
            const nlohmann::json right = facts["runs"][model]["variants"]["first"]["inputs"];
            for (const auto& [kind, record] : facts["runs"][model]["wrong"].items()) {
                const CheckReport report = checkInputs(*contract, tests::givenInputs(*contract, record["given"]));
                const QByteArray where = (path + " " + QString::fromStdString(kind) + ": " + tests::sentences(report)).toUtf8();
                ++wrong;
                if (kind == "first_dim_one" && contract->hasProgram) {  // the program allows 1, the compiled bound is 2: ok with a note (cli.md)
                    QVERIFY2(report.ok() && !report.notes.empty(), where);
                    ++notes;
                    continue;
                }
                QVERIFY2(!report.ok(), where);
                const bool caught =
                    std::any_of(report.breaches.begin(), report.breaches.end(), [](const Breach& b) { return b.caughtByRuntimeChecks; });
                QVERIFY2(caught == (record["1"]["result"] == "raised"), where);
                // Only what is wrong is said to be.
                for (const Breach& breach : report.breaches) {
                    const std::size_t tensor = contract->inputs.at(breach.contractIndex).tensorIndex.value_or(99);
                    const bool differs = tensor >= record["given"].size() || record["given"][tensor] != right[tensor];
                    QVERIFY2(differs, where);
                }
            }
        });
        QVERIFY2(wrong > 130 && notes > 0, qPrintable(QString("%1 %2").arg(wrong).arg(notes)));
    }

    /// The model's own words name a check that we recovered, with the number it asks for; it is the first, in the order in which the code tests,
    /// that the given inputs fail.
    void theModelsOwnWordsNameARecoveredCheck() {
        int messages = 0;
        forEachPackage([&](const QString& path, const Document& document, const std::string& model, const nlohmann::json& facts) {
            if (!facts["runs"].is_object() || !facts["runs"][model].contains("wrong")) return;
            const CompiledModel* compiled = compiledOf(document, model);
            QVERIFY(compiled != nullptr);
            for (const auto& [kind, record] : facts["runs"][model]["wrong"].items()) {
                const QString message = QString::fromStdString(record["1"].value("message", ""));
                const std::optional<Complaint> complaint = complaintOf(message);
                const QByteArray where = (path + " " + QString::fromStdString(kind) + ": " + message).toUtf8();
                QVERIFY2(complaint || kind == "too_few_inputs", where);
                if (!complaint) continue;
                const auto check = std::find_if(compiled->checks.begin(), compiled->checks.end(), [&](const RuntimeCheck& c) {
                    return c.input == complaint->input && c.what == complaint->what && c.dimension == complaint->dimension;
                });
                QVERIFY2(check != compiled->checks.end(), where);
                const bool isNumber = complaint->what != RuntimeCheck::What::DType && complaint->what != RuntimeCheck::What::Device;
                if (isNumber) QVERIFY2(QString::fromStdString(check->expected) == complaint->expected, where);
                // Whatever stands before it holds for what was given; beyond the rank of what was given the code reads anything.
                for (auto earlier = compiled->checks.begin(); earlier != check; ++earlier) {
                    const nlohmann::json& given = record["given"][earlier->input];
                    const bool beyond = earlier->dimension && *earlier->dimension >= given["shape"].size();
                    if (beyond || earlier->what == RuntimeCheck::What::Layout) continue;
                    QVERIFY2(holds(*earlier, given), where);
                }
                ++messages;
            }
        });
        QVERIFY2(messages > 110, qPrintable(QString::number(messages)));
    }

    /// A package without source says nothing, and nothing is made up for it; with a program attached what comes from there is marked as such.
    void whatIsNotFoundIsUnknown() {
        for (const char* era : {"2.2", "2.4"}) {
            for (const char* name : {"tiny", "mlp2", "embedding"}) {
                const QString path = tests::corpus() + "/eras/" + era + "/aoti/" + name + ".so";
                const Result<Document> document = Document::open(path.toStdString());
                QVERIFY2(document, qPrintable(path));
                const Result<Contract> contract = buildContract(*document, "");
                QVERIFY2(contract, qPrintable(path));
                QVERIFY(!contract->inputsKnown && contract->inputs.empty() && !contract->notes.empty() && !contract->sourceRead);
            }
        }
        // torch 2.6 compiles no checks in: the library takes one tensor, and that is all that is known.
        const Result<Contract> old = buildContract(tests::opened(tests::corpus() + "/eras/2.6/aoti/mlp2"), "");
        QVERIFY(old && old->sourceRead && old->inputs.size() == 1);
        const ContractInput& input = old->inputs[0];
        QVERIFY(!input.rankKnown && input.dtype == DType::Unknown && input.dtypeSource.origin == Origin::Unknown);
        QVERIFY(input.sizesSource.origin == Origin::Unknown && input.stridesSource.origin == Origin::Unknown);
        QVERIFY(input.deviceSource.origin == Origin::Metadata);
        // Beside its program the same input is known, from the program, and says so.
        const Result<Document> joined =
            Document::open((tests::corpus() + "/2.13.0/mlp2.pt2").toStdString(), (tests::corpus() + "/eras/2.6/aoti/mlp2.pt2").toStdString());
        QVERIFY(joined);
        const Result<Contract> both = buildContract(*joined, "");
        QVERIFY(both && both->hasProgram && both->hasCompiled);
        QVERIFY(both->inputs[0].rankKnown && both->inputs[0].sizesSource.origin == Origin::Program);
        QVERIFY(both->inputs[0].dtypeSource.origin == Origin::Program && both->inputs[0].stridesSource.origin == Origin::Program);
        QVERIFY(both->inputs[0].nameSource.origin == Origin::WrapperSource && both->inputs[0].nameSource.line > 0);
    }

    /// Each fact of the joined contract says where it is from, with the line where it is from the wrapper source.
    void factsNameTheirOrigin() {
        forEachPackage([&](const QString& path, const Document& document, const std::string& model, const nlohmann::json&) {
            const Result<Contract> contract = buildContract(document, model);
            QVERIFY(contract);
            const auto isPlaced = [](const FactSource& source) {
                return source.origin == Origin::Unknown || source.origin == Origin::Program || source.origin == Origin::Metadata || source.line > 0;
            };
            for (const ContractInput& input : contract->inputs) {
                if (input.isConstant) continue;
                QVERIFY2((input.dtype != DType::Unknown) == (input.dtypeSource.origin != Origin::Unknown), qPrintable(path));
                QVERIFY2(input.rankKnown == (input.sizesSource.origin != Origin::Unknown), qPrintable(path));
                QVERIFY2(input.strides.has_value() == (input.stridesSource.origin != Origin::Unknown), qPrintable(path));
                QVERIFY2(isPlaced(input.sizesSource) && isPlaced(input.stridesSource) && isPlaced(input.deviceSource), qPrintable(path));
                for (const ContractDim& dim : input.sizes) {
                    if (dim.testedAtRuntime) QVERIFY2(dim.compiledSource.line > 0, qPrintable(path));
                }
            }
        });
        const Result<Contract> combined = buildContract(tests::opened(tests::corpus() + "/2.13.0/aoti/combined"), "");
        QVERIFY(combined);
        QCOMPARE(sourceText(combined->inputs[0].sizesSource), std::string("program"));
        QVERIFY(sourceText(combined->inputs[0].dtypeSource).find("wrapper source, line ") == 0);
        QVERIFY(sourceText(combined->inputs[0].sizes[0].compiledSource).find("wrapper source, line ") == 0);
        QCOMPARE(sourceText({}), std::string("unknown"));
    }

private:
    static bool holds(const RuntimeCheck& check, const nlohmann::json& given) {
        using What = RuntimeCheck::What;
        if (check.what == What::DType) return given["dtype"] == check.expected;
        if (!check.dimension) return true;
        const std::int64_t size = given["shape"][*check.dimension].get<std::int64_t>();
        const std::int64_t stride = given["stride"][*check.dimension].get<std::int64_t>();
        const std::int64_t expected = std::stoll(check.expected);
        switch (check.what) {
            case What::Size: return size == expected;
            case What::Minimum: return size >= expected;
            case What::Maximum: return size <= expected;
            case What::Stride: return stride == expected;
            default: return true;
        }
    }
};

QTEST_GUILESS_MAIN(CompiledContractTest)
#include "tst_compiled_contract.moc"
