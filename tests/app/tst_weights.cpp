#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <cstdint>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "core/tensor/npy.h"
#include "core/tensor/pickle.h"
#include "core/tensor/safetensors.h"
#include "core/tensor/tensor_source.h"
#include "tests/app/pt2_process.h"
#include "tests/corpus.h"

using nlohmann::json;
using namespace pt2;
using pt2::tests::corpus;

namespace {

tests::Pt2 call(const QStringList& arguments) { return tests::pt2(arguments); }

struct CorpusProgram {
    QString file;
    std::string model;
    json facts;  ///< of the program
};

/// Every program of the corpus that has facts beside it.
std::vector<CorpusProgram> corpusPrograms() {
    std::vector<CorpusProgram> programs;
    QDirIterator files(corpus(), {"*.facts.json"}, QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        const QString path = files.next();
        const QString archive = path.left(path.size() - 11) + ".pt2";
        QFile file(path);
        if (!QFile::exists(archive) || !file.open(QIODevice::ReadOnly)) continue;
        const json facts = json::parse(file.readAll().toStdString());
        if (!facts.contains("programs")) continue;
        for (const auto& [model, program] : facts["programs"].items()) {
            if (program.contains("weights")) programs.push_back({archive, model, program});
        }
    }
    return programs;
}

bool isPlain(const json& entry) { return entry.contains("sha256") && entry.contains("storage_offset") && !entry["storage_offset"].is_null(); }

/// Weights and constants of the facts in one object.
json factWeights(const json& program) {
    json all = json::object();
    for (const char* list : {"weights", "constants"}) {
        for (const auto& [name, entry] : program[list].items()) all[name] = entry;
    }
    return all;
}

std::string kindOf(const json& input) {
    const std::string kind = input["kind"];
    if (kind == "PARAMETER") return "parameter";
    if (kind == "BUFFER") return input["persistent"] == false ? "buffer, not persistent" : "buffer";
    if (kind == "CONSTANT_TENSOR") return "constant";
    return kind == "CUSTOM_OBJ" ? "object" : std::string();
}

json byName(const json& weights) {
    json out = json::object();
    for (const json& weight : weights) out[weight["name"].get<std::string>()] = weight;
    return out;
}

/// Schemas before 8 may be refused, with exit 3 and the reason; if they open, all must hold.
bool isTooOld(const CorpusProgram& program, const tests::Pt2& result) {
    const json& version = program.facts["schema_version"];
    const int major = version.is_object() ? version["major"].get<int>() : version.is_number() ? version.get<int>() : 0;
    return major < 8 && result.exit == 3 && result.error.contains("older torch");
}

std::string shaOf(const Tensor& tensor) { return tensorSha256(tensor.view()).value_or(std::string("unreadable")); }

}  // namespace

class TestWeights : public QObject {
    Q_OBJECT

    void addPrograms() {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < programs_.size(); ++i) {
            const QString row = QDir(corpus()).relativeFilePath(programs_[i].file) + " " + QString::fromStdString(programs_[i].model);
            QTest::newRow(qPrintable(row)) << static_cast<int>(i);
        }
    }
    QStringList command(const CorpusProgram& program) { return {"weights", program.file, "--model", QString::fromStdString(program.model)}; }

    std::vector<CorpusProgram> programs_;

