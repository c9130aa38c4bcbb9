#include "views/widgets/data_table.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <algorithm>
#include <functional>
#include <numeric>

#include "views/theme/drawn_parts.h"
#include "views/theme/fonts.h"
#include "views/theme/icons.h"
#include "views/theme/spacing.h"
#include "views/theme/theme.h"
#include "views/widgets/text.h"

namespace pt2::views {

namespace {
constexpr double kLeastShare = 0.55;  // of its declared width that a long text column keeps
constexpr int kMeasuredRows = 200;
}  // namespace

DataTable::DataTable(QWidget* parent) : QTreeView(parent), filter_(new RowFilter(this)), rowHeight_(Metrics::row) {
    setModel(filter_);
    setItemDelegate(new CellDelegate(this));
    setFrameShape(QFrame::NoFrame);
    setRootIsDecorated(false);
    setUniformRowHeights(true);
    setSelectionBehavior(SelectRows);
    setSelectionMode(ExtendedSelection);
    setEditTriggers(NoEditTriggers);
    setAllColumnsShowFocus(true);
    setVerticalScrollMode(ScrollPerPixel);
    setHorizontalScrollMode(ScrollPerPixel);
    setExpandsOnDoubleClick(false);
    setIndentation(0);
    header()->setHighlightSections(false);
    header()->setSectionsMovable(false);
    header()->setStretchLastSection(false);
    header()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    header()->setSortIndicatorClearable(true);
    header()->setMinimumSectionSize(40);
    header()->setResizeContentsPrecision(kMeasuredRows);
    setSortingEnabled(true);
    header()->setSortIndicator(-1, Qt::AscendingOrder);
    connect(filter_, &QAbstractItemModel::modelReset, this, &DataTable::openAsModelSays);
    connect(filter_, &QAbstractItemModel::rowsInserted, this, &DataTable::refit);
    connect(filter_, &QAbstractItemModel::rowsRemoved, this, &DataTable::refit);
    connect(header(), &QHeaderView::sectionResized, this,
            [this] { userSized_ = userSized_ || (QApplication::mouseButtons() & Qt::LeftButton && header()->underMouse()); });
    connect(this, &QTreeView::expanded, this, &DataTable::refit);
    connect(this, &QTreeView::collapsed, this, &DataTable::refit);
    connect(this, &QTreeView::activated, this, [this](const QModelIndex& index) {
        const QString address = index.siblingAtColumn(0).data(AddressRole).toString();
        if (!address.isEmpty()) emit rowActivated(address);
    });
    restyle();
}

void DataTable::setSource(QAbstractItemModel* model, const std::vector<Column>& columns) {
    columns_ = columns;
    if (const auto* rows = qobject_cast<RowModel*>(model); rows && columns.empty()) columns_ = rows->columns();
    filter_->setSourceModel(model);
    layoutColumns();
    openAsModelSays();
}

void DataTable::setGround(Role role) {
    ground_ = role;
    restyle();
}

void DataTable::setFitToRows(bool fit) {
    fit_ = fit;
    setVerticalScrollBarPolicy(fit ? Qt::ScrollBarAlwaysOff : Qt::ScrollBarAsNeeded);
    setHorizontalScrollBarPolicy(fit ? Qt::ScrollBarAlwaysOff : Qt::ScrollBarAsNeeded);
    setSizePolicy(QSizePolicy::Expanding, fit ? QSizePolicy::Fixed : QSizePolicy::Expanding);
    refit();
}

void DataTable::setRowHeight(int height) {
    rowHeight_ = height;
    doItemsLayout();
}

void DataTable::setIndented(bool indented) {
    setIndentation(indented ? Spacing::l : 0);
    setRootIsDecorated(indented);
}

void DataTable::setSelectableRows(bool selectable) {
    setSelectionMode(selectable ? ExtendedSelection : NoSelection);
    if (!selectable) setFocusPolicy(Qt::NoFocus);
}

QString DataTable::currentAddress() const { return currentIndex().siblingAtColumn(0).data(AddressRole).toString(); }

bool DataTable::selectAddress(const QString& address) {
    const auto* rows = qobject_cast<RowModel*>(filter_->sourceModel());
    if (!rows) return false;
    const QModelIndex found = filter_->mapFromSource(rows->indexOfAddress(address));
    if (!found.isValid()) return false;
    for (QModelIndex up = found.parent(); up.isValid(); up = up.parent()) expand(up);
    setCurrentIndex(found);
    scrollTo(found);
    return true;
}

QSize DataTable::sizeHint() const {
    if (!fit_) return QTreeView::sizeHint();
    int height = (header()->isHidden() ? 0 : header()->sizeHint().height()) + (overflows_ ? horizontalScrollBar()->sizeHint().height() : 0);
    for (QModelIndex at = model()->index(0, 0); at.isValid(); at = indexBelow(at)) height += rowHeight_;
    return {320, height};
}

QSize DataTable::minimumSizeHint() const { return fit_ ? QSize(200, sizeHint().height()) : QTreeView::minimumSizeHint(); }

void DataTable::layoutColumns() {
    for (int i = 0; i < header()->count() && i < static_cast<int>(columns_.size()); ++i) {
        const Column& column = columns_[static_cast<std::size_t>(i)];
        header()->setSectionResizeMode(i, column.stretch ? QHeaderView::Stretch : QHeaderView::Interactive);
        if (!column.stretch) header()->resizeSection(i, static_cast<int>(column.width * fontScale()));
    }
    header()->setSortIndicator(-1, Qt::AscendingOrder);
}

void DataTable::openAsModelSays() {
    const auto* rows = qobject_cast<RowModel*>(filter_->sourceModel());
    std::vector<QModelIndex> todo;
    for (int i = 0; i < filter_->rowCount(); ++i) todo.push_back(filter_->index(i, 0));
    while (!todo.empty()) {
        const QModelIndex index = todo.back();
        todo.pop_back();
        const Row* row = rows ? rows->row(filter_->mapToSource(index)) : nullptr;
        if (row && row->group) setFirstColumnSpanned(index.row(), index.parent(), true);
        const int children = row ? filter_->rowCount(index) : 0;
        if (children > 0 && row->open) setExpanded(index, true);
        for (int i = 0; i < children; ++i) todo.push_back(filter_->index(i, 0, index));
    }
    refit();
    fitColumns();
}

void DataTable::refit() {
    if (!fit_) return;
    updateGeometry();
}

void DataTable::restyle() {
    restyling_ = true;
    QPalette p = palette();
    p.setColor(QPalette::Base, color(ground_));
    p.setColor(QPalette::Window, color(ground_));
    setPalette(p);
    header()->setProperty("ground", static_cast<int>(ground_ == Role::Base ? Role::Window : ground_));
    restyling_ = false;
}

void DataTable::changeEvent(QEvent* event) {
    QTreeView::changeEvent(event);
    if (!restyling_ && event->type() == QEvent::PaletteChange) restyle();
}

void DataTable::resizeEvent(QResizeEvent* event) {
    QTreeView::resizeEvent(event);
    fitColumns();
}

/// What a column's texts on show want, at most twice what it was given: a single long text does not rule a table.
int DataTable::contentWidth(std::size_t column) const {
    const int declared = static_cast<int>(columns_[column].width * fontScale());
    return std::max(headerWidth(column), std::min(sizeHintForColumn(static_cast<int>(column)), 2 * declared));
}

std::vector<int> DataTable::shareWidth(const std::vector<int>& wanted, const std::vector<int>& least, int room) {
    const auto cut = [&](int level) {
        std::vector<int> widths;
        for (std::size_t i = 0; i < wanted.size(); ++i) widths.push_back(std::min(wanted[i], std::max(level, least[i])));
        return widths;
    };
    const auto sum = [](const std::vector<int>& widths) { return std::accumulate(widths.begin(), widths.end(), 0); };
    int low = 0, high = wanted.empty() ? 0 : *std::max_element(wanted.begin(), wanted.end());
    while (low < high) {
        const int level = (low + high + 1) / 2;
        if (sum(cut(level)) <= room) {
            low = level;
        } else {
            high = level - 1;
        }
    }
    return cut(low);
}

/// With room, a column is as wide as declared, or as its texts want. Where there is less, long texts give way; a short one and a number are never
/// cut. What still does not fit is scrolled.
void DataTable::fitColumns() {
    if (columns_.empty() || userSized_ || header()->count() < static_cast<int>(columns_.size())) return;
    std::vector<int> roomy, content, least;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        const int declared = static_cast<int>(columns_[i].width * fontScale());
        if (columns_[i].right) {
            const int number = sizeHintForColumn(static_cast<int>(i)) + (i + 1 == columns_.size() ? 0 : Spacing::xs);
            content.push_back(std::max(std::min(declared, number), headerWidth(i)));
            least.push_back(content.back());
            roomy.push_back(declared);
        } else {
            content.push_back(contentWidth(i));
            least.push_back(std::min(content.back(), std::max(headerWidth(i), static_cast<int>(declared * kLeastShare))));
            roomy.push_back(std::max(declared, content.back()));
        }
    }
    const int room = viewport()->width();
    std::vector<int> widths = roomy;
    if (std::accumulate(roomy.begin(), roomy.end(), 0) > room) {
        std::vector<int> wanted = content;
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            if (columns_[i].yields) wanted[i] = least[i];
        }
        widths = shareWidth(wanted, least, room);
        for (std::size_t i = 0; i < widths.size(); ++i) {
            const int left = room - std::accumulate(widths.begin(), widths.end(), 0);
            if (columns_[i].yields && left > 0) widths[i] = std::min(content[i], widths[i] + left);
        }
        const auto texts = static_cast<int>(std::count_if(columns_.begin(), columns_.end(), [](const Column& column) { return !column.right; }));
        const int spare = room - std::accumulate(widths.begin(), widths.end(), 0);
        for (std::size_t i = 0; i < widths.size() && spare > 0; ++i) {
            if (!columns_[i].right) widths[i] += spare / texts;
        }
    }
    int total = 0;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        const int section = static_cast<int>(i);
        total += widths[i];
        header()->setSectionResizeMode(section, QHeaderView::Interactive);
        header()->resizeSection(section, widths[i]);
    }
    const bool overflows = total > room;
    for (std::size_t i = 0; i < columns_.size() && !overflows; ++i) {
        if (columns_[i].stretch) header()->setSectionResizeMode(static_cast<int>(i), QHeaderView::Stretch);
    }
    if (fit_ && overflows != overflows_) {
        setHorizontalScrollBarPolicy(overflows ? Qt::ScrollBarAlwaysOn : Qt::ScrollBarAlwaysOff);
        overflows_ = overflows;
        refit();
    }
}

