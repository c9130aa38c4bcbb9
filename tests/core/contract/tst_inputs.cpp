#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <cmath>

#include "core/contract/input_spec.h"
#include "core/tensor/npy.h"
#include "core/tensor/safetensors.h"
#include "tests/core/contract/contract_corpus.h"

using namespace pt2;

namespace {

using Sizes = std::vector<std::int64_t>;

std::string text(const Tensor& tensor) {
    std::string out = tensorTypeText(tensor.layout) + ":";
    const std::uint64_t count = tensor.layout.elementCount().value_or(0);
    for (std::uint64_t i = 0; i < count && i < 12; ++i) out += " " + elementText(tensor.view(), i);
    return out;
}

bool sameValues(const Tensor& a, const Tensor& b) {
    const Result<std::string> x = tensorSha256(a.view());
    const Result<std::string> y = tensorSha256(b.view());
    return x && y && *x == *y && a.layout.sizes == b.layout.sizes;
}

}  // namespace

class InputsTest : public QObject {
    Q_OBJECT

    struct Opened {
        Document document;
        Contract contract;
    };
    static Opened open(const QString& name) {
        Opened result;
        result.document = tests::opened(tests::corpus() + "/" + name);
        if (!result.document.primary) return result;
        const Result<Contract> contract = buildContract(result.document, "");
        if (contract) result.contract = *contract;
        return result;
    }
    static Result<InputSet> make(const Opened& opened, const InputRequest& request = {}) {
        return makeInputs(opened.document, opened.contract, request);
    }
    static InputRequest sized(std::vector<std::pair<std::string, std::int64_t>> sizes) {
        InputRequest request;
        request.sizes = std::move(sizes);
        return request;
    }
    static InputRequest with(std::vector<std::pair<std::string, std::string>> inputs) {
        InputRequest request;
        request.inputs = std::move(inputs);
        return request;
    }

private slots:
    /// SplitMix64's published numbers, and the means and spread of what is built on it.
    void theGeneratorIsTheDocumentedOne() {
        DocumentedGenerator zero(0);
        QCOMPARE(zero.next(), std::uint64_t{0xE220A8397B1DCDAF});
        QCOMPARE(zero.next(), std::uint64_t{0x6E789E6AA1B965F4});
        QCOMPARE(zero.next(), std::uint64_t{0x06C45D188009454F});
        DocumentedGenerator generator(7);
        double sum = 0, squares = 0;
        for (int i = 0; i < 200000; ++i) {
            const double value = generator.normal();
            sum += value;
            squares += value * value;
        }
        QVERIFY(std::fabs(sum / 200000) < 0.01);
        QVERIFY(std::fabs(squares / 200000 - 1) < 0.02);
        for (int i = 0; i < 1000; ++i) {
            const double value = generator.integer(-3, 5);
            QVERIFY(value >= -3 && value < 5 && value == std::floor(value));
        }
    }

