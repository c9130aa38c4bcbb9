#include <QCryptographicHash>
#include <QDirIterator>
#include <QFile>
#include <QtTest>
#include <cstddef>
#include <initializer_list>
#include <set>
#include <string>

#include "tests/app/pt2_process.h"
#include "tests/corpus.h"

using nlohmann::json;
using pt2::tests::corpus;

namespace {

/// Fields of a program that stand in the facts with the same name and the same value.
const char* const kEqualFields[] = {
    "member",    "torch_version", "schema_version",    "opset_version",  "node_count",     "node_count_total", "op_histogram", "op_histogram_total",
    "subgraphs", "guards_code",   "module_call_graph", "in_spec_leaves", "out_spec_leaves"};

json pick(const json& object, std::initializer_list<const char*> keys) {
    json out = json::object();
    for (const char* key : keys) out[key] = object.contains(key) ? object[key] : json();
    return out;
}

json pickEach(const json& list, std::initializer_list<const char*> keys) {
    json out = json::array();
    for (const json& item : list) {
        json picked = pick(item, keys);
        // Facts of other eras write an empty name where torch has none.
        for (const char* key : {"name", "target"}) {
            if (picked.contains(key) && picked[key] == "") picked[key] = nullptr;
        }
        out.push_back(std::move(picked));
    }
    return out;
}

/// Where two values differ, as "path: facts A, pt2 B"; empty when they do not.
std::string difference(const json& facts, const json& found, const std::string& path) {
    if (facts == found) return {};
    if (facts.is_object() && found.is_object()) {
        std::set<std::string> keys;
        for (const auto& [key, value] : facts.items()) keys.insert(key);
        for (const auto& [key, value] : found.items()) keys.insert(key);
        for (const std::string& key : keys) {
            const std::string inner = difference(facts.value(key, json()), found.value(key, json()), path + "." + key);
            if (!inner.empty()) return inner;
        }
    }
    if (facts.is_array() && found.is_array() && facts.size() == found.size()) {
        for (std::size_t i = 0; i < facts.size(); ++i) {
            const std::string inner = difference(facts[i], found[i], path + "[" + std::to_string(i) + "]");
            if (!inner.empty()) return inner;
        }
    }
    return path + ": facts " + facts.dump().substr(0, 200) + ", pt2 " + found.dump().substr(0, 200);
}

/// A stride may stand in the file's long form where torch's loader shortened it with the ranges (cli.md).
void keepLongStrides(json& facts, const json& found) {
    for (auto& [name, value] : facts.items()) {
        if (!found.contains(name) || !value.contains("stride")) continue;
        const json& other = found[name]["stride"];
        for (std::size_t i = 0; i < value["stride"].size() && i < other.size(); ++i) {
            const std::string text = other[i].is_string() ? other[i].get<std::string>() : std::string();
            if (text.find("Min(") != std::string::npos || text.find("Max(") != std::string::npos) value["stride"][i] = text;
        }
    }
}

json tensorValues(const json& values) {
    json out = json::object();
    for (const auto& [name, value] : values.items()) {
        if (value.contains("dtype")) out[name] = pick(value, {"dtype", "shape", "stride"});
    }
    return out;
}

json symbolicValues(const json& values) {
    json out = json::object();
    for (const auto& [name, value] : values.items()) {
        if (value.contains("sym")) out[name] = pick(value, {"sym", "expr"});
    }
    return out;
}

/// Plain tensors with all that describes them; of objects and of tensor subclasses only that they are there. One fact is no fact of the file:
/// torch's loader says requires_grad of a plain tensor too when it shares its payload with a parameter (the archive of zero_size says false).
json weights(const json& entries) {
    std::set<std::string> ofParameters;
    for (const auto& [name, entry] : entries.items()) {
        if (entry.value("is_param", false)) ofParameters.insert(entry.value("payload", json()).dump());
    }
    json out = json::object();
    for (const auto& [name, entry] : entries.items()) {
        const bool plain = entry.contains("sha256") && entry.contains("storage_offset") && !entry["storage_offset"].is_null();
        out[name] = plain ? pick(entry, {"dtype", "shape", "stride", "storage_offset", "sha256", "is_param", "payload", "use_pickle"})
                          : pick(entry, {"payload", "use_pickle"});
        const bool shares = !entry.value("is_param", false) && ofParameters.count(entry.value("payload", json()).dump()) != 0;
        if (plain && !shares) out[name].update(pick(entry, {"requires_grad"}));
    }
    return out;
}

std::set<std::string> constantNames(const json& constants) {
    std::set<std::string> out;
    for (const json& constant : constants) out.insert(constant.value("fqn", std::string()));
    return out;
}

}  // namespace

/// What pt2 says of every file of corpus/2.13.0 against what torch said of it.
class FactsTest : public QObject {
    Q_OBJECT