int DataTable::headerWidth(std::size_t column) const {
    QFont font = uiFont(TextSize::Caption);
    font.setWeight(QFont::DemiBold);
    return QFontMetrics(font).horizontalAdvance(columns_[column].title) + 2 * Spacing::s + (column + 1 == columns_.size() ? Spacing::s : 0) + 4;
}

void DataTable::currentChanged(const QModelIndex& current, const QModelIndex& previous) {
    QTreeView::currentChanged(current, previous);
    const QString address = current.siblingAtColumn(0).data(AddressRole).toString();
    if (!address.isEmpty()) emit rowSelected(address);
}

void DataTable::mouseReleaseEvent(QMouseEvent* event) {
    const QModelIndex index = indexAt(event->position().toPoint());
    QTreeView::mouseReleaseEvent(event);
    if (!index.isValid() || event->button() != Qt::LeftButton) return;
    const QModelIndex first = index.siblingAtColumn(0);
    if (first.data(GroupRole).toBool() && indentation() == 0) {
        setExpanded(first, !isExpanded(first));
    } else if (index.data(LinkRole).toBool()) {
        emit rowActivated(first.data(AddressRole).toString());
    }
}

void DataTable::keyPressEvent(QKeyEvent* event) {
    if (event->matches(QKeySequence::Copy)) {
        QStringList lines;
        QStringList head;
        for (int i = 0; i < filter_->columnCount(); ++i) head << filter_->headerData(i, Qt::Horizontal).toString();
        lines << head.join(u'\t');
        QModelIndexList chosen = selectionModel()->selectedRows();
        for (const QModelIndex& index : chosen) {
            QStringList cells;
            for (int i = 0; i < filter_->columnCount(); ++i) cells << index.siblingAtColumn(i).data().toString();
            lines << cells.join(u'\t');
        }
        QApplication::clipboard()->setText(lines.join(u'\n'));
        return;
    }
    QTreeView::keyPressEvent(event);
}

