#include "views/problems/severity_toggle.h"

#include <QPainter>
#include <algorithm>

#include "views/theme/drawn_parts.h"
#include "views/theme/fonts.h"
#include "views/theme/icons.h"
#include "views/theme/spacing.h"

namespace pt2::views {

SeverityToggle::SeverityToggle(State state, QWidget* parent) : QAbstractButton(parent), state_(state) {
    setCheckable(true);
    setChecked(true);
    setAttribute(Qt::WA_Hover);
    setFocusPolicy(Qt::TabFocus);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

void SeverityToggle::setCount(int count, const QString& words) {
    setText(QStringLiteral("%1 %2").arg(count).arg(words));
    setAccessibleName(text());
    setToolTip(tr("Show or hide them"));
    setVisible(count > 0);
    updateGeometry();
}

QSize SeverityToggle::sizeHint() const { return {QFontMetrics(uiFont()).horizontalAdvance(text()) + 16 + 6 + 2 * Spacing::m, Metrics::control}; }

void SeverityToggle::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const bool on = isChecked();
    drawPanel(painter, QRectF(rect()), Metrics::controlRadius, color(on ? Role::Raised : Role::Alt),
              color(underMouse() ? Role::Strong : Role::Border));
    paintIcon(painter, QRectF(Spacing::m, (height() - 16) / 2.0, 16, 16), stateIcon(state_), on ? stateRole(state_) : Role::Disabled);
    QFont font = uiFont();
    font.setStrikeOut(!on);
    painter.setFont(font);
    painter.setPen(color(on ? Role::Text : Role::Disabled));
    painter.drawText(rect().adjusted(Spacing::m + 16 + 6, 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft, text());
    if (hasFocus()) drawPanel(painter, QRectF(rect()), Metrics::controlRadius, QColor(), color(Role::Focus), 2);
}

}  // namespace pt2::views
