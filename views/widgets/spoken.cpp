#include "views/widgets/spoken.h"

#include <QAbstractButton>
#include <QAccessibleWidget>
#include <QCheckBox>
#include <QHash>
#include <QPushButton>
#include <QRadioButton>
#include <QTextDocument>
#include <QToolButton>
#include <QWidget>
#include <algorithm>

#include "views/widgets/icon_label.h"
#include "views/widgets/text.h"

namespace pt2::views {

namespace {

class PartsInterface;

/// A part of a widget. Its index is its identity: what the widget draws may change below it.
class PartInterface : public QAccessibleInterface, public QAccessibleActionInterface {
public:
    PartInterface(PartsInterface& owner, int index) : owner_(owner), index_(index) {}
    int index() const { return index_; }

    bool isValid() const override;
    QObject* object() const override { return nullptr; }
    QList<QPair<QAccessibleInterface*, QAccessible::Relation>> relations(QAccessible::Relation) const override { return {}; }
    QAccessibleInterface* focusChild() const override { return nullptr; }
    QAccessibleInterface* parent() const override;
    QAccessibleInterface* child(int) const override { return nullptr; }
    QAccessibleInterface* childAt(int, int) const override { return nullptr; }
    int childCount() const override { return 0; }
    int indexOfChild(const QAccessibleInterface*) const override { return -1; }
    QWindow* window() const override;
    QString text(QAccessible::Text which) const override;
    void setText(QAccessible::Text, const QString&) override {}
    QRect rect() const override;
    QAccessible::Role role() const override { return part().role; }
    QAccessible::State state() const override;
    void* interface_cast(QAccessible::InterfaceType type) override {
        return type == QAccessible::ActionInterface && part().pressable ? static_cast<QAccessibleActionInterface*>(this) : nullptr;
    }
    QStringList actionNames() const override { return part().pressable ? QStringList{pressAction()} : QStringList{}; }
    void doAction(const QString& name) override;
    QStringList keyBindingsForAction(const QString&) const override { return {}; }

private:
    SpokenPart part() const;
    PartsInterface& owner_;
    int index_;
};

/// A widget that draws parts: they come first, then the widgets inside it.
class PartsInterface : public QAccessibleWidget {
public:
    PartsInterface(QWidget* widget, SpokenParts& parts) : QAccessibleWidget(widget, parts.spokenRole()), parts_(parts) {}
    ~PartsInterface() override {
        for (const QAccessible::Id id : std::as_const(made_)) QAccessible::deleteAccessibleInterface(id);
    }
    SpokenParts& parts() const { return parts_; }
    QWidget* shownWidget() const { return widget(); }