void DataTable::drawRow(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const bool group = index.siblingAtColumn(0).data(GroupRole).toBool();
    if (group) painter->fillRect(option.rect, color(Role::GroupRow));
    QTreeView::drawRow(painter, option, index);
    const QColor line = color(Role::Border);
    painter->fillRect(QRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1), line);
    if (selectionModel()->isRowSelected(index.row(), index.parent())) {
        painter->fillRect(QRect(option.rect.left(), option.rect.top(), Metrics::accentBar, option.rect.height()), color(Role::Accent));
    }
}

void DataTable::drawBranches(QPainter* painter, const QRect& rect, const QModelIndex& index) const {
    if (indentation() == 0) return;
    if (selectionModel()->isRowSelected(index.row(), index.parent())) painter->fillRect(rect, color(Role::Selection));
    if (!model()->hasChildren(index)) return;
    const QRectF mark(rect.right() - 15.0, rect.center().y() - 7.0, 16, 16);
    paintIcon(*painter, mark, isExpanded(index) ? QStringLiteral("chevron-down") : QStringLiteral("chevron-right"), Role::Muted);
}

CellDelegate::CellDelegate(DataTable* table) : QStyledItemDelegate(table), table_(table) {}

QSize CellDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    Q_UNUSED(option)
    const bool code = index.data(CodeRole).toBool();
    const QFontMetrics metrics(code ? codeFont() : uiFont());
    int width = 2 * Spacing::s + (index.data(IconNameRole).toString().isEmpty() ? 0 : 16 + 6);
    const int text = index.data(SymbolsRole).toBool() ? symbolTextWidth(index.data().toString(), code ? codeFont() : uiFont())
                                                      : metrics.horizontalAdvance(index.data().toString());
    const QString second = index.data(SecondRole).toString();
    const QFontMetrics small(index.data(SecondCodeRole).toBool() ? codeFont(TextSize::Caption) : uiFont(TextSize::Caption));
    const bool below = table_->rowHeight() >= 2 * small.height() + 12;
    const int other = second.isEmpty() ? 0 : small.horizontalAdvance(second) + (below ? 0 : Spacing::s);
    width += below ? std::max(text, other) : text + other;
    if (index.column() == 0 && table_->indentation() == 0) width += index.parent().isValid() ? Spacing::xl : Spacing::s;
    if (index.column() > 0 && index.column() + 1 == table_->model()->columnCount()) width += Spacing::s;
    return {width + 2, std::max(table_->rowHeight(), metrics.height() + Spacing::s)};
}

