#include "views/overview/modules_card.h"

#include <cstddef>
#include <string>
#include <utility>

#include "core/base/text.h"
#include "core/package/weight_table.h"
#include "views/theme/spacing.h"
#include "views/theme/theme.h"
#include "views/widgets/text.h"

namespace pt2::views {

namespace {

constexpr std::size_t kShownRows = 16;  // what is open at first has no more
constexpr std::size_t kOperatorsShown = 3;
constexpr std::size_t kDeepest = 60;  // levels that are rows; a name that a file makes deeper ends there

QString summaryJob() { return QStringLiteral("module-summary"); }

Row moduleRow(const ProgramSummary& summary, std::size_t index) {
    const ModuleSummary& module = summary.modules[index];
    const ModuleSums& sums = module.sums;
    const std::size_t dot = module.type.rfind('.');
    const auto count = [](std::uint64_t number) {
        return number > 0 ? Cell::number(toQt(formatCount(number)), static_cast<double>(number)) : Cell::muted(QStringLiteral("—"));
    };
    Row row;
    Cell name = index == 0 ? Cell(QObject::tr("whole program")) : Cell::fixed(shown(module.name));
    if (index != 0) name.tooltip = shown(module.path);
    Cell type = Cell::muted(shown(dot == std::string::npos ? module.type : module.type.substr(dot + 1)));
    type.tooltip = shown(module.type);
    Cell bytes = sums.bytes > 0 ? Cell::number(toQt(formatBytes(sums.bytes)), static_cast<double>(sums.bytes)) : Cell::muted(QStringLiteral("—"));
    const std::uint64_t all = summary.modules.front().sums.bytes;
    if (all > 0 && index != 0) bytes.share = static_cast<double>(sums.bytes) / static_cast<double>(all);
    Cell operators = Cell::muted(toQt(frequentOperators(sums, kOperatorsShown)));
    operators.tooltip = toQt(frequentOperators(sums, sums.operators.size()));
    row.cells = {name, type, count(sums.parameters), count(sums.buffers), bytes, count(sums.nodes), operators};
    row.open = false;
    if (module.depth < kDeepest) {
        for (const std::size_t child : module.children) row.children.push_back(moduleRow(summary, child));
    }
    return row;
}

/// Opens level by level, the outer ones first, as far as the rows fit.
void openSome(Row& root) {
    std::size_t shown = 1;
    std::vector<Row*> level{&root};
    while (!level.empty()) {
        std::vector<Row*> next;
        for (Row* row : level) {
            if (row->children.empty() || shown + row->children.size() > kShownRows) continue;
            shown += row->children.size();
            row->open = true;
            for (Row& child : row->children) next.push_back(&child);
        }
        level = std::move(next);
    }
}

}  // namespace

std::vector<Row> moduleRows(const ProgramSummary& summary) {
    std::vector<Row> rows;
    if (summary.modules.empty()) return rows;
    rows.push_back(moduleRow(summary, 0));
    openSome(rows.front());
    return rows;
}

ModulesCard::ModulesCard(DocumentSession& session, QWidget* parent)
    : Card(tr("Modules"), parent),
      session_(session),
      table_(new DataTable),
      model_(new RowModel({{tr("Module"), 240, false, false, {}},
                           {tr("Class"), 150, false, false, {}},
                           {tr("Parameters"), 92, true, false, tr("Elements; weights that share a storage are counted once")},
                           {tr("Buffers"), 80, true, false, tr("Elements of buffers and constants")},
                           {tr("Bytes"), 96, true, false, {}},
                           {tr("Nodes"), 72, true, false, {}},
                           {tr("Operators"), 200, false, true, tr("The most frequent ones"), true}},
                          this)) {
    setSubtitle(tr("each with all below it"));
    setTitleLine(true);
    setFlush(true);
    table_->setGround(Role::Card);
    table_->setSource(model_);
    table_->setSortingEnabled(false);
    table_->setIndented(true);
    table_->setFitToRows(true);
    table_->setAccessibleName(tr("Modules"));
    content()->addWidget(table_);
    hide();
}

void ModulesCard::refresh() {
    const auto program = session_.program();
    if (!program) {
        session_.jobs().cancel(summaryJob());
        hide();
        return;
    }
    reading_ = true;
    session_.jobs().start(
        this, summaryJob(), tr("Summing up modules"),
        [program, document = session_.documentPointer(), model = session_.model()](const CancelToken&,
                                                                                   const ProgressSink&) -> Result<std::vector<Row>> {
            const auto table = WeightTable::make(*document, model);
            if (!table) return fail(table.error());
            return moduleRows(summariseModules(*program, **table));
        },
        [this](Result<std::vector<Row>> rows) {
            reading_ = false;
            const bool any = rows && !rows->empty() && !rows->front().children.empty();
            if (any) model_->setRows(std::move(*rows));
            setVisible(any);
            emit settledChanged();
        });
}

}  // namespace pt2::views
