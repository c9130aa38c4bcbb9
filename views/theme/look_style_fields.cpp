// Scroll bars, sliders, spin boxes and combo boxes of the style.
#include "views/theme/drawn_parts.h"
#include "views/theme/look_style.h"

#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QPainter>
#include <QPainterPath>
#include <QPushButton>
#include <QStyleOption>
#include <QToolButton>
#include <algorithm>

#include "views/theme/fonts.h"
#include "views/theme/icons.h"
#include "views/theme/spacing.h"
#include "views/theme/theme.h"

namespace pt2::views {

void LookStyle::drawScrollBar(const QStyleOptionSlider& option, QPainter& painter, const QWidget* widget) const {
    QRectF slider(subControlRect(CC_ScrollBar, &option, SC_ScrollBarSlider, widget));
    if (option.minimum == option.maximum) return;
    const bool hovered = option.state & State_MouseOver, pressed = option.activeSubControls & SC_ScrollBarSlider && option.state & State_Sunken;
    const double thickness = hovered || pressed ? 8 : 6;
    if (option.orientation == Qt::Horizontal) {
        slider = QRectF(slider.left() + 2, slider.center().y() - thickness / 2, slider.width() - 4, thickness);
    } else {
        slider = QRectF(slider.center().x() - thickness / 2, slider.top() + 2, thickness, slider.height() - 4);
    }
    QColor handle = color(Role::Strong);
    handle.setAlphaF(pressed ? 0.9F : hovered ? 0.7F : 0.45F);
    drawPanel(painter, slider, thickness / 2, handle, QColor(), 0);
}

void LookStyle::drawSlider(const QStyleOptionSlider& option, QPainter& painter, const QWidget* widget) const {
    const QRectF groove(subControlRect(CC_Slider, &option, SC_SliderGroove, widget));
    const QRectF handle(subControlRect(CC_Slider, &option, SC_SliderHandle, widget));
    const bool enabled = option.state & State_Enabled;
    const Role accent = enabled ? Role::Accent : Role::Disabled;
    const QPointF centre = handle.center();
    if (option.orientation == Qt::Horizontal) {
        const QRectF line(groove.left(), groove.center().y() - 1.5, groove.width(), 3);
        drawPanel(painter, line, 1.5, color(Role::Border), QColor(), 0);
        drawPanel(painter, QRectF(line.left(), line.top(), centre.x() - line.left(), 3), 1.5, color(accent), QColor(), 0);
    } else {
        const QRectF line(groove.center().x() - 1.5, groove.top(), 3, groove.height());
        drawPanel(painter, line, 1.5, color(Role::Border), QColor(), 0);
    }
    drawPanel(painter, QRectF(centre.x() - 6, centre.y() - 6, 12, 12), 6, color(Role::Base), color(accent), 2);
    if (keyboardFocus(option)) drawPanel(painter, QRectF(centre.x() - 9, centre.y() - 9, 18, 18), 9, QColor(), color(Role::Focus), 1.5);
}

void LookStyle::drawSpinBox(const QStyleOptionSpinBox& option, QPainter& painter, const QWidget* widget) const {
    const bool enabled = option.state & State_Enabled;
    const bool focused =
        widget && (widget->hasFocus() || (widget->focusProxy() && widget->focusProxy()->hasFocus()) || (option.state & State_HasFocus));
    drawFieldFrame(painter, option.rect, focused, enabled, enabled && (option.state & State_MouseOver), has(widget, "invalid"),
                   color(enabled ? Role::Base : Role::Window));
    if (option.buttonSymbols == QAbstractSpinBox::NoButtons) return;
    const QRectF up(subControlRect(CC_SpinBox, &option, SC_SpinBoxUp, widget)), down(subControlRect(CC_SpinBox, &option, SC_SpinBoxDown, widget));
    drawChevron(painter, up.center() + QPointF(0, 2), true, color(option.stepEnabled & QAbstractSpinBox::StepUpEnabled ? Role::Muted : Role::Border),
                3);
    drawChevron(painter, down.center() - QPointF(0, 2), false,
                color(option.stepEnabled & QAbstractSpinBox::StepDownEnabled ? Role::Muted : Role::Border), 3);
}

void LookStyle::drawComboBox(const QStyleOptionComboBox& option, QPainter& painter, const QWidget* widget) const {
    const bool enabled = option.state & State_Enabled;
    drawFieldFrame(painter, option.rect, option.state & State_HasFocus, enabled, enabled && (option.state & State_MouseOver), has(widget, "invalid"),
                   color(enabled ? Role::Raised : Role::Window));
    const QRectF arrow(subControlRect(CC_ComboBox, &option, SC_ComboBoxArrow, widget));
    drawChevron(painter, arrow.center(), false, color(enabled ? Role::Muted : Role::Disabled));
}

void LookStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter, const QWidget* widget) const {
    switch (control) {
        case CC_ScrollBar:
            if (const auto* bar = qstyleoption_cast<const QStyleOptionSlider*>(option)) return drawScrollBar(*bar, *painter, widget);
            break;
        case CC_Slider:
            if (const auto* slider = qstyleoption_cast<const QStyleOptionSlider*>(option)) return drawSlider(*slider, *painter, widget);
            break;
        case CC_SpinBox:
            if (const auto* spin = qstyleoption_cast<const QStyleOptionSpinBox*>(option)) return drawSpinBox(*spin, *painter, widget);
            break;
        case CC_ComboBox:
            if (const auto* combo = qstyleoption_cast<const QStyleOptionComboBox*>(option)) return drawComboBox(*combo, *painter, widget);
            break;
        default: break;
    }
    QProxyStyle::drawComplexControl(control, option, painter, widget);
}

}  // namespace pt2::views
