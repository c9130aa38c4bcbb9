#include <QDirIterator>
#include <QtTest>
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "core/package/module_summary.h"
#include "core/package/quantized.h"
#include "core/package/weight_carriage.h"
#include "core/package/weight_table.h"
#include "tests/corpus.h"

using namespace pt2;
using pt2::tests::corpus;

namespace {

/// Every archive of the corpus, damaged ones included.
QStringList archives() {
    QStringList found;
    QDirIterator files(corpus(), {"*.pt2"}, QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext()) found << files.next();
    found.sort();
    return found;
}

}  // namespace

class TestWeightTable : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        if (corpus().isEmpty()) QSKIP("The corpus is not here: weights of real files are not read.");
    }

    void partsOfAWeightAreThoseOfTheWholeAndDamageIsAnErrorNotACrash() {
        int compared = 0, refused = 0;
        for (const QString& file : archives()) {
            const auto document = Document::open(file.toStdString());
            if (!document) continue;
            for (const std::string& model : document->modelNames()) {
                const auto made = WeightTable::make(*document, model);
                if (!made) continue;
                const WeightTable& table = **made;
                for (std::size_t i = 0; i < table.rows().size(); ++i) {
                    const WeightRow& row = table.rows()[i];
                    const auto whole = row.isSubclass ? Result<Tensor>(cancelled()) : table.load(i);
                    if (!whole) {
                        ++refused;
                        const auto part = table.elements(i, 0, 3);
                        const auto window = table.window(i, {});
                        const auto picture = pictureOf(table, i, 4);
                        if (!row.isSubclass) QVERIFY2(!picture || row.elements == 0, row.name.c_str());
                        (void)part;
                        (void)window;
                        continue;
                    }
                    const auto plain = contiguous(*whole);
                    QVERIFY(plain);
                    const std::uint64_t count = row.elements, size = dtypeSize(row.layout.dtype);
                    for (const auto& [first, length] :
                         {std::pair<std::uint64_t, std::uint64_t>{0, 5}, {count / 2, 7}, {count, 3}, {count / 3, count}}) {
                        const auto part = table.elements(i, first, length);
                        QVERIFY2(part, row.name.c_str());
                        const std::uint64_t from = std::min(first, count), number = std::min(length, count - from);
                        QCOMPARE(part->layout.sizes, std::vector<std::int64_t>{static_cast<std::int64_t>(number)});
                        const Bytes expected = plain->storage.subspan(from * size, number * size);
                        QVERIFY2(std::equal(expected.begin(), expected.end(), part->storage.begin()), (file.toStdString() + " " + row.name).c_str());
                    }
                    const auto picture = pictureOf(table, i, 6);
                    QVERIFY2(picture, row.name.c_str());
                    const auto statistics = computeStatistics(plain->view());
                    QCOMPARE(picture->statistics.count, count);
                    QCOMPARE(picture->statistics.mean, statistics->mean);
                    QCOMPARE(picture->sha256, tensorSha256(plain->view()).value());
                    ++compared;
                }
            }
        }
        QVERIFY(compared > 500);
        QVERIFY(refused > 0);
    }

    void everyStorageIsCountedOnceAndEveryRowIsInOne() {
        for (const QString& file : archives()) {
            const auto document = Document::open(file.toStdString());
            if (!document) continue;
            for (const std::string& model : document->modelNames()) {
                const auto made = WeightTable::make(*document, model);
                if (!made) continue;
                const WeightTable& table = **made;
                std::set<std::size_t> storages;
                std::uint64_t stored = 0;
                for (std::size_t i = 0; i < table.rows().size(); ++i) {
                    const WeightRow& row = table.rows()[i];
                    for (const SharedWith& other : table.sharing(i)) {
                        QVERIFY(other.row != i);
                        QCOMPARE(table.rows()[other.row].storage, row.storage);
                        QCOMPARE(other.tied, table.rows()[other.row].layout == row.layout);
                    }
                    if (row.storage != WeightRow::kNoStorage && storages.insert(row.storage).second) stored += row.storageBytes;
                }
                QCOMPARE(table.totals().storedBytes, stored);
                QCOMPARE(table.totals().storages, static_cast<std::uint64_t>(storages.size()));
            }
        }
    }

    void whatACompiledModelCarriesIsSaidOfEveryWeightWithAReason() {
        int same = 0, baked = 0, unread = 0;
        for (const QString& file : archives()) {
            const auto document = Document::open(file.toStdString());
            if (!document) continue;
            for (const std::string& model : document->modelNames()) {
                const auto made = WeightTable::make(*document, model);
                if (!made || !document->compiled(model) || !(*made)->ofProgram()) continue;
                const auto carried = compareWithCompiled(**made, *document, true);
                QVERIFY(carried);
                QCOMPARE(carried->size(), (*made)->rows().size());
                for (const CarriedBy& by : *carried) {
                    QVERIFY(!by.why.empty());
                    same += by.as == Carriage::Same;
                    baked += by.as == Carriage::BakedIn;
                }
                // Without reading values nothing is called the same.
                const auto unasked = compareWithCompiled(**made, *document, false);
                QVERIFY(unasked);
                for (const CarriedBy& by : *unasked) unread += by.as == Carriage::Same || by.as == Carriage::BakedIn;
            }
        }
        QVERIFY(same > 0);
        QVERIFY(baked > 0);
        QCOMPARE(unread, 0);
    }

    void modulesHoldAllNodesWhateverTheFileIs() {
        for (const QString& file : archives()) {
            const auto document = Document::open(file.toStdString());
            if (!document) continue;
            for (const std::string& model : document->modelNames()) {
                const auto program = document->program(model);
                const auto made = WeightTable::make(*document, model);
                if (!program || !made) continue;
                const ProgramSummary summary = summariseModules(*program.entry->program, **made);
                QCOMPARE(summary.modules[0].sums.nodes, static_cast<std::uint64_t>(program.entry->program->nodes().size()));
                std::uint64_t own = 0;
                for (std::size_t i = 0; i < summary.modules.size(); ++i) {
                    const ModuleSummary& module = summary.modules[i];
                    own += module.own.nodes;
                    QVERIFY(module.parent < i || i == 0);
                    QVERIFY(module.sums.parameters <= summary.modules[0].sums.parameters);
                }
                QCOMPARE(own, summary.modules[0].sums.nodes);
                QCOMPARE(summary.treeOrder(1000).size(), summary.modules.size());
                (void)quantizedWeights(**made, *program.entry->program);
            }
        }
    }

    void aCancelledReadingSaysSo() {
        const auto document = Document::open((corpus() + "/2.13.0/tiny.pt2").toStdString());
        QVERIFY(document);
        const auto table = WeightTable::make(*document, "model");
        QVERIFY(table);
        const CancelToken cancel;
        cancel.request();
        const auto picture = pictureOf(**table, 0, 4, cancel);
        QVERIFY(!picture);
        QCOMPARE(picture.error().kind, ErrorKind::Cancelled);
    }
};

QTEST_GUILESS_MAIN(TestWeightTable)
#include "tst_weight_table.moc"
