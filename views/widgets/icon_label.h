#pragma once

#include <QString>
#include <QWidget>

#include "views/theme/theme.h"

namespace pt2::views {

/// What an icon that stands for a state says ("Warning"); empty for those that are ornaments.
QString stateWords(const QString& iconName);

/// Icon of a fixed size in a role's colour. A screen reader is told its state.
class IconLabel : public QWidget {
    Q_OBJECT
public:
    IconLabel(const QString& name, int size = 16, Role role = Role::Text, QWidget* parent = nullptr);
    void setIcon(const QString& name, Role role);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString name_;
    Role role_;
};

}  // namespace pt2::views
