#pragma once

#include <QAccessible>
#include <QMap>
#include <QString>
#include <QStringList>
#include <QWindow>
#include <QtTest>
#include <vector>

/// Reads a window as a screen reader does: through QAccessible only, without knowing a widget, a model or an object's name. Keys go to the window, as
/// they come from a keyboard.
namespace pt2::tests {

using Spoken = QAccessibleInterface*;

inline QString nameOf(Spoken what) { return what ? what->text(QAccessible::Name) : QString(); }
inline QString descriptionOf(Spoken what) { return what ? what->text(QAccessible::Description) : QString(); }

/// What is on show below an interface, in the order of reading; cells of tables are read by readTable().
inline QList<Spoken> below(Spoken root) {
    QList<Spoken> found, open{root};
    while (!open.isEmpty()) {
        const Spoken at = open.takeLast();
        if (!at || !at->isValid() || at->state().invisible) continue;
        if (at != root) found << at;
        if (at->tableInterface()) continue;
        for (int i = at->childCount(); i-- > 0;) open << at->child(i);
    }
    return found;
}

inline Spoken find(Spoken root, const QString& name, QAccessible::Role role = QAccessible::NoRole) {
    for (const Spoken one : below(root)) {
        if (nameOf(one) == name && (role == QAccessible::NoRole || one->role() == role)) return one;
    }
    return nullptr;
}

/// A table or tree by its name.
inline Spoken findTable(Spoken root, const QString& name) {
    for (const Spoken one : below(root)) {
        if (one->tableInterface() && nameOf(one) == name) return one;
    }
    return nullptr;
}

inline bool act(Spoken what, const QString& action) {
    if (!what || !what->actionInterface() || !what->actionInterface()->actionNames().contains(action)) return false;
    what->actionInterface()->doAction(action);
    return true;
}
inline bool press(Spoken what) { return act(what, QAccessibleActionInterface::pressAction()); }

/// All of a text that can be read letter by letter.
inline QString textOf(Spoken what) {
    QAccessibleTextInterface* text = what ? what->textInterface() : nullptr;
    return text ? text->text(0, text->characterCount()) : QString();
}

/// What is written below an interface, piece by piece: labels, links, buttons, states shown by icons.
struct Piece {
    Spoken of = nullptr;
    QString name, description;
    QAccessible::Role role = QAccessible::NoRole;
};
inline std::vector<Piece> pieces(Spoken root) {
    std::vector<Piece> found;
    for (const Spoken one : below(root)) {
        if (one->childCount() == 0 && !nameOf(one).isEmpty()) found.push_back({one, nameOf(one), descriptionOf(one), one->role()});
    }
    return found;
}

/// Words with what stands behind them ("mean" and its number), by the relation between a label and a value. A value without a word of its own
/// belongs to the one before.
struct Field {
    QString word;
    QStringList values;
};
inline std::vector<Field> fields(Spoken root) {
    std::vector<Field> found;
    for (const Spoken one : below(root)) {
        if (!one->relations(QAccessible::Labelled).isEmpty()) {
            found.push_back({nameOf(one), {}});
        } else if (!found.empty() && one->childCount() == 0 && !nameOf(one).isEmpty()) {
            found.back().values << nameOf(one);
        }
    }
    return found;
}
/// The first value of a word; empty when the word is not there.
inline QString field(const std::vector<Field>& all, const QString& word) {
    for (const Field& one : all) {
        if (one.word == word) return one.values.value(0);
    }
    return {};
}

/// A table or tree: cells by the title of their column, as both are read out.
struct ReadRow {
    QMap<QString, QString> cells, remarks;
    bool isClosed = false;  ///< it has rows below that are not on show
    QString operator[](const QString& column) const { return cells.value(column); }
};
struct ReadTable {
    QStringList columns;
    std::vector<ReadRow> rows;
};
inline ReadTable readTable(Spoken table) {
    ReadTable read;
    QAccessibleTableInterface* cells = table ? table->tableInterface() : nullptr;
    if (!cells) return read;
    for (int c = 0; c < cells->columnCount(); ++c) read.columns << cells->columnDescription(c);
    for (int r = 0; r < cells->rowCount(); ++r) {
        ReadRow row;
        for (int c = 0; c < read.columns.size(); ++c) {
            const Spoken cell = cells->cellAt(r, c);
            if (!cell) continue;
            row.cells[read.columns[c]] = nameOf(cell);
            row.remarks[read.columns[c]] = descriptionOf(cell);
            row.isClosed = row.isClosed || (c == 0 && cell->state().expandable && !cell->state().expanded);
        }
        read.rows.push_back(row);
    }
    return read;
}

/// Row of the table's cell that has the keyboard, -1 when none has.
inline int currentRow(Spoken table) {
    const Spoken cell = table ? table->focusChild() : nullptr;
    return cell && cell->tableCellInterface() ? cell->tableCellInterface()->rowIndex() : -1;
}

}  // namespace pt2::tests
