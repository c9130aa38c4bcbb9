#include <QAbstractButton>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>
#include <QWidget>
#include <QtTest>
#include <cstdint>
#include <memory>
#include <string>

#include "tests/engine_tools.h"
#include "tests/worker.h"
#include "views/frame/engine_notice.h"
#include "views/frame/engine_service.h"
#include "views/frame/engine_setup.h"
#include "views/theme/theme.h"
#include "views/widgets/error_panel.h"

using namespace pt2;
using namespace pt2::views;

/// The notice that there is no run engine leads to one: by clicks, with tools that are scripts.
class EngineSetupTest : public QObject {
    Q_OBJECT

    std::unique_ptr<tests::EngineTools> machine_;
    std::unique_ptr<QWidget> page_;
    QString worker_;

    static EngineService& service() { return EngineService::instance(); }
    /// As a page does: makes the notice anew whenever the service says that something changed.
    void showNotice() {
        delete page_->findChild<QWidget*>("notice", Qt::FindDirectChildrenOnly);
        QWidget* notice = makeEngineNotice();
        auto* holder = new QWidget;
        holder->setObjectName("notice");
        auto* column = new QVBoxLayout(holder);
        if (notice) column->addWidget(notice);
        page_->layout()->addWidget(holder);
    }
    QAbstractButton* button(const QString& text) const {
        for (QAbstractButton* button : page_->findChildren<QAbstractButton*>())
            if (button->text() == text) return button;
        return nullptr;
    }
    ErrorPanel* panel() const { return page_->findChild<ErrorPanel*>(); }
    void click(const QString& text) {
        QAbstractButton* wanted = button(text);
        QVERIFY2(wanted != nullptr, qPrintable(text));
        QTest::mouseClick(wanted, Qt::LeftButton);
    }

private slots:
    void initTestCase() {
        worker_ = tests::worker();
        machine_ = std::make_unique<tests::EngineTools>();
        Theme::instance().apply(ThemeChoice::Light);
        page_ = std::make_unique<QWidget>();
        page_->resize(900, 700);
        new QVBoxLayout(page_.get());
        // Queued: a click's own panel must not go while it is clicked.
        connect(
            &service(), &EngineService::changed, page_.get(), [this] { showNotice(); }, Qt::QueuedConnection);
        page_->show();
        service().ask();
        QTRY_VERIFY(service().engineKnown() && service().pythonKnown());
        QTRY_VERIFY(panel() != nullptr);
    }
    void cleanupTestCase() {
        page_.reset();
        service().stop();
    }

    void theNoticeOffersTheSetUp() {
        QCOMPARE(panel()->error().code, std::string("engine.missing"));
        QVERIFY(button("Set up the run engine") != nullptr && button("Choose LibTorch…") != nullptr && button("Look again") != nullptr);
        QVERIFY(!service().problem().isEmpty());
    }

    void withoutTorchItSaysWhatIsMissing() {
        click("Set up the run engine");
        QTRY_VERIFY(panel() != nullptr && panel()->error().code == "libtorch.not-found");
        QVERIFY(button("Try again") != nullptr);
    }

    void itShowsWhatTheToolsSayAndCanBeCancelled() {
        QVERIFY(machine_->python(machine_->torch("torch")));
        QVERIFY(machine_->build("exit 0", "echo '[3/12] Building CXX object'; sleep 600"));
        click("Try again");
        QTRY_VERIFY(service().installation().running && page_->findChild<EngineSetup*>() != nullptr);
        QTRY_VERIFY(page_->findChild<QPlainTextEdit*>("engineSetupLog")->toPlainText().contains("[3/12] Building CXX object"));
        QTRY_COMPARE(service().installation().progress.total, std::uint64_t{12});
        service().install();  // while one is being built, no second one
        QVERIFY(service().installation().log.size() > 0);
        QTest::mouseClick(page_->findChild<QPushButton*>("cancelEngineSetup"), Qt::LeftButton);
        QTRY_VERIFY(!service().installation().running);
        // A cancel is no failure: the notice is what it was.
        QTRY_VERIFY(panel() != nullptr && panel()->error().code == "engine.missing");
    }

    void aFailureShowsCauseAndLog() {
        QVERIFY(machine_->build("exit 0", "echo 'a.cpp:1: error: this is wrong'; exit 1"));
        click("Set up the run engine");
        QTRY_VERIFY(panel() != nullptr && panel()->error().code == "engine.build-failed");
        QVERIFY(panel()->error().why.find("this is wrong") != std::string::npos);
        QVERIFY(panel()->report().contains("this is wrong"));
    }

    void theNoticeGoesWhenTheEngineIsThere() {
        if (worker_.isEmpty()) QSKIP("there is no pt2-worker (no LibTorch at configuration): none was set up");
        QVERIFY(machine_->build("exit 0", "cp '" + worker_.toLocal8Bit() + "' \"$tree/pt2-worker\""));
        click("Try again");
        QTRY_VERIFY_WITH_TIMEOUT(!service().installation().running && service().problem().isEmpty(), 60'000);
        QVERIFY(!service().torchVersion().isEmpty());
        QVERIFY(makeEngineNotice() == nullptr);
        QTRY_VERIFY(panel() == nullptr);
    }
};

QTEST_MAIN(EngineSetupTest)
#include "tst_engine_setup.moc"
