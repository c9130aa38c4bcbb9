#include "views/widgets/answer_pane.h"

#include <QScrollBar>
#include <QVBoxLayout>

#include "views/theme/spacing.h"
#include "views/widgets/error_panel.h"
#include "views/widgets/ground.h"

namespace pt2::views {

AnswerPane::AnswerPane(QWidget* parent) : QScrollArea(parent) {
    auto* ground = new Ground(Role::Base);
    column_ = new QVBoxLayout(ground);
    setMargins(column_, Spacing::l, Spacing::l, 0);
    setWidget(ground);
    setAccessibleName(tr("Answer"));
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
}

void AnswerPane::setAnswer(QWidget* widget) {
    while (QLayoutItem* item = column_->takeAt(0)) {
        if (item->widget()) item->widget()->deleteLater();
        delete item;
    }
    column_->addWidget(widget);
    if (qobject_cast<ErrorPanel*>(widget)) column_->addStretch(1);
    verticalScrollBar()->setValue(0);
}

}  // namespace pt2::views
