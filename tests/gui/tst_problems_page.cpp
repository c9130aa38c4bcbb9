#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QtTest>
#include <memory>

#include "tests/corpus.h"
#include "tests/gui/opened_document.h"
#include "views/frame/document_view.h"
#include "views/frame/main_window.h"
#include "views/frame/side_navigation.h"
#include "views/pages.h"
#include "views/problems/problems_page.h"
#include "views/theme/theme.h"
#include "views/widgets/data_table.h"
#include "views/widgets/link_label.h"

using namespace pt2;
using namespace pt2::views;
using pt2::tests::corpus;

/// What opening does not read is read when somebody asks, and each problem leads to its place.
class ProblemsPageTest : public QObject {
    Q_OBJECT

    PageRegistry registry_;
    std::unique_ptr<MainWindow> window_;
    DocumentView* view_ = nullptr;

    ProblemsPage* open(const QString& name) {
        window_ = std::make_unique<MainWindow>(registry_);
        view_ = pt2::tests::openDocument(*window_, corpus() + '/' + name);
        if (!view_) return nullptr;
        view_->showPage(QStringLiteral("problems"));
        return qobject_cast<ProblemsPage*>(view_->currentPage());
    }
    template <typename T>
    T* visible(const QString& text) const {
        for (T* button : view_->currentPage()->findChildren<T*>()) {
            if (button->isVisible() && button->text() == text) return button;
        }
        return nullptr;
    }
    QString visibleTexts() const {
        QStringList out;
        for (const QLabel* label : view_->currentPage()->findChildren<QLabel*>()) {
            if (label->isVisible()) out << label->text();
        }
        return out.join('\n');
    }

private slots:
    void initTestCase() {
        if (corpus().isEmpty()) QSKIP("The corpus is not here: no problems can be shown.");
        registerPages(registry_);
        Theme::instance().apply(ThemeChoice::Light);
    }
    void cleanup() { window_.reset(); }

    void aWeightWithAWrongBitIsFoundByReadingEveryByte() {
        ProblemsPage* page = open(QStringLiteral("damaged/bad_crc_weight.pt2"));
        QVERIFY(page);
        QCOMPARE(page->model().rowCount(), 0);
        QVERIFY(visibleTexts().contains(QStringLiteral("no weight was read")));
        auto* button = visible<QPushButton>(QStringLiteral("Read every byte"));
        QVERIFY(button);
        QTest::mouseClick(button, Qt::LeftButton);
        QVERIFY(page->hasFocus() || page->isAncestorOf(QApplication::focusWidget()));
        QVERIFY(QTest::qWaitFor([this] { return view_->session().wholeRead().has_value(); }, 60'000));
        QCOMPARE(page->model().rowCount(), 1);
        QVERIFY(page->findChild<DataTable*>()->isVisible());
        QCOMPARE(page->findChild<DataTable*>()->filter()->index(0, 0).data().toString(),
                 QString::fromStdString(view_->session().issues().front().message));
        QVERIFY2(visibleTexts().contains(QStringLiteral("that found 1 problem")), qPrintable(visibleTexts()));
        QVERIFY(!visible<LinkLabel>(QStringLiteral("Read every byte")));
        QVERIFY(page->statusTexts().join(' ').contains(QStringLiteral("1 error")));
    }

    void aSoundFileStaysWithoutProblemsAndSaysWhatWasRead() {
        ProblemsPage* page = open(QStringLiteral("2.13.0/encoder.pt2"));
        QVERIFY(page);
        auto* button = visible<QPushButton>(QStringLiteral("Read every byte"));
        QVERIFY(button);
        QTest::mouseClick(button, Qt::LeftButton);
        QVERIFY(QTest::qWaitFor([page] { return page->session().wholeRead() && page->settled(); }, 60'000));
        QCOMPARE(page->model().rowCount(), 0);
        QVERIFY2(visibleTexts().contains(QStringLiteral("every member agrees with its checksum")), qPrintable(visibleTexts()));
        QVERIFY(!visible<QPushButton>(QStringLiteral("Read every byte")));
    }

    /// Reading the file anew forgets what was read of the old one.
    void aReloadAsksAgain() {
        ProblemsPage* page = open(QStringLiteral("damaged/bad_crc_weight.pt2"));
        QVERIFY(page);
        page->session().readWhole();
        QVERIFY(QTest::qWaitFor([page] { return page->session().wholeRead().has_value(); }, 60'000));
        page->session().open();
        QVERIFY(QTest::qWaitFor([page] { return page->session().issues().empty(); }, 60'000));
        QVERIFY(visible<QPushButton>(QStringLiteral("Read every byte")));
    }

    /// Libraries have names of sixty letters without a place to break; nothing of a problem is beyond the edge of its pane for that.
    void longNamesStayInsideThePane_data() {
        QTest::addColumn<QString>("file");
        for (const char* file :
             {"damaged/aoti_so_truncated.pt2", "damaged/aoti_metadata_broken.pt2", "foreign/hf_block_aoti.pt2", "damaged/dangling_value.pt2"}) {
            if (QFile::exists(corpus() + '/' + file)) QTest::newRow(file) << file;
        }
    }
    void longNamesStayInsideThePane() {
        QFETCH(QString, file);
        ProblemsPage* page = open(file);
        QVERIFY(page);
        for (const QSize& size : {QSize(1440, 900), QSize(1000, 700)}) {
            window_->setMinimumSize(QSize(0, 0));
            window_->resize(size);
            for (int row = 0; row < page->model().rowCount(); ++row) {
                page->findChild<DataTable*>()->setCurrentIndex(page->findChild<DataTable*>()->model()->index(row, 0));
                QTest::qWait(30);
                for (const QScrollArea* area : page->findChildren<QScrollArea*>()) {
                    if (!area->isVisible() || !area->widget()) continue;
                    QVERIFY2(area->widget()->width() <= area->viewport()->width(), qPrintable(area->accessibleName()));
                }
            }
        }
    }

    void aProblemInsideAMemberLeadsToTheMember() {
        ProblemsPage* page = open(QStringLiteral("damaged/dangling_value.pt2"));
        QVERIFY(page);
        QVERIFY(page->model().rowCount() > 0);
        auto* show = visible<QPushButton>(QStringLiteral("Show in Files"));
        QVERIFY(show);
        QTest::mouseClick(show, Qt::LeftButton);
        QTRY_COMPARE(view_->currentPage()->key(), QStringLiteral("files"));
        QCOMPARE(view_->session().selection().text(), std::string("file/models/model.json"));
    }
};

QTEST_MAIN(ProblemsPageTest)
#include "tst_problems_page.moc"
