#include "views/compare/compare_result.h"

#include <QGridLayout>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "views/plots/histogram_plot.h"
#include "views/plots/value_grid.h"
#include "views/theme/spacing.h"
#include "views/theme/theme.h"
#include "views/widgets/banner.h"
#include "views/widgets/card.h"
#include "views/widgets/data_table.h"
#include "views/widgets/empty_state.h"
#include "views/widgets/key_value_list.h"
#include "views/widgets/text.h"

namespace pt2::views {

namespace {

/// Elements looked at for the histogram; larger tensors are sampled with an even step.
constexpr std::uint64_t kHistogramElements = 2'000'000;
constexpr int kDecades = 7;
constexpr int kThreeCards = 960;
constexpr double kLowestDecade = -4;
constexpr int kBinsPerDecade = 6;

QString scientific(double value) {
    return value == 0 ? QStringLiteral("0") : QString::number(value, 'e', 2).replace(QStringLiteral("e-"), QStringLiteral("e−"));
}

QString indexText(const std::vector<std::int64_t>& index) {
    std::vector<std::string> parts;
    for (const std::int64_t i : index) parts.push_back(std::to_string(i));
    return toQt(formatShape(parts));
}

State stateOf(const OutputComparison& output) { return output.ok ? State::Ok : State::Error; }

QString verdictWords(const OutputComparison& output) {
    if (!output.comparable) return CompareResult::tr("not comparable");
    if (output.identical) return CompareResult::tr("identical");
    return output.ok ? CompareResult::tr("within") : CompareResult::tr("beyond");
}

struct ErrorBins {
    HistogramPlot::Data data;
    std::uint64_t equal = 0, within = 0, beyond = 0;
};

/// log10(error over allowed error) in bins; equal elements have no place on a logarithmic axis and are counted apart.
ErrorBins errorBins(const TensorView& actual, const TensorView& expected, const Tolerance& tolerance) {
    ErrorBins bins;
    bins.data.low = kLowestDecade;
    bins.data.high = kLowestDecade + kDecades;
    bins.data.counts.assign(static_cast<std::size_t>(kDecades * kBinsPerDecade), 0);
    const std::uint64_t total = actual.layout.elementCount().value_or(0);
    const std::uint64_t step = std::max<std::uint64_t>(1, total / kHistogramElements);
    for (std::uint64_t i = 0; i < total; i += step) {
        const double a = elementAsDouble(actual, i), e = elementAsDouble(expected, i);
        const double error = std::abs(a - e);
        if (!(error > 0) || !std::isfinite(error)) {
            bins.equal += error == 0 ? 1 : 0;
            continue;
        }
        const double allowed = tolerance.atol + tolerance.rtol * std::abs(e);
        const double ratio = allowed > 0 ? error / allowed : 1e9;
        (ratio <= 1 ? bins.within : bins.beyond) += 1;
        const double at = (std::log10(ratio) - kLowestDecade) * kBinsPerDecade;
        bins.data.counts[static_cast<std::size_t>(std::clamp(at, 0.0, static_cast<double>(bins.data.counts.size() - 1)))] += 1;
    }
    return bins;
}

}  // namespace

CompareResult::CompareResult(const ComparePicture& picture, QWidget* parent) : QWidget(parent), picture_(picture) {
    auto* column = new QVBoxLayout(this);
    setMargins(column, 0, Spacing::l);
    const bool rounding = picture_.isRounding(), ok = picture_.comparison.ok() || rounding;
    QString title = rounding ? tr("normal for the dtype") : toQt(picture_.comparison.verdict());
    QString words = toQt(picture_.comparison.sentence());
    if (const std::string judged = float64Sentence(picture_.distances); !judged.empty()) words += QLatin1Char(' ') + toQt(judged);
    if (!title.isEmpty()) title[0] = title[0].toUpper();
    auto* banner = new Banner(ok ? State::Ok : State::Error, title, words);
    banner->setObjectName(QStringLiteral("compareVerdict"));
    column->addWidget(banner);
    for (const std::string& note : picture_.notes) {
        auto* line = new Banner(State::Info, toQt(note));
        line->setCompact(true);
        column->addWidget(line);
    }
    auto* card = new Card(tr("Outputs"));
    card->setSubtitle(tr("compiled model minus %1").arg(shown(picture_.reference)));
    card->setFlush(true);
    const std::vector<Column> columns = {
        {tr("Output"), 100, false, false, {}}, {tr("Tensor"), 150, false, true, {}}, {tr("Verdict"), 150, false, false, {}},
        {tr("Beyond"), 110, true, false, {}},  {tr("Max abs"), 88, true, false, {}}, {tr("Mean abs"), 88, true, false, {}},
        {tr("Max rel"), 88, true, false, {}},  {tr("Cosine"), 88, true, false, {}},  {tr("Worst at"), 110, false, false, {}}};
    auto* model = new RowModel(columns, this);
    std::vector<Row> rows;
    for (std::size_t i = 0; i < picture_.comparison.outputs.size(); ++i) {
        const OutputComparison& output = picture_.comparison.outputs[i];
        Row row;
        row.address = QString::number(i);
        Cell verdict(verdictWords(output));
        verdict.icon = stateIcon(stateOf(output));
        verdict.iconColour = stateRole(stateOf(output));
        verdict.tooltip = toQt(output.reason);
        const Tensor& actual = picture_.actual[i].second;
        row.cells = {Cell::fixed(shown(output.name)),
                     isNone(actual.view()) ? Cell::missing(QStringLiteral("None")) : Cell::fixed(toQt(tensorTypeText(actual.layout))), verdict};
        if (output.comparable && !isNone(actual.view())) {
            const double share = output.total == 0 ? 0 : static_cast<double>(output.mismatched) / static_cast<double>(output.total);
            const QString beyond =
                output.mismatched == 0 ? QStringLiteral("0") : tr("%1 (%2)").arg(toQt(formatCount(output.mismatched)), toQt(formatPercent(share)));
            row.cells.insert(
                row.cells.end(),
                {Cell::number(beyond, share), Cell::number(scientific(output.maxAbs), output.maxAbs),
                 Cell::number(scientific(output.meanAbs), output.meanAbs), Cell::number(scientific(output.maxRel), output.maxRel),
                 Cell::number(QString::number(output.cosine, 'f', 6), output.cosine),
                 output.identical || output.worstIndex.empty() ? Cell::muted(QStringLiteral("—")) : Cell::fixed(indexText(output.worstIndex))});
        } else {
            for (int k = 0; k < 6; ++k) row.cells.push_back(Cell::muted(QStringLiteral("—")));
        }
        rows.push_back(std::move(row));
    }
    model->setRows(std::move(rows));
    auto* table = new DataTable;
    table->setObjectName(QStringLiteral("compareOutputs"));
    table->setAccessibleName(tr("Outputs compared"));
    table->setGround(Role::Card);
    table->setSource(model, columns);
    table->setFitToRows(picture_.comparison.outputs.size() <= 12);
    card->content()->addWidget(table);
    column->addWidget(card);
    connect(table, &DataTable::rowSelected, this, [this](const QString& address) { showOutput(static_cast<std::size_t>(address.toUInt())); });
    lower_ = new QGridLayout;
    setMargins(lower_, 0, Spacing::l);
    column->addLayout(lower_);
    column->addStretch(1);
    const auto worst =
        std::find_if(picture_.comparison.outputs.begin(), picture_.comparison.outputs.end(), [](const OutputComparison& o) { return !o.ok; });
    const std::size_t first = worst == picture_.comparison.outputs.end() ? 0 : static_cast<std::size_t>(worst - picture_.comparison.outputs.begin());
    showOutput(first);
    table->selectAddress(QString::number(first));
}

/// Three cards in a row; where there is little room the last one has a row of its own.
void CompareResult::arrange() {
    if (!where_) return;
    const bool wide = width() >= kThreeCards;
    lower_->removeWidget(where_);
    if (wide) {
        lower_->addWidget(where_, 0, 2);
    } else {
        lower_->addWidget(where_, 1, 0, 1, 2);
    }
    lower_->setColumnStretch(0, 3);
    lower_->setColumnStretch(1, 4);
    lower_->setColumnStretch(2, wide ? 4 : 0);
}

void CompareResult::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    arrange();
}

