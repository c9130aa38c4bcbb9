#include "views/frame/engine_setup.h"

#include <QHBoxLayout>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QString>
#include <QTimer>
#include <QVBoxLayout>

#include "views/frame/engine_service.h"
#include "views/theme/fonts.h"
#include "views/theme/spacing.h"
#include "views/widgets/buttons.h"
#include "views/widgets/progress.h"
#include "views/widgets/text.h"

namespace pt2::views {

namespace {
constexpr int kLogLines = 2000;
constexpr int kLogLeast = 160;
constexpr int kTick = 1000;  // milliseconds
}  // namespace

EngineSetup::EngineSetup(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("engineSetup"));
    auto* column = new QVBoxLayout(this);
    setMargins(column, 0, Spacing::l);
    column->addWidget(new TextLabel(tr("Setting up the run engine"), TextSize::Section));
    column->addWidget(
        paragraph(tr("It is compiled for the LibTorch of this machine, once. This takes a minute or two; other pages can be used meanwhile."),
                  TextSize::Body, Role::Muted));
    stages_ = new StageList;
    column->addWidget(stages_);
    auto* row = new QHBoxLayout;
    setMargins(row, 0, Spacing::s);
    elapsed_ = new TextLabel;
    row->addWidget(elapsed_);
    row->addStretch(1);
    cancel_ = plainButton(tr("Cancel"));
    cancel_->setObjectName(QStringLiteral("cancelEngineSetup"));
    cancel_->setToolTip(tr("Stops the compilers. Nothing is installed then."));
    connect(cancel_, &QPushButton::clicked, this, [this] {
        EngineService::instance().cancelInstall();
        cancel_->setEnabled(false);
        cancel_->setText(tr("Cancelling…"));
    });
    row->addWidget(cancel_);
    column->addLayout(row);
    log_ = new QPlainTextEdit;
    log_->setObjectName(QStringLiteral("engineSetupLog"));
    log_->setAccessibleName(tr("Log of the set-up"));
    log_->setReadOnly(true);
    log_->setMaximumBlockCount(kLogLines);
    log_->setFont(codeFont(TextSize::Caption));
    log_->setMinimumHeight(kLogLeast);
    log_->setPlaceholderText(tr("Nothing was printed yet."));
    log_->setPlainText(EngineService::instance().installation().log.join(QLatin1Char('\n')));
    column->addWidget(log_, 1);

    const auto tick = [this] { elapsed_->setText(tr("Elapsed %1 s").arg(EngineService::instance().installation().since.elapsed() / kTick)); };
    tick();
    auto* timer = new QTimer(this);
    connect(timer, &QTimer::timeout, this, tick);
    timer->start(kTick);
    cancel_->setEnabled(!EngineService::instance().installation().cancelling);
    connect(&EngineService::instance(), &EngineService::installProgressed, this, &EngineSetup::showProgress);
    showStage();
}

void EngineSetup::showProgress(const Progress& progress) {
    if (!progress.line.empty()) log_->appendPlainText(shown(progress.line));
    showStage();
}

void EngineSetup::showStage() {
    const Progress& progress = EngineService::instance().installation().progress;
    QString name = progress.stage.empty() ? tr("starting") : toQt(progress.stage);
    name[0] = name[0].toUpper();
    StageList::Stage stage{name, StageList::Stage::Phase::Running, {}, -1};
    if (progress.total > 0) {
        stage.share = static_cast<double>(progress.done) / static_cast<double>(progress.total);
        stage.amount = tr("%1 of %2").arg(progress.done).arg(progress.total);
    }
    stages_->setStages({stage});
}

}  // namespace pt2::views
