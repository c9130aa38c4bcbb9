#pragma once

#include <QApplication>
#include <QFile>
#include <QProcess>
#include <QtTest>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "tests/corpus.h"
#include "tests/gui/accessible_reader.h"
#include "tests/gui/opened_document.h"
#include "tests/places.h"
#include "views/frame/main_window.h"
#include "views/pages.h"
#include "views/theme/theme.h"

namespace pt2::tests {

using Json = nlohmann::ordered_json;

/// What the command line prints of a file.
inline QByteArray told(const QStringList& arguments) {
    QProcess process;
    process.start(builtProgram("pt2"), arguments);
    return process.waitForFinished(120'000) ? process.readAllStandardOutput() : QByteArray();
}
inline Json toldJson(const QStringList& arguments) {
    const QByteArray out = told(arguments);
    return Json::parse(out.constData(), out.constData() + out.size(), nullptr, false);
}

/// A file in a real window, of which only what assistive technology gets is looked at.
class SpokenDocument {
public:
    explicit SpokenDocument(const views::PageRegistry& registry) : window_(registry) {}

    bool open(const QString& file, QSize size = {1680, 1000}) {
        const bool opened = openDocument(window_, file) != nullptr;
        window_.resize(size);
        window_.activateWindow();
        return opened && QTest::qWaitForWindowActive(&window_) && settle();
    }
    Spoken root() { return QAccessible::queryAccessibleInterface(&window_); }
    QWindow* handle() { return window_.windowHandle(); }

    /// Nothing is being read or computed any more, and what was made of it is laid out.
    bool settle() {
        for (int calm = 0; calm < 3; ++calm) {
            if (!QTest::qWaitFor([this] { return window_.settled(); }, 60'000)) return false;
            QTest::qWait(1);
        }
        return true;
    }
    /// Presses the entry of a page at the left.
    bool goTo(const QString& title) {
        const Spoken entry = find(find(root(), QStringLiteral("Pages")), title);
        return press(entry) && settle() && entry->state().checked;
    }
    /// Chooses a model in the list at the top, by keys; true when the file has only this one.
    bool choose(const QString& model) {
        // Of a list, Qt reads out what is chosen; what the list is for is its description.
        Spoken list = nullptr;
        for (const Spoken one : below(root())) {
            if (one->role() == QAccessible::ComboBox && descriptionOf(one) == QStringLiteral("The model that the pages show")) list = one;
        }
        if (!list) return true;
        if (!reach(list)) return false;
        key(Qt::Key_Home);
        for (int i = 0; i < 100 && list->text(QAccessible::Value) != model; ++i) key(Qt::Key_Down);
        return settle() && list->text(QAccessible::Value) == model;
    }
    void key(Qt::Key which, Qt::KeyboardModifiers modifiers = Qt::NoModifier) { QTest::keyClick(handle(), which, modifiers); }
    /// Tab until the keyboard is there.
    bool reach(Spoken what) {
        constexpr int kMostStops = 300;
        QStringList stops;
        for (int i = 0; i < kMostStops; ++i) {
            if (what->state().focused) return true;
            key(Qt::Key_Tab);
            const QObject* at = QGuiApplication::focusObject();
            const QString stop = QString::fromLatin1(at ? at->metaObject()->className() : "nothing");
            if (stops.size() < 60) stops << stop;
        }
        qWarning("Tab went to %s, and not to %s.", qPrintable(stops.join(QStringLiteral(" | "))), qPrintable(nameOf(what)));
        return false;
    }

    /// Walks a table by the keyboard, opening what is closed, and calls `at` at each row with what is read there once all has settled.
    bool walk(const QString& table, const std::function<void(int, const ReadRow&)>& at) {
        const Spoken found = findTable(root(), table);
        if (!found || !reach(found)) return failed("The keyboard does not get to the table.");
        key(Qt::Key_Home);
        for (int row = 0; row < found->tableInterface()->rowCount(); ++row) {
            if (currentRow(found) != row) return failed("The keys do not walk through the rows.");
            ReadTable read = readTable(found);
            if (read.rows[static_cast<std::size_t>(row)].isClosed) {
                key(Qt::Key_Right);
                read = readTable(found);
            }
            if (!settle()) return failed("The page does not settle.");
            at(row, read.rows[static_cast<std::size_t>(row)]);
            if (QTest::currentTestFailed()) return false;
            key(Qt::Key_Down);
        }
        return true;
    }

private:
    static bool failed(const char* why) {
        qWarning("%s", why);
        return false;
    }
    views::MainWindow window_;
};

/// For tests whose rows are files of the corpus: each is opened in a window before its function runs, with what `pt2 inspect --json` says of it.
class SpokenFiles {
protected:
    static void files(const std::vector<const char*>& names) {
        QTest::addColumn<QString>("file");
        for (const char* name : names) QTest::newRow(name) << QString::fromLatin1(name);
    }
    void registerPages() {
        if (corpus().isEmpty()) QSKIP("The corpus is not here: what a screen reader is told is not compared with the command line.");
        views::Theme::instance().apply(views::ThemeChoice::Light);
        views::registerPages(registry_);
    }
    void openRow() {
        QFETCH(const QString, file);
        file_ = corpus() + u'/' + file;
        if (!QFile::exists(file_)) QSKIP("This file is not in the corpus.");
        facts_ = toldJson({"inspect", "--json", file_});
        QVERIFY(facts_.is_object());
        document_ = std::make_unique<SpokenDocument>(registry_);
        QVERIFY(document_->open(file_));
    }

    views::PageRegistry registry_;
    std::unique_ptr<SpokenDocument> document_;
    QString file_;
    Json facts_;
};

}  // namespace pt2::tests
