#include <QtTest>

#include "core/contract/guards.h"
#include "tests/core/contract/contract_corpus.h"

using namespace pt2;

namespace {

std::vector<std::string> namesOf(const Contract& contract) {
    std::vector<std::string> names;
    for (const ContractInput& input : contract.inputs) names.push_back(input.name);
    return names;
}

}  // namespace

class ContractTest : public QObject {
    Q_OBJECT

    Result<Contract> contractOf(const QString& name, const char* model = "") {
        const Document document = tests::opened(tests::corpus() + "/" + name);
        if (!document.primary) return fail({ErrorKind::Unreadable, "test.open", "Cannot open.", {}, {}, {}});
        return buildContract(document, model);
    }

private slots:
    void rangesInWords() {
        QCOMPARE(rangeText({1, 1024}), std::string("1 to 1024"));
        QCOMPARE(rangeText({2, std::nullopt}), std::string("2 or more, no upper limit"));
        QCOMPARE(rangeText({std::nullopt, 4}), std::string("at most 4"));
        QCOMPARE(rangeText({}), std::string("any size"));
        QCOMPARE(rangeText({3, 3}), std::string("3"));
    }

    void guardsAreEvaluatedAsPythonDoes() {
        const auto sizeOf = [](const GuardTerm& term) -> std::optional<std::int64_t> {
            if (term.path == "x") return term.dimension == 0 ? 7 : 12;
            if (term.path == "b['k'][0]") return 3;
            return std::nullopt;
        };
        const std::vector<std::pair<std::string, std::optional<bool>>> cases = {
            {"L['x'].size()[0] == 7", true},
            {"(L['x'].size()[0] % 2) == 0", false},
            {"L['x'].size()[1] == (4*L['b']['k'][0].size()[0])", true},
            {"2*(L['x'].size()[0] // 2) < 1 + L['x'].size()[0]", true},
            {"((-1) + L['x'].size()[0]) == 6 and not L['x'].size()[1] == 1", true},
            {"L['x'].size()[0] == 1 or L['x'].size()[1] >= 12", true},
            {"max(L['x'].size()[0], 3*L['b']['k'][0].size()[0], 2) == 9", true},
            {"min(1, 2) - -7 // 2 == 5", true},
            {"-7 % 3 == 2", true},
            {"L['y'].size()[0] == 1", std::nullopt},
            {"L['x'].stride()[0] == 1", std::nullopt},
            {"math.floor(1.5) == 1", std::nullopt},
            {"1 // 0 == 1", std::nullopt},
            {"(1", std::nullopt},
            {"1 +", std::nullopt},
            {"max", std::nullopt},
            {"", std::nullopt},
            {"L['", std::nullopt},
        };
        for (const auto& [text, holds] : cases) QVERIFY2(evaluateGuard(text, sizeOf).holds == holds, text.c_str());
        QCOMPARE(evaluateGuard("L['b']['k'][0].size()[2] == 3", sizeOf).readable, std::string("b['k'][0] dimension 2 == 3"));
        QVERIFY(!evaluateGuard(std::string(100000, '('), sizeOf).holds);
    }

