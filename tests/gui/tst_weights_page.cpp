#include <QLabel>
#include <QLineEdit>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <memory>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/tensor/npy.h"
#include "tests/corpus.h"
#include "tests/gui/opened_document.h"
#include "tests/places.h"
#include "views/frame/document_view.h"
#include "views/frame/main_window.h"
#include "views/pages.h"
#include "views/plots/histogram_plot.h"
#include "views/plots/value_grid.h"
#include "views/theme/theme.h"
#include "views/weights/weights_page.h"
#include "views/widgets/data_table.h"
#include "views/widgets/text.h"

using namespace pt2;
using namespace pt2::views;
using pt2::tests::corpus;
using Json = nlohmann::ordered_json;

/// The Weights page says of a file what `pt2 weights --json` says of it.
class WeightsPageTest : public QObject {
    Q_OBJECT

    PageRegistry registry_;
    std::unique_ptr<MainWindow> window_;
    DocumentView* view_ = nullptr;

    static Json listed(const QString& file) {
        QProcess process;
        process.start(pt2::tests::builtProgram("pt2"), {"weights", file, "--stats", "--json"});
        if (!process.waitForFinished(60'000)) return {};
        const QByteArray out = process.readAllStandardOutput();
        return Json::parse(out.constData(), out.constData() + out.size(), nullptr, false);
    }

    WeightsPage* open(const QString& file) {
        window_ = std::make_unique<MainWindow>(registry_);
        view_ = pt2::tests::openDocument(*window_, file);
        if (!view_) return nullptr;
        view_->showPage(QStringLiteral("weights"));
        auto* page = qobject_cast<WeightsPage*>(view_->currentPage());
        if (page && !QTest::qWaitFor([page] { return page->settled(); }, 60'000)) return nullptr;
        return page;
    }

    static QString cell(const WeightsPage& page, int row, int column) { return page.model().index(row, column).data().toString(); }

private slots:
    void initTestCase() {
        if (corpus().isEmpty()) QSKIP("The corpus is not here: the Weights page is not compared with the command line.");
        registerPages(registry_);
        Theme::instance().apply(ThemeChoice::Light);
    }
    void cleanup() { window_.reset(); }

    void theTableShowsWhatTheCommandLineLists_data() {
        QTest::addColumn<QString>("file");
        for (const char* name : {"2.13.0/tiny.pt2", "2.13.0/views_shared.pt2", "2.13.0/tied.pt2", "2.13.0/dtypes_wide.pt2", "2.13.0/nonfinite.pt2",
                                 "2.13.0/quant_pickled.pt2", "2.13.0/non_persistent.pt2", "2.13.0/torchbind.pt2", "2.13.0/aoti/combined.pt2",
                                 "2.13.0/aoti/mlp2.pt2", "eras/2.8/tied.pt2", "damaged/w_offset_oob.pt2"}) {
            QTest::newRow(name) << corpus() + QLatin1Char('/') + QLatin1String(name);
        }
    }
    void theTableShowsWhatTheCommandLineLists() {
        QFETCH(QString, file);
        if (!QFile::exists(file)) QSKIP("This file is not in the corpus.");
        const Json document = listed(file);
        QVERIFY(document.contains("weights"));
        WeightsPage* page = open(file);
        QVERIFY(page);
        const Json& weights = document["weights"];
        QCOMPARE(page->model().rowCount(), static_cast<int>(weights.size()));
        const bool compiled = !weights.empty() && weights[0].contains("compiled");
        for (int i = 0; i < page->model().rowCount(); ++i) {
            const Json& weight = weights[static_cast<std::size_t>(i)];
            QCOMPARE(cell(*page, i, 0), shown(weight["name"].get<std::string>()));
            QCOMPARE(cell(*page, i, 1), QString::fromStdString(weight["kind"]));
            if (!weight["dtype"].is_null()) {
                QCOMPARE(cell(*page, i, 2), QString::fromStdString(weight["dtype"]));
                QCOMPARE(cell(*page, i, 3).remove(u' '), QString::fromStdString(weight["shape"].dump()).remove(u' '));
                QCOMPARE(cell(*page, i, 4), toQt(formatBytes(weight["bytes"].get<std::uint64_t>())));
            }
            if (weight.contains("stats")) {
                const bool odd = weight["stats"]["nan"].get<int>() + weight["stats"]["inf"].get<int>() > 0;
                QCOMPARE(cell(*page, i, 5) == QStringLiteral("none"), !odd);
                QCOMPARE(!page->model().index(i, 5).data(IconNameRole).toString().isEmpty(), odd);
            }
            const bool shared = !weight["storage"].is_null() && !weight["storage"]["shared_with"].empty();
            QCOMPARE(!cell(*page, i, 6).isEmpty(), shared);
            if (!compiled) continue;
            const std::string named = weight["compiled"]["as"];
            const QString as = named == "baked into code" ? QStringLiteral("baked in") : QString::fromStdString(named);
            QVERIFY2(cell(*page, i, 7).startsWith(as), qPrintable(cell(*page, i, 7)));
        }
    }

    void anAddressSelectsItsRowThoughAFilterHidesIt() {
        WeightsPage* page = open(corpus() + "/2.13.0/encoder.pt2");
        QVERIFY(page);
        auto* table = page->findChild<DataTable*>();
        QLineEdit* filter = nullptr;
        for (QLineEdit* field : page->findChildren<QLineEdit*>())
            filter = field->accessibleName() == QStringLiteral("Filter weights") ? field : filter;
        QVERIFY(filter);
        filter->setText(QStringLiteral("no such weight"));
        QCOMPARE(table->filter()->rowCount(), 0);
        view_->session().navigate(QStringLiteral("weights/layers.0.attn.q_proj.bias"));
        QCOMPARE(table->currentAddress(), QStringLiteral("weights/layers.0.attn.q_proj.bias"));
        QCOMPARE(view_->currentPage(), page);
        QVERIFY(filter->text().isEmpty());
        QVERIFY(QTest::qWaitFor([page] { return page->settled(); }, 60'000));
        QVERIFY(page->findChild<HistogramPlot*>()->isVisible());
        QVERIFY(page->findChild<HistogramPlot*>()->highest() > 0);
    }

    void slicesMoveThroughAllDimensions() {
        WeightsPage* page = open(corpus() + "/2.13.0/conv_bn_eval.pt2");
        QVERIFY(page);
        const auto& rows = page->table()->rows();
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (rows[i].layout.sizes.size() != 4) continue;
            // Every element through windows equals the element read whole.
            const auto whole = page->table()->load(i);
            QVERIFY(whole);
            const auto& sizes = rows[i].layout.sizes;
            std::uint64_t linear = 0;
            for (std::int64_t a = 0; a < sizes[0]; ++a) {
                for (std::int64_t b = 0; b < sizes[1]; ++b) {
                    const auto part = page->table()->window(i, {{a, b}, 0, 0, sizes[2], sizes[3]});
                    QVERIFY(part);
                    for (std::uint64_t k = 0; k < static_cast<std::uint64_t>(sizes[2] * sizes[3]); ++k, ++linear)
                        QCOMPARE(elementAsDouble(part->view(), k), elementAsDouble(whole->view(), linear));
                }
            }
        }
    }

    void theSelectionIsExportedAndSaidSo() {
        WeightsPage* page = open(corpus() + "/2.13.0/tiny.pt2");
        QVERIFY(page);
        QTemporaryDir directory;
        const QString file = directory.filePath("w.npz");
        page->findChild<DataTable*>()->selectAddress(QStringLiteral("weights/fc.bias"));
        page->save(file);
        QVERIFY(QTest::qWaitFor([page] { return page->settled(); }, 60'000));
        const auto saved = readNpzFile(file.toStdString());
        QVERIFY(saved);
        QCOMPARE(saved->size(), std::size_t(1));
        QCOMPARE(saved->front().first, std::string("fc.bias"));
        QVERIFY(page->statusTexts().front().contains(QStringLiteral("exported")));
    }

    void withoutWeightsThePageSaysWhy() {
        WeightsPage* page = open(corpus() + "/2.13.0/empty_graph.pt2");
        QVERIFY(page);
        bool said = false;
        for (const QLabel* label : page->findChildren<QLabel*>()) said = said || (label->isVisible() && label->text().contains("no weights"));
        QVERIFY(said);
    }
};

QTEST_MAIN(WeightsPageTest)
#include "tst_weights_page.moc"
