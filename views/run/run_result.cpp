#include "views/run/run_result.h"

#include <QBoxLayout>
#include <QCheckBox>
#include <QHBoxLayout>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/compare/compare.h"
#include "core/run/constants_file.h"
#include "core/run/run_text.h"
#include "core/run/sandbox.h"
#include "views/plots/histogram_plot.h"
#include "views/plots/value_grid.h"
#include "views/run/run_extras.h"
#include "views/theme/spacing.h"
#include "views/theme/theme.h"
#include "views/widgets/banner.h"
#include "views/widgets/card.h"
#include "views/widgets/data_table.h"
#include "views/widgets/error_panel.h"
#include "views/widgets/link_label.h"
#include "views/widgets/text.h"

namespace pt2::views {

namespace {

constexpr std::size_t kLatencyBins = 40;
constexpr std::size_t kValueBins = 32;
constexpr int kSideBySide = 560;  // narrower, cards stand below each other

const RunOutcome* outcomeOf(const std::optional<Result<RunOutcome>>& side) { return side && *side ? &**side : nullptr; }

/// Values between p0.1 and p99.9 in equal bins; what lies beyond is folded into the ends.
HistogramPlot::Data latencyBins(const std::vector<double>& seconds, double axisEnd, double scale) {
    HistogramPlot::Data data;
    data.low = 0;
    data.high = axisEnd;
    data.counts.assign(kLatencyBins, 0);
    for (const double s : seconds) {
        const double at = s * scale / axisEnd * static_cast<double>(kLatencyBins);
        data.counts[std::min(kLatencyBins - 1, static_cast<std::size_t>(std::max(0.0, at)))]++;
    }
    return data;
}

/// A number for a cell: so short that it need not be cut.
QString cellNumber(double value) {
    const double size = std::abs(value);
    if (value == 0 || (size >= 1e-4 && size < 1e7)) return axisNumber(value);
    return QString::number(value, 'e', 2).replace(QLatin1Char('-'), QChar(0x2212));
}

struct Unit {
    double scale;
    const char* name;
};
Unit unitFor(double seconds) {
    if (seconds < 1e-3) return {1e6, "µs"};
    if (seconds < 1) return {1e3, "ms"};
    return {1, "s"};
}

}  // namespace

std::vector<OutputSummary> summarise(const RunOutcome& outcome, const CancelToken& cancel) {
    std::vector<OutputSummary> summaries;
    for (const auto& [name, tensor] : outcome.outputs) {
        OutputSummary summary{name, tensor, {}, {}};
        if (const auto statistics = computeStatistics(tensor.view(), cancel)) summary.statistics = *statistics;
        if (auto histogram = computeHistogram(tensor.view(), kValueBins, cancel)) summary.histogram = std::move(*histogram);
        summaries.push_back(std::move(summary));
    }
    return summaries;
}

RunResult::RunResult(RunPicture picture, QWidget* parent) : QWidget(parent), picture_(std::move(picture)) {
    auto* column = new QVBoxLayout(this);
    setMargins(column, 0, Spacing::l);
    addVerdict(column);
    addLatency(column);
    const RunOutcome* off = outcomeOf(picture_.report.off);
    const RunOutcome* any = off ? off : outcomeOf(picture_.report.on);
    if (QWidget* sequence = any ? makeSequenceCard(*any) : nullptr) column->addWidget(sequence);
    if (!picture_.outputs.empty()) addOutputs(column);
    if (QWidget* memory = any ? makeMemoryCard(*any) : nullptr) column->addWidget(memory);
    column->addStretch(1);
}

void RunResult::addVerdict(QVBoxLayout* column) {
    const RunOutcome* off = outcomeOf(picture_.report.off);
    const RunOutcome* on = outcomeOf(picture_.report.on);
    const RunOutcome* any = off ? off : on;
    const bool both = picture_.report.off && picture_.report.on;
    QString title, text;
    State state = State::Ok;
    if (both && off && on) {
        const bool same = picture_.report.same();
        title = same ? tr("Same outputs with and without runtime checks") : tr("Outputs differ with and without runtime checks");
        if (!same) {
            state = State::Error;
            const auto differing = std::find(picture_.same.begin(), picture_.same.end(), false);
            if (differing != picture_.same.end()) {
                text =
                    tr("First differing output: %1. ").arg(shown(picture_.outputs[static_cast<std::size_t>(differing - picture_.same.begin())].name));
            }
        }
    } else if (both) {
        state = State::Warning;
        title = off ? tr("Runs without runtime checks, refused with them") : tr("Runs with runtime checks only");
    } else {
        title = tr("The model ran");
    }
    const auto odd = static_cast<int>(std::count_if(picture_.outputs.begin(), picture_.outputs.end(), [](const OutputSummary& output) {
        return output.statistics.nan + output.statistics.positiveInfinity + output.statistics.negativeInfinity > 0;
    }));
    if (any && odd > 0 && state == State::Ok) {
        state = State::Warning;
        title = odd == static_cast<int>(picture_.outputs.size())
                    ? tr("The model ran; every output holds NaN or infinity")
                    : tr("The model ran; %1 of %2 outputs hold NaN or infinity").arg(odd).arg(picture_.outputs.size());
        text += tr("Inputs that were made up may lie outside of what the model is made for. ");
    }
    if (any && !picture_.breaches.empty()) {
        if (state != State::Error) state = State::Warning;
        title = tr("Ran with inputs that break the contract");
        text += tr("%1 Nothing vouches for these outputs. ").arg(shown(picture_.breaches.front()));
    }
    if (any) {
        text += tr("%1, %2").arg(toQt(any->device == "cpu" ? "CPU" : any->device), toQt(picture_.inputText));
        if (!any->seconds.samples.empty()) text += tr(", %1").arg(counted(any->seconds.samples.size(), tr("run"), tr("runs")));
        if (any->throughput && any->throughput->runners > 1) {
            text += tr(", %1 calls a second with %2 runners")
                        .arg(toQt(formatCount(static_cast<std::uint64_t>(any->throughput->perSecond()))))
                        .arg(any->throughput->runners);
        }
        if (!any->pythonMapped) text += tr(", no Python in the process");
        text += QLatin1Char('.');
    }
    auto* banner = new Banner(state, title, text);
    banner->setObjectName(QStringLiteral("runVerdict"));
    if (any)
        banner->setRightText(tr("Load %1 · first run %2").arg(toQt(formatDuration(any->seconds.load)), toQt(formatDuration(any->seconds.first))));
    column->addWidget(banner);
    if (any) {
        // What an engineer looks for in a log: quiet, below the verdict.
        QStringList facts;
        if (const std::string memory = memoryText(any->memory); !memory.empty()) facts << tr("Memory: %1").arg(toQt(memory));
        facts << toQt(containmentText(any->contained));
        if (!picture_.names.empty()) facts << toQt(picture_.names);
        if (!facts.isEmpty()) {
            auto* line = new TextLabel(facts.join(QLatin1Char('\n')), TextSize::Caption, Role::Muted);
            line->setObjectName(QStringLiteral("runFacts"));
            line->setWordWrap(true);
            column->addWidget(line);
        }
    }
    if (!picture_.mends.empty()) column->addWidget(new Banner(State::Info, tr("Inputs were mended before the run"), toQt(picture_.mends)));
    if (any && any->constants) {
        const bool all = any->constants->ineffective.empty() && any->constants->unknown.empty() && !any->constants->replaced.empty();
        auto* line = new Banner(all ? State::Info : State::Warning, toQt(constantsText(*any->constants)));
        line->setObjectName(QStringLiteral("constantsUse"));
        line->setCompact(true);
        column->addWidget(line);
    }
    for (const std::string& note : picture_.notes) {
        auto* line = new Banner(State::Info, toQt(note));
        line->setCompact(true);
        column->addWidget(line);
    }
    for (const auto& [side, name] :
         {std::pair(&picture_.report.off, tr("Without runtime checks")), std::pair(&picture_.report.on, tr("With runtime checks"))}) {
        if (*side && !**side) {
            auto* panel = new ErrorPanel((**side).error());
            panel->setEffect(name + tr(" the run failed; the other side is shown below."));
            column->addWidget(panel);
        }
    }
}

QWidget* RunResult::latencyCard(const QString& title, const RunOutcome& outcome, int series, double axisSeconds, std::uint64_t top) {
    const RunSeconds& seconds = outcome.seconds;
    const Unit unit = unitFor(axisSeconds);
    const double axisEnd = axisSeconds * unit.scale;
    auto* card = new Card(title);
    auto* numbers = new QHBoxLayout;
    setMargins(numbers, 0, Spacing::l);
    const double maximum = *std::max_element(seconds.samples.begin(), seconds.samples.end());
    for (const auto& [name, value] : {std::pair(tr("p50"), seconds.median()), std::pair(tr("p90"), seconds.percentile(0.9)),
                                      std::pair(tr("p99"), seconds.percentile(0.99)), std::pair(tr("max"), maximum)}) {
        auto* cell = new QVBoxLayout;
        setMargins(cell, 0, 0);
        cell->addWidget(new TextLabel(name, TextSize::Caption, Role::Muted));
        cell->addWidget(new TextLabel(toQt(formatDuration(value)), TextSize::Section));
        numbers->addLayout(cell);
    }
    numbers->addStretch(1);
    card->content()->addLayout(numbers);
    auto* plot = new HistogramPlot;
    plot->setData(latencyBins(seconds.samples, axisEnd, unit.scale));
    plot->setSeries(series);
    plot->setTop(top);
    std::vector<HistogramPlot::Mark> marks{{seconds.median() * unit.scale, tr("p50")}};
    if (seconds.percentile(0.99) * unit.scale <= axisEnd) marks.push_back({seconds.percentile(0.99) * unit.scale, tr("p99")});
    plot->setMarks(std::move(marks));
    const auto beyond = std::count_if(seconds.samples.begin(), seconds.samples.end(), [&](double s) { return s * unit.scale > axisEnd; });
    const QString axis = tr("Time per run, %1").arg(QString::fromUtf8(unit.name));
    plot->setAxisTitle(beyond == 0 ? axis : tr("%1 · %2 slower in the last bar").arg(axis).arg(beyond));
    card->content()->addWidget(plot);
    return card;
}

void RunResult::addLatency(QVBoxLayout* column) {
    const RunOutcome* off = outcomeOf(picture_.report.off);
    const RunOutcome* on = outcomeOf(picture_.report.on);
    std::vector<const RunOutcome*> sides;
    for (const RunOutcome* side : {off, on}) {
        if (side && !side->seconds.samples.empty()) sides.push_back(side);
    }
    if (sides.empty()) return;
    double end = 0;
    // A rare slow run does not squeeze the others into one bar: what lies beyond the axis is in its last bar.
    for (const RunOutcome* side : sides) end = std::max(end, std::min(side->seconds.percentile(0.99) * 1.25, side->seconds.percentile(0.9) * 2));
    const double scale = unitFor(end).scale;  // one for both sides, which are read against each other
    std::uint64_t top = 0;
    for (const RunOutcome* side : sides) {
        const HistogramPlot::Data data = latencyBins(side->seconds.samples, end * scale, scale);
        top = std::max(top, *std::max_element(data.counts.begin(), data.counts.end()));
    }
    latency_ = new QBoxLayout(QBoxLayout::LeftToRight);
    setMargins(latency_, 0, Spacing::l);
    for (const RunOutcome* side : sides)
        latency_->addWidget(latencyCard(side->checksOn ? tr("Runtime checks on") : tr("Runtime checks off"), *side, side->checksOn ? 1 : 0, end, top),
                            1);
    column->addLayout(latency_);
}

void RunResult::addOutputs(QVBoxLayout* column) {
    auto* card = new Card(tr("Outputs"));
    card->setSubtitle(counted(picture_.outputs.size(), tr("tensor"), tr("tensors")));
    auto* compare = new LinkLabel(picture_.hasProgram ? tr("Compare with torch eager ›") : tr("Compare with a file ›"));
    compare->setObjectName(QStringLiteral("compareLink"));
    connect(compare, &QAbstractButton::clicked, this, &RunResult::compareRequested);
    auto* save = new LinkLabel(tr("Save as .npz…"));
    connect(save, &QAbstractButton::clicked, this, &RunResult::saveRequested);
    card->addToTitle(compare);
    card->addToTitle(save);
    card->setFlush(true);
    const bool both = picture_.report.off && picture_.report.on;
    std::vector<Column> columns = {{tr("Name"), 96, false, false, {}},   {tr("Tensor"), 150, false, true, {}}, {tr("Min"), 88, true, false, {}},
                                   {tr("Max"), 88, true, false, {}},     {tr("Mean"), 88, true, false, {}},    {tr("Std"), 84, true, false, {}},
                                   {tr("NaN, Inf"), 68, true, false, {}}};
    if (both) columns.push_back({tr("Off and on"), 96, false, false, {}});
    auto* model = new RowModel(columns, this);
    std::vector<Row> rows;
    for (std::size_t i = 0; i < picture_.outputs.size(); ++i) {
        const OutputSummary& output = picture_.outputs[i];
        const TensorStatistics& s = output.statistics;
        Row row;
        row.address = QString::number(i);
        const bool none = isNone(output.tensor.view());
        const auto number = [&](double value) {
            if (none) return Cell::muted(QStringLiteral("—"));
            return s.hasFinite ? Cell::number(cellNumber(value), value) : Cell::missing(s.nan > 0 ? tr("all NaN") : tr("none"));
        };
        const std::uint64_t odd = s.nan + s.positiveInfinity + s.negativeInfinity;
        row.cells = {Cell::fixed(shown(output.name)),
                     none ? Cell::missing(QStringLiteral("None")) : Cell::fixed(toQt(tensorTypeText(output.tensor.layout))),
                     number(s.minimum),
                     number(s.maximum),
                     number(s.mean),
                     number(s.standardDeviation),
                     none ? number(0) : Cell::number(toQt(formatCount(odd)), static_cast<double>(odd))};
        if (odd > 0) row.cells.back().colour = Role::Warning;
        if (both) {
            Cell cell(i < picture_.same.size() && picture_.same[i] ? tr("equal") : tr("differ"));
            cell.icon = stateIcon(i < picture_.same.size() && picture_.same[i] ? State::Ok : State::Error);
            cell.iconColour = stateRole(i < picture_.same.size() && picture_.same[i] ? State::Ok : State::Error);
            row.cells.push_back(cell);
        }
        rows.push_back(std::move(row));
    }
    model->setRows(std::move(rows));
    auto* table = new DataTable;
    table->setObjectName(QStringLiteral("outputs"));
    table->setAccessibleName(tr("Outputs"));
    table->setGround(Role::Card);
    table->setSource(model, columns);
    table->setFitToRows(picture_.outputs.size() <= 12);
    card->content()->addWidget(table);
    connect(table, &DataTable::rowSelected, this, [this](const QString& address) { showOutput(static_cast<std::size_t>(address.toUInt())); });

    lower_ = new QBoxLayout(QBoxLayout::LeftToRight);
    lower_->setContentsMargins(Spacing::l, Spacing::m, Spacing::l, Spacing::l);
    lower_->setSpacing(Spacing::xl);
    auto* left = new QVBoxLayout;
    setMargins(left, 0, Spacing::xs);
    auto* leftHead = new QHBoxLayout;
    setMargins(leftHead, 0, Spacing::s);
    leftHead->addWidget(new TextLabel(tr("Values"), TextSize::Strong));
    slice_ = new TextLabel({}, TextSize::Caption, Role::Muted);
    slice_->setCode(true);
    leftHead->addWidget(slice_);
    leftHead->addStretch(1);
    auto* shade = new QCheckBox(tr("Shade"));
    shade->setChecked(true);
    leftHead->addWidget(shade);
    left->addLayout(leftHead);
    grid_ = new ValueGrid;
    connect(shade, &QCheckBox::toggled, grid_, &ValueGrid::setShaded);
    connect(grid_, &ValueGrid::sliceChanged, this, &RunResult::nameSlice);
    left->addWidget(grid_);
    more_ = new TextLabel({}, TextSize::Caption, Role::Muted);
    left->addWidget(more_);
    left->addStretch(1);
    auto* right = new QVBoxLayout;
    setMargins(right, 0, Spacing::xs);
    auto* rightHead = new QHBoxLayout;
    setMargins(rightHead, 0, Spacing::s);
    rightHead->addWidget(new TextLabel(tr("Distribution"), TextSize::Strong));
    rightHead->addStretch(1);
    bins_ = new TextLabel({}, TextSize::Caption, Role::Muted);
    rightHead->addWidget(bins_);
    right->addLayout(rightHead);
    distribution_ = new HistogramPlot;
    right->addWidget(distribution_, 1);
    lower_->addLayout(left, 1);
    lower_->addLayout(right, 1);
    card->content()->addLayout(lower_);
    column->addWidget(card);
    showOutput(0);
    table->selectAddress(QStringLiteral("0"));
}

void RunResult::nameSlice() {
    slice_->setText(sliceOf_ + grid_->sliceText());
    more_->setText(grid_->moreText());
    more_->setVisible(!grid_->moreText().isEmpty());
}

void RunResult::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    const auto direction = width() < kSideBySide ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight;
    for (QBoxLayout* row : {latency_, lower_}) {
        if (row) row->setDirection(direction);
    }
}

void RunResult::showOutput(std::size_t index) {
    if (index >= picture_.outputs.size() || !grid_) return;
    const OutputSummary& output = picture_.outputs[index];
    grid_->setTensor(output.tensor);
    sliceOf_ = shown(output.name);
    nameSlice();
    distribution_->setData({output.histogram.low, output.histogram.high, output.histogram.counts});
    bins_->setText(counted(output.statistics.count, tr("value"), tr("values")) + QStringLiteral(", ") +
                   counted(output.histogram.counts.size(), tr("bin"), tr("bins")));
}

}  // namespace pt2::views
