#include <QtTest>

#include "tests/core/contract/contract_corpus.h"

#include <algorithm>

using namespace pt2;

class CheckTest : public QObject {
    Q_OBJECT

    Contract tinyContract_;

    InputSet given(const char* dtype, std::vector<std::int64_t> shape, std::vector<std::int64_t> stride) const {
        return tests::givenInputs(tinyContract_, nlohmann::json::array({{{"dtype", dtype}, {"shape", shape}, {"stride", stride}}}));
    }

private slots:
    void initTestCase() {
        if (tests::corpus().isEmpty()) QSKIP("The corpus of real files is not here.");
        const Document document = tests::opened(tests::corpus() + "/2.13.0/aoti/combined");
        const Result<Contract> contract = buildContract(document, "");
        QVERIFY(contract);
        tinyContract_ = *contract;
    }

    /// What torch ran with inputs that are right is no breach; every wrong case that torch recorded is one, and what the library says with its
    /// checks on is what we say it says.
    void everyRecordedRun() {
        int right = 0, wrong = 0;
        for (const QString& path : tests::corpusFiles("2.13.0/aoti") + tests::corpusFiles("eras/2.8/aoti")) {
            const nlohmann::json facts = tests::factsOf(path);
            if (!facts["runs"].is_object()) continue;
            const Document document = tests::opened(path);
            QVERIFY2(document.primary, qPrintable(path));
            for (const auto& [model, run] : facts["runs"].items()) {
                const Result<Contract> contract = buildContract(document, model);
                QVERIFY(contract);
                for (const auto& [name, record] : run["variants"].items()) {
                    const CheckReport report = checkInputs(*contract, tests::givenInputs(*contract, record["inputs"]));
                    QVERIFY2(report.ok(), qPrintable(path + " " + QString::fromStdString(name) + ": " + tests::sentences(report)));
                    ++right;
                }
                if (!run.contains("wrong")) continue;
                for (const auto& [kind, record] : run["wrong"].items()) {
                    const CheckReport report = checkInputs(*contract, tests::givenInputs(*contract, record["given"]));
                    const QString where = path + " " + QString::fromStdString(kind) + ": " + tests::sentences(report);
                    ++wrong;
                    if (kind == "first_dim_one" && contract->hasProgram) {  // the program allows 1: a note (cli.md)
                        QVERIFY2(report.ok() && !report.notes.empty(), qPrintable(where));
                        continue;
                    }
                    QVERIFY2(!report.ok(), qPrintable(where));
                    bool caught = false;
                    for (const Breach& breach : report.breaches) {
                        caught = caught || breach.caughtByRuntimeChecks;
                        QVERIFY(!breach.sentence.empty() && breach.sentence.back() == '.');
                        QVERIFY(!breach.found.empty() && !breach.allowed.empty());
                    }
                    QVERIFY2(caught == (record["1"]["result"] == "raised"), qPrintable(where));
                    const std::map<std::string, Breach::What> whats = {{"wrong_dtype", Breach::What::DType},
                                                                       {"wrong_stride", Breach::What::Stride},
                                                                       {"wrong_rank", Breach::What::Rank},
                                                                       {"too_few_inputs", Breach::What::Missing}};
                    const auto what = whats.find(kind);
                    if (what != whats.end()) QVERIFY2(report.breaches[0].what == what->second, qPrintable(where));
                }
            }
        }
        QVERIFY(right > 30 && wrong > 100);
    }

    /// The stored inputs of every program keep its contract.
    void storedInputsOfEveryProgram() {
        for (const QString& path : tests::corpusFiles("2.13.0")) {
            const nlohmann::json facts = tests::factsOf(path);
            if (!facts.contains("io") || !facts["io"].is_array() || facts["programs"].size() != 1) continue;
            const Document document = tests::opened(path);
            const Result<Contract> contract = buildContract(document, "");
            QVERIFY2(contract, qPrintable(path));
            for (const nlohmann::json& sample : facts["io"]) {
                nlohmann::json tensors = nlohmann::json::array();
                for (const nlohmann::json& input : sample["inputs"]) {
                    if (!input["key"].is_null()) tensors.push_back(input);
                }
                const CheckReport report = checkInputs(*contract, tests::givenInputs(*contract, tensors));
                QVERIFY2(report.ok(), qPrintable(path + ": " + tests::sentences(report)));
            }
        }
    }

