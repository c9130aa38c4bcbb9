#include <QPushButton>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QtTest>

#include "core/package/package.h"
#include "tests/corpus.h"
#include "tests/worker.h"
#include "views/compare/compare_page.h"
#include "views/frame/address_bar.h"
#include "views/frame/engine_service.h"
#include "views/frame/main_window.h"
#include "views/pages.h"
#include "views/recompile/recompile_page.h"
#include "views/run/run_page.h"
#include "views/theme/theme.h"
#include "views/widgets/controls.h"
#include "views/widgets/panels.h"

using namespace pt2;
using namespace pt2::views;

namespace {

constexpr int kLong = 300'000;

}  // namespace

/// Opens, recompiles, runs and compares with real clicks and keys in a real window, on a real file, with the real engine and the real Python.
class MainJobTest : public QObject {
    Q_OBJECT

    PageRegistry registry_;
    QTemporaryDir folder_;

    void click(QWidget* widget) {
        QVERIFY(widget != nullptr);
        QVERIFY(widget->isEnabled());
        QTest::mouseClick(widget, Qt::LeftButton);
    }
    template <typename T>
    T* pageOf(DocumentView& view, const QString& key) {
        view.showPage(key);
        return qobject_cast<T*>(view.currentPage());
    }

private slots:
    void initTestCase() {
        if (tests::corpus().isEmpty()) QSKIP("The corpus is not here; the main job is not driven in the window.");
        PT2_NEEDS_WORKER();
        Theme::instance().apply(ThemeChoice::Light);
        registerPages(registry_);
        EngineService::instance().ask();
        QTRY_VERIFY_WITH_TIMEOUT(EngineService::instance().engineKnown() && EngineService::instance().pythonKnown(), 60'000);
        if (!*EngineService::instance().engine()) QSKIP("There is no run engine; the main job is not driven in the window.");
        if (!*EngineService::instance().python()) QSKIP("There is no Python with torch; the main job is not driven in the window.");
    }

    void aProgramIsRecompiledRunAndComparedByClicks() {
        const QString file = folder_.filePath("tiny.pt2");
        QVERIFY(QFile::copy(tests::corpus() + "/2.13.0/tiny.pt2", file));
        MainWindow window(registry_);
        window.resize(1440, 900);
        window.show();
        DocumentView* view = window.openFile(file);
        QTRY_VERIFY_WITH_TIMEOUT(view->session().state() == DocumentSession::State::Ready, 10'000);
        QTRY_VERIFY_WITH_TIMEOUT(window.settled(), 10'000);

        // Without a compiled model there is nothing to run, and the page says what to do.
        auto* run = pageOf<RunPage>(*view, "run");
        QVERIFY(run != nullptr);
        QVERIFY(!run->primaryAction().enabled);

        auto* recompilePage = pageOf<RecompilePage>(*view, "recompile");
        QVERIFY(recompilePage != nullptr);
        recompilePage->setOutput(folder_.filePath("out.pt2"));
        QTRY_VERIFY(view->addressBar()->primary()->isEnabled());
        click(view->addressBar()->primary());
        QTRY_VERIFY_WITH_TIMEOUT(recompilePage->lastPicture() != nullptr || recompilePage->findChild<ErrorPanel*>("recompileError") != nullptr,
                                 kLong);
        if (const auto* panel = recompilePage->findChild<ErrorPanel*>("recompileError")) QFAIL(qPrintable(panel->report()));
        const RecompilePicture* made = recompilePage->lastPicture();
        QVERIFY(QFile::exists(folder_.filePath("out.pt2")));
        QVERIFY(made->checks);
        QCOMPARE(made->checks->size(), std::size_t{2});  // at the exported size and at another one
        for (const CompiledCheck& check : *made->checks) {
            QVERIFY2(check.comparison, check.comparison ? "" : (check.comparison.error().what + check.comparison.error().why).c_str());
            QVERIFY(check.comparison->ok());
        }

        // The compiled model now stands beside the program; a batch it was not exported with runs.
        QTRY_VERIFY_WITH_TIMEOUT(view->session().compiledModel() != nullptr, 10'000);
        run = pageOf<RunPage>(*view, "run");
        auto* size = run->findChild<QSpinBox*>("size:s77");
        QVERIFY(size != nullptr);
        size->setFocus();
        size->selectAll();
        QTest::keyClicks(size, "512");
        click(view->addressBar()->primary());
        QTRY_VERIFY_WITH_TIMEOUT(run->lastPicture() != nullptr, 60'000);
        QCOMPARE(run->lastPicture()->outputs.at(0).tensor.layout.sizes, (std::vector<std::int64_t>{512, 8}));

        // A size out of range is not run; the sentence names the range; one click mends it.
        size->selectAll();
        QTest::keyClicks(size, "2000");
        click(view->addressBar()->primary());
        QTRY_VERIFY_WITH_TIMEOUT(!run->lastCheck().ok(), 60'000);
        QVERIFY(QString::fromStdString(run->lastCheck().breaches.at(0).sentence).contains("1024"));
        QTRY_VERIFY(run->findChild<QWidget*>("mend") != nullptr);
        click(run->findChild<LinkLabel*>("mend"));
        QTRY_VERIFY_WITH_TIMEOUT(run->lastPicture() != nullptr, 60'000);
        QCOMPARE(run->lastPicture()->outputs.at(0).tensor.layout.sizes.at(0), std::int64_t{1024});

        // Runtime checks on and off side by side.
        auto* checks = run->findChild<SegmentedSwitch*>("runtimeChecks");
        QVERIFY(checks != nullptr);
        checks->setFocus();
        QTest::keyClick(checks, Qt::Key_Right);
        QTest::keyClick(checks, Qt::Key_Right);
        QCOMPARE(checks->current(), 2);
        click(view->addressBar()->primary());
        QTRY_VERIFY_WITH_TIMEOUT(run->lastPicture() != nullptr && run->lastPicture()->report.on, 60'000);
        QVERIFY(run->lastPicture()->report.same());

        auto* compare = pageOf<ComparePage>(*view, "compare");
        QVERIFY(compare != nullptr);
        click(view->addressBar()->primary());
        QTRY_VERIFY_WITH_TIMEOUT(compare->lastPicture() != nullptr, 120'000);
        QVERIFY(compare->lastPicture()->comparison.ok());
    }

    void aModelThatDiesLeavesTheWindowAlive() {
        QDir().mkpath(folder_.filePath("dead/data/aotinductor/model"));
        const auto write = [&](const QString& name, const QByteArray& text) {
            QFile out(folder_.filePath(name));
            return out.open(QIODevice::WriteOnly) && out.write(text) == text.size();
        };
        QVERIFY(write("dead/archive_format", "pt2"));
        QVERIFY(write("dead/archive_version", "0"));
        QVERIFY(write("dead/data/aotinductor/model/abc.wrapper_metadata.json",
                      R"({"AOTI_DEVICE_KEY":"cpu","AOTI_PLATFORM":"linux","AOTI_MACHINE":"x86_64","AOTI_CPU_ISA":"AVX2"})"));
        QVERIFY(write("dead.c", "#include <stdlib.h>\n__attribute__((constructor)) static void f(void) { abort(); }\n"));
        QProcess compiler;
        compiler.start("cc", {"-shared", "-fPIC", "-o", folder_.filePath("dead/data/aotinductor/model/abc.wrapper.so"), folder_.filePath("dead.c")});
        QVERIFY(compiler.waitForFinished(30'000) && compiler.exitCode() == 0);
        MainWindow window(registry_);
        window.resize(1440, 900);
        window.show();
        DocumentView* view = window.openFile(folder_.filePath("dead"));
        QTRY_VERIFY_WITH_TIMEOUT(view->session().state() == DocumentSession::State::Ready, 10'000);
        auto* run = pageOf<RunPage>(*view, "run");
        QVERIFY(run != nullptr);
        click(view->addressBar()->primary());
        QTRY_VERIFY_WITH_TIMEOUT(!view->session().jobs().isRunning("run"), 60'000);
        if (run->findChild<QWidget*>("runError") == nullptr && !run->lastCheck().ok()) {  // nothing is known of its inputs: insist
            auto anyway = run->findChildren<QPushButton*>();
            for (QPushButton* button : anyway) {
                if (button->text() == "Run anyway") click(button);
            }
        }
        QTRY_VERIFY_WITH_TIMEOUT(run->findChild<QWidget*>("runError") != nullptr, 60'000);
        QVERIFY(window.isVisible());
        view->showPage("files");
        QTRY_VERIFY(window.settled());
    }
};

QTEST_MAIN(MainJobTest)
#include "tst_main_job.moc"