private slots:
    void initTestCase() {
        if (corpus().isEmpty()) QSKIP("The corpus is not here: what pt2 says of weights is not compared with torch's facts.");
        programs_ = corpusPrograms();
        QVERIFY(programs_.size() > 50);
    }

    void everyWeightIsListedStoredSharedAndHashedAsTorchSays_data() { addPrograms(); }
    void everyWeightIsListedStoredSharedAndHashedAsTorchSays() {
        QFETCH(int, index);
        const CorpusProgram& program = programs_[static_cast<std::size_t>(index)];
        const auto result = call(command(program) + QStringList{"--stats", "--json"});
        if (isTooOld(program, result)) QSKIP("Programs of this era are not read yet.");
        QVERIFY2(result.exit == 0, result.error.constData());
        const json document = result.json();
        QCOMPARE(document["format"].get<int>(), 1);
        const json found = byName(document["weights"]);
        const json expected = factWeights(program.facts);
        std::map<std::string, std::string> kinds;
        for (const json& input : program.facts["inputs"]) {
            if (input["target"].is_string()) kinds[input["target"]] = kindOf(input);
        }
        std::set<std::string> ofParameters;
        for (const auto& [name, entry] : expected.items()) {
            if (entry.value("is_param", false)) ofParameters.insert(entry.value("payload", json()).dump());
        }
        QCOMPARE(found.size(), expected.size());
        for (const auto& [name, entry] : expected.items()) {
            QVERIFY2(found.contains(name), name.c_str());
            const json& weight = found[name];
            if (kinds.count(name) != 0) QCOMPARE(weight["kind"].get<std::string>(), kinds[name]);
            if (entry.contains("dtype")) {
                QVERIFY2(weight["dtype"] == entry["dtype"] && weight["shape"] == entry["shape"] && weight["stride"] == entry["stride"],
                         weight.dump().c_str());
            }
            if (!isPlain(entry)) continue;
            QVERIFY2(weight["storage_offset"] == entry["storage_offset"], weight.dump().c_str());
            QVERIFY2(weight["sha256"] == entry["sha256"], weight.dump().c_str());
            // torch's loader says requires_grad of a plain tensor too when it shares its payload with a parameter.
            const bool besideParameter = !entry.value("is_param", false) && ofParameters.count(entry.value("payload", json()).dump()) != 0;
            if (!besideParameter && entry.contains("requires_grad")) QCOMPARE(weight["requires_grad"], entry["requires_grad"]);
            if (entry.contains("payload") && entry["payload"].is_string()) QCOMPARE(weight["record"], entry["payload"]);
            std::uint64_t elements = 1;
            for (const json& size : entry["shape"]) elements *= size.get<std::uint64_t>();
            QCOMPARE(weight["stats"]["count"].get<std::uint64_t>(), elements);
            // Those that name the same record share a storage, and no others do.
            if (elements == 0 || !entry.contains("payload") || entry["payload"].is_null() || weight["storage"].is_null()) continue;
            if (entry.contains("storage_bytes")) QCOMPARE(weight["storage"]["bytes"], entry["storage_bytes"]);
            std::set<std::string> sharers, named;
            for (const auto& [other, otherEntry] : expected.items()) {
                if (other != name && isPlain(otherEntry) && otherEntry.value("payload", json()) == entry["payload"]) sharers.insert(other);
            }
            for (const json& other : weight["storage"]["shared_with"]) {
                named.insert(other["name"]);
                const json& twin = expected[other["name"].get<std::string>()];
                const bool same = twin["shape"] == entry["shape"] && twin["stride"] == entry["stride"] && twin["dtype"] == entry["dtype"] &&
                                  twin["storage_offset"] == entry["storage_offset"];
                QCOMPARE(other["as"].get<std::string>(), std::string(same ? "tied" : "view"));
            }
            QVERIFY2(named == sharers, (name + ": " + weight["storage"].dump()).c_str());
        }
    }

    void whatIsSavedHoldsTheSameBitsInEveryFormat_data() { addPrograms(); }
    void whatIsSavedHoldsTheSameBitsInEveryFormat() {
        QFETCH(int, index);
        const CorpusProgram& program = programs_[static_cast<std::size_t>(index)];
        const json expected = factWeights(program.facts);
        bool any = false, forSafetensors = true;
        for (const auto& [name, entry] : expected.items()) {
            any = any || isPlain(entry) || entry.contains("subclass");
            const auto dtype = entry.contains("dtype") ? dtypeFromName(entry["dtype"].get<std::string>()) : std::nullopt;
            forSafetensors = forSafetensors && (!dtype || safetensorsHas(*dtype));
        }
        QTemporaryDir directory;
        for (const QString& ending : {QString("npz"), QString("safetensors"), QString("pt")}) {
            const QString target = directory.filePath("w." + ending);
            const auto result = call(command(program) + QStringList{"--save", target, "--json"});
            if (isTooOld(program, result)) QSKIP("Programs of this era are not read yet.");
            const bool possible = any && (ending != "safetensors" || forSafetensors);
            QVERIFY2(result.exit == (possible ? 0 : 2), result.error.constData());
            QCOMPARE(QFile::exists(target), possible);
            if (!possible) continue;
            std::map<std::string, Tensor> saved;
            if (ending == "pt") {
                QFile file(target);
                QVERIFY(file.open(QIODevice::ReadOnly));
                const QByteArray all = file.readAll();
                const auto* data = reinterpret_cast<const std::byte*>(all.constData());
                const auto read = TorchSaveFile::read(ByteBuffer(data, data + all.size()));
                QVERIFY(read && read->scan().unsafe.empty());
                const auto& children = read->root()->children;
                for (std::size_t i = 0; i + 1 < children.size(); i += 2) saved[children[i]->text] = read->tensor(*children[i + 1]).value_or(Tensor());
            } else {
                const auto read = ending == "npz" ? readNpzFile(target.toStdString()) : readSafetensorsFile(target.toStdString());
                QVERIFY2(read, read ? "" : read.error().why.c_str());
                for (const auto& [name, tensor] : *read) saved[name] = tensor;
            }
            for (const auto& [name, entry] : expected.items()) {
                if (!isPlain(entry)) continue;
                QVERIFY2(saved.count(name) == 1, name.c_str());
                const Tensor& tensor = saved[name];
                QCOMPARE(shaOf(tensor), entry["sha256"].get<std::string>());
                QCOMPARE(json(tensor.layout.sizes), entry["shape"]);
                const std::string dtype = entry["dtype"];
                const char* standIn = ending == "npz" ? numpyStandIn(dtypeFromName(dtype).value_or(DType::Unknown)) : nullptr;
                QCOMPARE(std::string(dtypeName(tensor.layout.dtype)), standIn ? std::string(standIn) : dtype);
                if (standIn) QVERIFY2(result.json()["saved"]["notes"].dump().find(dtype) != std::string::npos, result.out.constData());
            }
        }
    }

    void torchLoadsASavedStateDictWithWeightsOnly() {
        const QString python = qEnvironmentVariable("PT2SCOPE_PYTHON");
        if (python.isEmpty()) QSKIP("PT2SCOPE_PYTHON is not set: torch.load of what pt2 saved is not tried.");
        const char* const script =
            "import sys,json,hashlib,torch\n"
            "d=torch.load(sys.argv[1],weights_only=True)\n"
            "b=lambda t:bytes(t.contiguous().reshape(-1).view(torch.uint8).tolist()) if t.numel() else b''\n"
            "print(json.dumps({k:[str(t.dtype)[6:],list(t.shape),hashlib.sha256(b(t)).hexdigest()] for k,t in d.items()}))\n";
        QTemporaryDir directory;
        for (const char* name : {"dtypes", "dtypes_wide", "tied", "views_shared", "zero_size", "scalar_params", "conv_bn_channels_last"}) {
            const QString file = corpus() + "/2.13.0/" + name + ".pt2", target = directory.filePath(QString(name) + ".pt");
            QCOMPARE(call({"weights", file, "--save", target}).exit, 0);
            QProcess torch;
            torch.start(python, {"-c", script, target});
            QVERIFY(torch.waitForFinished(300000));
            const json read = json::parse(torch.readAllStandardOutput().toStdString(), nullptr, false);
            QVERIFY2(read.is_object(), torch.readAllStandardError().constData());
            for (const CorpusProgram& program : programs_) {
                if (program.file != file) continue;
                const json expected = factWeights(program.facts);
                QCOMPARE(read.size(), expected.size());
                for (const auto& [fqn, entry] : expected.items()) {
                    QVERIFY2(read.contains(fqn), fqn.c_str());
                    QCOMPARE(read[fqn], json({entry["dtype"], entry["shape"], entry["sha256"]}));
                }
            }
        }
    }

    void aWeightIsFoundInTheCompiledModelAsBytesOrInTheCode() {
        const json document = call({"weights", corpus() + "/2.13.0/aoti/combined.pt2", "--json"}).json();
        const json found = byName(document["weights"]);
        QCOMPARE(found["fc.weight"]["compiled"]["as"].get<std::string>(), std::string("same"));
        QCOMPARE(found["fc.weight"]["compiled"]["constant"].get<std::string>(), std::string("fc.weight"));
        QCOMPARE(found["fc.bias"]["compiled"]["as"].get<std::string>(), std::string("baked into code"));
        for (const json& weight : document["weights"]) QVERIFY(!weight["compiled"]["why"].get<std::string>().empty());
    }

    void itIsToldWhereEachCompiledConstantLies() {
        const auto at = [](const char* name) { return corpus() + "/2.13.0/aoti/" + name; };
        for (const auto& [name, place] : {std::pair("mlp2.pt2", "in the library"), std::pair("mmap_weights.pt2", "in the library"),
                                          std::pair("on_disk_blob.pt2", "beside the library"), std::pair("weights_absent.pt2", "absent")}) {
            const json document = call({"weights", at(name), "--json"}).json();
            QVERIFY(!document["weights"].empty());
            for (const json& weight : document["weights"]) QCOMPARE(weight["where"].get<std::string>(), std::string(place));
        }
        json found = byName(call({"weights", at("combined.pt2"), "--json"}).json()["weights"]);
        QCOMPARE(found["fc.weight"]["compiled"]["where"].get<std::string>(), std::string("in the library"));
        QCOMPARE(found["fc.bias"]["compiled"]["where"].get<std::string>(), std::string("in the code"));
        // The column holds a word; the sentence stands below, once for all weights alike.
        const QByteArray text = call({"weights", at("weights_absent.pt2")}).out;
        QCOMPARE(text.count("neither in the compiled model's library nor beside it"), 1);
        for (const QByteArray& line : text.split('\n').mid(0, 4)) QVERIFY2(line.trimmed().size() < 80, line.constData());
    }

    void otherWeightsThanThoseCompiledAreCalledDifferentAndAbsentOnesAbsent() {
        // The program of another file: the same model, other weights.
        const QString compiled = corpus() + "/2.13.0/aoti/mlp2.pt2", program = corpus() + "/eras/2.8/mlp2.pt2";
        json found = byName(call({"weights", program, "--with", compiled, "--json"}).json()["weights"]);
        QVERIFY(!found.empty());
        for (const auto& [name, weight] : found.items()) QVERIFY2(weight.contains("compiled"), weight.dump().c_str());
        found = byName(call({"weights", program, "--with", corpus() + "/2.13.0/aoti/weights_absent.pt2", "--json"}).json()["weights"]);
        QCOMPARE(found["fc1.weight"]["compiled"]["as"].get<std::string>(), std::string("absent"));
    }

    void aCompiledModelAloneShowsItsConstantsWithTheirValues_data() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"mlp2", "mmap_weights", "on_disk_blob", "on_disk_pickle"}) QTest::newRow(name) << name;
    }
    void aCompiledModelAloneShowsItsConstantsWithTheirValues() {
        QFETCH(QString, name);
        const auto statistics = [](const QString& file) {
            json out = json::object();
            const json document = call({"weights", file, "--stats", "--json"}).json();
            for (const json& weight : document["weights"])
                out[weight["name"].get<std::string>()] = weight.contains("stats") ? weight["sha256"] : json();
            return out;
        };
        const json found = statistics(corpus() + "/2.13.0/aoti/" + name + ".pt2");
        QCOMPARE(found.size(), std::size_t(3));
        for (const auto& [fqn, sha] : found.items()) QVERIFY2(sha.is_string(), (fqn + " was not read").c_str());
        // Made from one model, so the four places hold the same values.
        QCOMPARE(found, statistics(corpus() + "/2.13.0/aoti/mlp2.pt2"));
    }

    void partsOfAQuantizedWeightAreNamedWithScaleAndZeroPoint() {
        const json subclass = byName(call({"weights", corpus() + "/2.13.0/quant_pickled.pt2", "--stats", "--json"}).json()["weights"])["0.weight"];
        std::map<std::string, json> parts;
        for (const json& part : subclass["parts"]) parts[part["name"]] = part;
        QCOMPARE(parts["qdata"]["dtype"].get<std::string>(), std::string("int8"));
        QCOMPARE(parts["qdata"]["shape"], json({16, 32}));
        QCOMPARE(parts["scale"]["shape"], json({16, 1}));
        QCOMPARE(parts["zero_point"]["dtype"].get<std::string>(), std::string("int8"));
        QVERIFY(parts["scale"]["stats"]["min"].get<double>() > 0);
        const json flat = byName(call({"weights", corpus() + "/2.13.0/quant_subclass.pt2", "--json"}).json()["weights"]);
        for (const std::string layer : {"0", "2"}) {
            const json& quantized = flat[layer + ".parametrizations.weight.original0"]["quantized"];
            QCOMPARE(quantized["scale"].get<std::string>(), layer + ".parametrizations.weight.original1");
            QCOMPARE(quantized["zero_point"].get<std::string>(), layer + ".parametrizations.weight.original2");
            QCOMPARE(quantized["origin"].get<std::string>(), std::string("inferred"));
        }
    }

    void nothingIsReadUntilStatisticsAreAskedFor() {
        const json weight = call({"weights", corpus() + "/2.13.0/tiny.pt2", "fc.bias", "--json"}).json()["weights"][0];
        for (const char* key : {"stats", "sha256", "values"}) QVERIFY(!weight.contains(key));
        const json values = call({"weights", corpus() + "/2.13.0/tiny.pt2", "fc.bias", "--values", "3", "--json"}).json()["weights"][0];
        QCOMPARE(values["values"].size(), std::size_t(3));
        QVERIFY(!values.contains("stats"));
    }

    void nanAndInfinitiesAreCounted() {
        const json stats = call({"weights", corpus() + "/2.13.0/nonfinite.pt2", "w", "--stats", "--json"}).json()["weights"][0]["stats"];
        QCOMPARE(stats["nan"].get<int>() + stats["inf"].get<int>() > 0, true);
        QCOMPARE(stats["inf"].get<int>(), stats["positive_inf"].get<int>() + stats["negative_inf"].get<int>());
    }

    void namesMayBePatternsAndAWrongOneGetsASuggestion() {
        const QString file = corpus() + "/2.13.0/mlp2.pt2";
        QCOMPARE(call({"weights", file, "*.bias", "--json"}).json()["weights"].size(), std::size_t(2));
        QCOMPARE(call({"weights", file, "fc1.*", "fc2.bias", "--json"}).json()["weights"].size(), std::size_t(3));
        const auto wrong = call({"weights", file, "fc1.wieght"});
        QCOMPARE(wrong.exit, 2);
        QVERIFY2(wrong.error.contains("fc1.weight"), wrong.error.constData());
        QCOMPARE(call({"weights", file, "nothing.*"}).exit, 2);
    }

    void anExistingFileIsReplacedOnlyWithForce() {
        QTemporaryDir directory;
        const QString file = corpus() + "/2.13.0/tiny.pt2", target = directory.filePath("w.npz");
        QCOMPARE(call({"weights", file, "--save", target}).exit, 0);
        QFile saved(target);
        QVERIFY(saved.open(QIODevice::ReadOnly));
        const QByteArray before = saved.readAll();
        QCOMPARE(call({"weights", file, "fc.bias", "--save", target}).exit, 2);
        saved.seek(0);
        QCOMPARE(saved.readAll(), before);
        QCOMPARE(call({"weights", file, "fc.bias", "--save", target, "--force"}).exit, 0);
        QCOMPARE(readNpzFile(target.toStdString())->size(), std::size_t(1));
        QCOMPARE(call({"weights", file, "--save", directory.filePath("w.txt")}).exit, 2);
        QCOMPARE(call({"weights", file, "--save", directory.filePath("two.npy")}).exit, 2);
        QCOMPARE(call({"weights", file, "fc.bias", "--save", directory.filePath("one.npy")}).exit, 0);
        QCOMPARE(QDir(directory.path()).entryList(QDir::Files | QDir::Hidden).size(), 2);
    }

    void theSummaryCountsEveryNodeAndEveryParameterOnce_data() { addPrograms(); }
    void theSummaryCountsEveryNodeAndEveryParameterOnce() {
        QFETCH(int, index);
        const CorpusProgram& program = programs_[static_cast<std::size_t>(index)];
        const auto result = call({"summary", program.file, "--model", QString::fromStdString(program.model), "--json"});
        if (isTooOld(program, result)) QSKIP("Programs of this era are not read yet.");
        QVERIFY2(result.exit == 0, result.error.constData());
        const json document = result.json();
        const json& total = document["total"];
        QCOMPARE(total["nodes"], program.facts["node_count_total"]);
        std::map<std::string, std::uint64_t> operators, found;
        for (const auto& [target, count] : program.facts["op_histogram_total"].items()) {
            // torch.ops.aten.linear.default -> aten.linear
            const QStringList parts = QString::fromStdString(target).split('.');
            const bool ops = parts.size() >= 4 && parts[0] == "torch" && parts[1] == "ops";
            if (ops && parts[2] != "higher_order") operators[(parts[2] + "." + parts[3]).toStdString()] += count.get<std::uint64_t>();
        }
        for (const auto& [name, count] : total["operators"].items()) found[name] = count;
        for (const auto& [name, count] : operators) QCOMPARE(found[name], count);
        // Elements of parameters, tied ones once.
        std::uint64_t parameters = 0;
        std::set<std::string> seen;
        for (const auto& [name, entry] : program.facts["weights"].items()) {
            if (!entry.value("is_param", false) || !entry.contains("shape")) continue;
            std::uint64_t elements = 1;
            for (const json& size : entry["shape"]) elements *= size.get<std::uint64_t>();
            const json payload = entry.value("payload", json());
            if (!payload.is_null() &&
                !seen.insert(payload.dump() + entry["shape"].dump() + entry["stride"].dump() + entry["storage_offset"].dump()).second)
                continue;
            parameters += elements;
        }
        bool payloads = true;
        for (const auto& [name, entry] : program.facts["weights"].items()) payloads = payloads && entry.value("payload", json()).is_string();
        if (payloads) QCOMPARE(total["parameters"].get<std::uint64_t>(), parameters);
        // Every sum is that of the modules in it.
        std::map<std::string, std::uint64_t> own;
        for (const json& module : document["modules"]) {
            for (const auto& [name, count] : module["own"]["operators"].items()) own[name] += count.get<std::uint64_t>();
        }
        QCOMPARE(own, found);
    }

    void theSummaryAtASizeAddsUpWhatTheNodesGiveOut() {
        const QString file = corpus() + "/2.13.0/tiny.pt2";
        // linear, relu and add give out float32 [s77, 8] each.
        const json at512 = call({"summary", file, "--size", "s77=512", "--json"}).json();
        QCOMPARE(at512["total"]["made_bytes"], json(3 * 512 * 8 * 4));
        QCOMPARE(at512["total"]["unsized"], json(0));
        QCOMPARE(at512["sizes"], json({{"s77", 512}}));
        QCOMPARE(at512["modules"][1]["made_bytes"], json(512 * 8 * 4));
        QCOMPARE(call({"summary", file, "--size", "batch=512", "--json"}).json(), at512);
        QVERIFY(!call({"summary", file, "--json"}).json()["total"].contains("made_bytes"));
        const auto text = call({"summary", file, "--size", "x:0=512"});
        QVERIFY2(text.out.contains("s77 = 512, 48.0 KiB") || text.out.contains("s77 = 512, 49"), text.out.constData());
        const auto beyond = call({"summary", file, "--size", "s77=2000"});
        QCOMPARE(beyond.exit, 0);
        QVERIFY2(beyond.error.contains("1024"), beyond.error.constData());
        QCOMPARE(call({"summary", file, "--size", "s99=2"}).exit, 2);
        QCOMPARE(call({"summary", file, "--size", "s77=two"}).exit, 2);
        // What nonzero gives out depends on data.
        const json data = call({"summary", corpus() + "/2.13.0/unbacked_nonzero.pt2", "--size", "x:0=4", "--json"}).json();
        QVERIFY(data["total"]["unsized"].get<int>() > 0);
    }

    void aTiedWeightIsSaidInTheSummary() {
        const auto result = call({"summary", corpus() + "/2.13.0/tied.pt2"});
        QCOMPARE(result.exit, 0);
        QVERIFY2(result.out.contains("is tied to"), result.out.constData());
        const json whole = call({"summary", corpus() + "/2.13.0/encoder.pt2", "--json"}).json();
        const json top = call({"summary", corpus() + "/2.13.0/encoder.pt2", "--depth", "1", "--json"}).json();
        QVERIFY(top["modules"].size() < whole["modules"].size());
        QCOMPARE(top["total"], whole["total"]);
        for (const json& module : top["modules"]) QVERIFY(module["depth"].get<int>() <= 1);
    }
};

QTEST_GUILESS_MAIN(TestWeights)
#include "tst_weights.moc"
