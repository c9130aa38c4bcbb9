#pragma once

#include <QString>
#include <QWidget>

#include "views/theme/theme.h"

namespace pt2::views {

/// Icon of a fixed size in a role's colour.
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
