#include "views/files/files_page.h"

#include <QHBoxLayout>
#include <QLineEdit>
#include <QResizeEvent>
#include <QSplitter>
#include <QVBoxLayout>
#include <algorithm>

#include "core/base/text.h"
#include "views/files/member_tree.h"
#include "views/files/member_view.h"
#include "views/theme/spacing.h"
#include "views/theme/theme.h"
#include "views/widgets/data_table.h"
#include "views/widgets/filter_field.h"
#include "views/widgets/ground.h"
#include "views/widgets/segmented_switch.h"
#include "views/widgets/text.h"

namespace pt2::views {

namespace {
constexpr int kTreeShare = 42, kViewShare = 58, kTreeLeast = 380, kViewLeast = 320, kTreeWhole = 500;
constexpr int kNarrowPage = 900, kTreeNarrow = 440;  // below, the meaning of a member is cut
}  // namespace

FilesPage::FilesPage(DocumentSession& session, QWidget* parent)
    : Page(session, parent),
      filter_(makeFilterField(tr("Filter members"), tr("Filter members"))),
      count_(new TextLabel({}, TextSize::Caption, Role::Muted)),
      side_(new SegmentedSwitch({tr("File"), tr("Attached")})),
      tree_(new DataTable),
      model_(new RowModel(memberColumns(), this)),
      view_(new MemberView(session)) {
    auto* column = new QVBoxLayout(this);
    setMargins(column, 0, 0);
    splitter_ = new QSplitter(Qt::Horizontal);
    auto* left = new QWidget;
    auto* leftColumn = new QVBoxLayout(left);
    setMargins(leftColumn, 0, 0);
    auto* bar = new PageToolbar;
    bar->row()->addWidget(filter_, 1);
    bar->row()->addWidget(count_);
    bar->row()->addWidget(side_);
    leftColumn->addWidget(bar);
    tree_->setIndented(true);
    tree_->setSource(model_);
    tree_->setAccessibleName(tr("Members"));
    leftColumn->addWidget(tree_, 1);
    splitter_->addWidget(left);
    splitter_->addWidget(view_);
    splitter_->setStretchFactor(0, kTreeShare);
    splitter_->setStretchFactor(1, kViewShare);
    splitter_->setSizes({kTreeShare * 100, kViewShare * 100});
    splitter_->setChildrenCollapsible(false);
    left->setMinimumWidth(kTreeLeast);
    view_->setMinimumWidth(kViewLeast);
    column->addWidget(splitter_);
    connect(filter_, &QLineEdit::textChanged, this, [this](const QString& text) {
        tree_->filter()->setText(text);
        if (!text.isEmpty()) tree_->expandAll();
    });
    connect(side_, &SegmentedSwitch::currentChanged, this, [this] {
        current_.clear();
        documentChanged();
    });
    connect(tree_, &DataTable::rowSelected, this, &FilesPage::open);
    connect(tree_, &DataTable::rowActivated, this, [this](const QString& address) {
        if (auto parsed = Address::parse(address.toStdString())) this->session().select(*parsed);
    });
    connect(view_, &MemberView::settledChanged, this, &Page::changed);
    documentChanged();
}

std::shared_ptr<const Package> FilesPage::package() const {
    const Document& document = session().document();
    return side_->current() == 1 && document.attached ? document.attached : document.primary;
}

void FilesPage::resizeEvent(QResizeEvent* event) {
    Page::resizeEvent(event);
    if (event->oldSize().width() == width()) return;
    const int tree = std::clamp(std::max(width() * kTreeShare / 100, width() < kNarrowPage ? kTreeNarrow : kTreeWhole), kTreeLeast,
                                std::max(kTreeLeast, width() - kViewLeast));
    splitter_->setSizes({tree, std::max(1, width() - tree)});
}

void FilesPage::documentChanged() {
    side_->setVisible(session().document().attached != nullptr);
    const auto shownPackage = package();
    model_->setRows(memberTree(*shownPackage));
    const auto& members = shownPackage->archive().members();
    const auto count =
        static_cast<std::uint64_t>(std::count_if(members.begin(), members.end(), [](const Member& member) { return !member.isDirectory; }));
    count_->setFullText(count == 1 ? tr("1 member") : tr("%1 members").arg(toQt(formatCount(count))));
    view_->clear();
    QString first = current_;
    current_.clear();
    if (first.isEmpty() || !model_->indexOfAddress(first).isValid()) {
        first.clear();
        // What most people come for: the program, else the wrapper's source.
        if (const ProgramEntry* entry = session().programEntry(); entry && session().document().program(session().model()).package == shownPackage) {
            first = QStringLiteral("file/") + toQt(shownPackage->archive().nameBelowRoot(entry->member));
        } else if (const CompiledModel* model = session().compiledModel();
                   model && model->wrapperSource && session().document().compiled(session().model()).package == shownPackage) {
            first = QStringLiteral("file/") + toQt(shownPackage->archive().nameBelowRoot(*model->wrapperSource));
        }
    }
    if (!first.isEmpty()) tree_->selectAddress(first);
}

void FilesPage::open(const QString& address) {
    if (address == current_ || !address.startsWith(QLatin1String("file/"))) return;
    const auto shownPackage = package();
    const auto member = shownPackage->archive().find(address.mid(5).toStdString());
    if (!member) return;
    current_ = address;
    view_->show(shownPackage, *member);
    emit changed();
}

void FilesPage::showAddress(const Address& address) {
    if (address.kind != Address::Kind::Member) return;
    QString text = toQt(address.text());
    if (!model_->indexOfAddress(text).isValid()) {
        // A full name or a unique suffix will do.
        const Archive& archive = package()->archive();
        if (const auto found = archive.resolve(address.name)) text = QStringLiteral("file/") + toQt(archive.nameBelowRoot(*found));
    }
    tree_->selectAddress(text);
}

Address FilesPage::address() const {
    if (!current_.isEmpty()) {
        if (auto parsed = Address::parse(current_.toStdString())) return *parsed;
    }
    return Page::address();
}

QStringList FilesPage::breadcrumb() const {
    if (current_.isEmpty()) return {};
    QStringList parts{tr("Files")};
    const QStringList names = current_.mid(5).split(u'/', Qt::SkipEmptyParts);
    if (names.size() > 3) {
        parts << QStringLiteral("…") << shown(names[names.size() - 2].toStdString()) << shown(names.back().toStdString());
    } else {
        for (const QString& name : names) parts << shown(name.toStdString());
    }
    return parts;
}

bool FilesPage::settled() const { return view_->settled(); }

void FilesPage::find() {
    if (view_->isAncestorOf(focusWidget() ? focusWidget() : this)) return view_->find();
    filter_->setFocus(Qt::ShortcutFocusReason);
    filter_->selectAll();
}

}  // namespace pt2::views