    void everySpec() {
        const std::vector<std::pair<std::string, std::string>> good = {
            {"zeros", "float32 [2, 3]: 0.0 0.0 0.0 0.0 0.0 0.0"},
            {"ones[2]", "float32 [2]: 1.0 1.0"},
            {"arange[4]:int32", "int32 [4]: 0 1 2 3"},
            {"full(1)[2]:int64", "int64 [2]: 1 1"},
            {"full(-0.5)[1]", "float32 [1]: -0.5"},
            {"full(true)[2]:bool", "bool [2]: True True"},
            {"randint(5,6)[3]:int64", "int64 [3]: 5 5 5"},
            {"zeros[]", "float32 []: 0.0"},
            {"zeros[0,4]:f16", "float16 [0, 4]:"},
            {"[[1,2],[3,4]]", "float32 [2, 2]: 1.0 2.0 3.0 4.0"},
            {"[true, false]", "bool [2]: True False"},
            {"3", "float32 []: 3.0"},
            {"[[],[]]", "float32 [2, 0]:"},
            {" zeros [ 2 , 1 ] : float64 ", "float64 [2, 1]: 0.0 0.0"},
        };
        for (const auto& [spec, expected] : good) {
            const Result<Tensor> tensor = makeFromSpec(spec, DType::Float32, {2, 3}, 0);
            QVERIFY2(tensor, (spec + (tensor ? "" : ": " + tensor.error().why)).c_str());
            QCOMPARE(text(*tensor), expected);
        }
        QCOMPARE(text(*makeFromSpec("[1,2]", DType::Int32, {}, 0)), std::string("int32 [2]: 1 2"));
        QCOMPARE(text(*makeFromSpec("[1,2.5]", DType::Int32, {}, 0)),
                 std::string("float32 [2]: 1.0 2.5"));  // the check says that it is the wrong type
        QCOMPARE(text(*makeFromSpec("[1,2]", DType::Unknown, {}, 0)), std::string("int64 [2]: 1 2"));
        const Result<Tensor> randn = makeFromSpec("randn[512,16]:float64", DType::Float32, {}, 3);
        QVERIFY(randn);
        QVERIFY(sameValues(*randn, *makeFromSpec("randn[512,16]:float64", DType::Float32, {}, 3)));
        QVERIFY(!sameValues(*randn, *makeFromSpec("randn[512,16]:float64", DType::Float32, {}, 4)));
        for (const char* bad : {"",
                                "random",
                                "randn[",
                                "randn(1)",
                                "full[2]",
                                "randint(1)",
                                "randint(2,2)",
                                "randint(0.5,2)",
                                "randn[-1]",
                                "randn[a]",
                                "randn:float33",
                                "randn[2]x",
                                "[[1],[2,3]]",
                                "[1,[2]]",
                                "[[1],2]",
                                "[\"a\"]",
                                "{}",
                                "@",
                                "@file",
                                "@file.txt",
                                "full(a)",
                                "randn[99999999999999999999]",
                                "nope(",
                                "[1"}) {
            const Result<Tensor> tensor = makeFromSpec(bad, DType::Float32, {2}, 0);
            QVERIFY2(!tensor, bad);
            QVERIFY2(tensor.error().kind == ErrorKind::Usage, bad);
            QVERIFY(!tensor.error().help.empty());
        }
        QVERIFY(!makeFromSpec("zeros[4000000000,4000000000,4000000000]", DType::Float32, {}, 0));
        QVERIFY(!makeFromSpec(std::string(100000, '['), DType::Float32, {}, 0));
    }

    void sizesByEveryName() {
        if (tests::corpus().isEmpty()) QSKIP("The corpus of real files is not here.");
        for (const char* file : {"2.13.0/tiny", "2.13.0/aoti/combined"}) {
            const Opened tiny = open(file);
            for (const char* name : {"s77", "x:0", "batch", "0:0"}) {
                const Result<InputSet> set = make(tiny, sized({{name, 512}}));
                QVERIFY2(set, name);
                QCOMPARE(set->inputs[0].tensor.layout.sizes, Sizes({512, 16}));
                QCOMPARE(set->inputs[0].madeBy, std::string("randn"));
                QVERIFY(checkInputs(tiny.contract, *set).ok());
            }
            const Result<InputSet> wide = make(tiny, sized({{"s77", 2000}}));
            QVERIFY(wide);  // the check says it
            QVERIFY(!checkInputs(tiny.contract, *wide).ok());
            const Result<InputSet> fixed = make(tiny, sized({{"x:1", 15}}));
            QVERIFY(fixed);
            QCOMPARE(fixed->inputs[0].tensor.layout.sizes[1], std::int64_t{15});
            QVERIFY(!checkInputs(tiny.contract, *fixed).ok());
            QVERIFY(checkInputs(tiny.contract, *make(tiny, sized({{"batch", 1}}))).ok());
            for (const char* name : {"s78", "y:0", "x:2", "x:", ":0", "seq", ""}) {
                const Result<InputSet> none = make(tiny, sized({{name, 4}}));
                QVERIFY2(!none && none.error().kind == ErrorKind::Usage, name);
            }
            QVERIFY(!make(tiny, sized({{"s77", -1}})));
            QVERIFY(!make(tiny, sized({{"s77", 3}, {"batch", 4}})));
        }
    }

