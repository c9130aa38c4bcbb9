#include "views/weights/weight_rows.h"

#include <QObject>
#include <QStringList>
#include <algorithm>
#include <string>
#include <utility>

#include "core/base/text.h"
#include "views/theme/theme.h"
#include "views/widgets/text.h"

namespace pt2::views {

namespace {

constexpr qsizetype kSharersNamed = 2;

State carriageState(Carriage carriage) {
    switch (carriage) {
        case Carriage::Same: return State::Ok;
        case Carriage::Different: return State::Error;
        case Carriage::Absent: return State::Warning;
        case Carriage::BakedIn: return State::Info;
        case Carriage::Unknown: return State::Unknown;
    }
    return State::Unknown;
}

/// Short where room is: the names then differ by more than their ends.
QString carriageWords(Carriage carriage, bool narrow) {
    switch (carriage) {
        case Carriage::Same: return narrow ? QObject::tr("same") : QObject::tr("same bytes");
        case Carriage::Different: return narrow ? QObject::tr("differs") : QObject::tr("different");
        case Carriage::Absent: return QObject::tr("absent");
        case Carriage::BakedIn: return QObject::tr("baked in");
        case Carriage::Unknown: return QObject::tr("unknown");
    }
    return {};
}

/// Where room is short and a compiled model stands beside, odd values are marked at the name.
bool hasOddColumn(WeightForm form) { return !form.narrow || !form.compiled; }

Cell oddCell(const std::optional<TensorStatistics>& statistics) {
    if (!statistics) return Cell::missing(QStringLiteral("—"));
    const std::uint64_t odd = statistics->nan + statistics->positiveInfinity + statistics->negativeInfinity;
    Cell cell = odd > 0 ? Cell(oddValuesText(*statistics)) : Cell::muted(oddValuesText(*statistics));
    cell.sort = static_cast<double>(odd);
    if (odd > 0) {
        cell.icon = stateIcon(State::Warning);
        cell.iconColour = stateRole(State::Warning);
        cell.tooltip = QObject::tr("This weight holds values that are no finite numbers.");
    }
    return cell;
}

}  // namespace

Result<WeightScan> scanWeights(const WeightTable& table, const Document& document, const CancelToken& cancel, const ProgressSink& progress) {
    WeightScan scan;
    scan.statistics.resize(table.rows().size());
    std::uint64_t done = 0;
    for (std::size_t i = 0; i < table.rows().size(); ++i) {
        if (cancel.requested()) return cancelled();
        const WeightRow& row = table.rows()[i];
        if (row.isSubclass || !row.problem.empty()) continue;
        const ProgressSink shifted = [&](const Progress& at) {
            report(progress, {"reading weights", done + at.done, table.totals().bytes, Progress::Unit::Bytes, {}});
        };
        auto picture = pictureOf(table, i, 0, cancel, shifted);
        if (!picture && picture.error().kind == ErrorKind::Cancelled) return fail(picture.error());
        if (picture) scan.statistics[i] = picture->statistics;
        done += row.bytes;
    }
    auto carried = compareWithCompiled(table, document, true, cancel, progress);
    if (!carried) return fail(carried.error());
    scan.carried = std::move(*carried);
    return scan;
}

QString weightAddress(const WeightRow& row) { return toQt("weights/" + row.name); }

QString sharingText(const WeightTable& table, std::size_t row) {
    QStringList tied, views;
    for (const SharedWith& other : table.sharing(row)) (other.tied ? tied : views) << shown(table.rows()[other.row].name);
    const auto some = [](const QStringList& names) {
        if (names.size() <= kSharersNamed) return names.join(QStringLiteral(", "));
        return QObject::tr("%1 and %2 more").arg(names.front()).arg(names.size() - 1);
    };
    QStringList parts;
    if (!tied.isEmpty()) parts << QObject::tr("tied with %1").arg(some(tied));
    if (!views.isEmpty()) parts << QObject::tr("shares storage with %1").arg(some(views));
    return parts.join(QStringLiteral("; "));
}

QString oddValuesText(const TensorStatistics& s) {
    QStringList parts;
    if (s.nan > 0) parts << QObject::tr("%1 NaN").arg(toQt(formatCount(s.nan)));
    if (const std::uint64_t infinite = s.positiveInfinity + s.negativeInfinity; infinite > 0)
        parts << QObject::tr("%1 Inf").arg(toQt(formatCount(infinite)));
    return parts.isEmpty() ? QObject::tr("none") : parts.join(QStringLiteral(", "));
}

QString carriageIcon(Carriage carriage) { return carriage == Carriage::BakedIn ? QStringLiteral("code") : stateIcon(carriageState(carriage)); }
Role carriageRole(Carriage carriage) { return carriage == Carriage::Unknown ? Role::Muted : stateRole(carriageState(carriage)); }

QString totalsText(const WeightTable& table) {
    const WeightTotals& totals = table.totals();
    QString text = counted(totals.weights, QObject::tr("weight"), QObject::tr("weights")) + QStringLiteral(", ") +
                   toQt(formatBytes(totals.storages > 0 ? totals.storedBytes : totals.bytes));
    bool shared = false;
    for (std::size_t i = 0; i < table.rows().size() && !shared; ++i) shared = !table.sharing(i).empty();
    if (shared) text += QObject::tr(" in %1").arg(counted(totals.storages, QObject::tr("storage"), QObject::tr("storages")));
    return text;
}

std::vector<Column> weightColumns(WeightForm form) {
    std::vector<Column> columns{{QObject::tr("Name"), 260, false, true, {}}};
    if (form.narrow) {
        columns.push_back({QObject::tr("Tensor"), 100, false, false, {}});
    } else {
        columns.push_back({QObject::tr("Kind"), 92, false, false, {}, true});
        columns.push_back({QObject::tr("Type"), 72, false, false, {}});
        columns.push_back({QObject::tr("Shape"), 84, false, false, {}});
    }
    columns.push_back({QObject::tr("Size"), form.narrow ? 84 : 96, true, false, {}});
    if (hasOddColumn(form)) columns.push_back({QObject::tr("NaN, Inf"), 72, false, false, QObject::tr("Values that are no finite numbers")});
    if (!form.narrow) columns.push_back({QObject::tr("Sharing"), 110, false, false, {}, true});
    if (form.compiled)
        columns.push_back({QObject::tr("Compiled"), form.narrow ? 80 : 112, false, false, QObject::tr("How the compiled model carries the weight")});
    return columns;
}

std::vector<Row> weightRows(const WeightTable& table, const WeightScan& scan, WeightForm form) {
    std::vector<Row> rows;
    rows.reserve(table.rows().size());
    std::uint64_t largest = 1;
    for (const WeightRow& weight : table.rows()) largest = std::max(largest, weight.bytes);
    for (std::size_t i = 0; i < table.rows().size(); ++i) {
        const WeightRow& weight = table.rows()[i];
        const bool tensor = weight.layout.dtype != DType::Unknown;
        Row row;
        row.address = weightAddress(weight);
        Cell name = Cell::fqn(shown(weight.name));
        name.tooltip = shown(weight.name);
        if (!weight.problem.empty() && weight.kind != WeightKind::Object) {
            name.icon = stateIcon(State::Warning);
            name.iconColour = stateRole(State::Warning);
            name.tooltip += QLatin1Char('\n') + toQt(weight.problem);
        }
        Cell kind = Cell::muted(QString::fromLatin1(weightKindName(weight.kind)));
        if (!weight.used) kind.second = QObject::tr("unused");
        if (!weight.place.empty()) {
            kind.tooltip = QObject::tr("Its values: %1").arg(toQt(weight.place));
            name.tooltip += QLatin1Char('\n') + kind.tooltip;
        }
        Cell type = tensor ? Cell::fixed(QString::fromLatin1(dtypeName(weight.layout.dtype))) : Cell::missing(QObject::tr("object"));
        if (weight.isSubclass) type.tooltip = QObject::tr("A tensor subclass, made of several tensors");
        Cell shape = tensor ? Cell::fixed(toQt(formatShape(weight.layout.sizes))) : Cell::muted(QStringLiteral("—"));
        shape.sort = static_cast<double>(weight.elements);
        if (tensor && !weight.layout.isContiguous()) shape.tooltip = QObject::tr("Strides %1").arg(toQt(formatShape(weight.layout.strides)));
        Cell size = tensor ? Cell::number(toQt(formatBytes(weight.bytes)), static_cast<double>(weight.bytes)) : Cell::muted(QStringLiteral("—"));
        size.tooltip = QObject::tr("%1 elements, %2 bytes").arg(toQt(formatCount(weight.elements)), toQt(formatCount(weight.bytes)));
        size.share = tensor ? static_cast<double>(weight.bytes) / static_cast<double>(largest) : -1;
        Cell shared = Cell::muted(sharingText(table, i));
        shared.tooltip = shared.text;
        const Cell odd = oddCell(i < scan.statistics.size() ? scan.statistics[i] : std::nullopt);
        if (!hasOddColumn(form) && !odd.icon.isEmpty()) {
            name.icon = odd.icon;
            name.iconColour = odd.iconColour;
            name.tooltip += QLatin1Char('\n') + odd.text + QLatin1Char('\n') + odd.tooltip;
        }
        if (form.narrow) {
            Cell both = tensor ? Cell::fixed(QString::fromLatin1(dtypeShortName(weight.layout.dtype)) + QLatin1Char(' ') + shape.text) : type;
            both.sort = shape.sort;
            both.tooltip = tensor ? toQt(tensorTypeText(weight.layout)) : QString();
            row.cells = {name, both, size};
            if (hasOddColumn(form)) row.cells.push_back(odd);
        } else {
            row.cells = {name, kind, type, shape, size, odd, shared};
        }
        if (form.compiled) {
            Cell carried = Cell::missing(QStringLiteral("—"));
            if (i < scan.carried.size()) {
                carried = Cell(carriageWords(scan.carried[i].as, form.narrow));
                carried.icon = carriageIcon(scan.carried[i].as);
                carried.iconColour = carriageRole(scan.carried[i].as);
                carried.tooltip = toQt(scan.carried[i].why);
                if (const std::string& place = scan.carried[i].place; !place.empty())
                    carried.tooltip = QObject::tr("Its values: %1").arg(toQt(place)) + QLatin1Char('\n') + carried.tooltip;
            }
            row.cells.push_back(carried);
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace pt2::views
