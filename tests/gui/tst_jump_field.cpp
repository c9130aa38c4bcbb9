#include <QtTest>

#include "tests/corpus.h"
#include "views/frame/jump_field.h"
#include "views/frame/main_window.h"
#include "views/frame/recent_files.h"
#include "views/pages.h"

using namespace pt2;
using namespace pt2::views;

/// Ctrl+K in a real window: pages, nodes, weights, members, symbols and commands are found by name, and chosen with the keyboard.
class JumpFieldTest : public QObject {
    Q_OBJECT

    PageRegistry registry_;

    static QStringList addresses(const JumpField& field) {
        QStringList found;
        for (int i = 0; i < field.results().rowCount(); ++i) found << field.results().index(i, 0).data(AddressRole).toString();
        return found;
    }
    static void type(JumpField& field, const QString& text) {
        field.clear();
        QTest::keyClicks(&field, text);
    }

    /// `view` is null unless the document is there.
    static void openTiny(MainWindow& window, DocumentView*& view) {
        window.show();
        DocumentView* opened = window.openFile(tests::corpus() + "/2.13.0/tiny.pt2");
        QTRY_VERIFY_WITH_TIMEOUT(opened->session().state() == DocumentSession::State::Ready, 10'000);
        view = opened;
    }

private slots:
    void initTestCase() {
        setRecentFilesReadOnly(true);
        registerPages(registry_);
    }

    void commandsAreOfferedWithoutADocument() {
        MainWindow window(registry_);
        window.show();
        JumpField& field = *window.jumpField();
        field.startCommands();
        QCOMPARE(field.text(), QStringLiteral(">"));
        QVERIFY(field.results().rowCount() >= 8);
        type(field, ">dark");
        QTRY_COMPARE(field.results().rowCount(), 1);
        QVERIFY(field.results().index(0, 0).data().toString().contains("Dark"));
    }

    void thingsOfADocumentAreFoundByName() {
        if (tests::corpus().isEmpty()) QSKIP("The corpus is not here; nothing is looked for.");
        MainWindow window(registry_);
        DocumentView* view = nullptr;
        openTiny(window, view);
        QVERIFY(view != nullptr);
        JumpField& field = *window.jumpField();
        const std::pair<QString, QString> expected[] = {{"linear", "program/model/node/linear"},
                                                        {"fc.weight", "weights/fc.weight"},
                                                        {"model.json", "file/models/model.json"},
                                                        {"s77", "program/model/symbol/s77"},
                                                        {"Compare", "page/compare"}};
        for (const auto& [text, address] : expected) {
            type(field, text);
            QTRY_VERIFY2_WITH_TIMEOUT(addresses(field).contains(address), qPrintable(text + " finds " + addresses(field).join(' ')), 10'000);
        }
    }

    void aWeightIsShownWhereWeightsAreListed() {
        if (tests::corpus().isEmpty()) QSKIP("The corpus is not here; nothing is looked for.");
        MainWindow window(registry_);
        DocumentView* view = nullptr;
        openTiny(window, view);
        QVERIFY(view != nullptr);
        JumpField& field = *window.jumpField();
        type(field, "#fc.bias");
        QTRY_VERIFY_WITH_TIMEOUT(addresses(field) == QStringList{"weights/fc.bias"}, 10'000);
        QTest::keyClick(&field, Qt::Key_Return);
        QCOMPARE(view->currentKey(), QStringLiteral("weights"));
        QCOMPARE(QString::fromStdString(view->session().selection().name), QStringLiteral("fc.bias"));
    }
};

QTEST_MAIN(JumpFieldTest)
#include "tst_jump_field.moc"