    void addFiles() {
        QTest::addColumn<QString>("factsPath");
        if (corpus().isEmpty()) return;
        QDirIterator files(corpus() + "/2.13.0", {"*.facts.json"}, QDir::Files, QDirIterator::Subdirectories);
        while (files.hasNext()) {
            const QString path = files.next();
            QTest::newRow(qPrintable(path.mid(corpus().size() + 1))) << path;
        }
    }

    static json readFacts(const QString& path) {
        QFile file(path);
        if (!file.open(QIODevice::ReadOnly)) return {};
        return json::parse(file.readAll().toStdString(), nullptr, false);
    }
    static QString archiveOf(const QString& factsPath) { return factsPath.chopped(11) + ".pt2"; }

    static std::string programDifference(const json& facts, const json& found, const std::string& name) {
        for (const char* field : kEqualFields) {
            const std::string d = difference(facts.value(field, json()), found.value(field, json()), name + "." + field);
            if (!d.empty()) return d;
        }
        json factValues = tensorValues(facts["values"]);
        keepLongStrides(factValues, found["values"]);
        json ranges = found["range_constraints"];
        for (auto it = ranges.begin(); it != ranges.end();) {  // a symbol in no value may stand (cli.md)
            it = facts["range_constraints"].contains(it.key()) ? std::next(it) : ranges.erase(it);
        }
        const std::pair<const char*, std::pair<json, json>> compared[] = {
            {"inputs",
             {pickEach(facts["inputs"], {"name", "kind", "target", "persistent", "dtype", "shape"}),
              pickEach(found["inputs"], {"name", "kind", "target", "persistent", "dtype", "shape"})}},
            {"outputs", {pickEach(facts["outputs"], {"name", "kind", "target"}), pickEach(found["outputs"], {"name", "kind", "target"})}},
            {"range_constraints", {facts["range_constraints"], ranges}},
            {"values", {factValues, tensorValues(found["values"])}},
            {"symbolic values", {symbolicValues(facts["values"]), symbolicValues(found["values"])}},
            {"weights", {weights(facts["weights"]), weights(found["weights"])}},
            {"constants", {weights(facts["constants"]), weights(found["constants"])}},
        };
        for (const auto& [field, values] : compared) {
            const std::string d = difference(values.first, values.second, name + "." + field);
            if (!d.empty()) return d;
        }
        return {};
    }

    static std::string compiledDifference(const json& facts, const json& found, const std::string& name) {
        std::string d = difference(facts["metadata"], found["metadata"], name + ".metadata");
        if (!d.empty()) return d;
        std::set<std::string> files, foundFiles;
        for (const json& file : facts["files"]) files.insert(file.get<std::string>());
        for (const json& file : found["files"]) {
            const std::string path = file.get<std::string>(), folder = found["folder"].get<std::string>() + "/";
            foundFiles.insert(path.substr(path.find(folder) + folder.size()));
        }
        if (files != foundFiles) return name + ".files";
        if (!facts["loader"].is_object()) return {};
        const json& loader = facts["loader"];
        d = difference(json::array({loader["in_spec"], loader["out_spec"]}), found["call_spec"], name + ".call_spec");
        if (!d.empty()) return d;
        std::set<std::string> fqns;
        for (const json& fqn : loader["constant_fqns"]) fqns.insert(fqn.get<std::string>());
        const std::set<std::string> foundFqns = constantNames(found["constants"]);
        if (fqns != foundFqns) return name + ".constants: facts " + json(fqns).dump() + ", pt2 " + json(foundFqns).dump();
        return {};
    }

private slots:
    void initTestCase() {
        if (corpus().isEmpty()) QSKIP("The corpus is not here: torch's facts were not compared.");
    }