    void sentencesNameInputDimensionAndRange() {
        CheckReport report = checkInputs(tinyContract_, given("float32", {2000, 16}, {16, 1}));
        QCOMPARE(report.breaches.size(), std::size_t{1});
        QCOMPARE(report.breaches[0].sentence, std::string("Input \"x\", dimension 0 (s77) is 2000; the program allows 1 to 1024."));
        QCOMPARE(report.breaches[0].found, std::string("2000"));
        QCOMPARE(report.breaches[0].allowed, std::string("1 to 1024"));
        QVERIFY(report.breaches[0].caughtByRuntimeChecks);
        report = checkInputs(tinyContract_, given("float64", {4, 16}, {16, 1}));
        QCOMPARE(report.breaches.size(), std::size_t{1});
        QCOMPARE(report.breaches[0].sentence, std::string("Input \"x\" is float64; the program takes float32."));
        report = checkInputs(tinyContract_, given("float32", {4, 15}, {15, 1}));
        QCOMPARE(report.breaches[0].sentence, std::string("Input \"x\", dimension 1 is 15; the program takes 16."));
        report = checkInputs(tinyContract_, given("float32", {64}, {1}));
        QCOMPARE(report.breaches[0].sentence, std::string("Input \"x\" has 1 dimension (64); the program takes 2 dimensions."));
        report = checkInputs(tinyContract_, given("float32", {0, 16}, {16, 1}));
        QVERIFY(!report.ok());
    }

    void batchOneIsOkWithANote() {
        const CheckReport report = checkInputs(tinyContract_, given("float32", {1, 16}, {16, 1}));
        QVERIFY(report.ok());
        QVERIFY(std::any_of(report.notes.begin(), report.notes.end(),
                            [](const std::string& note) { return note.find("2 or more") != std::string::npos; }));
    }

    /// A stride where the size is 1 is never walked, but the generated checks compare it (format.md 4.3).
    void strideOfASizeOneDimensionIsANote() {
        const CheckReport report = checkInputs(tinyContract_, given("float32", {1, 16}, {7, 1}));
        QVERIFY(report.ok());
        QVERIFY(std::any_of(report.notes.begin(), report.notes.end(),
                            [](const std::string& note) { return note.find("runtime checks refuse") != std::string::npos; }));
    }

    /// A wrong size brings other strides with it: one fault, one breach. Strides of another order are a fault of their own.
    void stridesThatFollowFromAWrongSizeAreNoSecondBreach() {
        const CheckReport wide = checkInputs(tinyContract_, given("float32", {4, 17}, {17, 1}));
        QCOMPARE(wide.breaches.size(), std::size_t{1});
        QVERIFY(wide.breaches[0].what == Breach::What::Size && wide.breaches[0].caughtByRuntimeChecks);
        const CheckReport turned = checkInputs(tinyContract_, given("float32", {4, 17}, {1, 4}));
        QCOMPARE(turned.breaches.size(), std::size_t{2});
        QVERIFY(turned.breaches[1].what == Breach::What::Stride);
        const CheckReport apart = checkInputs(tinyContract_, given("float32", {4, 17}, {16, 1}));
        QCOMPARE(apart.breaches.size(), std::size_t{1});  // rows that overlap, at the strides that the code expects
        const CheckReport gaps = checkInputs(tinyContract_, given("float32", {4, 17}, {34, 2}));
        QCOMPARE(gaps.breaches.size(), std::size_t{2});
        // The size is not tested, but the stride is: that is what refuses it.
        Contract loose = tinyContract_;
        loose.inputs[0].sizes[1].testedAtRuntime = loose.inputs[0].assertedAtRuntime = false;
        const CheckReport caught = checkInputs(loose, given("float32", {4, 17}, {17, 1}));
        QVERIFY(caught.breaches.size() == 1 && caught.breaches[0].caughtByRuntimeChecks);
    }

    void anotherDeviceIsABreach() {
        const CheckReport report = checkInputs(tinyContract_, given("float32", {4, 16}, {16, 1}), "cuda:0");
        QCOMPARE(report.breaches.size(), std::size_t{1});
        QVERIFY(report.breaches[0].what == Breach::What::Device && report.breaches[0].fix == "move");
    }

