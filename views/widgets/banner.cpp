#include "views/widgets/banner.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QVBoxLayout>

#include "views/theme/drawn_parts.h"
#include "views/theme/spacing.h"
#include "views/theme/theme.h"
#include "views/widgets/buttons.h"
#include "views/widgets/icon_label.h"
#include "views/widgets/link_label.h"
#include "views/widgets/panel_action.h"
#include "views/widgets/text.h"

namespace pt2::views {

namespace {
constexpr int kIcon = 24, kIconCompact = 16;
constexpr int kBeside = 480, kLeastWords = 96;
}  // namespace

Banner::Banner(State state, const QString& title, const QString& text, QWidget* parent)
    : QWidget(parent),
      state_(state),
      icon_(nullptr),
      title_(new TextLabel({}, TextSize::Section)),
      text_(new TextLabel({}, TextSize::Body)),
      right_(new TextLabel({}, TextSize::Caption, Role::Muted)),
      outer_(new QHBoxLayout(this)),
      actions_(new QHBoxLayout) {
    setMargins(outer_, Spacing::l, Spacing::m, Spacing::l);
    auto* column = new QVBoxLayout;
    setMargins(column, 0, 2);
    title_->setWordWrap(true);
    text_->setWordWrap(true);
    title_->setMinimumWidth(kLeastWords);
    text_->setMinimumWidth(kLeastWords);
    title_->setSelectable(true);
    text_->setSelectable(true);
    column->addWidget(title_);
    column->addWidget(text_);
    setMargins(actions_, 0, Spacing::s);
    outer_->addLayout(column, 1);
    outer_->addWidget(right_);
    outer_->addLayout(actions_);
    right_->hide();
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    set(state, title, text);
}

void Banner::set(State state, const QString& title, const QString& text) {
    state_ = state;
    title_->setFullText(title);
    words_ = text;
    title_->setVisible(!title.isEmpty());
    place();
    setAccessibleName(title);
    setAccessibleDescription(text);
    restyle();
}

void Banner::setCompact(bool compact) {
    compact_ = compact;
    setMargins(outer_, Spacing::m, Spacing::s, Spacing::s);
    restyle();
}

void Banner::setFlat(bool flat) {
    flat_ = flat;
    outer_->setContentsMargins(Spacing::xl, Spacing::m, Spacing::xl, Spacing::m);
    update();
}

void Banner::setRightText(const QString& text) {
    rightText_ = text;
    right_->setFullText(text);
    place();
}

/// Where there is no room beside the words, the text of the right end follows them.
void Banner::place() {
    const bool beside = width() >= kBeside;
    right_->setVisible(beside && !rightText_.isEmpty());
    const QString words = beside || rightText_.isEmpty() ? words_ : words_.isEmpty() ? rightText_ : words_ + u' ' + rightText_ + u'.';
    if (text_->fullText() != words) text_->setFullText(words);
    text_->setVisible(!words.isEmpty());
}

void Banner::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    place();
}

void Banner::addAction(const PanelAction& action, bool asLink) {
    QAbstractButton* button = nullptr;
    if (asLink) {
        auto* link = new LinkLabel(action.text);
        link->setCaption(compact_);
        button = link;
    } else {
        button = plainButton(action.text);
    }
    connect(button, &QAbstractButton::clicked, this, [run = action.run] {
        if (run) run();
    });
    actions_->addWidget(button);
}

void Banner::clearActions() {
    while (QLayoutItem* item = actions_->takeAt(0)) {
        if (item->widget()) item->widget()->deleteLater();
        delete item;
    }
}

void Banner::restyle() {
    const int size = compact_ ? kIconCompact : kIcon;
    if (icon_) {
        outer_->removeWidget(icon_);
        icon_->deleteLater();
    }
    icon_ = new IconLabel(stateIcon(state_), size, stateRole(state_));
    outer_->insertWidget(0, icon_, 0, compact_ ? Qt::AlignTop : Qt::AlignVCenter);
    title_->setFont(uiFont(compact_ ? TextSize::Strong : TextSize::Section));
    title_->setRole(compact_ || state_ == State::Neutral ? Role::Text : stateRole(state_));
    title_->setFont(uiFont(compact_ ? TextSize::Strong : TextSize::Section));
    text_->setFont(uiFont(compact_ ? TextSize::Caption : TextSize::Body));
    update();
}

void Banner::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    if (flat_) {
        painter.fillRect(rect(), color(stateGround(state_)));
        QColor line = color(stateRole(state_));
        line.setAlphaF(0.35F);
        painter.fillRect(QRect(0, height() - 1, width(), 1), line);
        return;
    }
    drawPanel(painter, QRectF(rect()), compact_ ? Metrics::controlRadius : Metrics::cardRadius, color(stateGround(state_)), QColor(), 0);
}

}  // namespace pt2::views
