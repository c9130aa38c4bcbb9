#include "views/widgets/key_value_list.h"

#include <QGridLayout>

#include "views/theme/spacing.h"

#include <algorithm>
#include "views/widgets/text.h"

namespace pt2::views {

KeyValueList::KeyValueList(QWidget* parent) : QWidget(parent), grid_(new QGridLayout(this)) {
    setMargins(grid_, 0, 0);
    grid_->setHorizontalSpacing(Spacing::s);
    grid_->setVerticalSpacing(Spacing::s);
    grid_->setColumnStretch(1, 1);
}

TextLabel* KeyValueList::add(const QString& key, const QString& value, bool code, Role role) {
    auto* label = new TextLabel({}, TextSize::Body, role);
    label->setTextFormat(Qt::RichText);
    label->setFullText(symbolHtml(value));
    label->setCode(code);
    label->setWordWrap(true);
    label->setSelectable(true);
    addWidget(key, label);
    return label;
}

void KeyValueList::addWidget(const QString& key, QWidget* value) {
    const int row = grid_->rowCount();
    auto* name = new TextLabel(key, TextSize::Body, Role::Muted);
    name->setCode(codeKeys_);
    name->setFixedWidth(std::max(keyWidth_, name->sizeHint().width()));
    // The relation between a word and its value, for screen readers. An ampersand would become a shortcut.
    if (!key.isEmpty() && !key.contains(QLatin1Char('&'))) name->setBuddy(value);
    grid_->addWidget(name, row, 0, Qt::AlignTop);
    grid_->addWidget(value, row, 1);
}

void KeyValueList::clear() {
    while (QLayoutItem* item = grid_->takeAt(0)) {
        if (item->widget()) item->widget()->deleteLater();
        delete item;
    }
}

}  // namespace pt2::views
