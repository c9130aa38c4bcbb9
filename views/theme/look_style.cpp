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

#include "views/theme/drawn_parts.h"
#include "views/theme/fonts.h"
#include "views/theme/icons.h"
#include "views/theme/spacing.h"
#include "views/theme/theme.h"

namespace pt2::views {

LookStyle::LookStyle() : QProxyStyle(QStringLiteral("fusion")) {}

void LookStyle::polish(QWidget* widget) {
    QProxyStyle::polish(widget);
    if (qobject_cast<QAbstractButton*>(widget) || qobject_cast<QComboBox*>(widget) || qobject_cast<QLineEdit*>(widget) ||
        qobject_cast<QAbstractSpinBox*>(widget) || qobject_cast<QHeaderView*>(widget)) {
        widget->setAttribute(Qt::WA_Hover);
    }
    if (qobject_cast<QMenu*>(widget)) widget->setAttribute(Qt::WA_TranslucentBackground, false);
}

int LookStyle::pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const {
    switch (metric) {
        case PM_SmallIconSize:
        case PM_ButtonIconSize:
        case PM_IndicatorWidth:
        case PM_IndicatorHeight:
        case PM_ExclusiveIndicatorWidth:
        case PM_ExclusiveIndicatorHeight:
        case PM_ListViewIconSize: return 16;
        case PM_ScrollBarExtent: return 12;
        case PM_ScrollBarSliderMin: return 28;
        case PM_SplitterWidth: return 1;
        case PM_DefaultFrameWidth: return has(widget, "field") ? 3 : 1;  // room for rounded corners and the focus ring
        case PM_ComboBoxFrameWidth:
        case PM_SpinBoxFrameWidth: return 1;
        case PM_ButtonShiftHorizontal:
        case PM_ButtonShiftVertical: return 0;
        case PM_CheckBoxLabelSpacing:
        case PM_RadioButtonLabelSpacing: return Spacing::s;
        case PM_MenuPanelWidth: return 1;
        case PM_MenuHMargin:
        case PM_MenuVMargin: return Spacing::xs;
        case PM_MenuBarPanelWidth:
        case PM_MenuBarVMargin: return 0;
        case PM_MenuBarHMargin: return Spacing::xs;
        case PM_MenuBarItemSpacing: return 0;
        case PM_HeaderMargin: return Spacing::s;
        case PM_TreeViewIndentation: return Spacing::l;
        case PM_ToolTipLabelFrameWidth: return Spacing::s;
        case PM_ScrollView_ScrollBarSpacing: return 0;
        default: return QProxyStyle::pixelMetric(metric, option, widget);
    }
}

int LookStyle::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget, QStyleHintReturn* data) const {
    switch (hint) {
        case SH_EtchDisabledText:
        case SH_DitherDisabledText:
        case SH_UnderlineShortcut:
        case SH_ItemView_PaintAlternatingRowColorsForEmptyArea:
        case SH_Table_GridLineColor:
        case SH_ScrollView_FrameOnlyAroundContents:
        case SH_ToolTip_Mask: return hint == SH_Table_GridLineColor ? static_cast<int>(color(Role::Border).rgb()) : 0;
        case SH_ItemView_ShowDecorationSelected:
        case SH_ComboBox_Popup: return hint == SH_ItemView_ShowDecorationSelected ? 1 : 0;
        case SH_ToolTipLabel_Opacity: return 255;
        case SH_Slider_AbsoluteSetButtons: return Qt::LeftButton;
        case SH_MenuBar_AltKeyNavigation: return 1;
        default: return QProxyStyle::styleHint(hint, option, widget, data);
    }
}