    void batchMustBeOneSymbol() {
        if (tests::corpus().isEmpty()) QSKIP("The corpus of real files is not here.");
        const Opened twice = open("2.13.0/dyn_auto");  // s77 and s17 stand at dimension 0
        const Result<InputSet> set = make(twice, sized({{"batch", 4}}));
        QVERIFY(!set);
        QCOMPARE(set.error().code, std::string("size.ambiguous"));
        QVERIFY(set.error().help.find("s77 (x:0)") != std::string::npos && set.error().help.find("s17 (y:0)") != std::string::npos);
        const Result<InputSet> shared = make(open("2.13.0/equal_syms"), sized({{"batch", 9}}));
        QVERIFY(shared);
        for (const MadeInput& input : shared->inputs) QCOMPARE(input.tensor.layout.sizes[0], std::int64_t{9});
        QVERIFY(!make(open("2.13.0/kwargs"), sized({{"batch", 4}})));
    }

    void derivedSizesFollow() {
        if (tests::corpus().isEmpty()) QSKIP("The corpus of real files is not here.");
        const Opened derived = open("2.13.0/dyn_derived");
        for (const auto& request :
             {sized({{"s6", 5}}), sized({{"x:0", 5}}), sized({{"y:0", 10}}), sized({{"z:0", 6}}), with({{"y", "zeros[10,3]"}})}) {
            const Result<InputSet> set = make(derived, request);
            QVERIFY(set);
            QCOMPARE(set->inputs[0].tensor.layout.sizes, Sizes({5, 3}));
            QCOMPARE(set->inputs[1].tensor.layout.sizes, Sizes({10, 3}));
            QCOMPARE(set->inputs[2].tensor.layout.sizes, Sizes({6, 3}));
            QVERIFY(checkInputs(derived.contract, *set).ok());
        }
        const Result<InputSet> odd = make(derived, sized({{"y:0", 7}}));
        QVERIFY(odd && !checkInputs(derived.contract, *odd).ok());
    }

    /// A run that nobody gave inputs for keeps the contract it is checked against, for every program and package, from samples and without them.
    void defaultsKeepEveryContract() {
        if (tests::corpus().isEmpty()) QSKIP("The corpus of real files is not here.");
        int seen = 0;
        for (const QString& path : tests::corpusFiles("2.13.0") + tests::corpusFiles("2.13.0/aoti") + tests::corpusFiles("eras/2.8/aoti")) {
            const Document document = tests::opened(path);
            QVERIFY2(document.primary, qPrintable(path));
            for (const std::string& model : document.modelNames()) {
                const Result<Contract> contract = buildContract(document, model);
                QVERIFY2(contract, qPrintable(path));
                for (const std::uint64_t seed : {0, 1}) {
                    InputRequest request;
                    request.seed = seed;
                    const Result<InputSet> set = makeInputs(document, *contract, request);
                    QVERIFY2(set, qPrintable(path + (set ? "" : QString::fromStdString(": " + set.error().what))));
                    const CheckReport report = checkInputs(*contract, *set);
                    QVERIFY2(report.ok(), qPrintable(path + ": " + tests::sentences(report)));
                    QCOMPARE(set->tensors().size(), contract->tensorCount());
                }
                ++seen;
            }
        }
        QVERIFY(seen > 90);
    }