    void mendsAreOfferedAndWork() {
        InputSet set = given("float32", {4, 16}, {1, 4});
        CheckReport report = checkInputs(tinyContract_, set);
        QCOMPARE(report.breaches.size(), std::size_t{1});
        QCOMPARE(report.breaches[0].fix, std::string("contiguous"));
        Result<InputSet> mended = mend(tinyContract_, set, report.breaches[0]);
        QVERIFY(mended);
        QVERIFY(checkInputs(tinyContract_, *mended).ok());
        QVERIFY(!checkInputs(tinyContract_, set).ok());  // the given set stays as it is

        set = given("float64", {4, 16}, {16, 1});
        report = checkInputs(tinyContract_, set);
        mended = mend(tinyContract_, set, report.breaches[0]);
        QVERIFY(mended && checkInputs(tinyContract_, *mended).ok());

        set = given("float32", {2000, 16}, {16, 1});
        report = checkInputs(tinyContract_, set);
        mended = mend(tinyContract_, set, report.breaches[0]);
        QVERIFY(mended && checkInputs(tinyContract_, *mended).ok());
        QCOMPARE(mended->inputs[0].tensor.layout.sizes, std::vector<std::int64_t>({1024, 16}));

        report = checkInputs(tinyContract_, given("float32", {64}, {1}));
        QVERIFY(!mend(tinyContract_, set, report.breaches[0]));
    }

    void sizesThatDependOnEachOther() {
        const Document document = tests::opened(tests::corpus() + "/2.13.0/dyn_derived");
        const Result<Contract> contract = buildContract(document, "");
        QVERIFY(contract);
        const auto report = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
            const auto one = [](std::int64_t n) { return nlohmann::json({{"dtype", "float32"}, {"shape", {n, 3}}, {"stride", {3, 1}}}); };
            return checkInputs(*contract, tests::givenInputs(*contract, nlohmann::json::array({one(x), one(y), one(z)})));
        };
        QVERIFY(report(5, 10, 6).ok());
        QCOMPARE(report(5, 9, 6).breaches.size(), std::size_t{1});
        QCOMPARE(report(5, 9, 6).breaches[0].sentence,
                 std::string("Input \"y\", dimension 0 (2*s6) is 9; it must be 10, as s6 is 5 by input \"x\", dimension 0."));
        QCOMPARE(report(5, 10, 5).breaches.size(), std::size_t{1});
        QVERIFY(report(33, 66, 34).breaches[0].what == Breach::What::Range);

        const Document equal = tests::opened(tests::corpus() + "/2.13.0/equal_syms");
        const Result<Contract> equalContract = buildContract(equal, "");
        QVERIFY(equalContract);
        const auto input = [](std::int64_t n) { return nlohmann::json({{"dtype", "float32"}, {"shape", {n, 2}}, {"stride", {2, 1}}}); };
        const CheckReport unequal =
            checkInputs(*equalContract, tests::givenInputs(*equalContract, nlohmann::json::array({input(4), input(5), input(4)})));
        QCOMPARE(unequal.breaches.size(), std::size_t{1});
        QCOMPARE(unequal.breaches[0].input, std::string("b"));
        QVERIFY(std::any_of(unequal.notes.begin(), unequal.notes.end(),
                            [](const std::string& note) { return note.find("swapped") != std::string::npos; }));
    }

    void divisibilityIsChecked() {
        const Document document = tests::opened(tests::corpus() + "/2.13.0/sym_scalars");
        const Result<Contract> contract = buildContract(document, "");
        QVERIFY(contract);
        const auto report = [&](std::int64_t n) {
            return checkInputs(*contract,
                               tests::givenInputs(*contract, nlohmann::json::array({{{"dtype", "float32"}, {"shape", {n, 2}}, {"stride", {2, 1}}}})));
        };
        QVERIFY(report(8).ok());
        QCOMPARE(report(7).breaches.size(), std::size_t{1});
        QCOMPARE(report(7).breaches[0].allowed, std::string("a multiple of 2"));
        QVERIFY(!report(102).ok());
    }

    void guardsOfTheProgramAreChecked() {
        const Document document = tests::opened(tests::corpus() + "/2.13.0/pool_ceil");
        const Result<Contract> contract = buildContract(document, "");
        QVERIFY(contract && !contract->guards.empty());
        InputRequest request;
        const Result<InputSet> good = makeInputs(document, *contract, request);
        QVERIFY(good);
        QVERIFY2(checkInputs(*contract, *good).ok(), qPrintable(tests::sentences(checkInputs(*contract, *good))));
    }

    void unknownAndMissingAreNamed() {
        InputSet set = given("float32", {4, 16}, {16, 1});
        set.unknownNames = {"y"};
        QCOMPARE(checkInputs(tinyContract_, set).breaches.size(), std::size_t{1});
        QVERIFY(checkInputs(tinyContract_, set).breaches[0].what == Breach::What::Unknown);
        set.inputs.clear();
        set.unknownNames.clear();
        QVERIFY(checkInputs(tinyContract_, set).breaches[0].what == Breach::What::Missing);
    }
};

QTEST_GUILESS_MAIN(CheckTest)
#include "tst_check.moc"
