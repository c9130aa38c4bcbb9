#include "views/widgets/empty_state.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QVBoxLayout>

#include "views/theme/spacing.h"
#include "views/widgets/buttons.h"
#include "views/widgets/icon_label.h"
#include "views/widgets/link_label.h"
#include "views/widgets/panel_action.h"
#include "views/widgets/text.h"

namespace pt2::views {

namespace {
constexpr int kIconHeight = 190;
}

EmptyState::EmptyState(const QString& iconName, const QString& title, const QString& text, QWidget* parent)
    : QWidget(parent),
      column_(new QVBoxLayout),
      words_(paragraph(text, TextSize::Body, Role::Muted)),
      icon_(new IconLabel(iconName, 48, Role::Muted)) {
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(Spacing::xxl, Spacing::s, Spacing::xxl, Spacing::s);
    outer->setSpacing(0);
    outer->addStretch(2);
    setMargins(column_, 0, Spacing::m);
    column_->addWidget(icon_, 0, Qt::AlignHCenter);
    column_->addSpacing(Spacing::xs);
    auto* heading = new TextLabel(title, TextSize::Section);
    heading->setAlignment(Qt::AlignHCenter);
    column_->addWidget(heading);
    words_->setAlignment(Qt::AlignHCenter);
    words_->setFixedWidth(Metrics::emptyWidth - 2 * Spacing::xl);
    auto* centred = new QHBoxLayout;  // not an alignment: the wrapped text needs its height for its width
    centred->addStretch(1);
    centred->addWidget(words_);
    centred->addStretch(1);
    column_->addLayout(centred);
    outer->addLayout(column_);
    outer->addStretch(3);
    setAccessibleName(title);
    setAccessibleDescription(text);
}

QSize EmptyState::minimumSizeHint() const {
    QSize size = QWidget::minimumSizeHint();
    if (icon_->isVisibleTo(this)) size.rheight() -= icon_->height() + Spacing::m;
    return size;
}

void EmptyState::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    icon_->setVisible(height() >= kIconHeight);
}

void EmptyState::setText(const QString& text) {
    words_->setFullText(text);
    setAccessibleDescription(text);
}

QPushButton* EmptyState::setButton(const PanelAction& action) {
    auto* button = plainButton(action.text);
    connect(button, &QPushButton::clicked, this, [run = action.run] {
        if (run) run();
    });
    column_->addWidget(button, 0, Qt::AlignHCenter);
    return button;
}

void EmptyState::setLink(const PanelAction& action) {
    auto* link = new LinkLabel(action.text);
    connect(link, &LinkLabel::clicked, this, [run = action.run] {
        if (run) run();
    });
    column_->addWidget(link, 0, Qt::AlignHCenter);
}

}  // namespace pt2::views
