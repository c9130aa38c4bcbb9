#include "views/weights/weight_view.h"

#include <QBoxLayout>
#include <QCheckBox>
#include <QHBoxLayout>
#include <QPushButton>
#include <QScrollArea>
#include <QSpinBox>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/text.h"
#include "views/plots/histogram_plot.h"
#include "views/plots/value_grid.h"
#include "views/theme/spacing.h"
#include "views/theme/theme.h"
#include "views/weights/weight_rows.h"
#include "views/widgets/buttons.h"
#include "views/widgets/card.h"
#include "views/widgets/chip.h"
#include "views/widgets/empty_state.h"
#include "views/widgets/error_panel.h"
#include "views/widgets/flow_layout.h"
#include "views/widgets/ground.h"
#include "views/widgets/key_value_list.h"
#include "views/widgets/link_label.h"
#include "views/widgets/text.h"

namespace pt2::views {

namespace {

constexpr double kFewestBins = 16, kMostBins = 64;
constexpr std::size_t kNameShown = 34;  // of a link; all of it stands at its target
constexpr int kSideBySide = 530;        // narrower, statistics and distribution stand below each other
constexpr std::size_t kSharersLinked = 6;

/// More bins for more values (Rice's rule), within bounds.
std::size_t binsFor(std::uint64_t values) {
    return static_cast<std::size_t>(std::clamp(2 * std::cbrt(static_cast<double>(values)), kFewestBins, kMostBins));
}

Result<WeightReading> readWeight(const WeightTable& table, std::size_t row, const CancelToken& cancel, const ProgressSink& progress) {
    WeightReading reading;
    if (!table.rows()[row].isSubclass) {
        auto picture = pictureOf(table, row, binsFor(table.rows()[row].elements), cancel, progress);
        if (!picture) return fail(picture.error());
        reading.parts.push_back({{}, table.rows()[row].layout.dtype, table.rows()[row].layout.sizes, std::move(*picture)});
        return reading;
    }
    const auto parts = table.parts(row);
    if (!parts) return fail(parts.error());
    for (const WeightPart& part : *parts) {
        WeightReading::Part one{part.name, part.tensor.layout.dtype, part.tensor.layout.sizes, {}};
        const auto statistics = computeStatistics(part.tensor.view(), cancel);
        if (!statistics) return fail(statistics.error());
        one.picture.statistics = *statistics;
        if (auto histogram = computeHistogram(part.tensor.view(), binsFor(statistics->count), cancel)) one.picture.histogram = std::move(*histogram);
        reading.parts.push_back(std::move(one));
    }
    return reading;
}

}  // namespace

WeightView::WeightView(DocumentSession& session, QWidget* parent)
    : QWidget(parent),
      session_(session),
      readJob_(QStringLiteral("weight-read-%1").arg(reinterpret_cast<quintptr>(this))),
      windowJob_(QStringLiteral("weight-window-%1").arg(reinterpret_cast<quintptr>(this))),
      body_(new QWidget),
      empty_(new EmptyState(QStringLiteral("weights"), tr("No weight is selected"),
                            tr("Choose a weight at the left to see its statistics, distribution and values."))),
      name_(new TextLabel({}, TextSize::Strong)),
      facts_(new TextLabel({}, TextSize::Caption, Role::Muted)),
      slice_(new TextLabel({}, TextSize::Caption, Role::Muted)),
      more_(new TextLabel({}, TextSize::Caption, Role::Muted)),
      area_(new QScrollArea),
      statisticsCard_(new Card(tr("Statistics"))),
      distributionCard_(new Card(tr("Distribution"))),
      valuesCard_(new Card(tr("Values"))),
      storedCard_(new Card(tr("Stored"))),
      statistics_(new QVBoxLayout),
      upper_(new QBoxLayout(QBoxLayout::LeftToRight)),
      plot_(new HistogramPlot),
      grid_(new ValueGrid),
      slices_(new QWidget),
      stored_(new KeyValueList),
      read_(plainButton(tr("Read all values"), QStringLiteral("run"))) {
    auto* outer = new QVBoxLayout(this);
    setMargins(outer, 0, 0);
    outer->addWidget(empty_);
    outer->addWidget(body_);
    auto* column = new QVBoxLayout(body_);
    setMargins(column, 0, 0);
    auto* head = new Ground(Role::Base);
    head->setEdges(Qt::BottomEdge);
    head_ = head;
    auto* words = new QVBoxLayout(head);
    words->setContentsMargins(Spacing::l, Spacing::s, Spacing::m, Spacing::s);
    words->setSpacing(2);
    for (TextLabel* label : {name_, facts_}) {
        label->setSelectable(true);
        label->setElided(true);
        words->addWidget(label);
    }
    name_->setCode(true);
    column->addWidget(head);

    auto* ground = new Ground(Role::Base);
    auto* cards = new QVBoxLayout(ground);
    setMargins(cards, Spacing::l, Spacing::l);
    setMargins(statistics_, 0, Spacing::s);
    statisticsCard_->content()->addLayout(statistics_);
    statisticsCard_->content()->addWidget(read_, 0, Qt::AlignLeft);
    read_->setAccessibleName(tr("Read all values of this weight"));
    distributionCard_->content()->addWidget(plot_);
    plot_->setAxisTitle(tr("Value"));
    setMargins(upper_, 0, Spacing::l);
    upper_->addWidget(statisticsCard_, 2);
    upper_->addWidget(distributionCard_, 3);
    cards->addLayout(upper_);

    auto* shade = new QCheckBox(tr("Shade"));
    shade->setChecked(true);
    connect(shade, &QCheckBox::toggled, grid_, &ValueGrid::setShaded);
    slice_->setCode(true);
    valuesCard_->addToTitle(slice_);
    valuesCard_->addToTitle(shade);
    new FlowLayout(slices_, Spacing::s, Spacing::xs);
    slices_->layout()->setContentsMargins(0, 0, 0, 0);
    valuesCard_->content()->addWidget(slices_);
    valuesCard_->content()->addWidget(grid_);
    valuesCard_->content()->addWidget(more_);
    cards->addWidget(valuesCard_);
    stored_->setKeyWidth(96);
    storedCard_->content()->addWidget(stored_);
    cards->addWidget(storedCard_);
    cards->addStretch(1);
    area_->setWidgetResizable(true);
    area_->setFrameShape(QFrame::NoFrame);
    area_->setWidget(ground);
    area_->setAccessibleName(tr("Weight"));
    column->addWidget(area_, 1);
    connect(read_, &QPushButton::clicked, this, [this] {
        readAll();
        readWindow();
    });
    connect(grid_, &ValueGrid::sliceChanged, this, &WeightView::nameSlice);
    clear();
}

void WeightView::clear() {
    table_.reset();
    session_.jobs().cancel(readJob_);
    session_.jobs().cancel(windowJob_);
    body_->hide();
    empty_->show();
}

void WeightView::hideHead() { head_->hide(); }

bool WeightView::settled() const { return !session_.jobs().isRunning(readJob_) && !session_.jobs().isRunning(windowJob_); }

void WeightView::clearBox(QVBoxLayout* box) {
    while (QLayoutItem* item = box->takeAt(0)) {
        if (item->widget()) item->widget()->deleteLater();
        delete item;
    }
}

QWidget* WeightView::note(const QString& text) { return paragraph(text, TextSize::Body, Role::Muted); }

void WeightView::show(std::shared_ptr<const WeightTable> table, std::size_t row) {
    table_ = std::move(table);
    row_ = row;
    carried_.reset();
    window_ = {};
    session_.jobs().cancel(readJob_);
    session_.jobs().cancel(windowJob_);
    empty_->hide();
    body_->show();
    area_->ensureVisible(0, 0);
    const WeightRow& weight = table_->rows()[row];
    name_->setFullText(shown(weight.name));
    fillFacts();
    clearBox(statistics_);
    distributionCard_->hide();
    const bool readable = weight.problem.empty();
    const bool large = weight.bytes > kReadUnasked;
    read_->setVisible(readable && large);
    valuesCard_->setVisible(readable && !weight.isSubclass && weight.elements > 0 && (!large || table_->windowIsCheap(row)));
    if (!readable) {
        statistics_->addWidget(note(toQt(weight.problem)));
    } else if (large) {
        statistics_->addWidget(note(tr("%1 have not been read yet.").arg(toQt(formatBytes(weight.bytes)))));
    } else {
        readAll();
    }
    buildSlices();
    if (!valuesCard_->isHidden()) readWindow();
}

void WeightView::setCarried(const std::optional<CarriedBy>& carried) {
    carried_ = carried;
    if (table_) fillFacts();
}

void WeightView::setQuantized(const std::vector<QuantizedWeight>& quantized) {
    quantized_ = quantized;
    if (table_) fillFacts();
}

void WeightView::fillFacts() {
    const WeightRow& weight = table_->rows()[row_];
    const bool tensor = weight.layout.dtype != DType::Unknown;
    QStringList facts{QString::fromLatin1(weightKindName(weight.kind))};
    if (tensor) facts << toQt(tensorTypeText(weight.layout)) << toQt(formatBytes(weight.bytes));
    if (!weight.used) facts << tr("nothing in the program reads it");
    facts_->setFullText(facts.join(QStringLiteral(" · ")));

    stored_->clear();
    const auto link = [this](const QString& key, const QString& text, const QString& address) {
        auto* label = new LinkLabel(text);
        connect(label, &QAbstractButton::clicked, this, [this, address] { session_.navigate(address); });
        auto* box = new QWidget;
        auto* row = new QHBoxLayout(box);
        setMargins(row, 0, Spacing::s);
        row->addWidget(label);
        row->addStretch(1);
        stored_->addWidget(key, box);
    };
    const auto weightLink = [&](const QString& key, std::size_t row, const QString& words) {
        const QString name = shown(elideMiddle(table_->rows()[row].name, kNameShown));
        link(key, words.isEmpty() ? name : name + QStringLiteral(" (") + words + QLatin1Char(')'), weightAddress(table_->rows()[row]));
    };
    if (tensor) {
        stored_->add(tr("elements"), toQt(formatCount(weight.elements)));
        const bool contiguous = weight.layout.isContiguous();
        stored_->add(tr("strides"), contiguous ? tr("contiguous") : toQt(formatShape(weight.layout.strides)), !contiguous);
        if (weight.layout.storageOffset != 0) stored_->add(tr("offset"), tr("element %1 of its storage").arg(weight.layout.storageOffset));
        if (weight.storage != WeightRow::kNoStorage && weight.storageBytes != weight.bytes)
            stored_->add(tr("storage"), toQt(formatBytes(weight.storageBytes)));
    }
    if (weight.index) {
        const std::string below(table_->package()->archive().nameBelowRoot(*weight.index));
        link(tr("record"), shown(elideMiddle(below.empty() ? weight.member : below, kNameShown)), toQt("file/" + below));
    }
    const std::vector<SharedWith> sharing = table_->sharing(row_);
    for (std::size_t i = 0; i < sharing.size() && i < kSharersLinked; ++i)
        weightLink(i == 0 ? tr("shared with") : QString(), sharing[i].row, sharing[i].tied ? tr("tied") : tr("view"));
    if (sharing.size() > kSharersLinked) stored_->add({}, tr("… %1 more").arg(sharing.size() - kSharersLinked));
    for (const QuantizedWeight& one : quantized_) {
        const auto side = [&](const QString& key, const std::optional<std::size_t>& row, const std::optional<double>& value) {
            if (row) weightLink(key, *row, one.inferred ? tr("inferred") : QString());
            if (!row && value) stored_->add(key, axisNumber(*value));
        };
        if (one.weight == row_) {
            side(tr("scale"), one.scale, one.scaleValue);
            side(tr("zero point"), one.zeroPoint, one.zeroPointValue);
            if (one.axis) stored_->add(tr("axis"), QString::number(*one.axis));
            stored_->addWidget(tr("quantized"), paragraph(toQt(one.why), TextSize::Caption, Role::Muted));
        } else if (one.scale == row_ || one.zeroPoint == row_) {
            weightLink(one.scale == row_ ? tr("scale of") : tr("zero point of"), one.weight, {});
        }
    }
    if (table_->ofProgram()) stored_->add(tr("gradient"), weight.requiresGrad ? tr("wanted") : tr("not wanted"));
    if (carried_) {
        stored_->add(tr("compiled"), QString::fromLatin1(carriageName(carried_->as)), false, carriageRole(carried_->as));
        stored_->addWidget({}, paragraph(toQt(carried_->why), TextSize::Caption, Role::Muted));
    }
    const std::string& place = carried_ ? carried_->place : weight.place;
    if (!place.empty()) stored_->add(tr("values lie"), toQt(place), false, place == "absent" ? Role::Warning : Role::Text);
}

void WeightView::buildSlices() {
    for (QSpinBox* spin : spins_) {
        spin->parentWidget()->hide();
        spin->parentWidget()->deleteLater();
    }
    spins_.clear();
    const std::vector<std::int64_t>& sizes = table_->rows()[row_].layout.sizes;
    const std::size_t rank = sizes.size();
    window_.lead.assign(rank > 2 ? rank - 2 : 0, 0);
    const auto add = [&](const QString& label, const QString& accessible, std::int64_t most, int step, auto change) {
        if (most <= 0) return;
        auto* box = new QWidget;
        auto* row = new QHBoxLayout(box);
        setMargins(row, 0, Spacing::xs);
        row->addWidget(new TextLabel(label, TextSize::Caption, Role::Muted));
        auto* spin = new QSpinBox;
        spin->setRange(0, static_cast<int>(std::min<std::int64_t>(most, std::numeric_limits<int>::max())));
        spin->setSingleStep(step);
        spin->setMinimumWidth(Metrics::controlMinWidth);
        spin->setAccessibleName(accessible);
        row->addWidget(spin);
        slices_->layout()->addWidget(box);
        spins_.push_back(spin);
        connect(spin, &QSpinBox::valueChanged, this, [this, change](int value) {
            change(value);
            readWindow();
        });
    };
    for (std::size_t i = 0; i + 2 < rank; ++i) {
        add(tr("dim %1").arg(i), tr("Index in dimension %1").arg(i), sizes[i] - 1, 1, [this, i](int value) { window_.lead[i] = value; });
    }
    if (rank >= 2) {
        add(tr("row"), tr("First row shown"), sizes[rank - 2] - window_.rows, static_cast<int>(window_.rows),
            [this](int value) { window_.row = value; });
    }
    if (rank >= 1) {
        add(tr("column"), tr("First column shown"), sizes[rank - 1] - 1, static_cast<int>(window_.columns),
            [this](int value) { window_.column = value; });
    }
    slices_->setVisible(!spins_.empty());
}

void WeightView::readAll() {
    const WeightRow& weight = table_->rows()[row_];
    read_->setEnabled(false);
    session_.jobs().start(
        this, readJob_, tr("Reading %1").arg(shown(elideMiddle(weight.name, 40))),
        [table = table_, row = row_](const CancelToken& cancel, const ProgressSink& progress) { return readWeight(*table, row, cancel, progress); },
        [this, row = row_](Result<WeightReading> reading) {
            read_->setEnabled(true);
            if (!table_ || row != row_) return;
            if (reading) {
                showReading(*reading);
            } else if (reading.error().kind != ErrorKind::Cancelled) {
                showError(reading.error());
            }
        });
}

void WeightView::readWindow() {
    if (!table_) return;
    valuesCard_->setVisible(!table_->rows()[row_].isSubclass && table_->rows()[row_].elements > 0);
    session_.jobs().start(
        this, windowJob_, tr("Reading values"),
        [table = table_, row = row_, window = window_](const CancelToken&, const ProgressSink&) { return table->window(row, window); },
        [this, row = row_, window = window_](Result<Tensor> part) {
            if (!table_ || row != row_) return;
            if (!part) {
                valuesCard_->hide();
                if (part.error().kind != ErrorKind::Cancelled) showError(part.error());
                return;
            }
            const std::vector<std::int64_t>& sizes = table_->rows()[row].layout.sizes;
            const std::size_t rank = sizes.size();
            grid_->setPart(*part, {window.lead, window.row, window.column, rank < 2 ? 1 : sizes[rank - 2], rank < 1 ? 1 : sizes[rank - 1]}, rank);
            nameSlice();
        });
}

void WeightView::nameSlice() {
    slice_->setFullText(grid_->sliceText());
    const QString more = grid_->moreText();
    more_->setFullText(more);
    more_->setVisible(!more.isEmpty());
}

void WeightView::showReading(const WeightReading& reading) {
    clearBox(statistics_);
    read_->hide();
    for (const WeightReading::Part& part : reading.parts) {
        const TensorStatistics& s = part.picture.statistics;
        if (!part.name.empty()) {
            auto* title = new TextLabel(
                shown(part.name) + QLatin1Char(' ') + QString::fromLatin1(dtypeName(part.dtype)) + QLatin1Char(' ') + toQt(formatShape(part.sizes)),
                TextSize::Body);
            title->setCode(true);
            title->setElided(true);
            statistics_->addWidget(title);
        }
        auto* list = new KeyValueList;
        list->setKeyWidth(48);
        const auto number = [&](double value) { return s.hasFinite ? axisNumber(value) : tr("none"); };
        list->add(tr("min"), number(s.minimum), true);
        list->add(tr("max"), number(s.maximum), true);
        list->add(tr("mean"), number(s.mean), true);
        list->add(tr("std"), number(s.standardDeviation), true);
        list->add(
            tr("zeros"),
            toQt(formatCount(s.zeros)) +
                (s.count > 0 ? QStringLiteral(" · ") + toQt(formatPercent(static_cast<double>(s.zeros) / static_cast<double>(s.count))) : QString()));
        list->add(tr("NaN"), toQt(formatCount(s.nan)), false, s.nan > 0 ? Role::Warning : Role::Text);
        list->add(tr("+Inf"), toQt(formatCount(s.positiveInfinity)), false, s.positiveInfinity > 0 ? Role::Warning : Role::Text);
        list->add(tr("−Inf"), toQt(formatCount(s.negativeInfinity)), false, s.negativeInfinity > 0 ? Role::Warning : Role::Text);
        statistics_->addWidget(list);
        if (const std::uint64_t odd = s.nan + s.positiveInfinity + s.negativeInfinity; odd > 0) {
            auto* chip = new Chip(tr("%1 not finite").arg(toQt(formatCount(odd))), stateIcon(State::Warning));
            chip->setState(State::Warning);
            chip->setAccessibleName(counted(odd, tr("value is not finite"), tr("values are not finite")));
            statistics_->addWidget(chip, 0, Qt::AlignLeft);
        }
    }
    const bool one = reading.parts.size() == 1 && reading.parts.front().picture.statistics.hasFinite;
    distributionCard_->setVisible(one);
    if (!one) return;
    const WeightPicture& picture = reading.parts.front().picture;
    HistogramPlot::Data data{picture.histogram.low, picture.histogram.high, picture.histogram.counts};
    // One value only has no interval; it is shown as one bar around it.
    if (!(data.high > data.low)) {
        data.counts = {picture.statistics.count - picture.statistics.nan - picture.statistics.positiveInfinity - picture.statistics.negativeInfinity};
        data.low -= 0.5;
        data.high += 0.5;
    }
    distributionCard_->setRightText(counted(picture.statistics.count, tr("value"), tr("values")) + QStringLiteral(", ") +
                                    counted(data.counts.size(), tr("bin"), tr("bins")));
    std::vector<HistogramPlot::Mark> marks;
    if (data.low < 0 && data.high > 0) marks.push_back({0, QStringLiteral("0")});
    plot_->setMarks(std::move(marks));
    plot_->setData(std::move(data));
}

void WeightView::showError(const Error& error) {
    clearBox(statistics_);
    statistics_->addWidget(new ErrorPanel(error));
}

void WeightView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    upper_->setDirection(width() < kSideBySide ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
}

}  // namespace pt2::views
