// Drives a real window from the command line and takes pictures of its states, for looking at them (HACKING.md, "Look at a state"):
//
//     drive_window light 1440x900 open:FILE page:run size:s77=512 primary settle grab:run.png
//
// A step is `name:value`; steps are done in order, and one that cannot be done is said and ends with status 1.
#include <QAbstractButton>
#include <QAbstractScrollArea>
#include <QApplication>
#include <QComboBox>
#include <QLineEdit>
#include <QPainter>
#include <QPushButton>
#include <QScrollBar>
#include <QSpinBox>
#include <QtTest>
#include <cstdio>
#include <functional>
#include <map>

#include "views/compare/compare_page.h"
#include "views/frame/address_bar.h"
#include "views/frame/engine_service.h"
#include "views/frame/jump_field.h"
#include "views/frame/main_window.h"
#include "views/frame/recent_files.h"
#include "views/overview/verdict_card.h"
#include "views/pages.h"
#include "views/recompile/recompile_page.h"
#include "views/theme/fonts.h"
#include "views/theme/theme.h"
#include "views/widgets/segmented_switch.h"

using namespace pt2;
using namespace pt2::views;

namespace {

class Driver {
public:
    explicit Driver(const PageRegistry& registry) : window_(registry) {}

    void show(QSize size) {
        window_.setMinimumSize(QSize(0, 0));
        window_.resize(size);
        window_.show();
        window_.activateWindow();
    }
    bool step(const QString& text) {
        const QString name = text.section(':', 0, 0), value = text.section(':', 1);
        const auto action = actions_.find(name);
        const bool done = action != actions_.end() && action->second(value);
        if (!done) std::fprintf(stderr, "cannot be done: %s\n", qPrintable(text));
        return done;
    }

private:
    static QString before(const QString& value) { return value.section('=', 0, 0); }
    static QString after(const QString& value) { return value.section('=', 1); }
    template <typename T>
    T* visible(const QString& objectName) {
        for (T* one : window_.findChildren<T*>(objectName)) {
            if (one->isVisible()) return one;
        }
        return nullptr;
    }
    QWidget* focused() { return QApplication::focusWidget() != nullptr ? QApplication::focusWidget() : &window_; }

    bool settle(int milliseconds) {
        QElapsedTimer timer;
        timer.start();
        for (int calm = 0; calm < 5;) {
            if (timer.elapsed() > milliseconds) return false;
            QTest::qWait(30);
            const auto& engine = EngineService::instance();
            calm = window_.settled() && engine.engineKnown() && engine.pythonKnown() ? calm + 1 : 0;
        }
        return true;
    }
    bool click(const QString& what) {
        for (auto* button : window_.findChildren<QAbstractButton*>()) {
            if (!button->isVisible() || (button->text() != what && button->objectName() != what && button->accessibleName() != what)) continue;
            QTest::mouseClick(button, Qt::LeftButton);
            QTest::qWait(100);
            return true;
        }
        return false;
    }
    /// The window with the menus and lists that hang over it.
    bool grab(const QString& path) {
        QTest::qWait(60);
        QPixmap picture = window_.grab();
        QPainter painter(&picture);
        for (QWidget* other : QApplication::topLevelWidgets()) {
            if (other == &window_ || !other->isVisible()) continue;
            painter.drawPixmap(other->mapToGlobal(QPoint()) - window_.mapToGlobal(QPoint()), other->grab());
        }
        painter.end();
        return picture.save(path);
    }

