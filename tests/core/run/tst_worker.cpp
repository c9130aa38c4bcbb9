#include <QDirIterator>
#include <QFile>
#include <QScopeGuard>
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "core/compiled/operator_schema.h"
#include "core/run/engine_discovery.h"
#include "core/run/extraction.h"
#include "core/run/model_message.h"
#include "core/run/run.h"
#include "core/run/run_text.h"
#include "core/run/tensor_exchange.h"
#include "core/run/worker_client.h"
#include "tests/corpus.h"
#include "tests/worker.h"

using namespace pt2;
using nlohmann::json;

namespace {

json readJson(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? json::parse(file.readAll().toStdString(), nullptr, false) : json();
}

std::string sentence(const Error& error) { return error.code + ": " + error.what + " | " + error.why + " | " + error.help; }

const Tensor* find(const NamedTensors& tensors, const std::string& key) {
    for (const auto& [name, tensor] : tensors) {
        if (name == key) return &tensor;
    }
    return nullptr;
}

/// A stored tensor in the dtype and strides the facts give (npz has neither bfloat16 nor strides).
Result<Tensor> asGiven(const Tensor& stored, const json& facts) {
    Tensor tensor = stored;
    tensor.layout.dtype = dtypeFromName(facts.at("dtype").get<std::string>()).value_or(DType::Unknown);
    if (facts.contains("stride")) return withStrides(tensor, facts["stride"].get<std::vector<std::int64_t>>());
    return tensor;
}

/// Largest difference between two outputs, relative to 1 or the larger value; infinity when they cannot be compared.
double distance(const Tensor& actual, const Tensor& expected) {
    if (actual.layout.sizes != expected.layout.sizes) return INFINITY;
    const std::uint64_t count = actual.layout.elementCount().value_or(0);
    double largest = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
        const double a = elementAsDouble(actual.view(), i), e = elementAsDouble(expected.view(), i);
        if (std::isnan(a) && std::isnan(e)) continue;
        const double difference = std::abs(a - e) / std::max(1.0, std::abs(e));
        if (!(difference <= largest)) largest = std::isnan(difference) ? INFINITY : difference;
    }
    return largest;
}

struct Case {
    QString path, name;
    json facts;
    NamedTensors io;
    Document document;
};

}  // namespace

/// Every compiled package of the corpus, run for real, against what torch's own loader said and gave.
class TestWorker : public QObject {
    Q_OBJECT

    QTemporaryDir runtime_;

    static std::optional<Case> open(const QString& path) {
        Case one;
        one.path = path;
        one.name = QFileInfo(path).completeBaseName();
        one.facts = readJson(path.left(path.size() - 4) + ".facts.json");
        auto io = readNpzFile((path.left(path.size() - 4) + ".io.npz").toStdString());
        auto document = Document::open(path.toStdString());
        if (!io || !document || !one.facts.is_object()) return std::nullopt;
        one.io = std::move(*io);
        one.document = std::move(*document);
        return one;
    }

    static void addPackages() {
        QTest::addColumn<QString>("path");
        if (tests::corpus().isEmpty()) {
            QTest::newRow("no corpus") << QString();
            return;
        }
        QDirIterator files(tests::corpus() + "/2.13.0/aoti", {"*.pt2"});
        while (files.hasNext()) {
            const QString path = files.next();
            QTest::newRow(QFileInfo(path).completeBaseName().toUtf8().constData()) << path;
        }
    }

    static Result<RunReport> run(const Case& one, const std::string& model, const std::vector<Tensor>& inputs, RuntimeChecks checks,
                                 RunRequest request = {}) {
        request.model = model;
        request.checks = checks;
        request.timeoutSeconds = 120;
        Contract contract;  // names are the contract's business; here only the library's order counts
        contract.model = model;
        return runCompiled(one.document, contract, request, inputs);
    }

    static std::vector<Tensor> storedInputs(const Case& one, const json& variant) {
        std::vector<Tensor> inputs;
        for (const json& input : variant.at("inputs")) {
            const Tensor* stored = find(one.io, input.at("key").get<std::string>());
            if (stored == nullptr) continue;
            if (auto tensor = asGiven(*stored, input)) inputs.push_back(std::move(*tensor));
        }
        return inputs;
    }

