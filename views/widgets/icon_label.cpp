#include "views/widgets/icon_label.h"

#include <QPainter>
#include <utility>

#include "views/theme/icons.h"

namespace pt2::views {

QString stateWords(const QString& iconName) {
    for (const auto& [state, words] :
         {std::pair(State::Ok, QObject::tr("Fine")), std::pair(State::Info, QObject::tr("Note")), std::pair(State::Warning, QObject::tr("Warning")),
          std::pair(State::Error, QObject::tr("Error")), std::pair(State::Unknown, QObject::tr("Unknown"))}) {
        if (iconName == stateIcon(state)) return words;
    }
    return {};
}

IconLabel::IconLabel(const QString& name, int size, Role role, QWidget* parent) : QWidget(parent), name_(name), role_(role) {
    setFixedSize(size, size);
    setAccessibleName(stateWords(name));
}

void IconLabel::setIcon(const QString& name, Role role) {
    name_ = name;
    role_ = role;
    setAccessibleName(stateWords(name));
    update();
}

void IconLabel::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    paintIcon(painter, QRectF(rect()), name_, isEnabled() ? role_ : Role::Disabled);
}

}  // namespace pt2::views
