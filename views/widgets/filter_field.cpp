#include "views/widgets/filter_field.h"

#include <QLineEdit>

#include "views/theme/icons.h"

namespace pt2::views {

QLineEdit* makeFilterField(const QString& placeholder, const QString& name) {
    auto* field = new QLineEdit;
    field->setPlaceholderText(placeholder);
    field->setAccessibleName(name);
    field->setClearButtonEnabled(true);
    field->addAction(icon(QStringLiteral("filter"), Role::Muted), QLineEdit::LeadingPosition)->setText(name);
    return field;
}

}  // namespace pt2::views