    void inspectAgreesWithTorch_data() { addFiles(); }
    void inspectAgreesWithTorch() {
        QFETCH(QString, factsPath);
        const json facts = readFacts(factsPath);
        QVERIFY(facts.is_object());
        const auto run = pt2::tests::pt2({"inspect", "--json", "--hash", archiveOf(factsPath)});
        QVERIFY2(run.exit == 0, run.error.constData());
        const json found = run.json();
        QVERIFY(found.is_object());
        QCOMPARE(found["format"].dump(), std::string("1"));
        QCOMPARE(found["file"]["sha256"].dump(), facts["sha256"].dump());
        QCOMPARE(found["file"]["size"].dump(), facts["size"].dump());
        QCOMPARE(found["container"].dump(), std::string("\"pt2-archive\""));
        QCOMPARE(found["archive_version"].dump(), std::string("\"0\""));
        QCOMPARE(found["byteorder"].dump(), std::string("\"little\""));
        const auto memberFields = {"name", "size", "crc32", "compressed_size", "method", "offset_of_data"};
        const std::string members = difference(pickEach(facts["members"], memberFields), pickEach(found["members"], memberFields), "members");
        QVERIFY2(members.empty(), members.c_str());

        json extra = json::object();
        const std::string prefix = found["root"].get<std::string>() + "/extra/";
        for (const json& member : facts["members"]) {
            const std::string name = member["name"].get<std::string>();
            if (name.compare(0, prefix.size(), prefix) == 0) extra[name.substr(prefix.size())] = member["size"];
        }
        QCOMPARE(found["extra_files"].dump(), extra.dump());

        std::set<std::string> programs, foundPrograms, compiled, foundCompiled;
        for (const auto& [name, program] : facts["programs"].items()) programs.insert(name);
        for (const auto& [name, program] : found["programs"].items()) foundPrograms.insert(name);
        QCOMPARE(foundPrograms, programs);
        for (const auto& [name, program] : facts["programs"].items()) {
            const std::string d = programDifference(program, found["programs"][name], name);
            QVERIFY2(d.empty(), d.c_str());
        }
        const json aoti = facts.value("aoti", json::object());
        for (const auto& [name, model] : aoti.items()) compiled.insert(name);
        for (const auto& [name, model] : found["compiled"].items()) foundCompiled.insert(name);
        QCOMPARE(foundCompiled, compiled);
        for (const auto& [name, model] : aoti.items()) {
            const std::string d = compiledDifference(model, found["compiled"][name], name);
            QVERIFY2(d.empty(), d.c_str());
        }
    }

    void printAndNodesAreTorchsOwnText_data() { addFiles(); }
    void printAndNodesAreTorchsOwnText() {
        QFETCH(QString, factsPath);
        const json facts = readFacts(factsPath);
        if (facts["programs"].empty()) return;  // a package without a program has nothing to print
        for (const auto& [name, program] : facts["programs"].items()) {
            const QString model = QString::fromStdString(name);
            const auto printed = pt2::tests::pt2({"print", archiveOf(factsPath), "--model", model});
            QVERIFY2(printed.exit == 0, printed.error.constData());
            const QByteArray sha = QCryptographicHash::hash(printed.out, QCryptographicHash::Sha256).toHex();
            QCOMPARE(sha.toStdString(), program["str_sha256"].get<std::string>());
            const auto nodes = pt2::tests::pt2({"nodes", "--format", "text", archiveOf(factsPath), "--model", model});
            QVERIFY2(nodes.exit == 0, nodes.error.constData());
            if (program["text"].is_string()) {
                QCOMPARE(nodes.out, QByteArray::fromStdString(program["text"].get<std::string>()));
            } else {
                QCOMPARE(QString::fromUtf8(nodes.out).toUcs4().size(), program["text_chars"].get<qsizetype>());
            }
        }
    }

    /// torch 2.8 and before keep all weights in one pickled record.
    void weightsOfOlderTorchAreTheSameNumbers_data() {
        QTest::addColumn<QString>("factsPath");
        if (corpus().isEmpty()) return;
        for (const char* era : {"2.8", "2.6"}) {
            const QDir folder(corpus() + "/eras/" + era);
            for (const QString& name : folder.entryList({"*.facts.json"}, QDir::Files)) {
                QTest::newRow(qPrintable(QString(era) + "/" + name)) << folder.filePath(name);
            }
        }
    }
    void weightsOfOlderTorchAreTheSameNumbers() {
        QFETCH(QString, factsPath);
        const json facts = readFacts(factsPath);
        const auto run = pt2::tests::pt2({"inspect", "--json", "--hash", archiveOf(factsPath)});
        QVERIFY2(run.exit == 0, run.error.constData());
        const json found = run.json();
        for (const auto& [name, program] : facts["programs"].items()) {
            for (const char* list : {"weights", "constants"}) {
                const json& entries = program[list];
                QCOMPARE(found["programs"][name][list].size(), entries.size());
                for (const auto& [fqn, entry] : entries.items()) {
                    const auto fields = {"dtype", "shape", "stride", "storage_offset", "is_param", "requires_grad", "sha256"};
                    const std::string d =
                        difference(pick(entry, fields), pick(found["programs"][name][list].value(fqn, json::object()), fields), fqn);
                    QVERIFY2(d.empty(), d.c_str());
                }
            }
        }
    }

    void withoutHashNothingIsHashed() {
        const auto run = pt2::tests::pt2({"inspect", "--json", corpus() + "/2.13.0/tiny.pt2"});
        QCOMPARE(run.exit, 0);
        const json found = run.json();
        QVERIFY(!found["file"].contains("sha256"));
        QVERIFY(!found["programs"]["model"]["weights"]["fc.weight"].contains("sha256"));
    }
};

QTEST_GUILESS_MAIN(FactsTest)
#include "tst_facts.moc"