void CompareResult::showOutput(std::size_t index) {
    where_ = nullptr;
    while (QLayoutItem* item = lower_->takeAt(0)) {
        if (item->widget()) item->widget()->deleteLater();
        delete item;
    }
    if (index >= picture_.comparison.outputs.size()) return;
    const OutputComparison& output = picture_.comparison.outputs[index];
    const QString name = shown(output.name);
    if (!output.comparable) {
        lower_->addWidget(new EmptyState(QStringLiteral("compare"), tr("\"%1\" cannot be compared").arg(name), toQt(output.reason)), 0, 0, 1, 3);
        return;
    }
    const Tensor& actual = picture_.actual[index].second;
    if (isNone(actual.view())) {
        lower_->addWidget(
            new EmptyState(QStringLiteral("compare"), tr("\"%1\" is None on both sides").arg(name), tr("There are no numbers to show.")), 0, 0, 1, 3);
        return;
    }
    const Tensor& reference = picture_.expected[index].second;

    auto* worst = new Card(tr("Worst element"));
    worst->setRightText(name);
    auto* facts = new KeyValueList;
    facts->setKeyWidth(96);
    if (output.identical) {
        facts->add(tr("Difference"), tr("none, every bit is equal"));
    } else {
        facts->add(tr("Where"), name + indexText(output.worstIndex), true);
        facts->add(tr("Compiled"), toQt(output.worstActual), true);
        facts->add(tr("Reference"), toQt(output.worstExpected), true);
        bool isNumber = false, isReference = false;
        const double is = toQt(output.worstActual).toDouble(&isNumber), expected = toQt(output.worstExpected).toDouble(&isReference);
        if (isNumber && isReference) facts->add(tr("Difference"), scientific(std::abs(is - expected)), true);
        facts->add(tr("Needed rtol"), scientific(output.neededRtol), true);
        facts->add(tr("SQNR"), output.sqnrDb ? tr("%1 dB").arg(QString::number(*output.sqnrDb, 'f', 1)) : tr("infinite"), true);
    }
    facts->add(tr("rtol"), toQt(formatFloat(output.tolerance.rtol)), true);
    facts->add(tr("atol"), toQt(formatFloat(output.tolerance.atol)), true);
    if (output.nanMismatch > 0) facts->add(tr("NaN on one side"), toQt(formatCount(output.nanMismatch)), true, Role::Error);
    worst->content()->addWidget(facts);
    worst->content()->addStretch(1);
    lower_->addWidget(worst, 0, 0);

    auto* errors = new Card(tr("Error over allowed error"));
    const ErrorBins bins = errorBins(actual.view(), reference.view(), output.tolerance);
    errors->setRightText(tr("%1 within, %2 beyond").arg(toQt(formatCount(bins.within)), toQt(formatCount(bins.beyond))));
    if (bins.within + bins.beyond > 0) {
        auto* plot = new HistogramPlot;
        plot->setData(bins.data);
        plot->setSeries(bins.beyond > 0 ? 1 : -1);
        plot->setMarks({{0, tr("allowed")}});
        plot->setAxisTitle(tr("log10 of error over allowed error · %1 equal elements not drawn").arg(toQt(formatCount(bins.equal))));
        errors->content()->addWidget(plot);
    } else {
        errors->content()->addWidget(paragraph(tr("All %1 elements are equal, so there is no error to draw.").arg(toQt(formatCount(output.total))),
                                               TextSize::Body, Role::Muted));
    }
    errors->content()->addStretch(1);
    lower_->addWidget(errors, 0, 1);

    auto* where = new Card(tr("Difference"));
    auto* grid = new ValueGrid;
    grid->setDifference(actual, reference);
    auto* more = new TextLabel({}, TextSize::Caption, Role::Muted);
    where->content()->addWidget(grid);
    where->content()->addWidget(more);
    const auto nameSlice = [where, grid, more, name] {
        where->setSubtitle(name + grid->sliceText());
        more->setText(grid->moreText());
    };
    connect(grid, &ValueGrid::sliceChanged, where, nameSlice);
    nameSlice();
    where->content()->addStretch(1);
    where_ = where;
    arrange();
}

}  // namespace pt2::views
