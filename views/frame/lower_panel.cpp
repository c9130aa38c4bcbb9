#include "views/frame/lower_panel.h"

#include <QHBoxLayout>
#include <QPlainTextEdit>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include "views/theme/fonts.h"
#include "views/theme/spacing.h"
#include "views/theme/theme.h"
#include "views/widgets/buttons.h"
#include "views/widgets/data_table.h"
#include "views/widgets/ground.h"
#include "views/widgets/segmented_switch.h"
#include "views/widgets/text.h"

namespace pt2::views {

LowerPanel::LowerPanel(DocumentSession& session, QWidget* parent)
    : QWidget(parent),
      session_(session),
      tabs_(new SegmentedSwitch({tr("Problems"), tr("Log")})),
      stack_(new QStackedWidget),
      problems_(new DataTable),
      model_(new RowModel({{tr("What"), 420, false, true, {}}, {tr("Where"), 320, false, false, {}}, {tr("Code"), 200, false, false, {}}}, this)),
      log_(new QPlainTextEdit) {
    auto* column = new QVBoxLayout(this);
    setMargins(column, 0, 0);
    auto* bar = new PageToolbar;
    bar->setEdges(Qt::TopEdge | Qt::BottomEdge);
    bar->row()->addWidget(tabs_);
    bar->row()->addStretch(1);
    auto* close = iconButton(QStringLiteral("close"), tr("Close the panel (Ctrl+J)"));
    bar->row()->addWidget(close);
    column->addWidget(bar);
    column->addWidget(stack_, 1);
    problems_->setSource(model_);
    stack_->addWidget(problems_);
    log_->setReadOnly(true);
    log_->setFrameShape(QFrame::NoFrame);
    log_->setFont(codeFont());
    log_->setMaximumBlockCount(20000);
    log_->setAccessibleName(tr("Log"));
    log_->setPlainText(session.logLines().join(u'\n'));
    stack_->addWidget(log_);
    connect(tabs_, &SegmentedSwitch::currentChanged, stack_, &QStackedWidget::setCurrentIndex);
    connect(close, &QToolButton::clicked, this, &LowerPanel::closeRequested);
    connect(problems_, &DataTable::rowActivated, this, [this](const QString& address) { session_.navigate(address); });
    connect(&session, &DocumentSession::documentChanged, this, &LowerPanel::refresh);
    connect(&session, &DocumentSession::issuesChanged, this, &LowerPanel::refresh);
    connect(&session, &DocumentSession::logged, log_, &QPlainTextEdit::appendPlainText);
    refresh();
}

void LowerPanel::open(Tab tab) { tabs_->setCurrent(static_cast<int>(tab)); }

void LowerPanel::refresh() {
    std::vector<Row> rows;
    for (const Issue& issue : session_.issues()) {
        const State state = issue.severity == Severity::Error ? State::Error : issue.severity == Severity::Warning ? State::Warning : State::Info;
        Row row;
        Cell what(shown(issue.message));
        what.icon = stateIcon(state);
        what.iconColour = stateRole(state);
        row.cells = {what, Cell::fixed(shown(issue.where), Role::Muted), Cell::fixed(shown(issue.code), Role::Muted)};
        row.address = toQt(issue.where);
        rows.push_back(std::move(row));
    }
    model_->setRows(std::move(rows));
}

}  // namespace pt2::views
