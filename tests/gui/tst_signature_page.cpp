#include <QLabel>
#include <QProcess>
#include <QtTest>
#include <memory>
#include <nlohmann/json.hpp>

#include "tests/corpus.h"
#include "tests/gui/opened_document.h"
#include "tests/places.h"
#include "views/frame/document_view.h"
#include "views/frame/main_window.h"
#include "views/pages.h"
#include "views/signature/signature_page.h"
#include "views/theme/theme.h"
#include "views/widgets/text.h"

using namespace pt2;
using namespace pt2::views;
using pt2::tests::corpus;
using Json = nlohmann::ordered_json;

/// The Signature page says of a contract what `pt2 signature --json` says of it.
class SignaturePageTest : public QObject {
    Q_OBJECT

    PageRegistry registry_;
    std::unique_ptr<MainWindow> window_;
    DocumentView* view_ = nullptr;

    static Json told(const QString& file) {
        QProcess process;
        process.start(pt2::tests::builtProgram("pt2"), {"signature", file, "--json"});
        if (!process.waitForFinished(60'000)) return {};
        const QByteArray out = process.readAllStandardOutput();
        return Json::parse(out.constData(), out.constData() + out.size(), nullptr, false);
    }

    SignaturePage* open(const QString& file) {
        window_ = std::make_unique<MainWindow>(registry_);
        view_ = pt2::tests::openDocument(*window_, file);
        if (!view_) return nullptr;
        view_->showPage(QStringLiteral("signature"));
        auto* page = qobject_cast<SignaturePage*>(view_->currentPage());
        if (page && !QTest::qWaitFor([page] { return page->settled(); }, 60'000)) return nullptr;
        return page;
    }

private slots:
    void initTestCase() {
        if (corpus().isEmpty()) QSKIP("The corpus is not here: the Signature page is not compared with the command line.");
        registerPages(registry_);
        Theme::instance().apply(ThemeChoice::Light);
    }
    void cleanup() { window_.reset(); }

    void theNotesAreThoseOfTheCommandLine_data() {
        QTest::addColumn<QString>("file");
        for (const char* name :
             {"2.13.0/tiny.pt2", "2.13.0/equal_syms.pt2", "2.13.0/dyn_derived.pt2", "2.13.0/pool_ceil.pt2", "2.13.0/aoti/combined.pt2",
              "2.13.0/aoti/nested_inputs.pt2", "2.13.0/aoti/constant_inputs.pt2", "eras/2.8/aoti/mlp2.pt2", "eras/2.6/aoti/mlp2.pt2"}) {
            QTest::newRow(name) << corpus() + QLatin1Char('/') + QLatin1String(name);
        }
        QTest::newRow("marked_dynamic.pt2") << pt2::tests::sourceFile("tests/data/marked_dynamic.pt2");
    }
    void theNotesAreThoseOfTheCommandLine() {
        QFETCH(QString, file);
        const Json document = told(file);
        QVERIFY(document.contains("notes"));
        QStringList expected;
        for (const char* kind : {"equalities", "guards", "fixed_sizes", "bounds", "not_checked", "order"}) {
            for (const Json& note : document["notes"][kind]) expected << QString::fromStdString(note);
        }
        if (document["asserts"].is_array()) {
            for (const Json& found : document["asserts"]) {
                if (found["in_code"] == "lost") expected << QString::fromStdString(found["condition"]);
            }
        }
        SignaturePage* page = open(file);
        QVERIFY(page);
        QStringList shownNotes, onScreen;
        for (const NoteGroup& group : page->notes()) {
            for (const NoteGroup::Note& note : group.notes) shownNotes << note.text;
        }
        for (const TextLabel* label : page->findChildren<TextLabel*>()) onScreen << label->text();
        expected.sort();
        QStringList sorted = shownNotes;
        sorted.sort();
        QCOMPARE(sorted, expected);
        for (const QString& note : shownNotes) QVERIFY2(onScreen.contains(note), qPrintable(note));
    }

    /// Facts of a compiled model without a program say in their tooltips where they are from.
    void originsAreInTheTooltips() {
        SignaturePage* page = open(corpus() + "/2.13.0/aoti/mlp2.pt2");
        QVERIFY(page);
        const QModelIndex inputs = page->model().index(0, 0);
        const QModelIndex dtype = page->model().index(0, 3, inputs);
        QVERIFY2(dtype.data(Qt::ToolTipRole).toString().startsWith("From the wrapper source, line "),
                 qPrintable(dtype.data(Qt::ToolTipRole).toString()));
        const QString range = page->model().index(0, 5, inputs).data(Qt::ToolTipRole).toString();
        QVERIFY2(range.contains("minimum of dimension 0: 2 (line ") && range.contains("device: cpu"), qPrintable(range));
    }
};

QTEST_MAIN(SignaturePageTest)
#include "tst_signature_page.moc"
