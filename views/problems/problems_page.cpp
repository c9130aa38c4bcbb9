#include "views/problems/problems_page.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "core/base/text.h"
#include "views/problems/issue_facts.h"
#include "views/problems/severity_toggle.h"
#include "views/theme/spacing.h"
#include "views/theme/theme.h"
#include "views/widgets/banner.h"
#include "views/widgets/buttons.h"
#include "views/widgets/card.h"
#include "views/widgets/data_table.h"
#include "views/widgets/empty_state.h"
#include "views/widgets/error_panel.h"
#include "views/widgets/filter_field.h"
#include "views/widgets/ground.h"
#include "views/widgets/hex_view.h"
#include "views/widgets/key_value_list.h"
#include "views/widgets/link_label.h"
#include "views/widgets/text.h"
#include "views/widgets/vertical_scroll.h"

namespace pt2::views {

namespace {
constexpr int kDetailWidth = 440, kDetailMinimum = 320, kBothWidth = 760, kHexHeight = 220;
}

ProblemsPage::ProblemsPage(DocumentSession& session, QWidget* parent)
    : Page(session, parent),
      stack_(new QStackedWidget),
      none_(new EmptyState(QStringLiteral("ok"), tr("No problems found"), checkedText(session))),
      banner_(new Banner(State::Error, {})),
      errors_(new SeverityToggle(State::Error)),
      warnings_(new SeverityToggle(State::Warning)),
      notes_(new SeverityToggle(State::Info)),
      filter_(makeFilterField(tr("Filter"), tr("Filter problems"))),
      table_(new DataTable),
      model_(new RowModel({{tr("What"), 440, false, true, {}}, {tr("Advice"), 260, false, false, {}}}, this)),
      read_(new TextLabel({}, TextSize::Caption, Role::Muted)),
      readWhole_(new LinkLabel(tr("Read every byte"))),
      detailArea_(nullptr),
      detail_(new QVBoxLayout) {
    auto* outer = new QVBoxLayout(this);
    setMargins(outer, 0, 0);
    outer->addWidget(stack_);
    auto* noneGround = new Ground(Role::Base);
    auto* noneColumn = new QVBoxLayout(noneGround);
    setMargins(noneColumn, 0, 0);
    noneColumn->addWidget(none_);
    readWholeButton_ = none_->setButton({tr("Read every byte"), [this] { this->session().readWhole(); }});
    stack_->addWidget(noneGround);

    auto* splitter = new QSplitter(Qt::Horizontal);
    auto* left = new Ground(Role::Base);
    auto* column = new QVBoxLayout(left);
    setMargins(column, 0, 0);
    banner_->setFlat(true);
    column->addWidget(banner_);
    auto* bar = new PageToolbar;
    bar->setFixedHeight(44);
    for (SeverityToggle* toggle : {errors_, warnings_, notes_}) {
        bar->row()->addWidget(toggle);
        connect(toggle, &SeverityToggle::toggled, this, &ProblemsPage::fillRows);
    }
    bar->row()->addStretch(1);
    filter_->setMaximumWidth(220);
    bar->row()->addWidget(filter_);
    auto* copy = plainButton(tr("Copy report"));
    bar->row()->addWidget(copy);
    column->addWidget(bar);
    table_->setRowHeight(Metrics::rowTwoLines);
    table_->setSource(model_);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setAccessibleName(tr("Problems"));
    column->addWidget(table_, 1);
    auto* foot = new Ground(Role::Window);
    foot->setEdges(Qt::TopEdge);
    auto* footRow = new QHBoxLayout(foot);
    setMargins(footRow, Spacing::m, Spacing::s, Spacing::s);
    read_->setWordWrap(true);
    footRow->addWidget(read_, 1);
    readWhole_->setCaption(true);
    footRow->addWidget(readWhole_);
    column->addWidget(foot);
    splitter->addWidget(left);

    auto* ground = new Ground(Role::Window);
    ground->setLayout(detail_);
    setMargins(detail_, Spacing::l, Spacing::m);
    auto* area = verticalScroll(ground, tr("The problem"));
    area->setMinimumWidth(kDetailMinimum);
    detailArea_ = area;
    splitter->addWidget(area);
    splitter->setStretchFactor(0, 1);
    splitter->setSizes({10000, kDetailWidth});
    splitter->setChildrenCollapsible(false);
    stack_->addWidget(splitter);

    connect(copy, &QPushButton::clicked, this, [this] { QApplication::clipboard()->setText(issuesReport(this->session())); });
    connect(filter_, &QLineEdit::textChanged, this, [this](const QString& text) { table_->filter()->setText(text); });
    connect(table_, &DataTable::rowSelected, this, &ProblemsPage::showIssue);
    connect(table_, &DataTable::rowActivated, this, [this](const QString& address) {
        const auto index = issueIndex(address);
        if (index && *index < this->session().issues().size()) this->session().navigate(toQt(this->session().issues()[*index].where));
    });
    connect(readWhole_, &LinkLabel::clicked, this, [this] { this->session().readWhole(); });
    connect(&session, &DocumentSession::issuesChanged, this, &ProblemsPage::issuesChanged);
    documentChanged();
}

void ProblemsPage::documentChanged() { issuesChanged(); }

void ProblemsPage::issuesChanged() {
    const DocumentSession& s = session();
    stack_->setCurrentIndex(s.issues().empty() ? 0 : 1);
    const ProblemsHead head = problemsHead(s);
    banner_->setVisible(!head.title.isEmpty());
    if (!head.title.isEmpty()) banner_->set(head.state, head.title, head.text);
    const int errors = s.issueCount(Severity::Error), warnings = s.issueCount(Severity::Warning), notes = s.issueCount(Severity::Note);
    errors_->setCount(errors, errors == 1 ? tr("error") : tr("errors"));
    warnings_->setCount(warnings, warnings == 1 ? tr("warning") : tr("warnings"));
    notes_->setCount(notes, notes == 1 ? tr("note") : tr("notes"));
    const bool whole = s.wholeRead() || s.isReadingWhole();
    if (whole && (readWholeButton_->hasFocus() || readWhole_->hasFocus())) setFocus();  // before they go: the keyboard stays on this page
    none_->setText(checkedText(s));
    readWholeButton_->setVisible(!whole);
    read_->setFullText(checkedText(s));
    readWhole_->setVisible(!whole);
    fillRows();
    emit changed();
}

void ProblemsPage::fillRows() {
    model_->setRows(issueRows(session().issues(), errors_->isChecked(), warnings_->isChecked(), notes_->isChecked()));
    if (table_->model()->rowCount() > 0) table_->setCurrentIndex(table_->model()->index(0, 0));
}

void ProblemsPage::showIssue(const QString& address) {
    const auto index = issueIndex(address);
    if (!index || *index >= session().issues().size()) return;
    while (QLayoutItem* item = detail_->takeAt(0)) {
        if (item->widget()) {
            item->widget()->hide();
            item->widget()->deleteLater();
        }
        delete item;
    }
    hex_ = nullptr;
    const Issue& issue = session().issues()[*index];
    auto* panel = new ErrorPanel;
    panel->setSeverity(issueState(issue.severity));
    panel->setError({ErrorKind::Unreadable, issue.code, issue.message, issue.where, {}, issue.help});
    const auto member = issueMember(session(), issue);
    if (member) {
        const QString memberAddress = QStringLiteral("file/") + toQt(member->first->archive().nameBelowRoot(member->second));
        panel->addAction({tr("Show in Files"), [this, memberAddress] { session().navigate(memberAddress); }});
    } else if (Address::parse(issue.where)) {
        panel->addAction({tr("Go there"), [this, where = toQt(issue.where)] { session().navigate(where); }});
    }
    detail_->addWidget(panel);
    if (member) {
        const Archive& archive = member->first->archive();
        const Member& record = archive.members()[member->second];
        auto* title = new TextLabel(tr("Details"), TextSize::Strong);
        detail_->addWidget(title);
        auto* card = new Card({});
        card->content()->setContentsMargins(Spacing::m, Spacing::m, Spacing::m, Spacing::m);
        auto* list = new KeyValueList;
        list->setCodeKeys(true);
        list->setKeyWidth(80);
        list->add(tr("code"), toQt(issue.code), true);
        auto* name = new TextLabel(shown(record.name));
        name->setCode(true);
        name->setElided(true);
        name->setSelectable(true);
        list->addWidget(tr("member"), name);
        list->add(tr("size"), tr("%1 bytes, %2").arg(toQt(formatCount(record.size)), record.method == 0 ? tr("stored") : tr("compressed")), true);
        if (archive.kind() != ContainerKind::Folder) {
            list->add(tr("offset"), toQt(formatOffset(record.dataOffset)), true);
            list->add(tr("CRC-32"), QStringLiteral("%1").arg(record.crc32, 8, 16, QLatin1Char('0')), true);
        }
        card->content()->addWidget(list);
        detail_->addWidget(card);
        if (record.size > 0 && !record.isDirectory) {
            detail_->addWidget(new TextLabel(tr("Bytes"), TextSize::Strong));
            auto* bytes = new Card({});
            bytes->setFlush(true);
            bytes->content()->setContentsMargins(1, Spacing::xs, 1, Spacing::xs);
            hex_ = new HexView(session().jobs());
            hex_->setBytesPerRow(8);
            hex_->setGround(Role::Card);
            hex_->setFixedHeight(kHexHeight);
            hex_->setMember(member->first->archivePointer(), member->second);
            connect(hex_, &HexView::settledChanged, this, &Page::changed);
            bytes->content()->addWidget(hex_);
            detail_->addWidget(bytes);
        }
    }
    detail_->addStretch(1);
}

QStringList ProblemsPage::statusTexts() const {
    QStringList texts = Page::statusTexts();
    const auto counted = [](int n, const QString& one, const QString& many) { return QStringLiteral("%1 %2").arg(n).arg(n == 1 ? one : many); };
    return {texts.front(), QStringList{counted(session().issueCount(Severity::Error), tr("error"), tr("errors")),
                                       counted(session().issueCount(Severity::Warning), tr("warning"), tr("warnings")),
                                       counted(session().issueCount(Severity::Note), tr("note"), tr("notes"))}
                               .join(QStringLiteral(" · "))};
}

bool ProblemsPage::settled() const { return (!hex_ || hex_->settled()) && !session().isReadingWhole(); }

void ProblemsPage::find() {
    filter_->setFocus(Qt::ShortcutFocusReason);
    filter_->selectAll();
}

void ProblemsPage::resizeEvent(QResizeEvent* event) {
    Page::resizeEvent(event);
    detailArea_->setVisible(width() >= kBothWidth);
}

}  // namespace pt2::views