void CellDelegate::paint(QPainter* painter, const QStyleOptionViewItem& given, const QModelIndex& index) const {
    QStyleOptionViewItem option = given;
    const bool selected = option.state & QStyle::State_Selected;
    table_->style()->drawPrimitive(QStyle::PE_PanelItemViewItem, &option, painter, table_);
    const bool group = index.data(GroupRole).toBool();
    const QVariant share = index.data(ShareRole);
    QRect rect = option.rect.adjusted(Spacing::s, 0, -Spacing::s, -1);
    if (index.column() == 0 && table_->indentation() == 0) rect.setLeft(option.rect.left() + (group ? Spacing::m : Spacing::l));
    if (index.column() == 0 && index.parent().isValid() && table_->indentation() == 0) rect.setLeft(option.rect.left() + Spacing::l + Spacing::l);
    if (index.column() == 0 && index.parent().parent().isValid() && table_->indentation() == 0) rect.setLeft(rect.left() + Spacing::l);
    if (index.column() > 0 && index.column() + 1 == table_->model()->columnCount()) rect.adjust(0, 0, -Spacing::s, 0);  // as far in as the first
    if (index.column() == 0 && table_->indentation() > 0) rect.setLeft(option.rect.left() + Spacing::xs);
    painter->save();
    if (share.isValid() && share.toDouble() > 0 && !selected) {
        const int full = rect.width();
        QRect bar = rect.adjusted(0, 4, 0, -4);
        bar.setLeft(rect.right() - static_cast<int>(full * std::clamp(share.toDouble(), 0.0, 1.0)));
        drawPanel(*painter, QRectF(bar), 2, color(Role::Selection), QColor(), 0);
    }
    if (group && table_->indentation() == 0 && table_->model()->hasChildren(index)) {
        paintIcon(*painter, QRectF(rect.left(), rect.center().y() - 7, 16, 16),
                  table_->isExpanded(index) ? QStringLiteral("chevron-down") : QStringLiteral("chevron-right"), Role::Muted);
        rect.adjust(16 + Spacing::xs, 0, 0, 0);
    }
    const QString iconName = index.data(IconNameRole).toString();
    const QVariant iconColour = index.data(IconColourRole);
    if (!iconName.isEmpty()) {
        paintIcon(*painter, QRectF(rect.left(), rect.center().y() - 7, 16, 16), iconName,
                  iconColour.isValid() ? static_cast<Role>(iconColour.toInt()) : Role::Muted);
        rect.adjust(16 + 6, 0, 0, 0);
    }
    const bool code = index.data(CodeRole).toBool();
    QFont font = code ? codeFont() : uiFont(group || index.data(StrongRole).toBool() ? TextSize::Strong : TextSize::Body);
    if (code && index.data(StrongRole).toBool()) font.setWeight(QFont::DemiBold);
    font.setItalic(index.data(ItalicRole).toBool());
    const QVariant textColour = index.data(TextColourRole);
    Role role = textColour.isValid() ? static_cast<Role>(textColour.toInt()) : Role::Text;
    if (index.data(LinkRole).toBool()) role = Role::Link;
    if (selected && (role == Role::Text || role == Role::Link)) role = Role::SelectionText;
    painter->setPen(color(role));
    const QVariant aligned = index.data(Qt::TextAlignmentRole);
    const bool right = aligned.isValid() && (static_cast<Qt::Alignment>(aligned.toInt()) & Qt::AlignRight);
    const QString text = index.data().toString();
    const QString second = index.data(SecondRole).toString();
    const QFont small = index.data(SecondCodeRole).toBool() ? codeFont(TextSize::Caption) : uiFont(TextSize::Caption);
    if (index.data(WrapRole).toBool() && option.rect.height() >= 2 * QFontMetrics(font).height() + 4) {
        painter->setFont(font);
        const QFontMetrics metrics(font);
        // Two lines at most; what does not fit is cut at the end of the second.
        const QRect lines = metrics.boundingRect(rect, Qt::TextWordWrap, text);
        const int room = 2 * metrics.height();
        painter->drawText(lines.height() > room ? QRect(rect.left(), rect.center().y() - metrics.height(), rect.width(), room) : rect,
                          static_cast<int>(lines.height() > room ? Qt::AlignTop : Qt::AlignVCenter) | Qt::TextWordWrap, text);
        painter->restore();
        return;
    }
    if (!second.isEmpty() && option.rect.height() >= 2 * QFontMetrics(small).height() + 12) {
        const int half = rect.height() / 2;
        painter->setFont(font);
        const Qt::Alignment side = Qt::AlignVCenter | (right ? Qt::AlignRight : Qt::AlignLeft);
        painter->drawText(QRect(rect.left(), rect.top() + 4, rect.width(), half), static_cast<int>(side) | Qt::TextSingleLine,
                          QFontMetrics(font).elidedText(text, Qt::ElideRight, rect.width()));
        painter->setPen(color(selected ? Role::SelectionText : Role::Muted));
        painter->setFont(small);
        painter->drawText(QRect(rect.left(), rect.top() + half, rect.width(), half - 4), static_cast<int>(side) | Qt::TextSingleLine,
                          QFontMetrics(small).elidedText(second, Qt::ElideMiddle, rect.width()));
        painter->restore();
        return;
    }
    int used = 0;
    if (index.data(SymbolsRole).toBool()) {
        used = drawSymbolText(*painter, rect, text, font, right ? Qt::AlignRight : Qt::AlignLeft);
    } else {
        painter->setFont(font);
        const QFontMetrics metrics(font);
        const QString cut = metrics.elidedText(text,
                                               index.data(CutLeftRole).toBool() ? Qt::ElideLeft
                                               : code                           ? Qt::ElideMiddle
                                                                                : Qt::ElideRight,
                                               rect.width());
        painter->drawText(rect, static_cast<int>(Qt::AlignVCenter | (right ? Qt::AlignRight : Qt::AlignLeft)) | Qt::TextSingleLine, cut);
        used = metrics.horizontalAdvance(cut);
    }
    if (!second.isEmpty() && !right) {
        const QRect rest = rect.adjusted(used + Spacing::s, 0, 0, 0);
        if (rest.width() > Spacing::l) {
            painter->setFont(small);
            painter->setPen(color(selected ? Role::SelectionText : Role::Muted));
            painter->drawText(rest, Qt::AlignVCenter | Qt::TextSingleLine, QFontMetrics(small).elidedText(second, Qt::ElideRight, rest.width()));
        }
    }
    painter->restore();
}

}  // namespace pt2::views
