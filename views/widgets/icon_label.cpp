#include "views/widgets/icon_label.h"

#include <QPainter>

#include "views/theme/icons.h"

namespace pt2::views {

IconLabel::IconLabel(const QString& name, int size, Role role, QWidget* parent) : QWidget(parent), name_(name), role_(role) {
    setFixedSize(size, size);
}

void IconLabel::setIcon(const QString& name, Role role) {
    name_ = name;
    role_ = role;
    update();
}

void IconLabel::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    paintIcon(painter, QRectF(rect()), name_, isEnabled() ? role_ : Role::Disabled);
}

}  // namespace pt2::views
