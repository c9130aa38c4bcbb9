#include "views/widgets/find_bar.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>

#include "views/theme/icons.h"
#include "views/widgets/buttons.h"
#include "views/widgets/code_view.h"
#include "views/widgets/text.h"

namespace pt2::views {

FindBar::FindBar(CodeView* view, QWidget* parent)
    : PageToolbar(parent), view_(view), field_(new QLineEdit), note_(new TextLabel({}, TextSize::Caption, Role::Muted)) {
    field_->setPlaceholderText(tr("Find in this text"));
    field_->setAccessibleName(tr("Find in this text"));
    field_->addAction(icon(QStringLiteral("search"), Role::Muted), QLineEdit::LeadingPosition);
    field_->setMaximumWidth(320);
    row()->addWidget(field_);
    auto* up = iconButton(QStringLiteral("chevron-up"), tr("Previous (Shift+Enter)"));
    auto* down = iconButton(QStringLiteral("chevron-down"), tr("Next (Enter)"));
    row()->addWidget(up);
    row()->addWidget(down);
    row()->addWidget(note_);
    row()->addStretch(1);
    auto* close = iconButton(QStringLiteral("close"), tr("Close (Esc)"));
    row()->addWidget(close);
    connect(up, &QToolButton::clicked, this, [this] { step(true); });
    connect(down, &QToolButton::clicked, this, [this] { step(false); });
    connect(close, &QToolButton::clicked, this, &QWidget::hide);
    connect(field_, &QLineEdit::textEdited, this, [this] { step(false); });
    field_->installEventFilter(this);
    hide();
}

void FindBar::open() {
    show();
    field_->setFocus(Qt::ShortcutFocusReason);
    field_->selectAll();
}

void FindBar::step(bool backwards) {
    const bool found = field_->text().isEmpty() || view_->findNext(field_->text(), backwards);
    note_->setFullText(found ? QString() : tr("Nothing named \"%1\".").arg(field_->text()));
    note_->setRole(Role::Error);
}

bool FindBar::eventFilter(QObject* watched, QEvent* event) {
    if (watched == field_ && event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->key() == Qt::Key_Escape) {
            hide();
            view_->setFocus();
            return true;
        }
        if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
            step(key->modifiers() & Qt::ShiftModifier);
            return true;
        }
    }
    return PageToolbar::eventFilter(watched, event);
}

}  // namespace pt2::views