QSize LookStyle::sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& size, const QWidget* widget) const {
    QSize result = QProxyStyle::sizeFromContents(type, option, size, widget);
    const int control = std::max(Metrics::control, size.height() + 2 * Spacing::xs);
    switch (type) {
        case CT_PushButton:
            result.setHeight(control);
            result.setWidth(has(widget, "flat") ? size.width() + 2 * Spacing::s
                                                : std::max(Metrics::controlMinWidth, size.width() + 2 * Spacing::m + Spacing::xs));
            return result;
        case CT_ToolButton: return QSize(std::max(Metrics::control, size.width() + Spacing::m), std::max(Metrics::control, size.height()));
        case CT_LineEdit: result.setHeight(control - Spacing::xs > Metrics::control ? control : Metrics::control); return result;
        case CT_ComboBox: return QSize(size.width() + 2 * Spacing::s + 20, std::max(Metrics::control, size.height() + 6));
        case CT_SpinBox: result.setHeight(std::max(Metrics::control, size.height())); return result;
        case CT_HeaderSection: result.setHeight(std::max(Metrics::row, result.height())); return result;
        case CT_MenuBarItem: return QSize(size.width() + 2 * Spacing::s, Metrics::menuRow - Spacing::s);
        case CT_MenuItem:
            if (const auto* item = qstyleoption_cast<const QStyleOptionMenuItem*>(option)) {
                if (item->menuItemType == QStyleOptionMenuItem::Separator) return QSize(result.width(), Spacing::s + 1);
                result.setHeight(std::max(Metrics::row, result.height()));
                result.rwidth() += Spacing::xl;
            }
            return result;
        default: return result;
    }
}

QRect LookStyle::subControlRect(ComplexControl control, const QStyleOptionComplex* option, SubControl sub, const QWidget* widget) const {
    if (control == CC_ComboBox) {
        const QRect r = option->rect;
        if (sub == SC_ComboBoxEditField) return r.adjusted(Spacing::s, 1, -24, -1);
        if (sub == SC_ComboBoxArrow) return QRect(r.right() - 24, r.top(), 24, r.height());
    }
    if (control == CC_SpinBox) {
        const QRect r = option->rect;
        const int arrows = 20;
        if (sub == SC_SpinBoxEditField) return r.adjusted(Spacing::xs, 1, -arrows, -1);
        if (sub == SC_SpinBoxUp) return QRect(r.right() - arrows, r.top() + 1, arrows, r.height() / 2);
        if (sub == SC_SpinBoxDown) return QRect(r.right() - arrows, r.top() + r.height() / 2, arrows, r.height() / 2);
    }
    if (control == CC_ScrollBar) {
        const auto* bar = qstyleoption_cast<const QStyleOptionSlider*>(option);
        if (bar) {
            const bool horizontal = bar->orientation == Qt::Horizontal;
            const int length = horizontal ? bar->rect.width() : bar->rect.height();
            const qint64 range = qint64(bar->maximum) - bar->minimum;
            int slider = length;
            if (range > 0)
                slider = std::clamp(static_cast<int>(qint64(bar->pageStep) * length / (range + bar->pageStep)), std::min(28, length), length);
            const int start = sliderPositionFromValue(bar->minimum, bar->maximum, bar->sliderPosition, length - slider, bar->upsideDown);
            const auto part = [&](int from, int size) {
                return visualRect(bar->direction, bar->rect,
                                  horizontal ? QRect(from, 0, size, bar->rect.height()) : QRect(0, from, bar->rect.width(), size));
            };
            switch (sub) {
                case SC_ScrollBarSubLine:
                case SC_ScrollBarAddLine: return {};
                case SC_ScrollBarSubPage: return part(0, start);
                case SC_ScrollBarAddPage: return part(start + slider, length - start - slider);
                case SC_ScrollBarGroove: return bar->rect;
                case SC_ScrollBarSlider: return part(start, slider);
                default: break;
            }
        }
    }
    return QProxyStyle::subControlRect(control, option, sub, widget);
}

QRect LookStyle::subElementRect(SubElement element, const QStyleOption* option, const QWidget* widget) const {
    if (element == SE_LineEditContents) {
        const QRect inner = QProxyStyle::subElementRect(element, option, widget);
        if (qobject_cast<const QAbstractSpinBox*>(widget ? widget->parentWidget() : nullptr)) return inner;
        return inner.adjusted(Spacing::xs, 0, -Spacing::xs, 0);
    }
    if (element == SE_PushButtonFocusRect) return option->rect;
    return QProxyStyle::subElementRect(element, option, widget);
}

void LookStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter, const QWidget* widget) const {
    const bool enabled = option->state & State_Enabled;
    const bool hovered = enabled && (option->state & State_MouseOver);
    switch (element) {
        case PE_FrameFocusRect:
        case PE_FrameMenu:
        case PE_FrameStatusBarItem:
        case PE_PanelStatusBar:
        case PE_FrameDefaultButton:
        case PE_IndicatorDockWidgetResizeHandle: return;
        case PE_PanelScrollAreaCorner: painter->fillRect(option->rect, color(Role::Base)); return;
        case PE_PanelMenu: {
            painter->fillRect(option->rect, color(Role::Raised));
            drawPanel(*painter, QRectF(option->rect), 0, QColor(), color(Role::Border));
            return;
        }
        case PE_PanelTipLabel: painter->fillRect(option->rect, color(Role::Tooltip)); return;
        case PE_Frame:
            if (const auto* frame = qstyleoption_cast<const QStyleOptionFrame*>(option); frame && frame->lineWidth > 0) {
                if (has(widget, "field")) {
                    drawFieldFrame(*painter, option->rect, option->state & State_HasFocus, enabled, hovered, has(widget, "invalid"),
                                   color(Role::Base));
                } else {
                    drawPanel(*painter, QRectF(option->rect), 0, QColor(), color(Role::Border));
                }
            }
            return;
        case PE_PanelLineEdit: {
            if (qobject_cast<const QAbstractSpinBox*>(widget ? widget->parentWidget() : nullptr) ||
                qobject_cast<const QComboBox*>(widget ? widget->parentWidget() : nullptr)) {
                return;
            }
            if (const auto* frame = qstyleoption_cast<const QStyleOptionFrame*>(option); frame && frame->lineWidth <= 0) return;
            const QColor ground = enabled ? color(Role::Base) : color(Role::Window);
            drawFieldFrame(*painter, option->rect, option->state & State_HasFocus, enabled, hovered, has(widget, "invalid"), ground);
            return;
        }
        case PE_FrameLineEdit: return;
        case PE_PanelItemViewRow: {
            const auto* item = qstyleoption_cast<const QStyleOptionViewItem*>(option);
            if (item && (item->features & QStyleOptionViewItem::Alternate)) painter->fillRect(option->rect, color(Role::Alt));
            return;
        }
        case PE_PanelItemViewItem: {
            if (option->state & State_Selected) {
                painter->fillRect(option->rect, color(Role::Selection));
            } else if (hovered) {
                QColor ground = color(Role::Selection);
                ground.setAlphaF(0.35F);
                painter->fillRect(option->rect, ground);
            }
            return;
        }
        case PE_IndicatorBranch: {
            if (!(option->state & State_Children)) return;
            const QPointF centre = QRectF(option->rect).center();
            paintIcon(*painter, QRectF(centre.x() - 8, centre.y() - 8, 16, 16),
                      option->state & State_Open ? QStringLiteral("chevron-down") : QStringLiteral("chevron-right"), Role::Muted);
            return;
        }
        case PE_IndicatorCheckBox:
        case PE_IndicatorItemViewItemCheck: {
            const bool on = option->state & State_On, partly = option->state & State_NoChange;
            const QRectF box = QRectF(option->rect).adjusted(0.5, 0.5, -0.5, -0.5);
            const QColor accent = enabled ? color(hovered ? Role::AccentHover : Role::Accent) : color(Role::Disabled);
            const QColor outline = on || partly ? accent : color(enabled ? (hovered ? Role::Text : Role::Strong) : Role::Border);
            drawPanel(*painter, box, 3, on || partly ? accent : color(Role::Base), outline);
            if (on) paintIcon(*painter, QRectF(option->rect), QStringLiteral("check"), Role::OnAccent);
            if (partly) painter->fillRect(QRectF(box.center() - QPointF(4, 1), QSizeF(8, 2)), color(Role::OnAccent));
            if (keyboardFocus(*option)) drawPanel(*painter, QRectF(option->rect), 3, QColor(), color(Role::Focus), 2);
            return;
        }
        case PE_IndicatorRadioButton: {
            const bool on = option->state & State_On;
            const QRectF circle = QRectF(option->rect).adjusted(0.5, 0.5, -0.5, -0.5);
            drawPanel(*painter, circle, circle.width() / 2, color(Role::Base),
                      on ? color(enabled ? Role::Accent : Role::Disabled) : color(enabled ? Role::Strong : Role::Border), on ? 5 : 1);
            return;
        }
        case PE_PanelButtonTool: {
            const bool down = option->state & (State_Sunken | State_On);
            if (down || hovered)
                drawPanel(*painter, QRectF(option->rect), Metrics::controlRadius, color(down ? Role::Selection : Role::GroupRow), QColor(), 0);
            if (keyboardFocus(*option)) drawPanel(*painter, QRectF(option->rect), Metrics::controlRadius, QColor(), color(Role::Focus), 2);
            return;
        }
        case PE_IndicatorArrowDown:
        case PE_IndicatorArrowUp:
            drawChevron(*painter, QRectF(option->rect).center(), element == PE_IndicatorArrowUp, color(enabled ? Role::Muted : Role::Disabled));
            return;
        case PE_IndicatorItemViewItemDrop: {
            painter->fillRect(option->rect.adjusted(0, 0, 0, 2 - option->rect.height()), color(Role::Accent));
            return;
        }
        default: QProxyStyle::drawPrimitive(element, option, painter, widget);
    }
}

