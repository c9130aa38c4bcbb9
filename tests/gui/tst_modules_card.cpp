#include <QProcess>
#include <QtTest>
#include <memory>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "tests/corpus.h"
#include "tests/gui/opened_document.h"
#include "tests/places.h"
#include "views/frame/document_view.h"
#include "views/frame/main_window.h"
#include "views/overview/modules_card.h"
#include "views/overview/overview_page.h"
#include "views/pages.h"
#include "views/theme/theme.h"
#include "views/widgets/text.h"

using namespace pt2;
using namespace pt2::views;
using pt2::tests::corpus;
using Json = nlohmann::ordered_json;

/// The Overview's modules are those of `pt2 summary --json`, number for number.
class ModulesCardTest : public QObject {
    Q_OBJECT

    PageRegistry registry_;

    static void collect(const RowModel& model, const QModelIndex& parent, std::vector<QModelIndex>& rows) {
        for (int i = 0; i < model.rowCount(parent); ++i) {
            const QModelIndex index = model.index(i, 0, parent);
            rows.push_back(index);
            collect(model, index, rows);
        }
    }

private slots:
    void initTestCase() {
        if (corpus().isEmpty()) QSKIP("The corpus is not here: there are no modules to show.");
        registerPages(registry_);
        Theme::instance().apply(ThemeChoice::Light);
    }

    void modulesAreThoseOfTheCommandLine_data() {
        QTest::addColumn<QString>("file");
        for (const char* name : {"tiny", "encoder", "llama_tiny", "tied", "cond", "quant_pickled", "zero_size", "multi_program"})
            QTest::newRow(name) << corpus() + QStringLiteral("/2.13.0/") + QLatin1String(name) + QStringLiteral(".pt2");
    }
    void modulesAreThoseOfTheCommandLine() {
        QFETCH(QString, file);
        MainWindow window(registry_);
        DocumentView* view = pt2::tests::openDocument(window, file);
        QVERIFY(view);
        view->showPage(QStringLiteral("overview"));
        auto* page = qobject_cast<OverviewPage*>(view->currentPage());
        QVERIFY(page);
        auto* card = page->findChild<ModulesCard*>();
        QVERIFY(card && QTest::qWaitFor([card] { return card->settled(); }, 60'000));

        QProcess process;
        process.start(pt2::tests::builtProgram("pt2"), {"summary", file, "--json", "--model", QString::fromStdString(view->session().model())});
        QVERIFY(process.waitForFinished(60'000));
        const QByteArray out = process.readAllStandardOutput();
        const Json document = Json::parse(out.constData(), out.constData() + out.size(), nullptr, false);
        QVERIFY(document.contains("modules"));
        const Json& modules = document["modules"];
        QCOMPARE(card->isVisible(), modules.size() > 1);
        if (modules.size() == 1) return;
        std::vector<QModelIndex> rows;
        collect(card->model(), {}, rows);
        QCOMPARE(rows.size(), modules.size());
        const auto number = [](const Json& value) {
            return value.get<std::uint64_t>() == 0 ? QStringLiteral("—") : toQt(formatCount(value.get<std::uint64_t>()));
        };
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const Json& module = modules[i];
            const auto cell = [&](int column) { return rows[i].siblingAtColumn(column).data().toString(); };
            const std::string path = module["path"];
            if (i > 0) QCOMPARE(cell(0), shown(path.substr(path.rfind('.') + 1)));
            QCOMPARE(cell(2), number(module["parameters"]));
            QCOMPARE(cell(3), number(module["buffers"]));
            const auto bytes = module["bytes"].get<std::uint64_t>();
            QCOMPARE(cell(4), bytes == 0 ? QStringLiteral("—") : toQt(formatBytes(bytes)));
            QCOMPARE(cell(5), number(module["nodes"]));
        }
    }
};

QTEST_MAIN(ModulesCardTest)
#include "tst_modules_card.moc"