    /// Files by other projects and of other torch releases: whatever can be read gives a contract, inputs that keep it, and a check without harm.
    void foreignFilesAndOtherEras() {
        if (tests::corpus().isEmpty()) QSKIP("The corpus of real files is not here.");
        int made = 0;
        for (const char* folder : {"foreign", "eras/2.8", "eras/2.6", "eras/2.6/aoti"}) {
            const QDir dir(tests::corpus() + "/" + folder);
            for (const QString& name : dir.entryList({"*.pt2"}, QDir::Files, QDir::Name)) {
                const Result<Document> document = Document::open(dir.filePath(name).toStdString());
                if (!document) continue;
                for (const std::string& model : document->modelNames()) {
                    const Result<Contract> contract = buildContract(*document, model);
                    if (!contract) continue;
                    for (const std::uint64_t seed : {0, 1}) {
                        InputRequest request;
                        request.seed = seed;
                        const Result<InputSet> set = makeInputs(*document, *contract, request);
                        if (!set) {
                            QVERIFY2(set.error().kind == ErrorKind::Usage, qPrintable(dir.filePath(name)));
                            continue;
                        }
                        const CheckReport report = checkInputs(*contract, *set);
                        QVERIFY2(report.ok(), qPrintable(dir.filePath(name) + ": " + tests::sentences(report)));
                        ++made;
                    }
                }
            }
        }
        QVERIFY(made > 60);
    }

    void integersStayBelowTheirTable() {
        if (tests::corpus().isEmpty()) QSKIP("The corpus of real files is not here.");
        const Opened embedding = open("2.13.0/embedding");
        const Result<InputSet> set = make(embedding, sized({{"batch", 64}}));
        QVERIFY(set);
        double largest = 0;
        for (std::uint64_t i = 0; i < 64 * 7; ++i) largest = std::max(largest, elementAsDouble(set->inputs[0].tensor.view(), i));
        QVERIFY(largest < 50 && largest > 40);
    }

    /// Stored samples are the inputs that torch recorded, in the order of the flat values.
    void samplesOfEveryProgram() {
        if (tests::corpus().isEmpty()) QSKIP("The corpus of real files is not here.");
        int seen = 0;
        for (const QString& path : tests::corpusFiles("2.13.0")) {
            const nlohmann::json facts = tests::factsOf(path);
            const Document document = tests::opened(path);
            if (!facts.contains("io") || !facts["io"].is_array() || facts["io"].empty() || facts["programs"].size() != 1) continue;
            const Result<Contract> contract = buildContract(document, "");
            QVERIFY(contract);
            if (!document.program(contract->model).entry->sampleInputs) continue;
            InputRequest sample, file;
            sample.useSample = true;
            file.inputsFile = (path + ".io.npz").toStdString();
            const Result<InputSet> a = makeInputs(document, *contract, sample);
            QVERIFY2(a, qPrintable(path + (a ? "" : QString::fromStdString(": " + a.error().what + a.error().why))));
            if (contract->tensorCount() == 0) continue;
            const Result<InputSet> b = makeInputs(document, *contract, file);
            QVERIFY2(b, qPrintable(path + (b ? "" : QString::fromStdString(": " + b.error().what + b.error().why))));
            const std::vector<Tensor> x = a->tensors(), y = b->tensors();
            QCOMPARE(x.size(), y.size());
            for (std::size_t i = 0; i < x.size(); ++i) {
                QVERIFY2(sameValues(x[i], y[i]), qPrintable(path + " " + QString::number(i)));
                QCOMPARE(x[i].layout.dtype, y[i].layout.dtype);
            }
            ++seen;
        }
        QVERIFY(seen > 50);
    }

    /// The corpus' npz of every package: in_K counts the tensors the library takes.
    void npzOfEveryPackage() {
        if (tests::corpus().isEmpty()) QSKIP("The corpus of real files is not here.");
        for (const QString& path : tests::corpusFiles("2.13.0/aoti")) {
            const nlohmann::json facts = tests::factsOf(path);
            if (!facts["runs"].is_object()) continue;
            const Document document = tests::opened(path);
            for (const auto& [model, run] : facts["runs"].items()) {
                const Result<Contract> contract = buildContract(document, model);
                QVERIFY(contract);
                InputRequest request;
                request.inputsFile = (path + ".io.npz").toStdString();
                const Result<InputSet> set = makeInputs(document, *contract, request);
                QVERIFY2(set, qPrintable(path));
                const std::vector<Tensor> tensors = set->tensors();
                const nlohmann::json& inputs = run["variants"]["first"]["inputs"];
                QCOMPARE(tensors.size(), inputs.size());
                for (std::size_t i = 0; i < tensors.size(); ++i) {
                    QCOMPARE(tensors[i].layout.sizes, inputs[i]["shape"].get<Sizes>());
                    QCOMPARE(std::string(dtypeName(tensors[i].layout.dtype)), inputs[i]["dtype"].get<std::string>());
                }
                QVERIFY(set->unknownNames.empty());
            }
        }
    }