void LookStyle::drawButton(const QStyleOption& option, QPainter& painter, const QWidget* widget) const {
    const bool enabled = option.state & State_Enabled;
    const bool hovered = enabled && (option.state & State_MouseOver);
    const bool down = option.state & (State_Sunken | State_On);
    const QRectF rect(option.rect);
    if (has(widget, "primary") && enabled) {
        drawPanel(painter, rect, Metrics::controlRadius, color(down ? Role::AccentPressed : hovered ? Role::AccentHover : Role::Accent), QColor(), 0);
        if (keyboardFocus(option)) {
            drawPanel(painter, rect.adjusted(2, 2, -2, -2), 2, QColor(), color(Role::OnAccent), 1.5);
        }
        return;
    }
    if (has(widget, "flat")) {
        if (hovered || down) drawPanel(painter, rect, Metrics::controlRadius, color(down ? Role::Selection : Role::GroupRow), QColor(), 0);
    } else {
        const QColor outline = color(!enabled ? Role::Border : hovered ? Role::Strong : Role::Border);
        drawPanel(painter, rect, Metrics::controlRadius, enabled ? color(down ? Role::Selection : Role::Raised) : color(Role::Alt), outline);
    }
    if (keyboardFocus(option)) drawPanel(painter, rect, Metrics::controlRadius, QColor(), color(Role::Focus), 2);
}

void LookStyle::drawHeader(const QStyleOptionHeader& option, QPainter& painter) const {
    const QRect rect = option.rect;
    const bool first = option.position == QStyleOptionHeader::Beginning || option.position == QStyleOptionHeader::OnlyOneSection;
    const bool last = option.position == QStyleOptionHeader::End;
    QRect text = rect.adjusted(first ? Spacing::l : Spacing::s, 0, last ? -Spacing::l : -Spacing::s, 0);
    painter.setPen(color(Role::Muted));
    QFont font = uiFont(TextSize::Caption);
    font.setWeight(QFont::DemiBold);
    painter.setFont(font);
    const bool sorted = option.sortIndicator != QStyleOptionHeader::None;
    if (sorted) text.adjust(0, 0, -12, 0);
    const QString shown = QFontMetrics(font).elidedText(option.text, Qt::ElideRight, text.width());
    const Qt::Alignment alignment = (option.textAlignment & Qt::AlignHorizontal_Mask) | Qt::AlignVCenter;
    painter.drawText(text, static_cast<int>(alignment) | Qt::TextSingleLine, shown);
    if (sorted) {
        drawChevron(painter, QPointF(rect.right() - Spacing::m, QRectF(rect).center().y()), option.sortIndicator == QStyleOptionHeader::SortDown,
                    color(Role::Muted), 3);
    }
}