    /// The tensors of the facts' shape, dtype and strides, zero-filled: what a wrong input is refused for is never its values.
    static std::vector<Tensor> zeroInputs(const json& given) {
        std::vector<Tensor> inputs;
        for (const json& input : given) {
            auto made = allocateStrided(dtypeFromName(input.at("dtype").get<std::string>()).value_or(DType::Unknown),
                                        input.at("shape").get<std::vector<std::int64_t>>(), input.at("stride").get<std::vector<std::int64_t>>());
            if (made) inputs.push_back(made->tensor);
        }
        return inputs;
    }

private slots:
    void initTestCase() {
        QVERIFY(runtime_.isValid());
        qputenv("XDG_RUNTIME_DIR", runtime_.path().toLocal8Bit());
    }

    void storedOutputsComeBack_data() { addPackages(); }
    void storedOutputsComeBack() {
        QFETCH(QString, path);
        if (path.isEmpty()) QSKIP("the corpus is not there: no compiled package was run");
        PT2_NEEDS_WORKER();
        const auto one = open(path);
        QVERIFY(one.has_value());
        for (const auto& [model, runs] : one->facts.at("runs").items()) {
            const std::string prefix = model == "model" ? "" : model + ".";
            for (const auto& [variant, tag] : {std::pair<std::string, std::string>("first", ""), {"second", "2"}}) {
                if (!runs.at("variants").contains(variant)) continue;
                const json& facts = runs["variants"][variant];
                const auto report = run(*one, model, storedInputs(*one, facts), RuntimeChecks::Both);
                // What torch's loader crashed on, compiled anew or took from Python is refused with a reason.
                if (one->name == "cpp_only" || one->name == "custom_op" || facts.at("unset").at("result") == "crash") {
                    QVERIFY(!report);
                    QVERIFY2(report.error().kind == ErrorKind::CannotRun, sentence(report.error()).c_str());
                    QVERIFY(!report.error().what.empty() && !report.error().help.empty());
                    continue;
                }
                QVERIFY2(report.has_value(), report ? "" : sentence(report.error()).c_str());
                QVERIFY2(report->off->has_value(), *report->off ? "" : sentence(report->off->error()).c_str());
                QVERIFY2(report->on->has_value(), *report->on ? "" : sentence(report->on->error()).c_str());
                QVERIFY(report->same());
                const RunOutcome& outcome = **report->off;
                QVERIFY(!outcome.pythonMapped);
                QVERIFY(outcome.memory.started > 0 && outcome.memory.loaded > 0 && outcome.memory.peak > 0);
                // The library says of itself what its wrapper source says of it.
                const CompiledModel& compiledModel = *one->document.compiled(model).model;
                if (compiledModel.sourceRead) {
                    const auto names = [](const auto& list) {
                        std::vector<std::string> found;
                        for (const auto& item : list) found.push_back(item.name);
                        return found;
                    };
                    QCOMPARE(outcome.library.inputs, names(compiledModel.inputs));
                    QCOMPARE(outcome.library.outputs, names(compiledModel.outputs));
                }
                const auto contract = buildContract(one->document, model);
                QVERIFY(contract.has_value());
                QCOMPARE(strangeSourceText(*contract, outcome.library), std::string());
                QVERIFY(outcome.seconds.first > 0 && outcome.seconds.load > 0 && outcome.seconds.start > 0);
                QCOMPARE(outcome.outputs.size(), facts.at("unset").at("outputs").size());
                for (std::size_t k = 0; k < outcome.outputs.size(); ++k) {
                    const json& expected = facts["unset"]["outputs"][k];
                    const Tensor& actual = outcome.outputs[k].second;
                    QCOMPARE(std::string(dtypeName(actual.layout.dtype)), expected.at("dtype").get<std::string>());
                    const std::string key = prefix + "aoti_out" + tag + "_" + std::to_string(k);
                    const Tensor* stored = find(one->io, key);
                    QVERIFY2(stored != nullptr, key.c_str());
                    Tensor reference = *stored;
                    reference.layout.dtype = actual.layout.dtype;
                    const double far = distance(actual, reference);
                    QVERIFY2(far <= 1e-5, (key + " differs by " + std::to_string(far)).c_str());
                }
            }
        }
    }

