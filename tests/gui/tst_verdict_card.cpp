#include <QFile>
#include <QLabel>
#include <QSettings>
#include <QTemporaryDir>
#include <QtTest>

#include "tests/corpus.h"
#include "tests/gui/opened_document.h"
#include "views/frame/document_view.h"
#include "views/frame/main_window.h"
#include "views/overview/known_targets.h"
#include "views/overview/overview_page.h"
#include "views/overview/verdict_card.h"
#include "views/pages.h"
#include "views/theme/theme.h"

using namespace pt2;
using namespace pt2::views;
using pt2::tests::corpus;

/// The verdict can be had for another machine, from its description alone.
class VerdictCardTest : public QObject {
    Q_OBJECT

    PageRegistry registry_;
    QTemporaryDir folder_;

    QString written(const char* name, const QByteArray& text) const {
        QFile file(folder_.filePath(QLatin1String(name)));
        if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size()) return {};
        return file.fileName();
    }
    static QStringList texts(const QWidget& widget) {
        QStringList out;
        for (const QLabel* label : widget.findChildren<QLabel*>()) {
            if (label->isVisible()) out << label->text();
        }
        return out;
    }

private slots:
    void initTestCase() {
        if (corpus().isEmpty()) QSKIP("The corpus is not here: no compiled model can be judged.");
        registerPages(registry_);
        Theme::instance().apply(ThemeChoice::Light);
        QCoreApplication::setOrganizationName(QStringLiteral("pt2scope-test"));
        QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, folder_.path());
        QSettings().remove(QStringLiteral("targets"));
    }

    /// What holds here and hinders programs of one's own is a warning, below what fails and above what is fine.
    void whatHoldsWithAWarningIsNoGreenTick() {
        Runnable runnable;
        runnable.reasons = {{"glibc", "2.41", "2.34 or later", true, {}},
                            {"executable stack", "refused by glibc 2.41", "asked for by the library", true, "A program of your own", true},
                            {"device", "no NVIDIA GPU", "cuda", false, {}}};
        const std::vector<VerdictLine> lines = verdictLines(runnable);
        QCOMPARE(lines.size(), std::size_t(3));
        QVERIFY(lines[0].state == State::Error && lines[1].state == State::Warning && lines[2].state == State::Ok);
        QCOMPARE(lines[1].label, QStringLiteral("Executable stack"));
        QCOMPARE(lines[1].tooltip, QStringLiteral("A program of your own"));
    }

    void anotherMachineIsJudgedByItsDescription() {
        MainWindow window(registry_);
        DocumentView* view = pt2::tests::openDocument(window, corpus() + QStringLiteral("/2.13.0/aoti/tiny.pt2"));
        QVERIFY(view);
        view->showPage(QStringLiteral("overview"));
        auto* card = view->currentPage()->findChild<VerdictCard*>();
        QVERIFY(card);
        const auto judged = [&](const QString& path) {
            card->chooseTarget(path);
            return QTest::qWaitFor([card] { return card->settled(); }, 60'000);
        };
        // What was made is laid out and shown, and once more when this machine's own verdict comes meanwhile.
        const auto shows = [&](const QString& text) { return QTest::qWaitFor([&] { return !texts(*card).filter(text).isEmpty(); }, 60'000); };

        QVERIFY(
            judged(written("old.json", "{\"name\": \"old box\", \"platform\": \"linux\", \"machine\": \"x86_64\", \"cpu_features\": [\"sse4.2\"]}")));
        QVERIFY2(shows(QStringLiteral("Does not run on old box")), qPrintable(texts(*card).join('\n')));
        QVERIFY2(shows(QStringLiteral("avx2")), qPrintable(texts(*card).join('\n')));

        QVERIFY(judged(written("bare.json", "{\"name\": \"bare\"}")));
        QVERIFY2(shows(QStringLiteral("May run on bare")), qPrintable(texts(*card).join('\n')));

        QVERIFY(judged(written("broken.json", "{\"platform\": 7}")));
        QVERIFY2(shows(QStringLiteral("The description cannot be read")), qPrintable(texts(*card).join('\n')));
        QVERIFY2(shows(QStringLiteral("pt2 probe")), qPrintable(texts(*card).join('\n')));
        QVERIFY(judged(folder_.filePath(QStringLiteral("nowhere.json"))));
        QVERIFY(shows(QStringLiteral("The description cannot be read")));

        // What could be read is kept for the next time, the last used first.
        QCOMPARE(knownTargets(), (QStringList{folder_.filePath(QStringLiteral("bare.json")), folder_.filePath(QStringLiteral("old.json"))}));
        forgetTarget(folder_.filePath(QStringLiteral("bare.json")));
        QCOMPARE(knownTargets(), QStringList{folder_.filePath(QStringLiteral("old.json"))});

        card->chooseTarget({});
        QTRY_VERIFY_WITH_TIMEOUT(!texts(*card).filter(QStringLiteral("here")).isEmpty(), 60'000);
    }
};

QTEST_MAIN(VerdictCardTest)
#include "tst_verdict_card.moc"