    void namesAsTheCallerKnowsThem() {
        if (tests::corpus().isEmpty()) QSKIP("The corpus of real files is not here.");
        using Names = std::vector<std::string>;
        const std::vector<std::pair<QString, Names>> expected = {
            {"2.13.0/tiny", {"x"}},
            {"2.13.0/kwargs", {"x", "shift", "scale", "mask"}},
            {"2.13.0/pytree_inputs", {"d.a", "d.b.c", "seq[0]", "seq[1][0]", "n", "f", "mode", "flag", "nothing"}},
            {"2.13.0/nested_tensors_in", {"d.b.c", "d.a", "seq[0]", "seq[1]", "bias"}},
            {"2.13.0/namedtuple_inputs", {"p.px", "p.py", "od.u", "od.v"}},
        };
        for (const auto& [file, names] : expected) {
            const Result<Contract> contract = contractOf(file);
            QVERIFY2(contract, qPrintable(file));
            QVERIFY2(namesOf(*contract) == names, qPrintable(file + ": " + QString::fromStdString(nlohmann::json(namesOf(*contract)).dump())));
            for (std::size_t i = 0; i < names.size(); ++i) {
                QCOMPARE(contract->findInput(names[i]).value_or(99), i);
                QCOMPARE(contract->findInput(contract->inputs[i].python).value_or(99), i);
                QCOMPARE(contract->findInput(std::to_string(i)).value_or(99), i);
            }
            const Result<std::size_t> none = contract->findInput("no such thing");
            QVERIFY(!none && none.error().kind == ErrorKind::Usage);
        }
    }

    void constantsAreNoTensors() {
        if (tests::corpus().isEmpty()) QSKIP("The corpus of real files is not here.");
        const Result<Contract> contract = contractOf("2.13.0/pytree_inputs");
        QVERIFY(contract);
        QCOMPARE(contract->tensorCount(), std::size_t{4});
        const std::vector<std::string> texts = {"3", "0.5", "'add'", "True", "None"};
        const std::vector<std::string> jsons = {"3", "0.5", "\"add\"", "true", "null"};
        for (std::size_t i = 0; i < 5; ++i) {
            const ContractInput& input = contract->inputs[4 + i];
            QVERIFY(input.isConstant && !input.tensorIndex);
            QCOMPARE(input.constantText, texts[i]);
            QCOMPARE(input.constantJson, jsons[i]);
        }
    }

    /// Everything the facts say of user inputs, of every program of torch 2.13.
    void inputsOfEveryProgram() {
        if (tests::corpus().isEmpty()) QSKIP("The corpus of real files is not here.");
        int programs = 0;
        for (const QString& path : tests::corpusFiles("2.13.0") + tests::corpusFiles("2.13.0/aoti")) {
            const nlohmann::json facts = tests::factsOf(path);
            const Document document = tests::opened(path);
            QVERIFY2(document.primary, qPrintable(path));
            if (!facts["programs"].is_object()) continue;
            for (const auto& [model, program] : facts["programs"].items()) {
                const Result<Contract> contract = buildContract(document, model);
                QVERIFY2(contract, qPrintable(path));
                QVERIFY2(contract->notes.empty(), contract->notes.empty() ? "" : (path.toStdString() + ": " + contract->notes[0]).c_str());
                std::vector<nlohmann::json> users;
                for (const nlohmann::json& input : program["inputs"]) {
                    if (input["kind"] == "USER_INPUT") users.push_back(input);
                }
                QCOMPARE(contract->inputs.size(), users.size());
                for (std::size_t i = 0; i < users.size(); ++i) {
                    const ContractInput& input = contract->inputs[i];
                    QCOMPARE(input.graphName, users[i]["name"].get<std::string>());
                    QCOMPARE(input.isConstant, users[i]["arg"] != "TensorArgument");
                    if (input.isConstant) {
                        if (users[i].contains("value")) QCOMPARE(input.constantText, users[i]["value"].get<std::string>());
                        continue;
                    }
                    QCOMPARE(std::string(dtypeName(input.dtype)), users[i]["dtype"].get<std::string>());
                    std::vector<std::string> shape;
                    for (const ContractDim& dim : input.sizes) shape.push_back(dim.text);
                    QCOMPARE(shape, users[i]["shape"].get<std::vector<std::string>>());
                }
                std::size_t outputs = 0;
                for (const nlohmann::json& output : program["outputs"]) outputs += output["kind"] == "USER_OUTPUT" ? 1 : 0;
                QCOMPARE(contract->outputs.size(), outputs);
                for (const ContractSymbol& symbol : contract->symbols) {
                    if (!program["range_constraints"].contains(symbol.name)) continue;
                    const nlohmann::json& range = program["range_constraints"][symbol.name];
                    if (range[0].is_number()) QCOMPARE(symbol.program.minimum.value_or(-1), range[0].get<std::int64_t>());
                    if (range[1].is_number()) QCOMPARE(symbol.program.maximum.value_or(-1), range[1].get<std::int64_t>());
                }
                ++programs;
            }
        }
        QVERIFY(programs > 70);
    }