    void wrongInputsSayWhatTorchSays_data() { addPackages(); }
    void wrongInputsSayWhatTorchSays() {
        QFETCH(QString, path);
        if (path.isEmpty()) QSKIP("the corpus is not there: no compiled package was run");
        PT2_NEEDS_WORKER();
        const auto one = open(path);
        QVERIFY(one.has_value());
        if (one->name == "cpp_only" || one->name == "custom_op") return;
        for (const auto& [model, runs] : one->facts.at("runs").items()) {
            const auto compiled = one->document.compiled(model);
            if (compiled.model->weightsAbsent) continue;
            const auto extraction = extractCompiled(compiled.package->archive(), *compiled.model);
            QVERIFY(extraction.has_value());
            for (const std::string setting : {"1", "unset"}) {
                WorkerOptions options;
                options.worker = tests::worker().toStdString();
                options.runtimeChecks = setting == "1";
                auto client = WorkerClient::start(options);
                QVERIFY2(client.has_value(), client ? "" : sentence(client.error()).c_str());
                Frame load;
                load.body = {
                    {"request", "load"}, {"library", (*extraction)->library().string()}, {"blob", (*extraction)->blob().string()}, {"device", "cpu"}};
                QVERIFY((*client)->request(std::move(load)).has_value());
                for (const auto& [kind, wrong] : runs.at("wrong").items()) {
                    const json& expected = wrong.at(setting);
                    if (expected.at("result") != "raised") continue;
                    // The facts do not hold the values that were given: whether an index is out of bounds is theirs to decide, not the contract's.
                    if (setting == "unset" && expected.at("message").get<std::string>().find("index out of bounds") != std::string::npos) continue;
                    const std::vector<Tensor> inputs = zeroInputs(wrong.at("given"));
                    QCOMPARE(inputs.size(), wrong["given"].size());
                    std::vector<TensorView> views;
                    for (const Tensor& input : inputs) views.push_back(input.view());
                    Frame call;
                    call.body = {{"request", "run"}};
                    QVERIFY(attachTensors(call, views, true).has_value());
                    const auto result = (*client)->request(std::move(call));
                    QVERIFY2(!result, (kind + " was accepted with checks " + setting).c_str());
                    QVERIFY2(result.error().kind == ErrorKind::RunFailed, sentence(result.error()).c_str());
                    QCOMPARE(result.error().why, modelMessage(expected.at("message").get<std::string>()));
                }
            }
        }
    }

    void aWrongNumberOfInputsIsAnErrorInWords() {
        if (tests::corpus().isEmpty()) QSKIP("the corpus is not there");
        PT2_NEEDS_WORKER();
        const auto one = open(tests::corpus() + "/2.13.0/aoti/tiny.pt2");
        QVERIFY(one.has_value());
        const Tensor input = allocateTensor(DType::Float32, {4, 16})->tensor;
        for (const std::vector<Tensor>& inputs : {std::vector<Tensor>(), std::vector<Tensor>{input, input}}) {
            const auto report = run(*one, "model", inputs, RuntimeChecks::Off);
            QVERIFY(report.has_value());
            QVERIFY(!*report->off);
            QVERIFY(report->off->error().kind == ErrorKind::RunFailed);
            QVERIFY(report->off->error().why.find("expected inputs vector size to be 1") != std::string::npos);
        }
    }

    void sizesOutOfRangeRunWithoutChecksAndAreRefusedWithThem() {
        if (tests::corpus().isEmpty()) QSKIP("the corpus is not there");
        PT2_NEEDS_WORKER();
        const auto one = open(tests::corpus() + "/2.13.0/aoti/tiny.pt2");
        QVERIFY(one.has_value());
        const auto input = allocateTensor(DType::Float32, {2000, 16});
        const auto report = run(*one, "model", {input->tensor}, RuntimeChecks::Both);
        QVERIFY(report.has_value());
        QVERIFY(report->off->has_value());
        QVERIFY((**report->off).outputs[0].second.layout.sizes == std::vector<std::int64_t>({2000, 8}));
        QVERIFY(!*report->on);
        QVERIFY(report->on->error().why.find("dim value is too large at 0") != std::string::npos);
        QVERIFY(!report->same());
    }