void LookStyle::drawMenuItem(const QStyleOptionMenuItem& option, QPainter& painter, const QWidget* widget) const {
    const QRect rect = option.rect;
    if (option.menuItemType == QStyleOptionMenuItem::Separator) {
        painter.fillRect(QRect(rect.left(), rect.center().y(), rect.width(), 1), color(Role::Border));
        return;
    }
    const bool enabled = option.state & State_Enabled, selected = enabled && (option.state & State_Selected);
    if (selected) drawPanel(painter, QRectF(rect), Metrics::controlRadius, color(Role::Selection), QColor(), 0);
    const QColor textColour = color(!enabled ? Role::Disabled : selected ? Role::SelectionText : Role::Text);
    const QRectF mark(rect.left() + Spacing::s, rect.center().y() - 7, 16, 16);
    if (option.checkType != QStyleOptionMenuItem::NotCheckable && option.checked) {
        paintIcon(painter, mark, QStringLiteral("check"), textColour);
    } else if (!option.icon.isNull()) {
        option.icon.paint(&painter, mark.toRect(), Qt::AlignCenter, enabled ? QIcon::Normal : QIcon::Disabled);
    }
    QFont font = option.font;
    painter.setFont(font);
    painter.setPen(textColour);
    QRect text = rect.adjusted(32, 0, -Spacing::m, 0);
    const int flags = Qt::AlignVCenter | Qt::TextSingleLine | Qt::TextHideMnemonic;
    const qsizetype tab = option.text.indexOf(u'\t');
    painter.drawText(text, flags | Qt::AlignLeft, tab < 0 ? option.text : option.text.left(tab));
    if (tab >= 0) {
        if (!selected && enabled) painter.setPen(color(Role::Muted));
        painter.drawText(text, flags | Qt::AlignRight, option.text.mid(tab + 1));
    }
    if (option.menuItemType == QStyleOptionMenuItem::SubMenu) {
        paintIcon(painter, QRectF(rect.right() - 20, rect.center().y() - 7, 16, 16), QStringLiteral("chevron-right"), textColour);
    }
    Q_UNUSED(widget)
}

