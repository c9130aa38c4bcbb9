#include "views/graph/graph_page.h"

#include <QAction>
#include <QCheckBox>
#include <QHBoxLayout>
#include <QResizeEvent>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "views/graph/find_field.h"
#include "views/graph/graph_addresses.h"
#include "views/graph/graph_canvas.h"
#include "views/theme/spacing.h"
#include "views/widgets/buttons.h"
#include "views/widgets/empty_state.h"
#include "views/widgets/ground.h"
#include "views/widgets/progress.h"
#include "views/widgets/segmented_switch.h"
#include "views/widgets/text.h"

namespace pt2::views {
namespace {

constexpr std::size_t kSmallProgram = 60;  // nodes: all groups are open at first
constexpr int kAllDepths = 3;              // place of "All" in the switch

}  // namespace

GraphPage::GraphPage(DocumentSession& session, QWidget* parent)
    : Page(session, parent), toolbar_(new PageToolbar), canvas_(new GraphCanvas), area_(new QWidget), line_(ProgressLine::over(area_)) {
    auto* column = new QVBoxLayout(this);
    setMargins(column, 0, 0);
    column->addWidget(toolbar_);
    column->addWidget(area_, 1);
    auto* inside = new QVBoxLayout(area_);
    setMargins(inside, 0, 0);
    inside->addWidget(canvas_);
    makeToolbar();

    connect(canvas_, &GraphCanvas::selected, this, &GraphPage::choose);
    connect(canvas_, &GraphCanvas::activated, this, &GraphPage::choose);
    connect(canvas_, &GraphCanvas::toggleRequested, this, &GraphPage::toggle);
    connect(canvas_, &GraphCanvas::zoomChanged, this, [this] { emit changed(); });
    connect(canvas_, &GraphCanvas::findRequested, this, &GraphPage::find);
    connect(&session, &DocumentSession::selectionChanged, this, [this](const Address& address) {
        if (!program_) return;
        if (const GraphItem item = itemOf(*program_, address); item && graphOf(*program_, item) == graph_ && isShown(item))
            canvas_->setSelection(item, false);
    });
    documentChanged();
}

void GraphPage::makeToolbar() {
    QHBoxLayout* row = toolbar_->row();
    auto* fit = iconButton(QStringLiteral("fit"), tr("Fit drawing (0)"));
    auto* out = iconButton(QStringLiteral("minus"), tr("Zoom out (−)"));
    auto* in = iconButton(QStringLiteral("plus"), tr("Zoom in (+)"));
    connect(fit, &QAbstractButton::clicked, canvas_, &GraphCanvas::fit);
    connect(out, &QAbstractButton::clicked, canvas_, &GraphCanvas::zoomOut);
    connect(in, &QAbstractButton::clicked, canvas_, &GraphCanvas::zoomIn);
    row->addWidget(fit);
    row->addWidget(out);
    row->addWidget(in);
    auto* line = new Hairline(Qt::Vertical);
    line->setFixedHeight(16);
    row->addWidget(line);
    depthLabel_ = new TextLabel(tr("Depth"), TextSize::Body, Role::Muted);
    row->addWidget(depthLabel_);
    depth_ = new SegmentedSwitch({QStringLiteral("1"), QStringLiteral("2"), QStringLiteral("3"), tr("All")});
    depth_->setAccessibleName(tr("Depth of open groups"));
    depth_->setToolTip(tr("How many levels of module groups are open"));
    row->addWidget(depth_);
    fold_ = new QCheckBox(tr("Fold repeats"));
    fold_->setToolTip(tr("Equal neighbouring groups are one stack"));
    fold_->setChecked(true);
    join_ = new QCheckBox(tr("Join chains"));
    join_->setToolTip(tr("Nodes in a straight line are rows of one box"));
    join_->setChecked(true);
    row->addSpacing(Spacing::xs);
    row->addWidget(fold_);
    row->addWidget(join_);
    row->addSpacing(Spacing::s);
    find_ = new GraphFindField(area_);
    row->addStretch(1);
    row->addWidget(find_, 100);

    connect(depth_, &SegmentedSwitch::currentChanged, this, [this](int choice) {
        setDepth(choice);
        relayout(canvas_->selection());
    });
    connect(fold_, &QCheckBox::toggled, this, [this](bool on) {
        options_.foldRepeats = on;
        relayout(canvas_->selection());
    });
    connect(join_, &QCheckBox::toggled, this, [this](bool on) {
        options_.joinChains = on;
        relayout(canvas_->selection());
    });
    connect(find_, &GraphFindField::hitsChanged, this, [this] { canvas_->setHits(find_->hits(), find_->current()); });
    connect(find_, &GraphFindField::currentChanged, this, [this](NodeId node) {
        canvas_->setHits(find_->hits(), node);
        const GraphItem item = GraphItem::node(node);
        if (program_ && program_->node(node).graph != graph_ && hierarchy_ && hierarchy_->groupOf(node) == kNone)
            showGraph(program_->node(node).graph);
        openTo(item);
        choose(item);
    });
    connect(find_, &GraphFindField::leave, this, [this] { canvas_->setFocus(Qt::OtherFocusReason); });
    for (const int step : {1, -1}) {
        auto* action = new QAction(step > 0 ? tr("Next hit") : tr("Previous hit"), this);
        action->setShortcut(step > 0 ? QKeySequence(Qt::Key_F3) : QKeySequence(Qt::SHIFT | Qt::Key_F3));
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        connect(action, &QAction::triggered, this, [this, step] { find_->next(step); });
        addAction(action);
    }
}

void GraphPage::documentChanged() {
    const std::shared_ptr<const Program> before = program_;
    program_ = session().program();
    hierarchy_.reset();
    if (empty_ != nullptr) {
        empty_->deleteLater();
        empty_ = nullptr;
    }
    toolbar_->setVisible(program_ != nullptr);
    canvas_->setVisible(program_ != nullptr);
    if (!program_) {
        canvas_->setScene(nullptr);
        empty_ = new EmptyState(QStringLiteral("graph"), tr("No graph"),
                                tr("This archive holds a compiled model without the program it was made from. Attach the program to see its graph."));
        area_->layout()->addWidget(empty_);
        return;
    }
    find_->setProgram(program_);
    // Another document: its own depth and a fresh view; a reload of the same keeps what is open.
    const bool again = before && model_ == session().model();
    model_ = session().model();
    if (!again) {
        graph_ = 0;
        options_.open.clear();
        options_.closed.clear();
        const bool small = program_->nodes().size() <= kSmallProgram;
        depth_->blockSignals(true);
        depth_->setCurrent(small ? kAllDepths : 0);
        depth_->blockSignals(false);
        setDepth(depth_->current());
        canvas_->setScene(nullptr);
    } else if (graph_ >= program_->graphs().size()) {
        graph_ = 0;
    }
    canvas_->setSelection({}, false);
    if (again) pendingReveal_ = itemOf(*program_, session().selection());
    relayout({});
}

void GraphPage::setDepth(int choice) {
    options_.openAll = choice == kAllDepths;
    options_.depth = choice + 1;
    options_.open.clear();
    options_.closed.clear();
}

void GraphPage::relayout(const GraphItem& keep) {
    if (!program_) return;
    struct Made {
        std::shared_ptr<const GraphScene> scene;
    };
    ++pendingLayouts_;
    canvas_->setPending(pendingLayouts_ > 1);
    session().jobs().start(
        this, QStringLiteral("graph-layout"), tr("Laying out the graph"),
        [program = program_, hierarchy = hierarchy_, graph = graph_, options = options_](const CancelToken& cancel, const ProgressSink&) {
            const auto known = hierarchy ? hierarchy : GraphHierarchy::build(*program, graph, cancel);
            if (cancel.requested()) return Made{};
            GraphLayout layout = layoutGraph(*known, options, cancel);
            if (layout.cancelled) return Made{};
            return Made{std::make_shared<const GraphScene>(program, known, std::move(layout))};
        },
        [this, keep](Made made) {
            pendingLayouts_ = 0;
            line_->setRunning(false);
            canvas_->setPending(false);
            if (made.scene) showScene(made.scene, keep);
        });
    line_->setShare(-1);
    line_->setRunning(true);
}

void GraphPage::showScene(std::shared_ptr<const GraphScene> scene, const GraphItem& keep) {
    hierarchy_ = scene->hierarchyPointer();
    canvas_->setScene(std::move(scene), keep);
    if (pendingReveal_) {
        const GraphItem item = pendingReveal_;
        pendingReveal_ = {};
        if (isShown(item)) {
            canvas_->frameWidth();
            canvas_->setSelection(item, true);
        } else {
            openTo(item);
        }
    }
    emit changed();
}

bool GraphPage::settled() const { return pendingLayouts_ == 0; }

void GraphPage::toggle(const std::string& path, bool all) {
    if (!canvas_->scene()) return;
    const GraphLayout& layout = canvas_->scene()->layout();
    const std::uint32_t index = canvas_->scene()->groupIndex(path);
    const bool isOpen = index != kNone && layout.groups[index].open;
    std::vector<std::string> paths{path};
    if (index != kNone && layout.groups[index].repeat > 1 && all) paths = layout.groups[index].members;
    if (all && index != kNone && layout.groups[index].repeat == 1 && hierarchy_) {  // with everything below
        std::vector<std::uint32_t> stack{hierarchy_->find(path)};
        while (!stack.empty()) {
            const std::uint32_t g = stack.back();
            stack.pop_back();
            if (g == kNone) continue;
            for (const HierarchyItem& item : hierarchy_->groups()[g].items) {
                if (!item.isGroup) continue;
                paths.push_back(hierarchy_->groups()[item.id].path);
                stack.push_back(item.id);
            }
        }
    }
    for (const std::string& p : paths) {
        if (isOpen) {
            options_.open.erase(p);
            options_.closed.insert(p);
        } else {
            options_.closed.erase(p);
            options_.open.insert(p);
        }
    }
    if (isOpen) {  // what was asked for below stays asked for only while its parent is open
        for (auto it = options_.open.begin(); it != options_.open.end();) {
            const std::uint32_t g = hierarchy_ ? hierarchy_->find(*it) : kNone;
            std::uint32_t up = g;
            while (up != kNone && up != 0 && hierarchy_->groups()[up].path != path) up = hierarchy_->groups()[up].parent;
            it = up != kNone && up != 0 ? options_.open.erase(it) : std::next(it);
        }
    }
    relayout(GraphItem::group(path));
}

/// Opens the groups around an item and shows it when the layout is there.
void GraphPage::openTo(const GraphItem& item) {
    if (!item || !program_) return;
    if (isShown(item)) {
        canvas_->setSelection(item, true);
        return;
    }
    NodeId node = item.kind == GraphItem::Kind::Node ? item.id : kNone;
    if (item.kind == GraphItem::Kind::Value && item.id < program_->values().size()) {
        const Value& value = program_->value(item.id);
        node = value.producer;
        const auto users = program_->users(value);
        if (node == kNone && !users.empty()) node = users.front();
    }
    pendingReveal_ = item;
    if (!hierarchy_ || !canvas_->scene()) return;  // the first layout is on its way
    const std::uint32_t innermost = node == kNone ? kNone : hierarchy_->groupOf(node);
    if (innermost == kNone || innermost == 0) {
        pendingReveal_ = {};
        return;
    }
    bool changedOpen = false;
    std::uint32_t g = innermost;
    if (hierarchy_->groups()[g].node == node && g != 0) g = hierarchy_->groups()[g].parent;
    for (std::uint32_t up = g; up != 0; up = hierarchy_->groups()[up].parent)
        changedOpen = options_.closed.erase(hierarchy_->groups()[up].path) > 0 || changedOpen;
    if (g != 0) changedOpen = options_.open.insert(hierarchy_->groups()[g].path).second || changedOpen;
    if (!changedOpen) {
        pendingReveal_ = {};
        return;
    }
    relayout(canvas_->selection());
}

bool GraphPage::isShown(const GraphItem& item) const {
    const GraphScene* scene = canvas_->scene();
    if (scene == nullptr) return false;
    const std::uint32_t end = scene->endOf(item);
    if (end == kNone) return false;
    if (item.kind == GraphItem::Kind::Group) return true;
    if ((end & kGroupEnd) != 0) return scene->itemAt(end, 0) == item;
    const LayoutBox& box = scene->layout().boxes[end];
    if (item.kind == GraphItem::Kind::Node) {
        const std::uint32_t row = scene->rowOf(item);
        return row < box.rows.size() && box.rows[row].node == item.id;
    }
    return true;
}

void GraphPage::choose(const GraphItem& item) {
    canvas_->setSelection(item, false);
    if (program_) {
        const Address chosen = addressOf(*program_, session().model(), item);
        if (chosen.kind != Address::Kind::None || !item) session().select(chosen);
    }
    emit changed();
}

void GraphPage::showGraph(GraphId graph) {
    if (graph == graph_) return;
    graph_ = graph;
    hierarchy_.reset();
    options_.open.clear();
    options_.closed.clear();
    canvas_->setScene(nullptr);
    relayout({});
}

void GraphPage::showAddress(const Address& address) {
    if (!program_) return;
    if (address.kind == Address::Kind::Graph || address.kind == Address::Kind::Program) {
        const auto graph = program_->findGraph(address.graph);
        if (graph) showGraph(*graph);
        return;
    }
    const GraphItem item = itemOf(*program_, address);
    if (!item) return;
    const GraphId graph = graphOf(*program_, item);
    // Subgraphs open in place where their operator is on this canvas, else as a canvas of their own.
    const bool below = hierarchy_ && item.kind == GraphItem::Kind::Node && hierarchy_->groupOf(item.id) != kNone;
    if (graph != graph_ && !below) showGraph(hierarchy_ || graph_ != 0 || graph == 0 ? graph : graph_);
    openTo(item);
    canvas_->setSelection(item, isShown(item));
    if (session().selection() != address) session().select(address);
    emit changed();
}

Address GraphPage::address() const {
    if (program_) {
        if (const Address chosen = addressOf(*program_, session().model(), canvas_->selection());
            chosen.kind == Address::Kind::Node || chosen.kind == Address::Kind::Value) {
            return chosen;
        }
        if (graph_ != 0) {
            Address whole;
            whole.kind = Address::Kind::Graph;
            whole.model = session().model();
            whole.graph = program_->graph(graph_).path;
            return whole;
        }
    }
    return Page::address();
}

QStringList GraphPage::breadcrumb() const {
    QStringList words;
    if (!program_) return words;
    const GraphItem& item = canvas_->selection();
    if (item.kind == GraphItem::Kind::Node && item.id < program_->nodes().size()) {
        const std::string graphPath = program_->graph(program_->node(item.id).graph).path;
        if (!graphPath.empty()) words << shown(graphPath).split('/');
        const auto path = program_->modulePath(item.id);
        if (!path.empty() && hierarchy_ && hierarchy_->groupOf(item.id) != 0) words << shown(path).split('.');
        words << shown(program_->displayName(item.id));
    } else if (item.kind == GraphItem::Kind::Group) {
        words << shown(item.path).split('.');
    } else if (item.kind == GraphItem::Kind::Value && item.id < program_->values().size()) {
        words << shown(program_->value(item.id).name);
    } else if (graph_ != 0) {
        words << shown(program_->graph(graph_).path).split('/');
    }
    return words;
}

QStringList GraphPage::statusTexts() const {
    QStringList texts = Page::statusTexts().mid(0, 1);
    const GraphScene* scene = canvas_->scene();
    if (!program_ || scene == nullptr) return texts;
    const GraphLayout& layout = scene->layout();
    std::size_t modules = 0, shownOpen = 0, closed = 0;
    for (const HierarchyGroup& group : scene->hierarchy().groups()) modules += group.kind == GroupKind::Module ? 1 : 0;
    for (const LayoutGroup& group : layout.groups) {
        if (group.kind != GroupKind::Module) continue;
        if (group.open) {
            ++shownOpen;
        } else {
            closed += group.repeat;
        }
    }
    QString counts = counted(layout.groups[0].nodeCount, tr("node"), tr("nodes"));
    if (modules > 0) counts += QStringLiteral(" · ") + tr("%1 of %2 groups open").arg(shownOpen).arg(modules);
    texts << counts << tr("Laid out in %1").arg(toQt(formatDuration(layout.milliseconds / 1000)))
          << QStringLiteral("%1 %").arg(std::lround(canvas_->scale() * 100));
    return texts;
}

void GraphPage::find() { find_->focus(); }

void GraphPage::resizeEvent(QResizeEvent* event) {
    Page::resizeEvent(event);
    // The find field stays; words go first, measured in the present font.
    depthLabel_->show();
    fold_->show();
    join_->show();
    for (QWidget* word : {static_cast<QWidget*>(depthLabel_), static_cast<QWidget*>(join_), static_cast<QWidget*>(fold_)}) {
        toolbar_->row()->invalidate();
        if (toolbar_->row()->minimumSize().width() <= width()) break;
        word->hide();
    }
    find_->placeResults();
}

}  // namespace pt2::views