    void bothSidesAreJoined() {
        if (tests::corpus().isEmpty()) QSKIP("The corpus of real files is not here.");
        const Result<Contract> contract = contractOf("2.13.0/aoti/combined");
        QVERIFY(contract);
        QVERIFY(contract->hasProgram && contract->hasCompiled && contract->checksCompiledIn);
        const ContractInput& x = contract->inputs[0];
        QCOMPARE(x.name, std::string("x"));
        QCOMPARE(x.compiledName, std::string("arg2_1"));
        QCOMPARE(contract->findInput("arg2_1").value_or(9), std::size_t{0});
        QVERIFY(x.assertedAtRuntime && x.checkedAtRuntime);
        const ContractSymbol* symbol = contract->findSymbol("s77");
        QVERIFY(symbol != nullptr);
        QVERIFY(symbol->program == SymRange({1, 1024}));
        QVERIFY(symbol->compiled == SymRange({2, 1024}));
        QCOMPARE(symbol->hint.value_or(0), std::int64_t{4});
        QCOMPARE(symbol->places.size(), std::size_t{1});
        QCOMPARE(contract->outputs.size(), std::size_t{1});
        QCOMPARE(contract->outputs[0].name, std::string("result"));
    }

    void packagesWithoutAProgram() {
        if (tests::corpus().isEmpty()) QSKIP("The corpus of real files is not here.");
        const Result<Contract> nested = contractOf("2.13.0/aoti/nested_inputs");
        QVERIFY(nested);
        QCOMPARE(namesOf(*nested), std::vector<std::string>({"arg0.b.c", "arg0.a", "arg1[0]", "arg1[1]", "bias"}));
        QVERIFY(nested->inputs[4].isKeyword);
        // Which of nine values are the four tensors is not in the package.
        const Result<Contract> constants = contractOf("2.13.0/aoti/constant_inputs");
        QVERIFY(constants);
        QCOMPARE(constants->inputs.size(), std::size_t{4});
        QCOMPARE(constants->notes.size(), std::size_t{1});
        const Result<Contract> second = contractOf("2.13.0/aoti/two_models", "model2");
        QVERIFY(second);
        QCOMPARE(second->model, std::string("model2"));
        QCOMPARE(second->inputs[0].sizes[1].fixed.value_or(0), std::int64_t{10});
        QVERIFY(!contractOf("2.13.0/aoti/two_models", "model3"));
        const Result<Contract> old = contractOf("eras/2.6/aoti/tiny");
        QVERIFY(old);
        QCOMPARE(old->inputs.size(), std::size_t{1});
        QVERIFY(!old->inputs[0].rankKnown && old->inputs[0].dtype == DType::Unknown);
    }

    void tablesThatIntegersIndex() {
        if (tests::corpus().isEmpty()) QSKIP("The corpus of real files is not here.");
        const Result<Contract> embedding = contractOf("2.13.0/embedding");
        QVERIFY(embedding);
        QCOMPARE(embedding->inputs[0].indexBound.value_or(0), std::int64_t{50});
        const Result<Contract> llama = contractOf("2.13.0/llama_tiny");
        QVERIFY(llama);
        QCOMPARE(llama->inputs[0].indexBound.value_or(0), std::int64_t{128});
        const Result<Contract> tiny = contractOf("2.13.0/tiny");
        QVERIFY(tiny && !tiny->inputs[0].indexBound);
    }
};

QTEST_GUILESS_MAIN(ContractTest)
#include "tst_contract.moc"
