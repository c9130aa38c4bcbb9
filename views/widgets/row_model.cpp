#include <algorithm>

#include "views/widgets/data_table.h"
#include "views/widgets/icon_label.h"

namespace pt2::views {

Cell Cell::fixed(const QString& t, Role colour) {
    Cell cell(t);
    cell.code = true;
    cell.colour = colour;
    return cell;
}

Cell Cell::fqn(const QString& t) {
    Cell cell = fixed(t);
    cell.cutLeft = true;
    return cell;
}

Cell Cell::shape(const QString& t) {
    Cell cell = fixed(t);
    cell.symbols = true;
    return cell;
}

Cell Cell::muted(const QString& t) {
    Cell cell(t);
    cell.colour = Role::Muted;
    return cell;
}

Cell Cell::number(const QString& t, double value) {
    Cell cell = fixed(t);
    cell.sort = value;
    return cell;
}

Cell Cell::missing(const QString& t) {
    Cell cell = muted(t);
    cell.italic = true;
    return cell;
}

namespace {

/// What the eye gets of a cell besides its text: the state that its icon shows, and what a pointer over it says.
QString describe(const Cell& cell) {
    QStringList parts;
    for (const QString& part : {stateWords(cell.icon), cell.tooltip}) {
        if (!part.isEmpty() && part != cell.text) parts << part;
    }
    return parts.join(QLatin1Char('\n'));
}

}  // namespace

RowModel::RowModel(std::vector<Column> columns, QObject* parent) : QAbstractItemModel(parent), columns_(std::move(columns)) {}

void RowModel::setRows(std::vector<Row> rows) {
    beginResetModel();
    rows_ = std::move(rows);
    items_.clear();
    // Breadth first, so that the children of one row are consecutive.
    const auto append = [this](std::vector<Row>& list, std::uint32_t parent) {
        for (std::uint32_t i = 0; i < list.size(); ++i) items_.push_back({&list[i], parent, i, 0});
    };
    append(rows_, 0);
    for (std::size_t at = 0; at < items_.size(); ++at) {
        items_[at].firstChild = static_cast<std::uint32_t>(items_.size());
        append(items_[at].row->children, static_cast<std::uint32_t>(at) + 1);
    }
    endResetModel();
}

const Row* RowModel::row(const QModelIndex& index) const {
    if (!index.isValid() || index.internalId() >= items_.size()) return nullptr;
    return items_[index.internalId()].row;
}

QModelIndex RowModel::indexOfAddress(const QString& address) const {
    for (std::size_t i = 0; i < items_.size(); ++i) {
        if (items_[i].row->address == address && !address.isEmpty()) return createIndex(static_cast<int>(items_[i].place), 0, i);
    }
    return {};
}

QModelIndex RowModel::index(int row, int column, const QModelIndex& parent) const {
    if (!hasIndex(row, column, parent)) return {};
    const std::size_t first = parent.isValid() ? items_[parent.internalId()].firstChild : 0;
    return createIndex(row, column, first + static_cast<std::size_t>(row));
}

QModelIndex RowModel::parent(const QModelIndex& child) const {
    if (!child.isValid() || child.internalId() >= items_.size()) return {};
    const std::uint32_t up = items_[child.internalId()].parent;
    return up == 0 ? QModelIndex() : createIndex(static_cast<int>(items_[up - 1].place), 0, up - 1);
}

int RowModel::rowCount(const QModelIndex& parent) const {
    if (!parent.isValid()) return static_cast<int>(rows_.size());
    if (parent.column() > 0) return 0;
    const Row* item = row(parent);
    return item ? static_cast<int>(item->children.size()) : 0;
}

int RowModel::columnCount(const QModelIndex&) const { return static_cast<int>(columns_.size()); }

QVariant RowModel::data(const QModelIndex& index, int role) const {
    const Row* item = row(index);
    if (!item) return {};
    if (role == AddressRole) return item->address;
    if (role == GroupRole) return item->group;
    const std::size_t column = static_cast<std::size_t>(index.column());
    if (role == Qt::TextAlignmentRole) {
        return static_cast<int>(Qt::AlignVCenter | (column < columns_.size() && columns_[column].right ? Qt::AlignRight : Qt::AlignLeft));
    }
    if (column >= item->cells.size()) return {};
    const Cell& cell = item->cells[column];
    switch (role) {
        case Qt::DisplayRole: return cell.text;
        case Qt::ToolTipRole: return cell.tooltip.isEmpty() ? QVariant() : QVariant(cell.tooltip);
        case Qt::AccessibleTextRole: return cell.second.isEmpty() ? cell.text : cell.text + QStringLiteral(", ") + cell.second;
        case Qt::AccessibleDescriptionRole: return describe(cell);
        case SecondRole: return cell.second;
        case IconNameRole: return cell.icon;
        case IconColourRole: return static_cast<int>(cell.iconColour);
        case TextColourRole: return static_cast<int>(cell.colour);
        case CodeRole: return cell.code;
        case SymbolsRole: return cell.symbols;
        case LinkRole: return cell.link;
        case StrongRole: return cell.strong;
        case ItalicRole: return cell.italic;
        case SecondCodeRole: return cell.secondCode;
        case WrapRole: return cell.wrap;
        case CutLeftRole: return cell.cutLeft;
        case SortRole: return cell.sort.isValid() ? cell.sort : QVariant(cell.text);
        case ShareRole: return cell.share >= 0 ? QVariant(cell.share) : QVariant();
        default: return {};
    }
}

QVariant RowModel::headerData(int section, Qt::Orientation orientation, int role) const {
    const std::size_t column = static_cast<std::size_t>(section);
    if (orientation != Qt::Horizontal || section < 0 || column >= columns_.size()) return {};
    if (role == Qt::DisplayRole) return columns_[column].title;
    if ((role == Qt::ToolTipRole || role == Qt::AccessibleDescriptionRole) && !columns_[column].tooltip.isEmpty()) return columns_[column].tooltip;
    if (role == Qt::TextAlignmentRole) return static_cast<int>(Qt::AlignVCenter | (columns_[column].right ? Qt::AlignRight : Qt::AlignLeft));
    return {};
}

RowFilter::RowFilter(QObject* parent) : QSortFilterProxyModel(parent) {
    setRecursiveFilteringEnabled(true);
    setAutoAcceptChildRows(false);
    setSortRole(SortRole);
    setDynamicSortFilter(true);
}

void RowFilter::setText(const QString& text) {
    text_ = text;
    words_ = text.split(u' ', Qt::SkipEmptyParts);
    invalidateFilter();
}

bool RowFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
    if (words_.isEmpty()) return true;
    const QModelIndex first = sourceModel()->index(row, 0, parent);
    if (first.data(GroupRole).toBool()) return false;  // kept by its children
    QString all;
    for (int i = 0; i < sourceModel()->columnCount(parent); ++i) {
        const QModelIndex cell = first.siblingAtColumn(i);
        all += cell.data().toString() + u'\n' + cell.data(SecondRole).toString() + u'\n';
    }
    return std::all_of(words_.begin(), words_.end(), [&all](const QString& word) { return all.contains(word, Qt::CaseInsensitive); });
}

bool RowFilter::lessThan(const QModelIndex& left, const QModelIndex& right) const {
    const QVariant a = left.data(SortRole), b = right.data(SortRole);
    if (a.typeId() == QMetaType::QString || b.typeId() == QMetaType::QString)
        return QString::compare(a.toString(), b.toString(), Qt::CaseInsensitive) < 0;
    return a.toDouble() < b.toDouble();
}

}  // namespace pt2::views