    int childCount() const override { return count() + QAccessibleWidget::childCount(); }
    QAccessibleInterface* child(int index) const override {
        if (index < 0) return nullptr;
        const int own = count();
        if (index >= own) return QAccessibleWidget::child(index - own);
        const auto found = made_.constFind(index);
        if (found != made_.constEnd()) return QAccessible::accessibleInterface(found.value());
        auto* made = new PartInterface(const_cast<PartsInterface&>(*this), index);
        made_.insert(index, QAccessible::registerAccessibleInterface(made));  // owned by Qt's table of interfaces from here on
        return made;
    }
    int indexOfChild(const QAccessibleInterface* child) const override {
        if (child && !child->object()) {
            const auto* part = dynamic_cast<const PartInterface*>(child);
            return part && part->parent() == this ? part->index() : -1;
        }
        const int below = QAccessibleWidget::indexOfChild(child);
        return below < 0 ? below : count() + below;
    }
    QAccessibleInterface* childAt(int x, int y) const override {
        const QPoint point = widget()->mapFromGlobal(QPoint(x, y));
        if (!widget()->rect().contains(point)) return nullptr;
        if (QAccessibleInterface* inside = QAccessibleWidget::childAt(x, y)) return inside;
        for (int i = 0; i < count(); ++i) {
            if (parts_.spokenPart(i).place.contains(point)) return child(i);
        }
        return nullptr;
    }
    QAccessibleInterface* focusChild() const override {
        const int current = parts_.spokenCurrent();
        if (widget()->hasFocus() && current >= 0 && current < count()) return child(current);
        return QAccessibleWidget::focusChild();
    }

private:
    int count() const { return std::max(0, parts_.spokenCount()); }
    SpokenParts& parts_;
    mutable QHash<int, QAccessible::Id> made_;
};

SpokenPart PartInterface::part() const { return isValid() ? owner_.parts().spokenPart(index_) : SpokenPart{}; }
bool PartInterface::isValid() const { return owner_.isValid() && index_ < owner_.parts().spokenCount(); }
QAccessibleInterface* PartInterface::parent() const { return &owner_; }
QWindow* PartInterface::window() const { return owner_.window(); }

QString PartInterface::text(QAccessible::Text which) const {
    if (which == QAccessible::Name) return part().name;
    if (which == QAccessible::Description) return part().description;
    return {};
}

QRect PartInterface::rect() const {
    const QRect place = part().place;
    return {owner_.shownWidget()->mapToGlobal(place.topLeft()), place.size()};
}

QAccessible::State PartInterface::state() const {
    QAccessible::State state = owner_.state();
    const SpokenPart told = part();
    state.focusable = owner_.shownWidget()->focusPolicy() != Qt::NoFocus && told.pressable;
    state.focused = owner_.shownWidget()->hasFocus() && owner_.parts().spokenCurrent() == index_;
    state.checkable = told.checkable;
    state.checked = told.checked;
    state.selectable = told.selectable;
    state.selected = told.selected;
    state.offscreen = !told.place.isNull() && !told.place.intersects(owner_.shownWidget()->rect());
    return state;
}

void PartInterface::doAction(const QString& name) {
    if (name == pressAction() && part().pressable && owner_.shownWidget()->isEnabled()) owner_.parts().pressSpokenPart(index_);
}

/// A drawn text that can be read letter by letter.
class TextInterface : public QAccessibleWidget, public QAccessibleTextInterface {
public:
    TextInterface(QWidget* widget, SpokenText& text) : QAccessibleWidget(widget, QAccessible::EditableText), text_(text) {}
    void* interface_cast(QAccessible::InterfaceType type) override {
        if (type == QAccessible::TextInterface) return static_cast<QAccessibleTextInterface*>(this);
        return QAccessibleWidget::interface_cast(type);
    }
    QAccessible::State state() const override {
        QAccessible::State state = QAccessibleWidget::state();
        state.readOnly = state.multiLine = state.selectableText = true;
        return state;
    }
    QString text(QAccessible::Text which) const override { return which == QAccessible::Value ? text_.spokenText() : QAccessibleWidget::text(which); }
    void selection(int index, int* begin, int* end) const override {
        const auto [from, to] = text_.spokenSelection();
        *begin = index == 0 ? std::min(from, to) : 0;
        *end = index == 0 ? std::max(from, to) : 0;
    }
    int selectionCount() const override { return text_.spokenSelection().first != text_.spokenSelection().second ? 1 : 0; }
    void addSelection(int begin, int end) override { select(begin, end); }
    void removeSelection(int index) override {
        if (index == 0) select(cursorPosition(), cursorPosition());
    }
    void setSelection(int index, int begin, int end) override {
        if (index == 0) select(begin, end);
    }
    int cursorPosition() const override { return text_.spokenSelection().second; }
    void setCursorPosition(int position) override { select(position, position); }
    QString text(int begin, int end) const override {
        const QString all = text_.spokenText();
        const int from = std::clamp(begin, 0, static_cast<int>(all.size()));
        const int to = end < 0 ? static_cast<int>(all.size()) : std::clamp(end, from, static_cast<int>(all.size()));
        return all.mid(from, to - from);
    }
    int characterCount() const override { return static_cast<int>(text_.spokenText().size()); }
    QRect characterRect(int offset) const override {
        const QRect place = text_.spokenPlace(offset);
        return {widget()->mapToGlobal(place.topLeft()), place.size()};
    }
    int offsetAtPoint(const QPoint& point) const override { return text_.spokenOffsetAt(widget()->mapFromGlobal(point)); }
    void scrollToSubstring(int begin, int end) override { select(begin, end); }
    QString attributes(int, int* begin, int* end) const override {
        *begin = 0;
        *end = characterCount();
        return {};
    }

private:
    void select(int begin, int end) {
        const int size = characterCount();
        text_.selectSpokenText(std::clamp(begin, 0, size), std::clamp(end, 0, size));
    }
    SpokenText& text_;
};

/// A label that may show its text cut, or in italics: it is read whole and plain.
class LabelInterface : public QAccessibleWidget {
public:
    explicit LabelInterface(TextLabel* label) : QAccessibleWidget(label, QAccessible::StaticText) {}
    QString text(QAccessible::Text which) const override {
        const auto* label = static_cast<const TextLabel*>(widget());
        if (which != QAccessible::Name || !label->accessibleName().isEmpty()) return QAccessibleWidget::text(which);
        const QString all = label->elided() ? label->fullText() : label->text();
        if (label->textFormat() != Qt::RichText && !(label->textFormat() == Qt::AutoText && Qt::mightBeRichText(all))) return all;
        QTextDocument document;
        document.setHtml(all);
        return document.toPlainText();
    }
    /// The word before a value is its label.
    QList<QPair<QAccessibleInterface*, QAccessible::Relation>> relations(QAccessible::Relation match) const override {
        auto found = QAccessibleWidget::relations(match);
        QWidget* buddy = static_cast<const TextLabel*>(widget())->buddy();
        if (buddy && match.testFlag(QAccessible::Labelled)) found.append({QAccessible::queryAccessibleInterface(buddy), QAccessible::Labelled});
        return found;
    }
};

/// A button that draws itself. Qt's own interface would mark a checkable one without a click, and nothing would follow from it. An interface is made
/// as early as in the widget's constructor, so nothing is asked of the button before it is read.
class ButtonInterface : public QAccessibleWidget {
public:
    explicit ButtonInterface(QAbstractButton* button) : QAccessibleWidget(button, QAccessible::Button) {}
    QAccessible::Role role() const override {
        if (!button()->isCheckable()) return QAccessible::Button;
        return button()->autoExclusive() ? QAccessible::RadioButton : QAccessible::CheckBox;
    }
    QString text(QAccessible::Text which) const override {
        const QString told = QAccessibleWidget::text(which);
        return told.isEmpty() && which == QAccessible::Name ? button()->text() : told;
    }
    QAccessible::State state() const override {
        QAccessible::State state = QAccessibleWidget::state();
        state.checkable = button()->isCheckable();
        state.checked = button()->isChecked();
        return state;
    }
    QStringList actionNames() const override {
        QStringList names = QAccessibleWidget::actionNames();
        if (button()->isEnabled()) names.prepend(pressAction());
        return names;
    }
    void doAction(const QString& name) override {
        // Later: what a click opens may last, and who asked waits for an answer.
        if (name == pressAction()) {
            QMetaObject::invokeMethod(button(), &QAbstractButton::click, Qt::QueuedConnection);
        } else {
            QAccessibleWidget::doAction(name);
        }
    }

private:
    QAbstractButton* button() const { return static_cast<QAbstractButton*>(widget()); }
};

/// Whether Qt knows what kind of button it is.
bool isPlain(const QAbstractButton* button) {
    return qobject_cast<const QCheckBox*>(button) || qobject_cast<const QRadioButton*>(button) || qobject_cast<const QPushButton*>(button) ||
           qobject_cast<const QToolButton*>(button);
}

QAccessibleInterface* makeInterface(const QString&, QObject* object) {
    auto* widget = qobject_cast<QWidget*>(object);
    if (!widget) return nullptr;
    if (auto* parts = dynamic_cast<SpokenParts*>(widget)) return new PartsInterface(widget, *parts);
    if (auto* text = dynamic_cast<SpokenText*>(widget)) return new TextInterface(widget, *text);
    if (auto* label = qobject_cast<TextLabel*>(widget)) return new LabelInterface(label);
    if (auto* button = qobject_cast<QAbstractButton*>(widget); button && !isPlain(button)) return new ButtonInterface(button);
    if (qobject_cast<IconLabel*>(widget)) return new QAccessibleWidget(widget, QAccessible::Graphic);
    return nullptr;
}

}  // namespace

void installAccessibility() {
    static const bool once = [] {
        QAccessible::installFactory(makeInterface);
        return true;
    }();
    Q_UNUSED(once)
}

void announceSpokenPart(QWidget* widget, int index) {
    if (!QAccessible::isActive() || index < 0) return;
    QAccessibleEvent event(widget, QAccessible::Focus);
    event.setChild(index);
    QAccessible::updateAccessibility(&event);
}

}  // namespace pt2::views