void LookStyle::drawControl(ControlElement element, const QStyleOption* option, QPainter* painter, const QWidget* widget) const {
    switch (element) {
        case CE_PushButtonBevel: drawButton(*option, *painter, widget); return;
        case CE_PushButtonLabel: {
            const auto* button = qstyleoption_cast<const QStyleOptionButton*>(option);
            if (!button) break;
            const bool enabled = option->state & State_Enabled;
            const Role role = !enabled ? Role::Disabled : has(widget, "primary") ? Role::OnAccent : Role::Text;
            const QString name = widget ? widget->property("iconName").toString() : QString();
            QFont font = painter->font();
            font.setWeight(has(widget, "flat") ? QFont::Normal : QFont::DemiBold);
            painter->setFont(font);
            const QFontMetrics metrics(font);
            const int textWidth = metrics.size(Qt::TextShowMnemonic, button->text).width();
            const bool hasIcon = !name.isEmpty() || !button->icon.isNull();
            const int iconWidth = hasIcon ? 16 + (button->text.isEmpty() ? 0 : 6) : 0;
            int left = button->rect.left() + std::max(Spacing::xs, (button->rect.width() - textWidth - iconWidth) / 2);
            if (has(widget, "leftAligned")) left = button->rect.left() + Spacing::s;
            const QRect iconRect(left, button->rect.center().y() - 7, 16, 16);
            if (!name.isEmpty()) {
                paintIcon(*painter, QRectF(iconRect), name, role);
            } else if (!button->icon.isNull()) {
                button->icon.paint(painter, iconRect, Qt::AlignCenter, enabled ? QIcon::Normal : QIcon::Disabled);
            }
            painter->setPen(color(role));
            painter->drawText(QRect(left + iconWidth, button->rect.top(), button->rect.right() - left - iconWidth, button->rect.height()),
                              Qt::AlignVCenter | Qt::AlignLeft | Qt::TextSingleLine | Qt::TextHideMnemonic, button->text);
            return;
        }
        case CE_HeaderSection:
        case CE_HeaderEmptyArea: {
            const QColor ground =
                widget && widget->property("ground").isValid() ? color(static_cast<Role>(widget->property("ground").toInt())) : color(Role::Window);
            painter->fillRect(option->rect, ground);
            painter->fillRect(QRect(option->rect.left(), option->rect.bottom(), option->rect.width(), 1), color(Role::Border));
            return;
        }
        case CE_HeaderLabel: return;
        case CE_Header:
            if (const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option)) {
                drawControl(CE_HeaderSection, option, painter, widget);
                drawHeader(*header, *painter);
                return;
            }
            break;
        case CE_MenuItem:
            if (const auto* item = qstyleoption_cast<const QStyleOptionMenuItem*>(option)) {
                drawMenuItem(*item, *painter, widget);
                return;
            }
            break;
        case CE_MenuEmptyArea: return;
        case CE_MenuBarEmptyArea: painter->fillRect(option->rect, color(Role::Window)); return;
        case CE_MenuBarItem:
            if (const auto* item = qstyleoption_cast<const QStyleOptionMenuItem*>(option)) {
                painter->fillRect(option->rect, color(Role::Window));
                if (option->state & (State_Selected | State_Sunken)) {
                    drawPanel(*painter, QRectF(option->rect), Metrics::controlRadius, color(Role::Selection), QColor(), 0);
                }
                painter->setPen(color(option->state & State_Enabled ? Role::Text : Role::Disabled));
                painter->drawText(option->rect, Qt::AlignCenter | Qt::TextSingleLine | Qt::TextHideMnemonic, item->text);
                return;
            }
            break;
        case CE_Splitter: painter->fillRect(option->rect, color(Role::Border)); return;
        case CE_ProgressBarGroove: drawPanel(*painter, QRectF(option->rect), 2, color(Role::Border), QColor(), 0); return;
        case CE_ProgressBarContents:
            if (const auto* bar = qstyleoption_cast<const QStyleOptionProgressBar*>(option)) {
                QRectF rect(option->rect);
                const int range = bar->maximum - bar->minimum;
                const double share = range > 0 ? static_cast<double>(bar->progress - bar->minimum) / range : 0.3;
                rect.setWidth(rect.width() * std::clamp(share, 0.0, 1.0));
                drawPanel(*painter, rect, 2, color(Role::Accent), QColor(), 0);
                return;
            }
            break;
        case CE_ProgressBarLabel: return;
        case CE_ShapedFrame: {
            const auto* frame = qstyleoption_cast<const QStyleOptionFrame*>(option);
            if (frame && (frame->frameShape == QFrame::HLine || frame->frameShape == QFrame::VLine)) {
                const QRect r = option->rect;
                painter->fillRect(frame->frameShape == QFrame::HLine ? QRect(r.left(), r.center().y(), r.width(), 1)
                                                                     : QRect(r.center().x(), r.top(), 1, r.height()),
                                  color(Role::Border));
                return;
            }
            if (frame && frame->frameShape == QFrame::NoFrame) return;
            drawPanel(*painter, QRectF(option->rect), Metrics::controlRadius, QColor(), color(Role::Border));
            return;
        }
        case CE_ComboBoxLabel:
            if (const auto* combo = qstyleoption_cast<const QStyleOptionComboBox*>(option); combo && !combo->editable) {
                QRect text = subControlRect(CC_ComboBox, combo, SC_ComboBoxEditField, widget);
                painter->setPen(color(option->state & State_Enabled ? Role::Text : Role::Disabled));
                if (!combo->currentIcon.isNull()) {
                    combo->currentIcon.paint(painter, QRect(text.left(), text.center().y() - 7, 16, 16));
                    text.adjust(16 + Spacing::xs, 0, 0, 0);
                }
                painter->drawText(text, Qt::AlignVCenter | Qt::AlignLeft | Qt::TextSingleLine,
                                  QFontMetrics(painter->font()).elidedText(combo->currentText, Qt::ElideMiddle, text.width()));
                return;
            }
            break;
        default: break;
    }
    QProxyStyle::drawControl(element, option, painter, widget);
}

QIcon LookStyle::standardIcon(StandardPixmap pixmap, const QStyleOption* option, const QWidget* widget) const {
    if (pixmap == SP_LineEditClearButton) return icon(QStringLiteral("close"), Role::Muted);
    return QProxyStyle::standardIcon(pixmap, option, widget);
}

}  // namespace pt2::views
