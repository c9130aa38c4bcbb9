#include "views/widgets/card.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QVBoxLayout>

#include "views/theme/drawn_parts.h"
#include "views/theme/spacing.h"
#include "views/theme/theme.h"
#include "views/widgets/text.h"

namespace pt2::views {

Card::Card(const QString& title, QWidget* parent)
    : QWidget(parent),
      title_(new TextLabel(title, TextSize::Section)),
      subtitle_(new TextLabel({}, TextSize::Body, Role::Muted)),
      right_(new TextLabel({}, TextSize::Caption, Role::Muted)),
      titleRow_(new QHBoxLayout),
      content_(new QVBoxLayout) {
    auto* column = new QVBoxLayout(this);
    setMargins(column, 0, 0);
    column->setContentsMargins(1, 0, 1, 1);
    auto* titleBox = new QWidget;
    titleBox->setFixedHeight(Metrics::cardTitle);
    titleBox->setLayout(titleRow_);
    setMargins(titleRow_, Spacing::l, 0, Spacing::m);
    titleRow_->addWidget(title_);
    titleRow_->addWidget(subtitle_);
    titleRow_->addStretch(1);
    titleRow_->addWidget(right_);
    subtitle_->hide();
    right_->hide();
    column->addWidget(titleBox);
    titleBox->setVisible(!title.isEmpty());  // now that it is inside: a widget by itself would open a window and take the keyboard
    column->addLayout(content_, 1);
    content_->setContentsMargins(Spacing::l, 0, Spacing::l, Spacing::m);
    content_->setSpacing(Spacing::s);
    setAccessibleName(title);
}

void Card::setSubtitle(const QString& text) {
    subtitle_->setFullText(text);
    subtitle_->setVisible(!text.isEmpty());
}

void Card::setRightText(const QString& text) {
    right_->setFullText(text);
    right_->setVisible(!text.isEmpty());
}

void Card::addToTitle(QWidget* widget) { titleRow_->addWidget(widget); }

void Card::setTitleLine(bool line) {
    line_ = line;
    update();
}

void Card::setFlush(bool flush) {
    // Without a title row the content keeps off the rounded corners.
    const int corner = title_->text().isEmpty() ? Spacing::xs : 0;
    content_->setContentsMargins(flush ? 0 : Spacing::l, flush ? (line_ ? 1 : corner) : 0, flush ? 0 : Spacing::l, flush ? corner : Spacing::m);
    if (flush) content_->setSpacing(0);
}

void Card::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    drawPanel(painter, QRectF(rect()), Metrics::cardRadius, color(Role::Card), color(Role::Border));
    if (line_) painter.fillRect(QRect(1, Metrics::cardTitle, width() - 2, 1), color(Role::Border));
}

}  // namespace pt2::views
