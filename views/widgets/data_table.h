#pragma once

#include <QAbstractItemModel>
#include <QSortFilterProxyModel>
#include <QStyledItemDelegate>
#include <QTreeView>
#include <memory>
#include <vector>

#include "views/theme/roles.h"

namespace pt2::views {

/// What a model may say about a cell besides its text; any model shown in a DataTable can give these.
enum CellRole {
    SecondRole = Qt::UserRole + 1,  ///< QString: a muted second text behind the first (below it in rows of two lines)
    IconNameRole,                   ///< QString: icon before the text
    IconColourRole,                 ///< int(Role) of that icon
    TextColourRole,                 ///< int(Role) of the text
    CodeRole,                       ///< bool: fixed font
    SymbolsRole,                    ///< bool: torch's symbols in italics
    LinkRole,                       ///< bool: looks like a link
    StrongRole,                     ///< bool
    ItalicRole,                     ///< bool: "not a value" (none, unknown)
    SortRole,                       ///< raw value for sorting
    ShareRole,                      ///< double in [0, 1]: a bar behind the text
    AddressRole,                    ///< QString: address of the row
    GroupRole,                      ///< bool: a group's row
    SecondCodeRole,                 ///< bool: the second text is code
    WrapRole,                       ///< bool: the text may take two lines in a tall row
    CutLeftRole,                    ///< bool: where room is short, its beginning is left out
};

struct Cell {
    QString text;
    QString second;
    QString icon;
    Role iconColour = Role::Muted;
    Role colour = Role::Text;
    bool code = false, symbols = false, link = false, strong = false, italic = false;
    bool secondCode = false, wrap = false, cutLeft = false;
    QVariant sort;
    QString tooltip;
    double share = -1;

    Cell() = default;
    Cell(const QString& t) : text(t) {}                             // NOLINT: a text is a cell
    static Cell fixed(const QString& t, Role colour = Role::Text);  ///< code
    static Cell fqn(const QString& t);                              ///< code whose end tells more than its beginning
    static Cell shape(const QString& t);                            ///< code with symbols
    static Cell muted(const QString& t);
    static Cell number(const QString& t, double value);
    static Cell missing(const QString& t);  ///< italic, muted: none, unknown, missing
};

/// A row with its children; `cells` may be shorter than the columns.
struct Row {
    std::vector<Cell> cells;
    QString address;
    bool group = false;  ///< own ground; the first cell spans the row
    bool open = true;
    std::vector<Row> children;
};

struct Column {
    QString title;
    int width = 120;
    bool right = false;    ///< numbers
    bool stretch = false;  ///< takes what is left
    QString tooltip;
    bool yields = false;  ///< where room is short, its texts are cut before others': they say what another column says too
};

/// A finished tree of rows; for models that fetch on demand derive from QAbstractItemModel instead.
class RowModel : public QAbstractItemModel {
    Q_OBJECT
public:
    explicit RowModel(std::vector<Column> columns, QObject* parent = nullptr);
    void setRows(std::vector<Row> rows);
    const std::vector<Column>& columns() const { return columns_; }
    const Row* row(const QModelIndex& index) const;
    QModelIndex indexOfAddress(const QString& address) const;
    std::size_t rowTotal() const { return items_.size(); }

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& child) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Item {
        Row* row = nullptr;
        std::uint32_t parent = 0;  ///< index + 1; 0 is the root
        std::uint32_t place = 0;
        std::uint32_t firstChild = 0;  ///< children are consecutive in items_
    };
    std::vector<Column> columns_;
    std::vector<Row> rows_;
    std::vector<Item> items_;
};

/// Filters by words (all must occur somewhere in the row) and sorts by SortRole; a parent stays when a child matches.
class RowFilter : public QSortFilterProxyModel {
    Q_OBJECT
public:
    explicit RowFilter(QObject* parent = nullptr);
    void setText(const QString& text);
    QString text() const { return text_; }

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
    bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

private:
    QString text_;
    QStringList words_;
};

/// The one table and tree of the window: rows of 28, muted semibold header, hairlines between rows, no vertical lines, row selection.
class DataTable : public QTreeView {
    Q_OBJECT
public:
    explicit DataTable(QWidget* parent = nullptr);
    /// Shows a model through a RowFilter; the model is not owned.
    void setSource(QAbstractItemModel* model, const std::vector<Column>& columns = {});
    RowFilter* filter() const { return filter_; }
    /// Ground of the rows: Base on a page, Card in a card.
    void setGround(Role role);
    Role ground() const { return ground_; }
    /// Height follows the rows, no scroll bar of its own (tables in cards on a scrolling page).
    void setFitToRows(bool fit);
    void setRowHeight(int height);
    int rowHeight() const { return rowHeight_; }
    void setIndented(bool indented);  ///< trees: children are indented and parents have a chevron
    void setSelectableRows(bool selectable);
    QString currentAddress() const;
    bool selectAddress(const QString& address);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    /// Widths of columns in `room`: each gets what it wants, and where that is too much the widest give way first, in equal measure, none below its
    /// least.
    static std::vector<int> shareWidth(const std::vector<int>& wanted, const std::vector<int>& least, int room);

signals:
    void rowSelected(const QString& address);
    void rowActivated(const QString& address);

protected:
    void drawRow(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    void drawBranches(QPainter* painter, const QRect& rect, const QModelIndex& index) const override;
    void keyPressEvent(QKeyEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;

private:
    void layoutColumns();
    void fitColumns();
    int headerWidth(std::size_t column) const;
    int contentWidth(std::size_t column) const;
    void openAsModelSays();
    void refit();
    void restyle();
    RowFilter* filter_;
    std::vector<Column> columns_;
    Role ground_ = Role::Base;
    bool fit_ = false, restyling_ = false, userSized_ = false, overflows_ = false;
    int rowHeight_;
};

/// Paints a cell as CellRole says.
class CellDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    explicit CellDelegate(DataTable* table);
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    DataTable* table_;
};

}  // namespace pt2::views