    void filesOfOurOwn() {
        if (tests::corpus().isEmpty()) QSKIP("The corpus of real files is not here.");
        QTemporaryDir folder;
        const std::string base = folder.path().toStdString() + "/";
        const Opened kwargs = open("2.13.0/kwargs");
        const Tensor x = *makeFromSpec("arange[4]:float32", DType::Float32, {}, 0);
        const Tensor mask = *makeFromSpec("ones[4]:bool", DType::Bool, {}, 0);
        QVERIFY(writeNpzFile(base + "set.npz", {{"x", x}, {"scale", x}, {"shift", x}, {"mask", mask}}, false));
        QVERIFY(writeSafetensorsFile(base + "set.safetensors", {{"x", x}, {"scale", x}, {"extra", x}}, false));
        QVERIFY(writeNpzFile(base + "flat.npz", {{"arr_0", x}, {"arr_1", x}, {"arr_2", x}, {"arr_3", mask}}, false));
        QVERIFY(writeNpzFile(base + "none.npz", {{"other", x}}, false));
        InputRequest request;
        for (const char* name : {"set.npz", "flat.npz"}) {
            request.inputsFile = base + name;
            const Result<InputSet> set = make(kwargs, request);
            QVERIFY2(set, name);
            QVERIFY(checkInputs(kwargs.contract, *set).ok());
            QVERIFY(sameValues(set->inputs[2].tensor, x));
            QCOMPARE(set->inputs[2].madeBy, std::string("file ") + name);
        }
        request.inputsFile = base + "set.safetensors";
        const Result<InputSet> partial = make(kwargs, request);
        QVERIFY(partial);
        const CheckReport report = checkInputs(kwargs.contract, *partial);
        QCOMPARE(report.breaches.size(), std::size_t{3});  // shift and mask missing, extra unknown
        request.inputsFile = base + "none.npz";
        QVERIFY(!make(kwargs, request));
        request.inputsFile = base + "absent.npz";
        QVERIFY(!make(kwargs, request));
        request.inputsFile = base + "set.txt";
        QVERIFY(!make(kwargs, request));

        const Result<InputSet> one =
            make(kwargs, with({{"scale", "@" + base + "set.npz:x"}, {"x", "[1,2,3,4]"}, {"mask", "[true,false,true,true]"}}));
        QVERIFY(one);
        QVERIFY(sameValues(one->inputs[2].tensor, x));
        QVERIFY(checkInputs(kwargs.contract, *one).ok());
        for (const char* bad : {"set.npz", "set.npz:nope", "absent.npy"}) QVERIFY(!make(kwargs, with({{"x", "@" + base + bad}})));
        QVERIFY(!make(kwargs, with({{"nope", "randn"}})));
        QVERIFY(!make(kwargs, with({{"x", "randn"}, {"0", "randn"}})));
    }