    void theFirstCallIsShownAndStateRunsOnlyWhenAsked() {
        if (tests::corpus().isEmpty()) QSKIP("the corpus is not there");
        PT2_NEEDS_WORKER();
        const auto one = open(tests::corpus() + "/2.13.0/aoti/buffer_mutation.pt2");
        QVERIFY(one.has_value());
        const auto inputs = storedInputs(*one, one->facts["runs"]["model"]["variants"]["first"]);
        RunRequest request;
        request.warmup = 3;
        request.repeat = 7;
        const auto timed = run(*one, "model", inputs, RuntimeChecks::Off, request);
        QVERIFY(timed && *timed->off);
        QCOMPARE((**timed->off).seconds.samples.size(), std::size_t(7));
        QVERIFY(distance((**timed->off).outputs[0].second, *find(one->io, "aoti_out_0")) == 0);
        QCOMPARE((**timed->off).state.size(), std::size_t(1));
        QCOMPARE((**timed->off).state[0].changed, std::optional<bool>(true));
        const auto still = open(tests::corpus() + "/2.13.0/aoti/tiny.pt2");
        const auto unchanged = run(*still, "model", storedInputs(*still, still->facts["runs"]["model"]["variants"]["first"]), RuntimeChecks::Off);
        QVERIFY(unchanged && *unchanged->off && (**unchanged->off).state.empty());
        request = {};
        request.steps = 3;
        const auto stepped = run(*one, "model", inputs, RuntimeChecks::Off, request);
        QVERIFY(stepped && *stepped->off);
        QCOMPARE((**stepped->off).steps.size(), std::size_t(3));
        QVERIFY(distance((**stepped->off).outputs[0].second, *find(one->io, "aoti_out_0")) == 0);
        QVERIFY(distance((**stepped->off).steps[2][0].second, *find(one->io, "aoti_third_out_0")) == 0);
    }

    void devicesThatDoNotFitAreRefusedInWords_data() {
        QTest::addColumn<QString>("device");
        QTest::addColumn<int>("kind");
        QTest::newRow("cuda") << "cuda" << 4;
        QTest::newRow("cuda:1") << "cuda:1" << 4;
        QTest::newRow("cpu:1") << "cpu:1" << 4;
        QTest::newRow("xpu") << "xpu" << 4;
        QTest::newRow("no device") << "gpu" << 2;
        QTest::newRow("no index") << "cuda:" << 2;
        QTest::newRow("not a number") << "cuda:x" << 2;
        QTest::newRow("negative") << "cuda:-1" << 2;
    }
    void devicesThatDoNotFitAreRefusedInWords() {
        QFETCH(QString, device);
        QFETCH(int, kind);
        if (tests::corpus().isEmpty()) QSKIP("the corpus is not there");
        PT2_NEEDS_WORKER();
        const auto one = open(tests::corpus() + "/2.13.0/aoti/tiny.pt2");
        QVERIFY(one.has_value());
        RunRequest request;
        request.device = device.toStdString();
        const auto report = run(*one, "model", {allocateTensor(DType::Float32, {4, 16})->tensor}, RuntimeChecks::Off, request);
        QVERIFY(!report);
        QCOMPARE(static_cast<int>(report.error().kind), kind);
        QVERIFY(report.error().what.find(request.device) != std::string::npos);
    }

    void aFileWithoutACompiledModelSaysToRecompile() {
        if (tests::corpus().isEmpty()) QSKIP("the corpus is not there");
        const auto document = Document::open((tests::corpus() + "/2.13.0/tiny.pt2").toStdString());
        QVERIFY(document.has_value());
        const auto report = runCompiled(*document, Contract(), RunRequest(), {});
        QVERIFY(!report);
        QVERIFY(report.error().kind == ErrorKind::CannotRun);
        QVERIFY(report.error().help.find("recompile") != std::string::npos);
    }

    void theEngineDescribesItself() {
        PT2_NEEDS_WORKER();
        const auto info = describeEngine();
        QVERIFY(info.has_value());
        QVERIFY2(info->problem.empty(), info->problem.c_str());
        QVERIFY(!info->torchVersion.empty());
        QVERIFY(QFileInfo::exists(QString::fromStdString(info->libtorchPath) + "/lib/libtorch_cpu.so"));
        QVERIFY(!info->devices.empty() && info->devices[0] == "cpu");
    }

