#include "views/kernels/kernels_page.h"

#include <QHBoxLayout>
#include <QLineEdit>
#include <QResizeEvent>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedLayout>
#include <QVBoxLayout>
#include <algorithm>
#include <set>

#include "core/base/text.h"
#include "views/kernels/call_details.h"
#include "views/kernels/kernel_rows.h"
#include "views/theme/spacing.h"
#include "views/theme/theme.h"
#include "views/widgets/code_view.h"
#include "views/widgets/data_table.h"
#include "views/widgets/empty_state.h"
#include "views/widgets/error_panel.h"
#include "views/widgets/filter_field.h"
#include "views/widgets/ground.h"
#include "views/widgets/segmented_switch.h"
#include "views/widgets/text.h"
#include "views/widgets/vertical_scroll.h"

namespace pt2::views {

namespace {

const QString kSourceJob = QStringLiteral("kernel source");
constexpr int kTableShare = 38, kTableLeast = 340, kTableMost = 520;
constexpr std::uint32_t kAround = 24;  // lines of run_impl before and after a call

}  // namespace

KernelsPage::KernelsPage(DocumentSession& session, QWidget* parent)
    : Page(session, parent),
      stack_(new QStackedLayout(this)),
      content_(new QWidget),
      splitter_(new QSplitter(Qt::Horizontal)),
      right_(new QSplitter(Qt::Vertical)),
      filter_(makeFilterField(tr("Filter calls"), tr("Filter calls"))),
      count_(new TextLabel({}, TextSize::Caption, Role::Muted)),
      legend_(new TextLabel({}, TextSize::Caption, Role::Muted)),
      name_(new TextLabel({}, TextSize::Strong)),
      calls_(new TextLabel({}, TextSize::Caption, Role::Muted)),
      place_(new TextLabel({}, TextSize::Caption, Role::Muted)),
      lines_(new TextLabel({}, TextSize::Caption, Role::Muted)),
      side_(new SegmentedSwitch({tr("Kernel"), tr("Call site")})),
      table_(new DataTable),
      model_(new RowModel(kernelColumns(), this)),
      code_(new CodeView),
      details_(new CallDetails(session)) {
    setMargins(stack_, 0, 0);
    auto* column = new QVBoxLayout(content_);
    setMargins(column, 0, 0);
    column->addWidget(splitter_);
    stack_->addWidget(content_);

    auto* left = new QWidget;
    auto* leftColumn = new QVBoxLayout(left);
    setMargins(leftColumn, 0, 0);
    auto* bar = new PageToolbar;
    bar->row()->addWidget(filter_, 1);
    bar->row()->addWidget(count_);
    leftColumn->addWidget(bar);
    table_->setSource(model_, kernelColumns());
    table_->setObjectName(QStringLiteral("kernelCalls"));
    table_->setAccessibleName(tr("Kernel calls"));
    leftColumn->addWidget(table_, 1);
    auto* foot = new Ground(Role::Window);
    foot->setEdges(Qt::TopEdge);
    auto* footRow = new QHBoxLayout(foot);
    setMargins(footRow, Spacing::m, Spacing::s, Spacing::s);
    footRow->addWidget(legend_);
    footRow->addStretch(1);
    leftColumn->addWidget(foot);
    left->setMinimumWidth(kTableLeast);
    splitter_->addWidget(left);

    auto* top = new QWidget;
    auto* topColumn = new QVBoxLayout(top);
    setMargins(topColumn, 0, 0);
    auto* head = new PageToolbar;
    name_->setCode(true);
    name_->setElided(true);
    name_->setSelectable(true);
    head->row()->addWidget(name_, 1);
    head->row()->addWidget(calls_);
    side_->setAccessibleName(tr("Source shown"));
    side_->setObjectName(QStringLiteral("kernelSource"));
    head->row()->addWidget(side_);
    topColumn->addWidget(head);
    auto* where = new Ground(Role::Base);
    where->setEdges(Qt::BottomEdge);
    auto* whereRow = new QHBoxLayout(where);
    setMargins(whereRow, Spacing::l, Spacing::xs, Spacing::s);
    place_->setCode(true);
    place_->setElided(true);
    whereRow->addWidget(place_, 1);
    whereRow->addWidget(lines_);
    topColumn->addWidget(where);
    code_->setAccessibleName(tr("Source of the kernel"));
    topColumn->addWidget(code_, 1);
    right_->addWidget(top);
    auto* ground = new Ground(Role::Window);
    ground->setEdges(Qt::TopEdge);
    auto* groundColumn = new QVBoxLayout(ground);
    setMargins(groundColumn, 0, 0);
    groundColumn->addWidget(details_);
    right_->addWidget(verticalScroll(ground, tr("What the call computes")));
    right_->setChildrenCollapsible(false);
    right_->setSizes({3 * 100, 2 * 100});
    splitter_->addWidget(right_);
    splitter_->setChildrenCollapsible(false);

    connect(filter_, &QLineEdit::textChanged, this, [this](const QString& text) {
        table_->filter()->setText(text);
        if (!text.isEmpty()) table_->expandAll();
    });
    connect(side_, &SegmentedSwitch::currentChanged, this, &KernelsPage::showSource);
    connect(table_, &DataTable::rowSelected, this, [this](const QString& row) {
        if (const auto call = callOfRow(row)) showCall(*call);
    });
    connect(&session, &DocumentSession::kernelsChanged, this, &KernelsPage::received);
    connect(details_, &CallDetails::callRequested, this, [this](std::size_t call) { table_->selectAddress(rowOfCall(call)); });
    documentChanged();
}

void KernelsPage::resizeEvent(QResizeEvent* event) {
    Page::resizeEvent(event);
    if (event->oldSize().width() == width()) return;
    const int table = std::clamp(width() * kTableShare / 100, kTableLeast, kTableMost);
    splitter_->setSizes({table, std::max(1, width() - table)});
}

void KernelsPage::showWidget(QWidget* instead) {
    delete instead_;
    instead_ = instead;
    if (instead_ != nullptr) stack_->addWidget(instead_);
    stack_->setCurrentWidget(instead_ != nullptr ? instead_ : content_);
}

void KernelsPage::documentChanged() {
    kernels_.reset();
    call_.reset();
    details_->clear();
    model_->setRows({});
    if (!session().compiledModel()) {
        pending_ = false;
        auto* empty = new EmptyState(QStringLiteral("kernels"), tr("No kernels yet"),
                                     tr("There is no compiled model in this file. Compile the exported program to see what it becomes."));
        if (session().program()) empty->setButton({tr("Compile…"), [this] { session().showPage(QStringLiteral("recompile")); }});
        showWidget(empty);
        emit changed();
        return;
    }
    pending_ = true;
    session().requestKernels();
    received();
}

void KernelsPage::received() {
    const auto read = session().kernels();
    if (!read) return;
    pending_ = false;
    if (!*read) {
        showWidget(new ErrorPanel(read->error()));
        emit changed();
        return;
    }
    kernels_ = {read, &**read};
    const auto& calls = kernels_->listing.calls;
    if (calls.empty()) {
        showWidget(new EmptyState(QStringLiteral("kernels"), tr("No kernel is called"), tr("The compiled model only hands memory through.")));
        emit changed();
        return;
    }
    showWidget(nullptr);
    model_->setRows(kernelRows(*kernels_));
    table_->expandAll();
    count_->setFullText(counted(calls.size(), tr("call"), tr("calls")));
    const auto generated =
        static_cast<std::uint64_t>(std::count_if(calls.begin(), calls.end(), [](const KernelCall& call) { return call.definition.has_value(); }));
    legend_->setFullText(
        tr("%1 generated · %2 of LibTorch and others").arg(toQt(formatCount(generated)), toQt(formatCount(calls.size() - generated))));
    table_->selectAddress(rowOfCall(callNamed(wanted_.toStdString()).value_or(0)));
    wanted_.clear();
    emit changed();
}

void KernelsPage::showCall(std::size_t call) {
    if (!kernels_ || call >= kernels_->listing.calls.size() || call_ == call) return;
    call_ = call;
    const KernelCall& kernel = kernels_->listing.calls[call];
    name_->setFullText(shown(kernel.name));
    std::vector<std::size_t> same;
    for (std::size_t i = 0; i < kernels_->listing.calls.size(); ++i) {
        if (kernels_->listing.calls[i].name == kernel.name) same.push_back(i);
    }
    calls_->setFullText(callNumbers(same));
    side_->setVisible(kernel.definition.has_value());
    details_->show(kernels_, call);
    showSource();
    emit changed();
}

void KernelsPage::showSource() {
    if (!call_) return;
    const bool callSite = side_->current() == 1 || !kernels_->listing.calls[*call_].definition;
    pending_ = true;
    session().jobs().start(
        this, kSourceJob, tr("Reading source"),
        [kernels = kernels_, call = *call_, callSite](const CancelToken&, const ProgressSink&) {
            return callSite ? kernels->callSiteOf(call, kAround) : kernels->sourceOf(call);
        },
        [this, kernels = kernels_, call = *call_, callSite](Result<KernelSource> source) {
            pending_ = false;
            if (!source) {
                place_->setFullText({});
                lines_->setFullText({});
                code_->setText(toQt(source.error().what + " " + source.error().why), Language::Plain);
            } else {
                place_->setFullText(shown(kernels->compiled.package->archive().nameBelowRoot(source->lines.member)));
                lines_->setFullText(tr("lines %1–%2").arg(source->lines.first).arg(source->lines.last));
                code_->setText(toQt(source->text), Language::Cpp, static_cast<int>(source->lines.first));
                code_->markLine(callSite ? static_cast<int>(kernels->listing.calls[call].call.first) : 0);
            }
            emit changed();
        });
}

void KernelsPage::showAddress(const Address& address) {
    if (address.kind != Address::Kind::Kernel) return;
    if (!kernels_) {
        wanted_ = toQt(address.name);
        return;
    }
    if (const auto call = callNamed(address.name)) table_->selectAddress(rowOfCall(*call));
}

/// Of several calls of that name, the one that computes the node that is selected in the graph; else the one that is shown already, else the first.
std::optional<std::size_t> KernelsPage::callNamed(const std::string& name) const {
    const auto& calls = kernels_->listing.calls;
    std::optional<std::size_t> first;
    for (std::size_t i = 0; i < calls.size(); ++i) {
        if (calls[i].name != name) continue;
        if (!first || call_ == i) first = i;
        const auto& links = kernels_->links[i];
        if (std::any_of(links.begin(), links.end(), [this](const KernelLink& link) {
                const auto node = Address::parse(kernels_->nodeAddress(link.node));
                return node && *node == session().selection();
            }))
            return i;
    }
    return first;
}

Address KernelsPage::address() const {
    if (kernels_ && call_) {
        if (auto parsed = Address::parse(kernels_->callAddress(*call_))) return *parsed;
    }
    return Page::address();
}

QStringList KernelsPage::breadcrumb() const {
    if (!call_) return {};
    return {tr("Kernels"), tr("call %1").arg(*call_ + 1)};
}

QStringList KernelsPage::statusTexts() const {
    if (!kernels_) return Page::statusTexts();
    std::set<std::string> functions;
    for (const KernelCall& call : kernels_->listing.calls) {
        if (call.definition) functions.insert(call.name);
    }
    QStringList texts{tr("Ready"), counted(kernels_->listing.calls.size(), tr("call"), tr("calls")),
                      counted(functions.size(), tr("generated function"), tr("generated functions"))};
    if (!kernels_->compiled.model->cpuIsa.empty()) texts << tr("built for %1").arg(shown(kernels_->compiled.model->cpuIsa));
    return texts;
}

void KernelsPage::find() {
    filter_->setFocus(Qt::ShortcutFocusReason);
    filter_->selectAll();
}

}  // namespace pt2::views
