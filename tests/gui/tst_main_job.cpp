#include <QComboBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <cstring>

#include "core/package/package.h"
#include "core/tensor/pickle.h"
#include "core/tensor/safetensors.h"
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
#include "views/widgets/error_panel.h"
#include "views/widgets/link_label.h"
#include "views/widgets/progress.h"
#include "views/widgets/segmented_switch.h"

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
    /// What other jobs of the document report is not this page's.
    void otherJobsAreNotShown(DocumentView& view) {
        bool ended = false;
        view.session().jobs().start(
            this, "other", "Other",
            [](const CancelToken&, const ProgressSink& progress) {
                report(progress, {"foreign stage", 1, 2, Progress::Unit::None, {}});
                QTest::qSleep(120);
                report(progress, {"foreign stage", 1, 2, Progress::Unit::None, "foreign line"});
                return 0;
            },
            [&ended](int) { ended = true; });
        QTRY_VERIFY(ended);
        for (const StageList* stages : view.currentPage()->findChildren<StageList*>()) {
            QVERIFY2(!stages->accessibleName().contains("foreign", Qt::CaseInsensitive), qPrintable(stages->accessibleName()));
        }
        for (const QPlainTextEdit* log : view.currentPage()->findChildren<QPlainTextEdit*>()) QVERIFY(!log->toPlainText().contains("foreign"));
        for (const QString& line : view.session().logLines()) QVERIFY(!line.contains("foreign"));
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
        otherJobsAreNotShown(*view);
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
        otherJobsAreNotShown(*view);
        QTRY_VERIFY_WITH_TIMEOUT(run->lastPicture() != nullptr, 60'000);
        QCOMPARE(run->lastPicture()->outputs.at(0).tensor.layout.sizes, (std::vector<std::int64_t>{512, 8}));

        // A size out of range is not run; the sentence names the range; one click mends it.
        size->selectAll();
        QTest::keyClicks(size, "2000");
        click(view->addressBar()->primary());
        QTRY_VERIFY_WITH_TIMEOUT(!run->lastCheck().ok(), 60'000);
        QVERIFY(QString::fromStdString(run->lastCheck().breaches.at(0).sentence).contains("1024"));
        QTRY_VERIFY(run->findChild<QWidget*>("mend") != nullptr);
        auto* nearest = run->findChild<LinkLabel*>("nearest:s77");
        QVERIFY(nearest != nullptr && nearest->isVisible());
        click(nearest);
        QCOMPARE(size->value(), 1024);
        // What was said of 2000 is not said of 1024.
        QVERIFY(!nearest->isVisible() && !size->property("invalid").isValid());
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
        QCOMPARE(compare->findChild<QComboBox*>("compareInputs")->currentData().toString(), QString("sample"));  // as the command line takes them
        click(view->addressBar()->primary());
        otherJobsAreNotShown(*view);
        QTRY_VERIFY_WITH_TIMEOUT(compare->lastPicture() != nullptr, 120'000);
        QVERIFY(compare->lastPicture()->comparison.ok());
        QVERIFY2(QString::fromStdString(compare->lastPicture()->inputText).contains("stored sample"), compare->lastPicture()->inputText.c_str());

        // Stored outputs of every kind take torch's place.
        const NamedTensors outputs = compare->lastPicture()->actual;
        NamedTensors altered = outputs;
        const Tensor& first = outputs.at(0).second;
        auto copy = allocateTensor(first.layout.dtype, first.layout.sizes);
        QVERIFY(copy.has_value() && copy->bytes.size() == first.storage.size());
        std::copy(first.storage.begin(), first.storage.end(), copy->bytes.begin());
        const float wrong = 17.5F;
        std::memcpy(copy->bytes.data(), &wrong, sizeof wrong);
        altered.at(0).second = copy->tensor;
        const auto path = [this](const char* name) { return folder_.filePath(name).toStdString(); };
        QVERIFY(writeTorchSaveFile(path("same.pt"), outputs, true).has_value());
        QVERIFY(writeSafetensorsFile(path("same.safetensors"), outputs, true).has_value());
        QVERIFY(writeNpzFile(path("other.npz"), altered, true).has_value());
        for (const auto& [name, equal] : {std::pair("same.pt", true), std::pair("same.safetensors", true), std::pair("other.npz", false)}) {
            compare->setReferenceFile(folder_.filePath(name));
            click(view->addressBar()->primary());
            QTRY_VERIFY_WITH_TIMEOUT(compare->lastPicture() == nullptr || view->session().jobs().isRunning("compare"), 5'000);
            QTRY_VERIFY_WITH_TIMEOUT(!view->session().jobs().isRunning("compare"), 60'000);
            QVERIFY2(compare->lastPicture() != nullptr, name);
            QCOMPARE(QString::fromStdString(compare->lastPicture()->reference), QString(name));
            QCOMPARE(compare->lastPicture()->comparison.ok(), equal);
        }
    }

    /// torch would run code of the file to read it: only when the reader says so.
    void aComparisonAsksBeforeTorchRunsWhatAPickleSays() {
        if (!QFile::exists(folder_.filePath("out.pt2"))) QSKIP("Nothing was compiled, so nothing can be compared.");
        MainWindow window(registry_);
        window.resize(1440, 900);
        window.show();
        DocumentView* view = window.openFile(tests::corpus() + "/damaged/w_pickle_system.pt2", folder_.filePath("out.pt2"));
        QTRY_VERIFY_WITH_TIMEOUT(window.settled(), 20'000);
        QVERIFY(view->session().compiledModel() != nullptr && view->session().program() != nullptr);
        auto* compare = pageOf<ComparePage>(*view, "compare");
        QVERIFY(compare != nullptr);
        click(view->addressBar()->primary());
        QTRY_VERIFY_WITH_TIMEOUT(!view->session().jobs().isRunning("compare"), 120'000);
        auto* consent = compare->findChild<ErrorPanel*>("compareConsent");
        const auto* other = compare->findChild<ErrorPanel*>("compareError");
        QVERIFY2(consent != nullptr, other ? qPrintable(other->report()) : "no error is shown");
        bool offered = false;
        for (const QPushButton* button : consent->findChildren<QPushButton*>()) offered = offered || button->text() == "Compare all the same";
        QVERIFY(offered);
    }

private:
    /// An unpacked archive with a library of this source; empty when it could not be made.
    QString packageOf(const QString& name, const QByteArray& source) {
        const QString model = name + "/data/aotinductor/model/";
        QDir().mkpath(folder_.filePath(model));
        const auto write = [&](const QString& file, const QByteArray& text) {
            QFile out(folder_.filePath(file));
            return out.open(QIODevice::WriteOnly) && out.write(text) == text.size();
        };
        if (!write(name + "/archive_format", "pt2") || !write(name + "/archive_version", "0") || !write(name + ".c", source) ||
            !write(model + "abc.wrapper_metadata.json",
                   R"({"AOTI_DEVICE_KEY":"cpu","AOTI_PLATFORM":"linux","AOTI_MACHINE":"x86_64","AOTI_CPU_ISA":"AVX2"})")) {
            return {};
        }
        QProcess compiler;
        compiler.start("cc", {"-shared", "-fPIC", "-o", folder_.filePath(model + "abc.wrapper.so"), folder_.filePath(name + ".c")});
        return compiler.waitForFinished(30'000) && compiler.exitCode() == 0 ? folder_.filePath(name) : QString();
    }

private slots:
    void aModelThatCannotRunHereIsNotOffered() {
        const QString package = packageOf("foreign", "int nothing;\n");
        QVERIFY(!package.isEmpty());
        MainWindow window(registry_);
        window.resize(1440, 900);
        window.show();
        DocumentView* view = window.openFile(package);
        QTRY_VERIFY_WITH_TIMEOUT(window.settled(), 20'000);
        QVERIFY(!view->session().refusal().isEmpty());
        for (const char* key : {"overview", "run", "compare"}) {
            view->showPage(key);
            QTRY_VERIFY(window.settled());
            QVERIFY2(!view->addressBar()->primary()->isEnabled(), key);
            QCOMPARE(view->currentPage()->primaryAction().reason, view->session().refusal());
            for (const QPushButton* button : view->currentPage()->findChildren<QPushButton*>()) {
                QVERIFY2(!button->isVisible() || !button->text().contains("Run"), qPrintable(button->text()));
            }
        }
    }

    void aModelThatDiesLeavesTheWindowAlive() {
        const QString package = packageOf("dead",
                                          "#include <stdlib.h>\nvoid AOTInductorModelContainerCreateWithDevice(void) {}\n"
                                          "__attribute__((constructor)) static void f(void) { abort(); }\n");
        QVERIFY(!package.isEmpty());
        MainWindow window(registry_);
        window.resize(1440, 900);
        window.show();
        DocumentView* view = window.openFile(package);
        QTRY_VERIFY_WITH_TIMEOUT(view->session().state() == DocumentSession::State::Ready, 10'000);
        QTRY_VERIFY_WITH_TIMEOUT(window.settled(), 20'000);
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