    /// What is made is laid out as the compiled code reads it; a file keeps its own strides, and the check says so.
    void channelsLastInputsAreMadeChannelsLast() {
        if (tests::corpus().isEmpty()) QSKIP("The corpus of real files is not here.");
        const Opened conv = open("2.13.0/aoti/conv_channels_last");
        for (const auto& request : {InputRequest{}, with({{"0", "randn"}}), with({{"0", "ones[2,3,16,16]"}})}) {
            const Result<InputSet> set = make(conv, request);
            QVERIFY(set);
            QCOMPARE(set->inputs[0].tensor.layout.strides, Sizes({768, 1, 48, 3}));
            QVERIFY(checkInputs(conv.contract, *set).ok());
        }
        QTemporaryDir folder;
        const std::string file = folder.path().toStdString() + "/rows.npz";
        QVERIFY(writeNpzFile(file, {{"0", *makeFromSpec("randn[2,3,16,16]", DType::Float32, {}, 0)}}, false));
        InputRequest request;
        request.inputsFile = file;
        const Result<InputSet> set = make(conv, request);
        QVERIFY(set);
        const CheckReport report = checkInputs(conv.contract, *set);
        QCOMPARE(report.breaches.size(), std::size_t{1});
        QVERIFY(report.breaches[0].what == Breach::What::Stride && report.breaches[0].fix == "contiguous");
        const Result<InputSet> mended = mend(conv.contract, *set, report.breaches[0]);
        QVERIFY(mended && checkInputs(conv.contract, *mended).ok());
        QVERIFY(sameValues(set->inputs[0].tensor, mended->inputs[0].tensor));
    }

    void givenShapesBindTheOthers() {
        if (tests::corpus().isEmpty()) QSKIP("The corpus of real files is not here.");
        const Opened equal = open("2.13.0/equal_syms");
        const Result<InputSet> set = make(equal, with({{"b", "randn[11,2]"}}));
        QVERIFY(set);
        for (const MadeInput& input : set->inputs) QCOMPARE(input.tensor.layout.sizes, Sizes({11, 2}));
        const Result<InputSet> conflict = make(equal, with({{"a", "randn[5,2]"}, {"b", "randn[6,2]"}}));
        QVERIFY(conflict && !checkInputs(equal.contract, *conflict).ok());
    }

    void constantsAreKeptOrRefusedByTheCheck() {
        if (tests::corpus().isEmpty()) QSKIP("The corpus of real files is not here.");
        const Opened tree = open("2.13.0/pytree_inputs");
        const Result<InputSet> set = make(tree, with({{"n", "3"}, {"mode", "\"add\""}}));
        QVERIFY(set && checkInputs(tree.contract, *set).ok());
        QCOMPARE(set->inputs[4].constantText, std::string("3"));
        QCOMPARE(set->inputs[8].constantText, std::string("null"));
        const Result<InputSet> other = make(tree, with({{"n", "4"}}));
        QVERIFY(other);
        QCOMPARE(checkInputs(tree.contract, *other).breaches.size(), std::size_t{1});
        QVERIFY(!make(tree, with({{"n", "randn"}})));
    }

    /// A library without sources: inputs go by number, nothing is checked and nothing is pretended.
    void librariesWithoutSourcesTakeNumberedInputs() {
        if (tests::corpus().isEmpty()) QSKIP("The corpus of real files is not here.");
        Opened bare;
        bare.document = *Document::open((tests::corpus() + "/eras/2.4/aoti/tiny.so").toStdString());
        bare.contract = *buildContract(bare.document, "");
        QVERIFY(!bare.contract.inputsKnown && bare.contract.inputs.empty());
        const Result<InputSet> set = make(bare, with({{"1", "zeros[3]:int64"}, {"0", "randn[2,2]"}}));
        QVERIFY(set);
        QCOMPARE(set->tensors().size(), std::size_t{2});
        QCOMPARE(tensorTypeText(set->tensors()[0].layout), std::string("float32 [2, 2]"));
        QCOMPARE(tensorTypeText(set->tensors()[1].layout), std::string("int64 [3]"));
        const CheckReport report = checkInputs(bare.contract, *set);
        QVERIFY(report.ok() && !report.notes.empty());
        QVERIFY(make(bare)->inputs.empty());
        for (const auto& wrong : {with({{"1", "randn[2]"}}), with({{"x", "randn[2]"}}), with({{"0", "randn"}}),
                                  with({{"0", "randn[2]"}, {"0", "ones[2]"}}), sized({{"s0", 4}})}) {
            const Result<InputSet> none = make(bare, wrong);
            QVERIFY(!none && none.error().kind == ErrorKind::Usage);
        }
        InputRequest file;
        file.inputsFile = (tests::corpus() + "/eras/2.4/aoti/tiny.io.npz").toStdString();
        const Result<InputSet> stored = make(bare, file);
        QVERIFY(stored);
        QCOMPARE(tensorTypeText(stored->tensors()[0].layout), std::string("float32 [4, 16]"));
    }

