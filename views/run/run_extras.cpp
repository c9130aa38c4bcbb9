#include "views/run/run_extras.h"

#include <QVBoxLayout>

#include "core/base/text.h"
#include "core/compare/compare.h"
#include "core/run/run_text.h"
#include "core/tensor/statistics.h"
#include "views/plots/curve_plot.h"
#include "views/plots/histogram_plot.h"
#include "views/widgets/banner.h"
#include "views/widgets/card.h"
#include "views/widgets/data_table.h"
#include "views/widgets/text.h"

namespace pt2::views {

namespace {

constexpr std::uint64_t kValuesShown = 4;

QString valuesText(const Tensor& tensor) {
    const TensorView view = tensor.view();
    const std::uint64_t count = view.layout.elementCount().value_or(0);
    if (isNone(view) || count == 0 || count > kValuesShown) return {};
    QStringList parts;
    for (std::uint64_t i = 0; i < count; ++i) parts << shown(elementText(view, i));
    return parts.join(QStringLiteral(", "));
}

QString outputText(const NamedTensors& outputs) {
    QStringList parts;
    for (const auto& [name, tensor] : outputs) {
        if (isNone(tensor.view())) continue;
        const QString values = valuesText(tensor);
        const auto statistics = computeStatistics(tensor.view());
        const QString range = statistics && statistics->hasFinite
                                  ? QObject::tr("%1 … %2").arg(axisNumber(statistics->minimum), axisNumber(statistics->maximum))
                                  : QObject::tr("nothing finite");
        parts << QStringLiteral("%1 %2").arg(shown(name), values.isEmpty() ? range : values);
    }
    return parts.join(QStringLiteral("; "));
}

QString stateText(const std::vector<StateChange>& state) {
    QStringList parts;
    for (const StateChange& change : state) {
        if (!change.changed.value_or(false)) continue;
        const QString before = valuesText(change.before), after = valuesText(change.after);
        parts << (after.isEmpty()    ? shown(change.name)
                  : before.isEmpty() ? QObject::tr("%1 is now %2").arg(shown(change.name), after)
                                     : QObject::tr("%1 from %2 to %3").arg(shown(change.name), before, after));
    }
    return parts.join(QStringLiteral("; "));
}

}  // namespace

QWidget* makeSequenceCard(const RunOutcome& outcome) {
    if (outcome.steps.size() <= 1) return nullptr;
    auto* card = new Card(QObject::tr("Calls in sequence"));
    card->setSubtitle(QObject::tr("each with the inputs as they were given, and the state as the call before left it"));
    card->setFlush(true);
    const std::vector<Column> columns = {{QObject::tr("Call"), 56, true, false, {}},
                                         {QObject::tr("Outputs"), 240, false, true, {}},
                                         {QObject::tr("Changed by the call"), 220, false, true, {}}};
    auto* model = new RowModel(columns, card);
    std::vector<Row> rows;
    for (std::size_t i = 0; i < outcome.steps.size(); ++i) {
        Row row;
        row.address = QString::number(i);
        const QString changed = i < outcome.stepStates.size() ? stateText(outcome.stepStates[i]) : QString();
        row.cells = {Cell::number(QString::number(i + 1), static_cast<double>(i + 1)), Cell::fixed(outputText(outcome.steps[i])),
                     changed.isEmpty() ? Cell::missing(QObject::tr("nothing seen")) : Cell::fixed(changed)};
        rows.push_back(std::move(row));
    }
    model->setRows(std::move(rows));
    auto* table = new DataTable;
    table->setObjectName(QStringLiteral("sequence"));
    table->setAccessibleName(QObject::tr("Calls in sequence"));
    table->setGround(Role::Card);
    table->setSource(model, columns);
    table->setFitToRows(outcome.steps.size() <= 12);
    card->content()->addWidget(table);
    return card;
}

QWidget* makeMemoryCard(const RunOutcome& outcome) {
    constexpr std::size_t kLeastPoints = 3;
    std::vector<double> xs, bytes;
    QString axis;
    if (outcome.soak && !outcome.soak->bytes.empty()) {
        bytes = outcome.soak->bytes;
        for (std::size_t i = 0; i < bytes.size(); ++i) xs.push_back(static_cast<double>(i + 1));
        axis = QObject::tr("Memory of the process after each load");
    } else {
        xs = outcome.curve.seconds;
        bytes = outcome.curve.bytes;
        axis = QObject::tr("Memory of the process over the runs, seconds");
    }
    if (xs.size() < kLeastPoints) return nullptr;
    auto* card = new Card(QObject::tr("Memory"));
    if (outcome.soak) {
        auto* verdict = new Banner(grows(*outcome.soak) ? State::Warning : State::Ok, toQt(soakText(*outcome.soak)));
        verdict->setObjectName(QStringLiteral("soakVerdict"));
        verdict->setCompact(true);
        card->content()->addWidget(verdict);
    }
    auto* plot = new CurvePlot;
    plot->setCurve(std::move(xs), std::move(bytes));
    plot->setAxisTitle(axis);
    card->content()->addWidget(plot);
    return card;
}

}  // namespace pt2::views
