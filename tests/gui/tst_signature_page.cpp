#include <QComboBox>
#include <QDirIterator>
#include <QLabel>
#include <QProcess>
#include <QScrollArea>
#include <QScrollBar>
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/corpus.h"
#include "tests/gui/opened_document.h"
#include "tests/places.h"
#include "views/frame/document_view.h"
#include "views/frame/main_window.h"
#include "views/pages.h"
#include "views/signature/signature_page.h"
#include "views/theme/theme.h"
#include "views/widgets/data_table.h"
#include "views/widgets/segmented_switch.h"
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
        for (const char* name : {"2.13.0/input_mutation.pt2", "2.13.0/conv_bn_train.pt2", "2.13.0/unbacked_item.pt2", "2.13.0/sym_scalars.pt2",
                                 "2.13.0/dyn_auto.pt2", "2.13.0/args_kinds.pt2", "2.13.0/tiny.pt2", "2.13.0/equal_syms.pt2", "2.13.0/dyn_derived.pt2",
                                 "2.13.0/pool_ceil.pt2", "2.13.0/aoti/combined.pt2", "2.13.0/aoti/nested_inputs.pt2",
                                 "2.13.0/aoti/constant_inputs.pt2", "eras/2.8/aoti/mlp2.pt2", "eras/2.6/aoti/mlp2.pt2"}) {
            QTest::newRow(name) << corpus() + QLatin1Char('/') + QLatin1String(name);
        }
        QTest::newRow("marked_dynamic.pt2") << pt2::tests::sourceFile("tests/data/marked_dynamic.pt2");
    }
    void theNotesAreThoseOfTheCommandLine() {
        QFETCH(QString, file);
        const Json document = told(file);
        QVERIFY(document.contains("notes"));
        QStringList expected;
        for (const char* kind : {"equalities", "guards", "size_one", "fixed_sizes", "bounds", "not_checked", "order"}) {
            for (const Json& note : document["notes"][kind]) expected << QString::fromStdString(note);
        }
        if (document["changes"].is_array()) {
            for (const Json& change : document["changes"]) expected << QString::fromStdString(change["sentence"]);
        }
        // Asserts: each once under what the code does with it; without a compiled model guards and bounds stand elsewhere.
        const bool compiled = !document["call"]["cpp"].is_null();
        if (document["asserts"].is_array()) {
            std::set<std::pair<std::string, std::string>> said;
            for (const Json& found : document["asserts"]) {
                const bool elsewhere = !compiled && (found["kind"] == "guard" || found["kind"] == "bound");
                if (elsewhere || found["fixed_by_program"] == true || !said.emplace(found["in_code"], found["sentence"]).second) continue;
                expected << QString::fromStdString(found["sentence"]);
            }
        }
        SignaturePage* page = open(file);
        QVERIFY(page);
        QStringList shownNotes, onScreen;
        for (const NoteGroup& group : page->notes()) {
            for (const NoteGroup::Note& note : group.notes) shownNotes << note.text;
        }
        for (const TextLabel* label : page->findChildren<TextLabel*>())
            onScreen << (label->accessibleName().isEmpty() ? label->text() : label->accessibleName());
        expected.sort();
        QStringList sorted = shownNotes;
        sorted.sort();
        QCOMPARE(sorted, expected);
        for (const QString& note : shownNotes) QVERIFY2(onScreen.contains(note), qPrintable(note));
    }

    /// What nothing says is shown as not known, never as none.
    void aCompiledModelWithoutSourcesIsNotKnown() {
        QTemporaryDir directory;
        QProcess process;
        process.start(pt2::tests::builtProgram("pt2"), {"extract", corpus() + "/2.13.0/aoti/mlp2.pt2", "-C", directory.path()});
        QVERIFY(process.waitForFinished(60'000) && process.exitCode() == 0);
        QDirIterator members(directory.path(), {"*.cpp", "*.h"}, QDir::Files, QDirIterator::Subdirectories);
        while (members.hasNext()) QVERIFY(QFile::remove(members.next()));
        SignaturePage* page = open(directory.filePath("mlp2"));
        QVERIFY(page);
        QCOMPARE(page->model().rowCount(), 3);
        for (int i = 0; i < page->model().rowCount(); ++i) {
            const Row* group = page->model().row(page->model().index(i, 0));
            QVERIFY2(group->cells[0].second.startsWith("not known"), qPrintable(group->cells[0].text + ' ' + group->cells[0].second));
        }
        QStringList onScreen;
        for (const TextLabel* label : page->findChildren<TextLabel*>()) onScreen << label->fullText();
        QVERIFY(onScreen.contains("inputs and outputs not known") && onScreen.contains("not known"));
        for (const QString& text : onScreen) QVERIFY2(!text.contains("all sizes are fixed"), qPrintable(text));
    }

    /// What a training graph writes to in place stands with the input or buffer, and in words beside the table.
    void changesInPlaceStandWithTheirInput() {
        SignaturePage* page = open(corpus() + "/2.13.0/conv_bn_train.pt2");
        QVERIFY(page);
        int changed = 0;
        std::vector<QModelIndex> todo{QModelIndex()};
        while (!todo.empty()) {
            const QModelIndex parent = todo.back();
            todo.pop_back();
            for (int i = 0; i < page->model().rowCount(parent); ++i) {
                const QModelIndex index = page->model().index(i, 0, parent);
                const Row* row = page->model().row(index);
                if (row->group) {
                    todo.push_back(index);
                } else if (row->cells[1].text == "buffer, changed in place") {
                    QVERIFY(row->cells[1].tooltip.contains("is changed in place by "));
                    ++changed;
                }
            }
        }
        QCOMPARE(changed, 3);
        QVERIFY(!page->notes().empty() && page->notes().front().title == "What a call changes" && page->notes().front().notes.size() == 3);
    }

    /// Nothing beside the table asks for more width than there is: no heading is cut, and nothing scrolls sideways.
    void theSideFitsItsWidth_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QSize>("size");
        for (const char* name : {"foreign/hf_vit_imgcls.pt2", "2.13.0/aoti/combined.pt2", "foreign/snntorch_leaky.pt2", "2.13.0/conv_bn_train.pt2"}) {
            for (const QSize size : {QSize(1000, 700), QSize(1440, 900)}) {
                QTest::addRow("%s at %d", name, size.width()) << corpus() + QLatin1Char('/') + QLatin1String(name) << size;
            }
        }
    }
    void theSideFitsItsWidth() {
        QFETCH(QString, file);
        QFETCH(QSize, size);
        SignaturePage* page = open(file);
        QVERIFY(page);
        window_->resize(size);
        window_->show();
        const auto areas = page->findChildren<QScrollArea*>();
        const auto side =
            std::find_if(areas.begin(), areas.end(), [](const QScrollArea* area) { return area->accessibleName() == "Call, sizes and guards"; });
        QVERIFY(side != areas.end());
        auto* form = page->findChild<SegmentedSwitch*>();
        QVERIFY(form);
        if (size.width() < 1200) form->setCurrent(3);  // a form of its own where there is no room
        QTRY_VERIFY((*side)->isVisible());
        QTest::qWait(20);
        const int room = (*side)->viewport()->width();
        QVERIFY2((*side)->widget()->minimumSizeHint().width() <= room,
                 qPrintable(QString("%1 in %2").arg((*side)->widget()->minimumSizeHint().width()).arg(room)));
        QVERIFY((*side)->widget()->width() <= room);
        for (const QLabel* label : (*side)->widget()->findChildren<QLabel*>()) {
            if (!label->isVisible()) continue;
            const QRect place(label->mapTo((*side)->widget(), QPoint()), label->size());
            QVERIFY2(place.left() >= 0 && place.right() < room, qPrintable(label->text()));
            if (!label->wordWrap()) QVERIFY2(label->width() >= label->minimumSizeHint().width(), qPrintable(label->text()));
        }
        for (auto* call : (*side)->widget()->findChildren<DataTable*>()) QVERIFY(!call->horizontalScrollBar()->isVisible());
    }

    /// Weights in rows of their modules, folded where there are many; one kind alone can be looked at, and what is looked for is shown all the same.
    void longListsAreGroupedAndKindsAreChosen() {
        SignaturePage* page = open(corpus() + "/foreign/hf_vit_imgcls.pt2");
        QVERIFY(page);
        const RowModel& model = page->model();
        QModelIndex parameters;
        for (int i = 0; i < model.rowCount(); ++i) {
            if (model.index(i, 0).data().toString() == "Parameters") parameters = model.index(i, 0);
        }
        QVERIFY(parameters.isValid());
        QCOMPARE(model.row(parameters)->cells[0].second, QStringLiteral("40"));
        QStringList modules;
        for (int i = 0; i < model.rowCount(parameters); ++i) {
            const Row* row = model.row(model.index(i, 0, parameters));
            if (!row->group) continue;
            modules << row->cells[0].text;
            QVERIFY(!row->open);
            for (const Row& weight : row->children) QVERIFY(weight.cells[2].text.startsWith(row->cells[0].text + '.'));
        }
        QVERIFY2(modules.contains("vit.layers.0") && modules.contains("vit.embeddings"), qPrintable(modules.join(' ')));
        auto* kinds = page->findChild<QComboBox*>();
        QVERIFY(kinds && kinds->itemText(0) == "All kinds");
        const int all = model.rowCount();
        kinds->setCurrentIndex(kinds->findText("Parameters"));
        QCOMPARE(model.rowCount(), 1);
        QStringList onScreen;
        for (const TextLabel* label : page->findChildren<TextLabel*>()) onScreen << label->fullText();
        QVERIFY2(onScreen.contains("40 of 42"), qPrintable(onScreen.join(" | ")));
        page->showAddress(*Address::parse("program/model/value/pixel_values"));
        QCOMPARE(model.rowCount(), all);
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
