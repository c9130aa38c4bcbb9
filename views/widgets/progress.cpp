#include "views/widgets/progress.h"

#include <QEvent>
#include <QFontMetrics>
#include <QPainter>
#include <QTimer>
#include <algorithm>

#include "views/theme/drawn_parts.h"
#include "views/theme/fonts.h"
#include "views/theme/icons.h"
#include "views/theme/spacing.h"
#include "views/theme/theme.h"

namespace pt2::views {

namespace {
constexpr int kLine = 2;
}

ProgressLine::ProgressLine(QWidget* parent) : QWidget(parent), timer_(new QTimer(this)) {
    setFixedHeight(kLine);
    setAccessibleName(tr("Work is in progress"));
    hide();
    timer_->setInterval(40);
    connect(timer_, &QTimer::timeout, this, [this] {
        phase_ = (phase_ + 2) % 130;
        update();
    });
}

ProgressLine* ProgressLine::over(QWidget* page) {
    auto* line = new ProgressLine(page);
    page->installEventFilter(line);
    line->resize(page->width(), kLine);
    return line;
}

bool ProgressLine::eventFilter(QObject* watched, QEvent* event) {
    if (watched == parent() && event->type() == QEvent::Resize) resize(parentWidget()->width(), kLine);
    return QWidget::eventFilter(watched, event);
}

void ProgressLine::setShare(double share) {
    share_ = share;
    update();
}

void ProgressLine::setRunning(bool running) {
    if (running) {
        timer_->start();
    } else {
        timer_->stop();
    }
    setVisible(running);
    if (running) raise();
}

void ProgressLine::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), color(Role::Border));
    if (share_ >= 0) {
        painter.fillRect(QRectF(0, 0, width() * std::clamp(share_, 0.0, 1.0), height()), color(Role::Accent));
    } else {
        painter.fillRect(QRectF(width() * (phase_ - 30) / 100.0, 0, width() * 0.3, height()), color(Role::Accent));
    }
}

namespace {
constexpr int kStage = 40;
}

StageList::StageList(QWidget* parent) : QWidget(parent) { setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed); }

void StageList::setStages(std::vector<Stage> stages) {
    stages_ = std::move(stages);
    QStringList words;
    for (const Stage& stage : stages_) {
        const QString phase = stage.phase == Stage::Phase::Done      ? tr("done")
                              : stage.phase == Stage::Phase::Failed  ? tr("failed")
                              : stage.phase == Stage::Phase::Running ? tr("running")
                                                                     : tr("waiting");
        words << (stage.amount == phase ? QStringLiteral("%1 %2").arg(stage.name, phase)
                                        : QStringLiteral("%1 %2 %3").arg(stage.name, phase, stage.amount).trimmed());
    }
    setAccessibleName(words.join(QStringLiteral("; ")));
    updateGeometry();
    update();
}

QSize StageList::sizeHint() const { return {320, kStage * static_cast<int>(stages_.size())}; }

void StageList::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    for (std::size_t i = 0; i < stages_.size(); ++i) {
        const Stage& stage = stages_[i];
        const int top = static_cast<int>(i) * kStage;
        const bool running = stage.phase == Stage::Phase::Running, waiting = stage.phase == Stage::Phase::Waiting;
        const State state = stage.phase == Stage::Phase::Done ? State::Ok : stage.phase == Stage::Phase::Failed ? State::Error : State::Unknown;
        const Role role = running ? Role::Accent : stateRole(state);
        if (i + 1 < stages_.size())
            painter.fillRect(QRect(7, top + 22, 1, kStage - 18), color(stage.phase == Stage::Phase::Done ? Role::Ok : Role::Border));
        paintIcon(painter, QRectF(0, top + 4, 16, 16), running ? QStringLiteral("running") : stateIcon(state), role);
        painter.setPen(color(waiting ? Role::Disabled : Role::Text));
        painter.setFont(uiFont(running ? TextSize::Strong : TextSize::Body));
        const QRect line(16 + Spacing::m, top, width() - 16 - Spacing::m, 24);
        painter.drawText(line, Qt::AlignVCenter | Qt::AlignLeft, stage.name);
        painter.setFont(uiFont());
        painter.setPen(color(waiting ? Role::Disabled : Role::Muted));
        painter.drawText(line, Qt::AlignVCenter | Qt::AlignRight, stage.amount);
        if (running && stage.share >= 0) {
            const QRectF bar(line.left(), top + 26, line.width(), 5);
            drawPanel(painter, bar, 2.5, color(Role::Border), QColor(), 0);
            drawPanel(painter, QRectF(bar.left(), bar.top(), bar.width() * std::clamp(stage.share, 0.0, 1.0), 5), 2.5, color(Role::Accent), QColor(),
                      0);
        }
    }
}

}  // namespace pt2::views
