#include "views/widgets/link_label.h"

#include <QFontMetrics>
#include <QPainter>
#include <algorithm>

#include "views/theme/drawn_parts.h"
#include "views/theme/fonts.h"
#include "views/theme/theme.h"

namespace pt2::views {

LinkLabel::LinkLabel(const QString& text, QWidget* parent) : QAbstractButton(parent) {
    setText(text);
    setAccessibleName(text);
    setCursor(Qt::PointingHandCursor);
    setFocusPolicy(Qt::TabFocus);
    setAttribute(Qt::WA_Hover);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

void LinkLabel::setCaption(bool caption) {
    caption_ = caption;
    updateGeometry();
}

QFont LinkLabel::font_() const { return uiFont(caption_ ? TextSize::Caption : TextSize::Body); }

QSize LinkLabel::sizeHint() const {
    const QFontMetrics metrics(font_());
    return {metrics.horizontalAdvance(text()) + 2, std::max(metrics.height() + 2, caption_ ? 16 : 24)};
}

void LinkLabel::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    QFont font = font_();
    font.setUnderline(isEnabled() && underMouse());
    painter.setFont(font);
    painter.setPen(color(isEnabled() ? Role::Link : Role::Disabled));
    painter.drawText(rect(), Qt::AlignVCenter | Qt::AlignLeft | Qt::TextSingleLine, text());
    if (hasFocus()) drawPanel(painter, QRectF(rect()), 3, QColor(), color(Role::Focus), 1.5);
}

}  // namespace pt2::views