    MainWindow window_;
    DocumentView* view_ = nullptr;
    const std::map<QString, std::function<bool(const QString&)>> actions_ = {
        {"open",
         [this](const QString& file) {
             view_ = window_.openFile(file);
             return view_ != nullptr && settle(30'000);
         }},
        {"page",
         [this](const QString& key) {
             if (view_ == nullptr) return false;
             view_->showPage(key);
             return settle(30'000);
         }},
        {"target",
         [this](const QString& path) {
             auto* card = view_ != nullptr ? view_->currentPage()->findChild<VerdictCard*>() : nullptr;
             if (card == nullptr) return false;
             card->chooseTarget(path);
             return settle(30'000);
         }},
        {"go",
         [this](const QString& address) {
             if (view_ == nullptr) return false;
             view_->session().navigate(address);
             return settle(30'000);
         }},
        {"size",
         [this](const QString& value) {
             auto* box = visible<QSpinBox>("size:" + before(value));
             if (box == nullptr) return false;
             box->setFocus();
             box->selectAll();
             QTest::keyClicks(box, after(value));
             return true;
         }},
        {"spin",
         [this](const QString& value) {
             auto* box = visible<QSpinBox>(before(value));
             if (box) box->setValue(after(value).toInt());
             return box != nullptr;
         }},
        {"combo",
         [this](const QString& value) {
             auto* box = visible<QComboBox>(before(value));
             if (box == nullptr) return false;
             box->setCurrentIndex(after(value).toInt());
             emit box->activated(box->currentIndex());
             return true;
         }},
        {"edit",
         [this](const QString& value) {
             auto* edit = visible<QLineEdit>(before(value));
             if (edit == nullptr) return false;
             edit->setText(after(value));
             return true;
         }},
        {"switch",
         [this](const QString& value) {
             auto* segments = visible<SegmentedSwitch>(before(value));
             if (segments == nullptr) return false;
             segments->setCurrent(after(value).toInt());
             return true;
         }},
        {"output",
         [this](const QString& path) {
             auto* page = window_.findChild<RecompilePage*>();
             if (page == nullptr) return false;
             page->setOutput(path);
             return true;
         }},
        {"reference",
         [this](const QString& path) {
             auto* page = window_.findChild<ComparePage*>();
             if (page == nullptr) return false;
             page->setReferenceFile(path);
             return true;
         }},
        {"primary",
         [this](const QString&) {
             if (view_ == nullptr || !view_->addressBar()->primary()->isEnabled()) return false;
             QTest::mouseClick(view_->addressBar()->primary(), Qt::LeftButton);
             return true;
         }},
        {"click", [this](const QString& what) { return click(what); }},
        {"at",
         [this](const QString& place) {
             const QPoint point(place.section(',', 0, 0).toInt(), place.section(',', 1, 1).toInt());
             QWidget* widget = window_.childAt(point);
             if (widget == nullptr) return false;
             QTest::mouseClick(widget, Qt::LeftButton, {}, widget->mapFrom(&window_, point));
             QTest::qWait(150);
             return true;
         }},
        {"keys",
         [this](const QString& text) {
             QTest::keyClicks(focused(), text);
             QTest::qWait(300);
             return true;
         }},
        {"key",
         [this](const QString& name) {
             const QKeySequence sequence(name);
             if (sequence.isEmpty()) return false;
             QTest::keyClick(focused(), sequence[0].key(), sequence[0].keyboardModifiers());
             QTest::qWait(200);
             return true;
         }},
        {"jump",
         [this](const QString& text) {
             window_.jumpField()->clear();
             QTest::keyClicks(window_.jumpField(), text);
             QTest::qWait(400);
             return true;
         }},
        {"scroll",
         [this](const QString& percent) {
             for (auto* area : window_.findChildren<QAbstractScrollArea*>()) {
                 if (area->isVisible()) area->verticalScrollBar()->setValue(area->verticalScrollBar()->maximum() * percent.toInt() / 100);
             }
             QTest::qWait(80);
             return true;
         }},
        {"theme",
         [](const QString& name) {
             Theme::instance().apply(name == "dark" ? ThemeChoice::Dark : ThemeChoice::Light);
             QTest::qWait(150);
             return true;
         }},
        {"resize",
         [this](const QString& size) {
             window_.resize(size.section('x', 0, 0).toInt(), size.section('x', 1).toInt());
             QTest::qWait(200);
             return true;
         }},
        {"font",
         [](const QString& scale) {
             setFontScale(scale.toDouble());
             QTest::qWait(200);
             return true;
         }},
        {"wait",
         [](const QString& milliseconds) {
             QTest::qWait(milliseconds.toInt());
             return true;
         }},
        {"settle", [this](const QString& milliseconds) { return settle(milliseconds.isEmpty() ? 300'000 : milliseconds.toInt()); }},
        {"grab", [this](const QString& path) { return grab(path); }},
    };
};

}  // namespace

int main(int argc, char** argv) {
    QApplication app(argc, argv);
    QApplication::setOrganizationName("pt2scope");
    QApplication::setApplicationName("pt2scope");
    setRecentFilesReadOnly(true);
    const QStringList arguments = QApplication::arguments();
    if (arguments.size() < 4) {
        std::fprintf(stderr, "Usage: drive_window light|dark WxH STEP...\n");
        return 2;
    }
    PageRegistry registry;
    registerPages(registry);
    Theme::instance().apply(arguments[1] == "dark" ? ThemeChoice::Dark : ThemeChoice::Light);
    EngineService::instance().ask();
    bool done = true;
    {
        Driver driver(registry);
        driver.show({arguments[2].section('x', 0, 0).toInt(), arguments[2].section('x', 1).toInt()});
        for (qsizetype i = 3; done && i < arguments.size(); ++i) done = driver.step(arguments[i]);
    }
    EngineService::instance().stop();
    return done ? 0 : 1;
}
