#pragma once

#include <QAccessible>
#include <QPoint>
#include <QRect>
#include <QString>
#include <utility>

namespace pt2::views {

/// One thing that a widget draws by itself: a child of the widget for a screen reader.
struct SpokenPart {
    QString name;
    QString description;  ///< what a pointer over it or its colour says
    QRect place;          ///< in the widget; may lie outside of it when it is scrolled away
    QAccessible::Role role = QAccessible::StaticText;
    bool checkable = false, checked = false;
    bool selectable = false, selected = false;
    bool pressable = false;  ///< pressSpokenPart() does what a click does
};

/// What a widget that draws several things tells a screen reader. A widget derives from this beside QWidget; installAccessibility() does the rest.
/// Asked only while somebody reads the window through accessibility, so nothing is kept for it.
class SpokenParts {
public:
    virtual ~SpokenParts() = default;
    virtual QAccessible::Role spokenRole() const { return QAccessible::Grouping; }
    virtual int spokenCount() const = 0;
    virtual SpokenPart spokenPart(int index) const = 0;
    /// The part that the keys act on, -1 for none.
    virtual int spokenCurrent() const { return -1; }
    virtual void pressSpokenPart(int index) { Q_UNUSED(index) }

protected:
    SpokenParts() = default;
    SpokenParts(const SpokenParts&) = default;
    SpokenParts& operator=(const SpokenParts&) = default;
};

/// What a widget that draws a long text tells a screen reader: all of it, read-only.
class SpokenText {
public:
    virtual ~SpokenText() = default;
    virtual QString spokenText() const = 0;
    /// Begin and end of what is selected, equal when nothing is; the second is where the cursor stands.
    virtual std::pair<int, int> spokenSelection() const { return {0, 0}; }
    virtual void selectSpokenText(int begin, int end) {
        Q_UNUSED(begin)
        Q_UNUSED(end)
    }
    /// Where a letter is drawn, in the widget.
    virtual QRect spokenPlace(int offset) const = 0;
    virtual int spokenOffsetAt(const QPoint& point) const = 0;

protected:
    SpokenText() = default;
    SpokenText(const SpokenText&) = default;
    SpokenText& operator=(const SpokenText&) = default;
};

/// Makes the widgets of this folder and those that derive from the above readable; once for the program, before windows are shown.
void installAccessibility();

/// Tells a screen reader that the keys of a widget act on another of its parts now.
void announceSpokenPart(QWidget* widget, int index);

}  // namespace pt2::views
