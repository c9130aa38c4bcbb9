#include "views/widgets/chip.h"

#include <QFontMetrics>
#include <QPainter>
#include <algorithm>

#include "views/theme/drawn_parts.h"
#include "views/theme/fonts.h"
#include "views/theme/icons.h"
#include "views/theme/spacing.h"
#include "views/theme/theme.h"

namespace pt2::views {

Chip::Chip(const QString& text, const QString& iconName, QWidget* parent) : QAbstractButton(parent), icon_(iconName) {
    setText(text);
    setAccessibleName(text);
    setFocusPolicy(Qt::NoFocus);
    setAttribute(Qt::WA_Hover);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

void Chip::setState(State state) {
    state_ = state;
    update();
}

void Chip::setOutlined(bool outlined) {
    outlined_ = outlined;
    setFocusPolicy(outlined ? Qt::TabFocus : Qt::NoFocus);
    update();
}

void Chip::setCode(bool code) {
    code_ = code;
    updateGeometry();
}

QSize Chip::sizeHint() const {
    const QFontMetrics metrics(code_ ? codeFont(TextSize::Caption) : uiFont(TextSize::Caption));
    const int icon = icon_.isEmpty() ? 0 : 14 + Spacing::xs;
    return {metrics.horizontalAdvance(text()) + icon + 2 * 6 + 2, std::max(20, metrics.height() + 6)};
}

void Chip::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const bool hovered = isEnabled() && underMouse() && cursor().shape() == Qt::PointingHandCursor;
    const Role ground = state_ == State::Neutral ? (hovered ? Role::Selection : Role::GroupRow) : stateGround(state_);
    if (outlined_) {
        drawPanel(painter, QRectF(rect()), Metrics::controlRadius, color(Role::Card),
                  color(isEnabled() && underMouse() ? Role::Strong : Role::Border));
    } else {
        drawPanel(painter, QRectF(rect()), Metrics::controlRadius, color(ground), QColor(), 0);
    }
    const QColor textColour = color(!isEnabled() ? Role::Disabled : state_ == State::Neutral ? Role::Text : stateRole(state_));
    QRect text_ = rect().adjusted(6, 0, -6, 0);
    if (!icon_.isEmpty()) {
        paintIcon(painter, QRectF(text_.left(), (height() - 14) / 2.0, 14, 14), icon_, state_ == State::Neutral ? color(Role::Muted) : textColour);
        text_.adjust(14 + Spacing::xs, 0, 0, 0);
    }
    painter.setPen(textColour);
    painter.setFont(code_ ? codeFont(TextSize::Caption) : uiFont(TextSize::Caption));
    painter.drawText(text_, Qt::AlignVCenter | Qt::AlignLeft | Qt::TextSingleLine, text());
    if (hasFocus()) drawPanel(painter, QRectF(rect()), Metrics::controlRadius, QColor(), color(Role::Focus), 2);
}

}  // namespace pt2::views
