#include "views/frame/main_window.h"

#include <QActionGroup>
#include <QApplication>
#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QMenu>
#include <QMenuBar>
#include <QMimeData>
#include <QSettings>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "views/frame/document_tabs.h"
#include "views/frame/engine_service.h"
#include "views/frame/file_path.h"
#include "views/frame/jump_field.h"
#include "views/frame/recent_files.h"
#include "views/frame/start_page.h"
#include "views/frame/status_bar.h"
#include "views/theme/fonts.h"
#include "views/theme/icons.h"
#include "views/theme/spacing.h"
#include "views/theme/theme.h"
#include "views/widgets/ground.h"

namespace pt2::views {

namespace {

/// Menus left, jump field in the middle of the window whatever the menus take.
class MenuRow : public Ground {
public:
    MenuRow(QMenuBar* menus, JumpField* jump) : Ground(Role::Window), menus_(menus), jump_(jump) {
        menus->setParent(this);
        jump->setParent(this);
        setFixedHeight(std::max(Metrics::menuRow, menus->sizeHint().height() + Spacing::s));
    }

protected:
    void resizeEvent(QResizeEvent*) override {
        const int menuWidth = std::min(menus_->sizeHint().width() + Spacing::s, width());
        menus_->setGeometry(Spacing::xs, (height() - menus_->sizeHint().height()) / 2, menuWidth, menus_->sizeHint().height());
        const int room = width() - menuWidth - 2 * Spacing::l;
        const int fieldWidth = std::clamp(room, 0, static_cast<int>(Metrics::jumpField));
        const int left = std::max((width() - fieldWidth) / 2, menuWidth + Spacing::l);
        const int fieldHeight = jump_->sizeHint().height() - 2;
        jump_->setGeometry(left, (height() - fieldHeight) / 2, std::min(fieldWidth, width() - left - Spacing::s), fieldHeight);
    }

private:
    QMenuBar* menus_;
    JumpField* jump_;
};

}  // namespace

MainWindow::MainWindow(const PageRegistry& registry, QWidget* parent)
    : QMainWindow(parent),
      registry_(registry),
      tabs_(new DocumentTabs),
      stack_(new QStackedWidget),
      start_(new StartPage),
      jump_(new JumpField(registry)),
      status_(new StatusBar),
      menuBar_(new QMenuBar) {
    setWindowTitle(QStringLiteral("pt2scope"));
    setMinimumSize(960, 600);
    setAcceptDrops(true);
    setMenuWidget(new MenuRow(menuBar_, jump_));
    auto* centre = new QWidget;
    auto* column = new QVBoxLayout(centre);
    setMargins(column, 0, 0);
    column->addWidget(tabs_);
    column->addWidget(stack_, 1);
    column->addWidget(status_);
    setCentralWidget(centre);
    stack_->addWidget(start_);
    makeMenus();
    connect(tabs_, &QTabBar::currentChanged, this, &MainWindow::showTab);
    connect(tabs_, &QTabBar::tabCloseRequested, this, &MainWindow::closeTab);
    connect(tabs_, &QTabBar::tabMoved, this, [this](int from, int to) {
        QWidget* moved = stack_->widget(from + 1);
        stack_->removeWidget(moved);
        stack_->insertWidget(to + 1, moved);
        showTab(tabs_->currentIndex());
    });
    connect(tabs_, &DocumentTabs::newTabRequested, this, &MainWindow::chooseFile);
    connect(start_, &StartPage::openRequested, this, &MainWindow::chooseFile);
    connect(start_, &StartPage::openFolderRequested, this, &MainWindow::chooseFolder);
    connect(start_, &StartPage::fileRequested, this, [this](const QString& path) { openFile(path); });
    connect(status_, &StatusBar::lampClicked, this, [this] {
        if (DocumentView* view = currentView()) view->toggleLowerPanel();
    });
    showTab(-1);
    EngineService::instance().ask();
}

MainWindow::~MainWindow() {
    status_->setSession(nullptr);
    jump_->setSession(nullptr);
}

void MainWindow::setSample(const QString& path) { start_->setSample(path); }

void MainWindow::makeMenus() {
    QList<QAction*> commands;
    const auto add = [this, &commands](QMenu* menu, const QString& text, const QKeySequence& keys, auto&& act, const QString& iconName = {},
                                       bool needsDocument = false) {
        QAction* action = menu->addAction(text, this, std::forward<decltype(act)>(act));
        action->setShortcut(keys);
        if (!iconName.isEmpty()) action->setIcon(icon(iconName, Role::Muted));
        if (needsDocument) documentActions_ << action;
        commands << action;
        return action;
    };
    const auto onView = [this](auto act) {
        return [this, act] {
            if (DocumentView* view = currentView()) act(*view);
        };
    };
    QMenu* file = menuBar_->addMenu(tr("&File"));
    add(
        file, tr("&Open…"), QKeySequence::Open, [this] { chooseFile(); }, QStringLiteral("open"));
    add(
        file, tr("Open &folder…"), QKeySequence(QStringLiteral("Ctrl+Shift+O")), [this] { chooseFolder(); }, QStringLiteral("folder"));
    recentMenu_ = file->addMenu(tr("Open &recent"));
    connect(recentMenu_, &QMenu::aboutToShow, this, &MainWindow::refreshRecentMenu);
    file->addSeparator();
    add(
        file, tr("&Attach a second file…"), {}, [this] { attachFile(); }, QStringLiteral("plus"), true);
    add(file, tr("Re&load from disk"), QKeySequence(QStringLiteral("Ctrl+R")), onView([](DocumentView& view) { view.session().open(); }),
        QStringLiteral("reload"), true);
    file->addSeparator();
    add(
        file, tr("&Close"), QKeySequence::Close, [this] { closeTab(tabs_->currentIndex()); }, QStringLiteral("close"), true);
    add(file, tr("&Quit"), QKeySequence::Quit, [this] { close(); });

    QMenu* go = menuBar_->addMenu(tr("&Go"));
    add(go, tr("&Back"), QKeySequence(QStringLiteral("Alt+Left")), onView([](DocumentView& view) { view.goBack(); }), QStringLiteral("back"), true);
    add(go, tr("&Forward"), QKeySequence(QStringLiteral("Alt+Right")), onView([](DocumentView& view) { view.goForward(); }),
        QStringLiteral("forward"), true);
    go->addSeparator();
    add(
        go, tr("Go to &anything…"), QKeySequence(QStringLiteral("Ctrl+K")),
        [this] {
            jump_->setFocus(Qt::ShortcutFocusReason);
            jump_->selectAll();
        },
        QStringLiteral("search"));
    add(go, tr("&Commands…"), QKeySequence(QStringLiteral("Ctrl+Shift+P")), [this] { jump_->startCommands(); });
    add(go, tr("Go to a&ddress…"), QKeySequence(QStringLiteral("Ctrl+L")), onView([](DocumentView& view) { view.editAddress(); }),
        QStringLiteral("link"), true);
    add(go, tr("&Find on this page"), QKeySequence::Find, onView([](DocumentView& view) {
            if (Page* page = view.currentPage()) page->find();
        }),
        QStringLiteral("filter"), true);
    go->addSeparator();
    for (const PageInfo& page : registry_.pages()) {
        add(go, page.title, QKeySequence(QStringLiteral("Ctrl+%1").arg(page.digit)),
            onView([key = page.key](DocumentView& view) { view.showPage(key); }), page.icon, true);
    }
    go->addSeparator();
    add(
        go, tr("&Next document"), QKeySequence(QStringLiteral("Ctrl+Tab")),
        [this] { tabs_->setCurrentIndex((tabs_->currentIndex() + 1) % std::max(1, tabs_->count())); }, {}, true);
    add(
        go, tr("&Previous document"), QKeySequence(QStringLiteral("Ctrl+Shift+Tab")),
        [this] { tabs_->setCurrentIndex((tabs_->currentIndex() + tabs_->count() - 1) % std::max(1, tabs_->count())); }, {}, true);

    QMenu* run = menuBar_->addMenu(tr("&Run"));
    add(run, tr("&Main act of the page"), QKeySequence(QStringLiteral("F5")), onView([](DocumentView& view) { view.runPrimary(); }),
        QStringLiteral("run"), true);
    add(run, tr("&Run the compiled model"), QKeySequence(QStringLiteral("Ctrl+F5")),
        onView([](DocumentView& view) { view.session().startPage(QStringLiteral("run")); }), QStringLiteral("run"), true);
    add(run, tr("&Compare with torch eager"), {}, onView([](DocumentView& view) { view.showPage(QStringLiteral("compare")); }),
        QStringLiteral("compare"), true);
    add(run, tr("R&ecompile for this machine"), {}, onView([](DocumentView& view) { view.showPage(QStringLiteral("recompile")); }),
        QStringLiteral("recompile"), true);
    run->addSeparator();
    add(run, tr("&Stop"), QKeySequence(QStringLiteral("Shift+F5")), onView([](DocumentView& view) {
            for (const JobState& job : view.session().jobs().running()) view.session().jobs().cancel(job.id);
        }),
        QStringLiteral("stop"), true);

    QMenu* look = menuBar_->addMenu(tr("&View"));
    auto* themes = new QActionGroup(this);
    const std::pair<ThemeChoice, QString> choices[] = {
        {ThemeChoice::System, tr("Theme of the &system")}, {ThemeChoice::Light, tr("&Light theme")}, {ThemeChoice::Dark, tr("&Dark theme")}};
    for (const auto& [choice, text] : choices) {
        QAction* action = add(look, text, {}, [choice = choice] {
            Theme::instance().apply(choice);
            QSettings().setValue(QStringLiteral("theme"), static_cast<int>(choice));
        });
        action->setCheckable(true);
        action->setChecked(Theme::instance().choice() == choice);
        themes->addAction(action);
    }
    look->addSeparator();
    add(look, tr("&Inspector"), QKeySequence(QStringLiteral("Ctrl+I")),
        onView([](DocumentView& view) { view.setInspectorVisible(!view.inspectorVisible()); }), QStringLiteral("panel"), true);
    add(look, tr("&Problems and log"), QKeySequence(QStringLiteral("Ctrl+J")), onView([](DocumentView& view) { view.toggleLowerPanel(); }), {}, true);
    add(look, tr("Side la&bels"), QKeySequence(QStringLiteral("Ctrl+B")), onView([](DocumentView& view) { view.toggleSideLabels(); }), {}, true);
    look->addSeparator();
    add(
        look, tr("Larger &text"), QKeySequence::ZoomIn, [] { setFontScale(fontScale() + 0.1); }, QStringLiteral("plus"));
    add(
        look, tr("S&maller text"), QKeySequence::ZoomOut, [] { setFontScale(fontScale() - 0.1); }, QStringLiteral("minus"));
    add(look, tr("&Full screen"), QKeySequence(QStringLiteral("F11")), [this] { setWindowState(windowState() ^ Qt::WindowFullScreen); });

    QMenu* help = menuBar_->addMenu(tr("&Help"));
    add(
        help, tr("&About pt2scope"), {}, [this] { about(); }, QStringLiteral("info"));
    jump_->setCommands(commands);
}

DocumentView* MainWindow::currentView() const { return qobject_cast<DocumentView*>(stack_->currentWidget()); }

bool MainWindow::settled() const {
    const DocumentView* view = currentView();
    return !view || view->settled();
}

DocumentView* MainWindow::openFile(const QString& path, const QString& with) {
    const QString absolute = path == QLatin1String("-") ? path : absolutePath(path);
    for (int i = 0; i < tabs_->count(); ++i) {
        auto* view = qobject_cast<DocumentView*>(stack_->widget(i + 1));
        if (view && view->session().path() == absolute && with.isEmpty()) {
            tabs_->setCurrentIndex(i);
            return view;
        }
    }
    auto* session = new DocumentSession(absolute, with.isEmpty() ? with : absolutePath(with));
    auto* view = new DocumentView(session, registry_);
    stack_->addWidget(view);
    const int tab = tabs_->addTab(session->fileName());
    tabs_->setTabToolTip(tab, shownPath(absolute));
    connect(view, &DocumentView::titleChanged, this, &MainWindow::refreshTitle);
    connect(view, &DocumentView::statusChanged, this, [this, view](const QStringList& texts) {
        if (view == currentView()) status_->setTexts(texts);
    });
    tabs_->setCurrentIndex(tab);
    showTab(tab);
    session->open();
    return view;
}

void MainWindow::showTab(int index) {
    tabs_->setVisible(tabs_->count() > 0);
    stack_->setCurrentIndex(index < 0 ? 0 : index + 1);
    DocumentView* view = currentView();
    jump_->setSession(view ? &view->session() : nullptr);
    status_->setSession(view ? &view->session() : nullptr);
    for (QAction* action : std::as_const(documentActions_)) action->setEnabled(view);
    if (!view) {
        start_->refresh();
        status_->setTexts({tr("Ready"), tr("nothing open")});
    } else if (Page* page = view->currentPage()) {
        status_->setTexts(page->statusTexts());
    }
    refreshTitle();
}

void MainWindow::closeTab(int index) {
    if (index < 0) return;
    QWidget* view = stack_->widget(index + 1);
    if (view == currentView()) {
        jump_->setSession(nullptr);
        status_->setSession(nullptr);
    }
    stack_->removeWidget(view);
    tabs_->removeTab(index);
    view->deleteLater();
    showTab(tabs_->currentIndex());
}

void MainWindow::refreshTitle() {
    DocumentView* view = currentView();
    setWindowTitle(view ? QStringLiteral("%1 — pt2scope").arg(view->session().fileName()) : QStringLiteral("pt2scope"));
}

void MainWindow::chooseFile() {
    const QStringList files = QFileDialog::getOpenFileNames(this, tr("Open"), QSettings().value(QStringLiteral("folder")).toString(),
                                                            tr("PyTorch archives (*.pt2);;Compiled libraries (*.so);;All files (*)"));
    for (const QString& path : files) {
        QSettings().setValue(QStringLiteral("folder"), folderOf(path));
        openFile(path);
    }
}

void MainWindow::chooseFolder() {
    const QString path =
        QFileDialog::getExistingDirectory(this, tr("Open an unpacked archive"), QSettings().value(QStringLiteral("folder")).toString());
    if (!path.isEmpty()) openFile(path);
}

void MainWindow::attachFile() {
    DocumentView* view = currentView();
    if (!view) return;
    const QString path = QFileDialog::getOpenFileName(this, tr("Attach a program or a compiled model"), folderOf(view->session().path()),
                                                      tr("PyTorch archives (*.pt2);;Compiled libraries (*.so);;All files (*)"));
    if (!path.isEmpty()) view->session().attach(path);
}

void MainWindow::refreshRecentMenu() {
    recentMenu_->clear();
    for (const RecentFile& file : recentFiles()) {
        recentMenu_
            ->addAction(icon(QStringLiteral("archive"), Role::Muted), shownFileName(file.path), this, [this, path = file.path] { openFile(path); })
            ->setToolTip(shownPath(file.path));
    }
    if (recentMenu_->isEmpty()) recentMenu_->addAction(tr("Nothing was opened yet"))->setEnabled(false);
}

void MainWindow::about() {
    QMenu bubble(this);
    bubble.addAction(tr("pt2scope %1").arg(QApplication::applicationVersion()))->setEnabled(false);
    bubble.addAction(tr("Reads, runs and compares PyTorch .pt2 archives. BSD-3-Clause."))->setEnabled(false);
    bubble.exec(mapToGlobal(QPoint(width() / 2 - 160, Metrics::menuRow)));
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    for (const QUrl& url : event->mimeData()->urls()) {
        if (url.isLocalFile()) return event->acceptProposedAction();
    }
}

void MainWindow::dropEvent(QDropEvent* event) {
    for (const QUrl& url : event->mimeData()->urls()) {
        if (url.isLocalFile()) openFile(pathText(url));
    }
    event->acceptProposedAction();
}

void MainWindow::closeEvent(QCloseEvent* event) {
    QSettings().setValue(QStringLiteral("geometry"), saveGeometry());
    EngineService::instance().stop();
    event->accept();
}

}  // namespace pt2::views