    void aPlanHasLayoutsAndNoValues() {
        if (tests::corpus().isEmpty()) QSKIP("The corpus of real files is not here.");
        const Opened tiny = open("2.13.0/tiny");
        Result<InputSet> plan = planInputs(tiny.document, tiny.contract, sized({{"s77", 512}}));
        QVERIFY(plan);
        QCOMPARE(tensorTypeText(plan->inputs[0].tensor.layout), std::string("float32 [512, 16]"));
        QVERIFY(plan->inputs[0].tensor.storage.empty());
        QVERIFY(checkInputs(tiny.contract, *plan).ok());
        QVERIFY(fillInputs(*plan));
        const Result<InputSet> made = make(tiny, sized({{"s77", 512}}));
        QCOMPARE(*tensorSha256(plan->inputs[0].tensor.view()), *tensorSha256(made->inputs[0].tensor.view()));

        Result<InputSet> huge = planInputs(tiny.document, tiny.contract, sized({{"s77", 1'000'000'000'000}}));  // 64 TB
        QVERIFY(huge && !checkInputs(tiny.contract, *huge).ok());
        const Status filled = fillInputs(*huge);
        QVERIFY(!filled && filled.error().kind == ErrorKind::System && filled.error().code == "input.memory");

        Result<InputSet> some = planInputs(tiny.document, tiny.contract, sized({{"s77", 512}}));
        const CancelToken cancel;
        cancel.request();
        const Status stopped = fillInputs(*some, cancel);
        QVERIFY(!stopped && stopped.error().kind == ErrorKind::Cancelled);
    }

    void aSizeThatContradictsWhatIsGivenIsAnError() {
        if (tests::corpus().isEmpty()) QSKIP("The corpus of real files is not here.");
        const Opened tiny = open("2.13.0/tiny");
        for (const char* name : {"s77", "batch", "x:0"}) {
            InputRequest request = with({{"x", "zeros[4,16]"}});
            request.sizes = {{name, 8}};
            const Result<InputSet> made = make(tiny, request);
            QVERIFY2(!made && made.error().code == "size.contradiction", name);
            request.sizes = {{name, 4}};
            QVERIFY2(make(tiny, request), name);
        }
    }

    void whatIsGivenIsNotMadeAnew() {
        if (tests::corpus().isEmpty()) QSKIP("The corpus of real files is not here.");
        const Opened tiny = open("2.13.0/tiny");
        std::string row = "[0";
        for (int i = 1; i < 15; ++i) row += ",0";
        const Result<InputSet> given = make(tiny, with({{"x", "[" + row + "]]"}}));  // [1, 15]
        QVERIFY(given && given->inputs[0].given);
        const CheckReport report = checkInputs(tiny.contract, *given);
        QCOMPARE(report.breaches.size(), std::size_t{1});
        QVERIFY(report.breaches[0].fix.empty());
        Breach asked = report.breaches[0];
        asked.fix = "size";
        QVERIFY(!mend(tiny.contract, *given, asked));
    }

    void whatIsNotKnownMustBeGiven() {
        if (tests::corpus().isEmpty()) QSKIP("The corpus of real files is not here.");
        const Opened old = open("eras/2.6/aoti/tiny");
        const Result<InputSet> none = make(old);
        QVERIFY(!none && none.error().kind == ErrorKind::Usage);
        const Result<InputSet> given = make(old, with({{"0", "randn[4,16]"}}));
        QVERIFY(given);
        QCOMPARE(text(given->inputs[0].tensor).substr(0, 15), std::string("float32 [4, 16]"));
        const CheckReport report = checkInputs(old.contract, *given);
        QVERIFY(report.ok() && report.notes.size() >= 2);  // no checks compiled in; type and shape not known
    }
};

QTEST_GUILESS_MAIN(InputsTest)
#include "tst_inputs.moc"
