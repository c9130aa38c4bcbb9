#include "views/frame/document_view.h"

#include <QApplication>
#include <QComboBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>

#include "core/base/advice.h"
#include "core/base/text.h"
#include "views/frame/address_bar.h"
#include "views/frame/lower_panel.h"
#include "views/frame/recent_files.h"
#include "views/frame/side_navigation.h"
#include "views/theme/spacing.h"
#include "views/theme/theme.h"
#include "views/widgets/banner.h"
#include "views/widgets/buttons.h"
#include "views/widgets/choice_box.h"
#include "views/widgets/error_panel.h"
#include "views/widgets/ground.h"
#include "views/widgets/progress.h"
#include "views/widgets/text.h"

namespace pt2::views {

namespace {
constexpr int kNarrowWidth = 760, kNoInspectorWidth = 1100, kOverlayWidth = 280;
constexpr std::size_t kHistoryLimit = 200;
constexpr int kOpeningDelayMs = 300;

QString kindInWords(const Document& document) {
    QStringList parts;
    bool program = false, compiled = false;
    for (const std::string& name : document.modelNames()) {
        program = program || document.program(name);
        compiled = compiled || document.compiled(name);
    }
    if (program) parts << QObject::tr("program");
    if (compiled) parts << QObject::tr("compiled model");
    return parts.isEmpty() ? QObject::tr("archive") : parts.join(QStringLiteral(" + "));
}

}  // namespace

DocumentView::DocumentView(DocumentSession* session, const PageRegistry& registry, QWidget* parent)
    : QWidget(parent),
      session_(session),
      registry_(registry),
      navigation_(new SideNavigation(registry)),
      addressBar_(new AddressBar),
      changedBanner_(new Banner(State::Info, tr("The file changed on disk."), tr("What is shown is the former content."))),
      stack_(new QStackedWidget),
      horizontal_(new QSplitter(Qt::Horizontal)),
      vertical_(new QSplitter(Qt::Vertical)),
      inspectorBox_(new QVBoxLayout),
      inspectorHost_(new Ground(Role::Window)),
      models_(makeChoiceBox(tr("The model that the pages show"))),
      openingDelay_(new QTimer(this)),
      key_(QStringLiteral("overview")) {
    session->setParent(this);
    auto* row = new QHBoxLayout(this);
    setMargins(row, 0, 0);
    row->addWidget(navigation_);
    auto* column = new QVBoxLayout;
    setMargins(column, 0, 0);
    row->addLayout(column, 1);
    column->addWidget(addressBar_);
    changedBanner_->setFlat(true);
    changedBanner_->hide();
    changedBanner_->addAction({tr("Reload"), [this] { session_->open(); }}, false);
    column->addWidget(changedBanner_);
    column->addWidget(vertical_, 1);
    horizontal_->addWidget(stack_);
    inspectorHost_->setLayout(inspectorBox_);
    static_cast<Ground*>(inspectorHost_)->setEdges(Qt::LeftEdge);
    inspectorBox_->setContentsMargins(1, 0, 0, 0);
    inspectorHost_->setMinimumWidth(Metrics::inspectorMin);
    inspectorHost_->setMaximumWidth(Metrics::inspectorMax);
    horizontal_->addWidget(inspectorHost_);
    horizontal_->setStretchFactor(0, 1);
    horizontal_->setStretchFactor(1, 0);
    horizontal_->setCollapsible(0, false);
    horizontal_->setSizes({10000, Metrics::inspector});
    inspectorHost_->hide();
    vertical_->addWidget(horizontal_);
    vertical_->setCollapsible(0, false);
    stack_->setMinimumWidth(320);

    models_->setToolTip(tr("The model that the pages show"));
    models_->hide();
    addressBar_->addTool(models_);
    connect(models_, &QComboBox::activated, this, [this](int index) { session_->setModel(models_->itemData(index).toString().toStdString()); });

    openingDelay_->setSingleShot(true);
    openingDelay_->setInterval(kOpeningDelayMs);
    connect(openingDelay_, &QTimer::timeout, this, [this] {
        if (session_->state() == DocumentSession::State::Opening) setCentre(openingWidget());
    });

    connect(navigation_, &SideNavigation::chosen, this, &DocumentView::showPage);
    connect(addressBar_, &AddressBar::back, this, &DocumentView::goBack);
    connect(addressBar_, &AddressBar::forward, this, &DocumentView::goForward);
    connect(addressBar_, &AddressBar::primaryClicked, this, &DocumentView::runPrimary);
    connect(addressBar_, &AddressBar::crumbClicked, this, [this](int index) {
        if (index == 0)
            showPage(QStringLiteral("overview"));
        else
            showPage(key_);
    });
    connect(addressBar_, &AddressBar::entered, this, [this](const QString& text) {
        if (registry_.find(text)) return showPage(text);
        session_->navigate(text);
    });
    connect(session_, &DocumentSession::stateChanged, this, &DocumentView::stateChanged);
    connect(session_, &DocumentSession::documentChanged, this, &DocumentView::documentChanged);
    connect(session_, &DocumentSession::issuesChanged, this, [this] {
        showIssueCount();
        refreshChrome();
    });
    connect(session_, &DocumentSession::runnableChanged, this, &DocumentView::refreshChrome);
    connect(session_, &DocumentSession::navigationRequested, this, &DocumentView::navigate);
    connect(session_, &DocumentSession::pageRequested, this, &DocumentView::showPage);
    connect(session_, &DocumentSession::pageStartRequested, this, [this](const QString& key) {
        showPage(key);
        if (Page* shownPage = currentPage()) shownPage->runPrimaryAction();
    });
    connect(session_, &DocumentSession::changedOnDiskChanged, this, [this] {
        changedBanner_->set(State::Info, tr("The file changed on disk."), tr("What is shown is the former content."));
        changedBanner_->setVisible(session_->changedOnDisk());
    });
    connect(session_, &DocumentSession::reloadFailed, this, [this](const Error& error) {
        changedBanner_->set(State::Error, shown(error.what), tr("What is shown is the former content. %1").arg(shown(adviceOf(error))));
        changedBanner_->show();
    });
    connect(session_, &DocumentSession::selectionChanged, this, [this](const Address& address) {
        overlayOpen_ = address.kind != Address::Kind::None;
        if (overlay_) adaptToWidth();
    });
    stateChanged();
}

DocumentView::~DocumentView() {
    session_->jobs().cancelAll();
    // Pages and inspector hold references to the session: they go first.
    qDeleteAll(pages_);
    delete inspector_;
    delete lower_;
}

Page* DocumentView::currentPage() const { return pages_.value(key_); }

Page* DocumentView::page(const QString& key) {
    if (session_->state() != DocumentSession::State::Ready) return nullptr;
    if (Page* made = pages_.value(key)) return made;
    const PageInfo* info = registry_.find(key);
    if (!info) return nullptr;
    Page* made = info->make(*session_);
    made->setKey(key);
    stack_->addWidget(made);
    pages_.insert(key, made);
    connect(made, &Page::changed, this, [this, made] {
        if (made == currentPage()) refreshChrome();
    });
    return made;
}

void DocumentView::setCentre(QWidget* widget) {
    if (stateWidget_) {
        stack_->removeWidget(stateWidget_);
        stateWidget_->deleteLater();
    }
    stateWidget_ = widget;
    if (!widget) return;
    stack_->addWidget(widget);
    stack_->setCurrentWidget(widget);
}

QWidget* DocumentView::openingWidget() {
    auto* ground = new Ground(Role::Base);
    auto* column = new QVBoxLayout(ground);
    setMargins(column, 0, Spacing::m);
    auto* line = new ProgressLine;
    line->setRunning(true);
    column->addWidget(line);
    column->addStretch(1);
    auto* title = new TextLabel(tr("Opening \"%1\"").arg(session_->fileName()), TextSize::Section);
    title->setAlignment(Qt::AlignCenter);
    auto* stage = new TextLabel({}, TextSize::Body, Role::Muted);
    stage->setAlignment(Qt::AlignCenter);
    column->addWidget(title);
    column->addWidget(stage);
    auto* cancel = plainButton(tr("Cancel"));
    column->addWidget(cancel, 0, Qt::AlignHCenter);
    column->addStretch(1);
    connect(cancel, &QPushButton::clicked, session_, [this] { session_->jobs().cancel(QStringLiteral("open")); });
    connect(session_, &DocumentSession::openProgress, stage, [stage, line](const Progress& progress) {
        stage->setFullText(toQt(progress.stage));
        line->setShare(progress.total > 0 ? static_cast<double>(progress.done) / static_cast<double>(progress.total) : -1);
    });
    return ground;
}

QWidget* DocumentView::failedWidget() {
    auto* area = new QScrollArea;
    area->setAccessibleName(tr("Why the file could not be opened"));
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    auto* ground = new Ground(Role::Base);
    auto* column = new QVBoxLayout(ground);
    setMargins(column, Spacing::xl, Spacing::l);
    auto* panel = new ErrorPanel(session_->error());
    panel->setMaximumWidth(720);
    panel->addAction({tr("Try again"), [this] { session_->open(); }});
    column->addWidget(panel);
    auto* kept = new TextLabel(tr("Nothing was changed, and nothing in the file was run."), TextSize::Body, Role::Muted);
    column->addWidget(kept);
    column->addStretch(1);
    area->setWidget(ground);
    return area;
}

void DocumentView::stateChanged() {
    const auto state = session_->state();
    navigation_->setEnabled(state == DocumentSession::State::Ready);
    if (state == DocumentSession::State::Opening) {
        openingDelay_->start();
        if (!stateWidget_) setCentre(new Ground(Role::Base));
    } else {
        openingDelay_->stop();
        if (state == DocumentSession::State::Failed) {
            setCentre(failedWidget());
            inspectorHost_->hide();
        }
    }
    for (const PageInfo& info : registry_.pages()) {
        navigation_->setUnavailable(info.key, state == DocumentSession::State::Failed ? tr("The file could not be opened.") : QString());
    }
    refreshChrome();
    emit titleChanged();
}

int DocumentView::showIssueCount() {
    const int errors = session_->issueCount(Severity::Error), warnings = session_->issueCount(Severity::Warning);
    navigation_->setBadge(QStringLiteral("problems"), errors + warnings, errors > 0);
    return errors;
}

void DocumentView::documentChanged() {
    const Document& document = session_->document();
    for (const PageInfo& info : registry_.pages()) navigation_->setUnavailable(info.key, info.unavailable ? info.unavailable(*session_) : QString());
    const int errors = showIssueCount();
    const std::vector<std::string> names = document.modelNames();
    models_->clear();
    for (const std::string& name : names) models_->addItem(shown(name), toQt(name));
    models_->setCurrentIndex(models_->findData(toQt(session_->model())));
    models_->setVisible(names.size() > 1);
    if (!inspector_ && registry_.makeInspector) {
        inspector_ = registry_.makeInspector(*session_);
        inspectorBox_->addWidget(inspector_);
    }
    rememberRecentFile(
        {session_->path(), kindInWords(document), static_cast<qint64>(document.primary->archive().fileSize()), errors, QDateTime::currentDateTime()});
    // Another model or a reload leaves the keyboard where it was, for instance in the list of models.
    const Keyboard keyboard = history_.empty() || stateWidget_ ? Keyboard::GoesToThePage : Keyboard::Stays;
    setCentre(nullptr);
    if (history_.empty()) record({key_, {}});
    show(history_[place_], keyboard);
    emit titleChanged();
}

void DocumentView::showPage(const QString& key) {
    if (!registry_.find(key)) return;
    record({key, {}});
    show(history_[place_]);
}

void DocumentView::navigate(const Address& address) {
    const QString key = PageRegistry::pageOf(address);
    if (!registry_.find(key)) return;
    record({key, address.kind == Address::Kind::Page ? Address{} : address});
    show(history_[place_]);
}

void DocumentView::record(const Place& place) {
    if (moving_) return;
    if (!history_.empty()) {
        const Place& now = history_[place_];
        if (now.page == place.page && now.address == place.address) return;
        history_.resize(place_ + 1);
    }
    history_.push_back(place);
    if (history_.size() > kHistoryLimit) history_.erase(history_.begin());
    place_ = history_.size() - 1;
}

void DocumentView::goBack() {
    if (place_ == 0) return;
    --place_;
    show(history_[place_]);
}

void DocumentView::goForward() {
    if (place_ + 1 >= history_.size()) return;
    ++place_;
    show(history_[place_]);
}

void DocumentView::show(const Place& place, Keyboard keyboard) {
    key_ = place.page;
    navigation_->setCurrent(key_);
    Page* shownPage = page(key_);
    if (!shownPage) return refreshChrome();
    moving_ = true;
    stack_->setCurrentWidget(shownPage);
    if (keyboard == Keyboard::GoesToThePage && !shownPage->isAncestorOf(QApplication::focusWidget())) shownPage->setFocus(Qt::OtherFocusReason);
    if (place.address.kind != Address::Kind::None) {
        session_->select(place.address);
        shownPage->showAddress(place.address);
    }
    moving_ = false;
    adaptToWidth();
    refreshChrome();
}

void DocumentView::refreshChrome() {
    const PageInfo* info = registry_.find(key_);
    Page* shownPage = currentPage();
    QStringList crumbs{session_->fileName()};
    QString address = QStringLiteral("page/") + key_;
    if (shownPage) {
        const QStringList below = shownPage->breadcrumb();
        if (below.isEmpty())
            crumbs << info->title;
        else
            crumbs << below;
        address = toQt(shownPage->address().text());
    } else if (info && session_->state() != DocumentSession::State::Failed) {
        crumbs << info->title;
    }
    addressBar_->setPlace(crumbs, address);
    addressBar_->setHistory(place_ > 0, place_ + 1 < history_.size());
    PrimaryAction action;
    if (shownPage) {
        action = shownPage->primaryAction();
    } else {
        action.enabled = false;
    }
    addressBar_->setPrimary(action, QStringLiteral("F5"));
    if (shownPage) {
        emit statusChanged(shownPage->statusTexts());
    } else {
        emit statusChanged({session_->state() == DocumentSession::State::Failed ? tr("Could not be opened") : tr("Opening")});
    }
}

void DocumentView::runPrimary() {
    Page* shownPage = currentPage();
    if (shownPage && shownPage->primaryAction().enabled) shownPage->runPrimaryAction();
}

void DocumentView::editAddress() { addressBar_->edit(); }

void DocumentView::setInspectorVisible(bool visible) {
    (width() >= kNoInspectorWidth ? inspectorWanted_ : overlayOpen_) = visible;
    adaptToWidth();
}

bool DocumentView::inspectorVisible() const { return !inspectorHost_->isHidden(); }

void DocumentView::toggleLowerPanel() {
    if (session_->state() != DocumentSession::State::Ready) return;
    if (!lower_) {
        lower_ = new LowerPanel(*session_);
        vertical_->addWidget(lower_);
        vertical_->setSizes({height(), 200});
        connect(lower_, &LowerPanel::closeRequested, lower_, &QWidget::hide);
        return;
    }
    lower_->setVisible(lower_->isHidden());
}

void DocumentView::toggleSideLabels() {
    labelsHidden_ = !labelsHidden_;
    adaptToWidth();
}

void DocumentView::adaptToWidth() {
    navigation_->setNarrow(labelsHidden_ || width() < kNarrowWidth);
    Page* shownPage = currentPage();
    const bool room = width() >= kNoInspectorWidth;
    const bool wanted = inspector_ && shownPage && shownPage->wantsInspector() && session_->state() == DocumentSession::State::Ready;
    const bool over = wanted && !room;
    if (over != overlay_) {  // below this width it lies over the page while something is selected
        overlay_ = over;
        inspectorHost_->hide();
        if (over) {
            inspectorHost_->setParent(this);
        } else {
            horizontal_->addWidget(inspectorHost_);
            horizontal_->setStretchFactor(1, 0);
        }
    }
    const bool visible = wanted && (room ? inspectorWanted_ : overlayOpen_);
    if (visible != !inspectorHost_->isHidden()) {
        inspectorHost_->setVisible(visible);
        if (visible && !over) horizontal_->setSizes({std::max(1, horizontal_->width() - Metrics::inspector), Metrics::inspector});
    }
    if (visible && over) placeOverlay();
}

void DocumentView::placeOverlay() {
    const QPoint corner = vertical_->mapTo(this, QPoint(0, 0));
    const int wide = std::min(kOverlayWidth, vertical_->width()), bar = Metrics::toolbar;  // the page's toolbar stays in reach
    inspectorHost_->setGeometry(corner.x() + vertical_->width() - wide, corner.y() + bar, wide, std::max(1, horizontal_->height() - bar));
    inspectorHost_->raise();
}

void DocumentView::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape && overlay_ && inspectorVisible()) {
        setInspectorVisible(false);
        return;
    }
    QWidget::keyPressEvent(event);
}

void DocumentView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    adaptToWidth();
}

bool DocumentView::settled() const {
    if (session_->state() == DocumentSession::State::Opening) return false;
    if (session_->state() == DocumentSession::State::Failed) return true;
    const Page* shownPage = currentPage();
    return shownPage && shownPage->settled() && session_->jobs().isIdle();
}

}  // namespace pt2::views
