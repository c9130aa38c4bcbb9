#include <QtTest>
#include <algorithm>
#include <fstream>

#include <nlohmann/json.hpp>

#include "core/package/package.h"
#include "tests/corpus.h"

using namespace pt2;

namespace {

nlohmann::json factsOf(const QString& file) {
    std::ifstream in((file.chopped(4) + ".facts.json").toStdString());
    return nlohmann::json::parse(in);
}

}  // namespace

class PackageTest : public QObject {
    Q_OBJECT
private slots:
    void everyWeightIsWhatTorchLoads_data() {
        QTest::addColumn<QString>("file");
        const QString corpus = tests::corpus();
        if (corpus.isEmpty()) QSKIP("The corpus is not here; weights are not compared with torch's facts.");
        for (const char* folder : {"/2.13.0", "/2.13.0/aoti", "/eras/2.8"}) {
            for (const QFileInfo& info : QDir(corpus + folder).entryInfoList({"*.pt2"})) {
                if (QFileInfo::exists(info.filePath().chopped(4) + ".facts.json"))
                    QTest::newRow(qPrintable(QString(folder) + "/" + info.fileName())) << info.filePath();
            }
        }
    }
    void everyWeightIsWhatTorchLoads() {
        QFETCH(QString, file);
        const nlohmann::json facts = factsOf(file);
        const Result<std::shared_ptr<const Package>> package = Package::open(file.toStdString());
        QVERIFY2(package, package ? "" : package.error().why.c_str());
        const nlohmann::json programs = facts.value("programs", nlohmann::json::object());
        QCOMPARE((*package)->programs().size(), programs.size());
        for (const auto& [name, program] : programs.items()) {
            const auto& entries = (*package)->programs();
            const auto entry = std::find_if(entries.begin(), entries.end(), [&name = name](const ProgramEntry& e) { return e.name == name; });
            QVERIFY2(entry != entries.end(), name.c_str());
            for (const char* key : {"weights", "constants"}) {
                const std::vector<WeightEntry>& list = std::string(key) == "weights" ? entry->weights : entry->constants;
                QCOMPARE(list.size(), program[key].size());
                for (const auto& [fqn, fact] : program[key].items()) {
                    const auto weight = std::find_if(list.begin(), list.end(), [&fqn = fqn](const WeightEntry& w) { return w.fqn == fqn; });
                    QVERIFY2(weight != list.end(), fqn.c_str());
                    if (!fact.contains("sha256") || fact["sha256"].is_null() || fact.contains("subclass")) continue;
                    QCOMPARE(QString(dtypeName(weight->layout.dtype)), QString::fromStdString(fact["dtype"].get<std::string>()));
                    QCOMPARE(weight->layout.sizes, fact["shape"].get<std::vector<std::int64_t>>());
                    QCOMPARE(weight->layout.strides, fact["stride"].get<std::vector<std::int64_t>>());
                    QCOMPARE(weight->layout.storageOffset, fact["storage_offset"].get<std::int64_t>());
                    const Result<Tensor> tensor = (*package)->loadWeight(*weight);
                    QVERIFY2(tensor, tensor ? "" : tensor.error().why.c_str());
                    QCOMPARE(*tensorSha256(tensor->view()), fact["sha256"].get<std::string>());
                }
            }
        }
    }
    void undamagedFilesGiveNoWarning_data() { everyWeightIsWhatTorchLoads_data(); }
    void undamagedFilesGiveNoWarning() {
        QFETCH(QString, file);
        const Result<std::shared_ptr<const Package>> package = Package::open(file.toStdString());
        QVERIFY(package);
        for (const Issue& issue : (*package)->issues()) {
            QVERIFY2(issue.severity == Severity::Note, (issue.code + ": " + issue.message).c_str());
        }
    }
    void aProgramAndItsCompiledModelMayBeTwoFiles() {
        const QString corpus = tests::corpus();
        if (corpus.isEmpty()) QSKIP("The corpus is not here; joining two files is not tried.");
        const Result<Document> document =
            Document::open((corpus + "/2.13.0/tiny.pt2").toStdString(), (corpus + "/2.13.0/aoti/tiny.pt2").toStdString());
        QVERIFY(document);
        QCOMPARE(document->modelNames(), std::vector<std::string>{"model"});
        QVERIFY(document->program("model"));
        QVERIFY(document->compiled("model"));
        QVERIFY(!document->resolveModel("modle"));
        QCOMPARE(document->resolveModel("modle").error().kind, ErrorKind::Usage);
    }
};

QTEST_GUILESS_MAIN(PackageTest)
#include "tst_package.moc"