    void theEngineTellsTheSchemasOfItsOperators() {
        PT2_NEEDS_WORKER();
        const auto schemas =
            askSchemas(tests::worker().toStdString(), {"aten::addmm.out", "aten::relu", "aten::relu.default", "corpus::scale_shift", "", "x..y"});
        QVERIFY(schemas.has_value());
        QCOMPARE(schemas->size(), std::size_t(3));
        QVERIFY2(schemas->at("aten::addmm.out").starts_with("aten::addmm.out(Tensor self, Tensor mat1, Tensor mat2, *"),
                 schemas->at("aten::addmm.out").c_str());
        QCOMPARE(schemas->at("aten::relu"), std::string("aten::relu(Tensor self) -> Tensor"));
        QCOMPARE(schemas->at("aten::relu.default"), schemas->at("aten::relu"));
        for (const auto& [target, text] : *schemas) QVERIFY2(parseOperatorSchema(text), text.c_str());
        QVERIFY(!askSchemas("/bin/false", {"aten::relu"}));
        // All of them are the same ones.
        const auto all = askAllSchemas(tests::worker().toStdString());
        QVERIFY(all && all->size() > 2000 && std::is_sorted(all->begin(), all->end()));
        for (const auto& [target, text] : *schemas) QVERIFY(std::binary_search(all->begin(), all->end(), text));
        for (const std::string& text : *all) QVERIFY2(parseOperatorSchema(text), text.c_str());
        QVERIFY(!askAllSchemas("/bin/false"));
    }

    void aProgramThatIsNoWorkerIsNamed() {
        const auto restore = qScopeGuard([] { qunsetenv("PT2SCOPE_WORKER"); });
        qputenv("PT2SCOPE_WORKER", "/bin/echo");
        auto info = describeEngine();
        QVERIFY2(info && info->problem.find("does not start") != std::string::npos, info ? info->problem.c_str() : "");
        QVERIFY2(info->problem.find("ended with status 0") != std::string::npos && info->problem.find("--socket") != std::string::npos,
                 info->problem.c_str());
        qputenv("PT2SCOPE_WORKER", "/bin/false");
        info = describeEngine();
        QVERIFY(info && info->problem.find("does not start") != std::string::npos);
        qputenv("PT2SCOPE_WORKER", "/nowhere/pt2-worker");
        QVERIFY(!describeEngine());
    }

    void theSameProtocolWorksOverAByteStream() {
        if (tests::corpus().isEmpty()) QSKIP("the corpus is not there");
        PT2_NEEDS_WORKER();
        const auto one = open(tests::corpus() + "/2.13.0/aoti/tiny.pt2");
        QVERIFY(one.has_value());
        const auto compiled = one->document.compiled("model");
        const auto extraction = extractCompiled(compiled.package->archive(), *compiled.model);
        QVERIFY(extraction.has_value());
        WorkerOptions options;
        options.worker = tests::worker().toStdString();
        options.byteStream = true;
        auto client = WorkerClient::start(options);
        QVERIFY2(client.has_value(), client ? "" : sentence(client.error()).c_str());
        Frame load;
        load.body = {{"request", "load"}, {"library", (*extraction)->library().string()}, {"device", "cpu"}};
        QVERIFY((*client)->request(std::move(load)).has_value());
        Frame call;
        call.body = {{"request", "run"}, {"steps", 1}};
        const auto inputs = storedInputs(*one, one->facts["runs"]["model"]["variants"]["first"]);
        QVERIFY(attachTensors(call, {inputs[0].view()}, false).has_value());
        std::vector<Tensor> outputs;
        const auto result = (*client)->request(std::move(call), [&](const Frame& frame) -> Status {
            outputs = receivedTensors(frame).value_or(std::vector<Tensor>());
            return {};
        });
        QVERIFY(result.has_value());
        QCOMPARE(outputs.size(), std::size_t(1));
        QVERIFY(distance(outputs[0], *find(one->io, "aoti_out_0")) <= 1e-6);
    }

    void nothingIsLeftOnDisk() { QVERIFY(QDir(runtime_.path()).entryList(QDir::AllEntries | QDir::NoDotAndDotDot).isEmpty()); }
};

QTEST_GUILESS_MAIN(TestWorker)
#include "tst_worker.moc"
