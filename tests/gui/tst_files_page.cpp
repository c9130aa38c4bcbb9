#include <QAbstractButton>
#include <QLabel>
#include <QtTest>
#include <memory>
#include <string>

#include "core/base/text.h"
#include "tests/corpus.h"
#include "tests/gui/opened_document.h"
#include "views/files/files_page.h"
#include "views/files/member_content.h"
#include "views/files/member_view.h"
#include "views/frame/document_view.h"
#include "views/frame/main_window.h"
#include "views/jobs/job_runner.h"
#include "views/pages.h"
#include "views/theme/theme.h"
#include "views/widgets/data_table.h"
#include "views/widgets/hex_view.h"
#include "views/widgets/segmented_switch.h"

using namespace pt2;
using namespace pt2::views;
using pt2::tests::corpus;

/// Each member opens in the viewer that fits it.
class FilesPageTest : public QObject {
    Q_OBJECT

    PageRegistry registry_;
    std::unique_ptr<MainWindow> window_;
    DocumentView* view_ = nullptr;

    FilesPage* open(const char* name, const QString& member) {
        window_ = std::make_unique<MainWindow>(registry_);
        view_ = pt2::tests::openDocument(*window_, corpus() + QLatin1Char('/') + QLatin1String(name));
        if (!view_) return nullptr;
        view_->showPage(QStringLiteral("files"));
        auto* page = qobject_cast<FilesPage*>(view_->currentPage());
        const auto address = Address::parse("file/" + member.toStdString());
        if (!page || !address) return nullptr;
        page->showAddress(*address);
        if (!QTest::qWaitFor([page] { return page->settled(); }, 60'000)) return nullptr;
        return page;
    }

    static QStringList forms(const FilesPage& page) { return page.findChild<MemberView*>()->findChild<SegmentedSwitch*>()->labels(); }
    static DataTable* content(const FilesPage& page) {
        auto* table = page.findChild<MemberContent*>()->findChild<DataTable*>();
        return table && table->isVisible() ? table : nullptr;
    }
    /// All rows as "cell | cell | cell", parents before children.
    static QStringList rows(const QAbstractItemModel& model, const QModelIndex& parent = {}) {
        QStringList out;
        for (int i = 0; i < model.rowCount(parent); ++i) {
            QStringList cells;
            for (int c = 0; c < model.columnCount(parent); ++c) cells << model.index(i, c, parent).data().toString();
            out << cells.join(QStringLiteral(" | "));
            out << rows(model, model.index(i, 0, parent));
        }
        return out;
    }
    QStringList visibleTexts() const {
        QStringList out;
        for (const QLabel* label : view_->currentPage()->findChildren<QLabel*>()) {
            if (label->isVisible()) out << label->text();
        }
        return out;
    }

private slots:
    void initTestCase() {
        if (corpus().isEmpty()) QSKIP("The corpus is not here: no members can be shown.");
        registerPages(registry_);
        Theme::instance().apply(ThemeChoice::Light);
    }
    void cleanup() { window_.reset(); }

    void sampleInputsAreATreeOfObjects() {
        FilesPage* page = open("2.13.0/pytree_inputs.pt2", QStringLiteral("data/sample_inputs/model.pt"));
        QVERIFY(page);
        QCOMPARE(forms(*page), (QStringList{"Objects", "Bytes"}));
        DataTable* table = content(*page);
        QVERIFY(table);
        const QStringList shown = rows(*table->filter());
        QVERIFY2(shown.size() > 4 && shown.front().startsWith(QStringLiteral("pickle | tuple of 2")), qPrintable(shown.join('\n')));
        QVERIFY2(shown.filter(QStringLiteral("float32 [")).size() > 1, qPrintable(shown.join('\n')));
        QVERIFY2(!shown.filter(QStringLiteral("dict of")).isEmpty(), qPrintable(shown.join('\n')));
    }

    /// The object is named and its call stands there, unmade; the window says that torch would refuse it.
    void aPickleThatWouldRunSomethingIsReadAsData() {
        FilesPage* page = open("damaged/sample_pickle_system.pt2", QStringLiteral("data/sample_inputs/model.pt"));
        QVERIFY(page);
        DataTable* table = content(*page);
        QVERIFY(table);
        QVERIFY2(!rows(*table->filter()).filter(QStringLiteral("call, not made")).isEmpty(), qPrintable(rows(*table->filter()).join('\n')));
        const QStringList texts = visibleTexts();
        QVERIFY2(!texts.filter(QStringLiteral("refuses")).isEmpty(), qPrintable(texts.join('\n')));
        QVERIFY2(!texts.filter(QStringLiteral("system")).isEmpty(), qPrintable(texts.join('\n')));
    }

    /// What cannot be read is said, with a way to its bytes; deep and garbled pickles end in words, not in a crash.
    void aPickleThatCannotBeReadIsSaid_data() {
        QTest::addColumn<QString>("file");
        QTest::newRow("garbage") << QStringLiteral("damaged/sample_garbage.pt2");
        QTest::newRow("deep") << QStringLiteral("damaged/sample_pickle_deep.pt2");
    }
    void aPickleThatCannotBeReadIsSaid() {
        QFETCH(QString, file);
        FilesPage* page = open(qPrintable(file), QStringLiteral("data/sample_inputs/model.pt"));
        QVERIFY(page);
        QVERIFY(!content(*page));
        QVERIFY2(visibleTexts().contains(QStringLiteral("The pickle cannot be read.")), qPrintable(visibleTexts().join('\n')));
        QAbstractButton* bytes = nullptr;
        for (QAbstractButton* button : page->findChildren<QAbstractButton*>()) {
            if (button->isVisible() && button->text() == QStringLiteral("Show bytes")) bytes = button;
        }
        QVERIFY(bytes);
        QTest::mouseClick(bytes, Qt::LeftButton);
        QTRY_VERIFY(page->findChild<HexView*>()->isVisible());
    }

    void aWeightIsShownAsATensor() {
        FilesPage* page = open("2.13.0/tiny.pt2", QStringLiteral("data/weights/weight_0"));
        QVERIFY(page);
        QCOMPARE(forms(*page), (QStringList{"Tensor", "Bytes"}));
        QTRY_VERIFY(!visibleTexts().filter(QStringLiteral("Statistics")).isEmpty());
        QVERIFY(!visibleTexts().filter(QStringLiteral("holds")).isEmpty());
    }

    /// The weights are listed once and in the background, however many members are looked at.
    void membersOfOneProgramShareTheListOfWeights() {
        FilesPage* page = open("2.13.0/encoder.pt2", QStringLiteral("models/model.json"));
        QVERIFY(page);
        int listed = 0;
        JobRunner& jobs = view_->session().jobs();
        connect(&jobs, &JobRunner::started, this, [&] {
            for (const JobState& job : jobs.running()) listed += job.title == QStringLiteral("Listing weights") ? 1 : 0;
        });
        for (const char* member : {"weight_0", "weight_1", "weight_2", "weight_0"}) {
            page->showAddress(*Address::parse(std::string("file/data/weights/") + member));
            QTRY_VERIFY_WITH_TIMEOUT(page->settled() && jobs.isIdle(), 30'000);
            QTRY_VERIFY(!visibleTexts().filter(QStringLiteral("Statistics")).isEmpty());
        }
        QCOMPARE(listed, 1);
    }

    void aLibraryIsSummedUp() {
        const QString name = QStringLiteral("2.13.0/aoti/mlp2.pt2");
        QString member;
        {
            const FilesPage* any = open(qPrintable(name), QStringLiteral("archive_format"));
            QVERIFY(any);
            const CompiledModel* model = view_->session().compiledModel();
            QVERIFY(model && model->library);
            member = QString::fromStdString(
                std::string(view_->session().document().compiled(view_->session().model()).package->archive().nameBelowRoot(*model->library)));
        }
        FilesPage* page = open(qPrintable(name), member);
        QVERIFY(page);
        QCOMPARE(forms(*page), (QStringList{"Summary", "Bytes"}));
        DataTable* table = content(*page);
        QVERIFY(table);
        const QStringList shown = rows(*table->filter());
        for (const char* row : {"Machine | x86_64", "Needs these libraries", "libtorch_cpu.so", "Exports", "AOTInductorModelContainerCreate"})
            QVERIFY2(!shown.filter(QLatin1String(row)).isEmpty(), qPrintable(QString::fromLatin1(row) + " in\n" + shown.join('\n')));
    }

    /// A text that was being read when another member was chosen does not come back over it.
    void aSlowTextDoesNotCoverWhatWasChosenNext() {
        FilesPage* page = open("2.13.0/encoder.pt2", QStringLiteral("models/model.json"));
        QVERIFY(page);
        for (int i = 0; i < 5; ++i) {
            page->showAddress(*Address::parse("file/models/model.json"));
            page->showAddress(*Address::parse("file/data/sample_inputs/model.pt"));
            QTRY_VERIFY_WITH_TIMEOUT(page->settled() && view_->session().jobs().isIdle(), 30'000);
            QVERIFY(content(*page));
        }
    }
};

QTEST_MAIN(FilesPageTest)
#include "tst_files_page.moc"
