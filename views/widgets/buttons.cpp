#include "views/widgets/buttons.h"

#include "views/theme/fonts.h"
#include "views/theme/icons.h"
#include "views/theme/spacing.h"

namespace pt2::views {

QPushButton* primaryButton(const QString& text, const QString& iconName, QWidget* parent) {
    QPushButton* button = plainButton(text, iconName, parent);
    button->setProperty("primary", true);
    return button;
}

QPushButton* plainButton(const QString& text, const QString& iconName, QWidget* parent) {
    auto* button = new QPushButton(text, parent);
    button->setProperty("iconName", iconName);
    QFont font = uiFont();
    font.setWeight(QFont::DemiBold);
    button->setFont(font);
    if (!iconName.isEmpty()) button->setIcon(icon(iconName));
    button->setAutoDefault(false);
    return button;
}

QToolButton* iconButton(const QString& iconName, const QString& tooltip, QWidget* parent) {
    auto* button = new QToolButton(parent);
    button->setIcon(icon(iconName, Role::Muted));
    button->setIconSize(QSize(16, 16));
    button->setToolTip(tooltip);
    button->setAccessibleName(tooltip);
    button->setAutoRaise(true);
    button->setFixedSize(Metrics::control, Metrics::control);
    return button;
}

}  // namespace pt2::views
