#include "views/frame/status_bar.h"

#include <QHBoxLayout>
#include <QMouseEvent>
#include <QPainter>
#include <QTimer>
#include <QToolButton>
#include <algorithm>

#include "core/base/text.h"
#include "views/frame/engine_service.h"
#include "views/theme/drawn_parts.h"
#include "views/theme/fonts.h"
#include "views/theme/spacing.h"
#include "views/theme/theme.h"
#include "views/widgets/buttons.h"
#include "views/widgets/text.h"

namespace pt2::views {

namespace {

constexpr qint64 kShowAfterMs = 1000;
constexpr int kBarWidth = 96;

QString amountText(const Progress& progress) {
    if (progress.total == 0) return {};
    if (progress.unit == Progress::Unit::Bytes)
        return QStringLiteral("%1 of %2").arg(toQt(formatBytes(progress.done)), toQt(formatBytes(progress.total)));
    return QStringLiteral("%1 of %2").arg(toQt(formatCount(progress.done)), toQt(formatCount(progress.total)));
}

struct LampLook {
    QString text;
    Role role;
};

LampLook lampLook() {
    const EngineService& service = EngineService::instance();
    const QString version = service.torchVersion();
    const QString suffix = version.isEmpty() ? QString() : QStringLiteral(" · LibTorch %1").arg(version);
    if (service.engineKnown() && !service.problem().isEmpty()) return {QObject::tr("No run engine"), Role::Disabled};
    switch (service.lamp()) {
        case EngineService::Lamp::Idle: return {QObject::tr("Worker idle") + suffix, Role::Ok};
        case EngineService::Lamp::Busy: return {QObject::tr("Worker busy") + suffix, Role::Accent};
        case EngineService::Lamp::Gone: return {QObject::tr("Worker ended") + suffix, Role::Error};
        case EngineService::Lamp::NotStarted: break;
    }
    return {QObject::tr("Worker not started") + suffix, Role::Disabled};
}

}  // namespace

StatusBar::StatusBar(QWidget* parent) : QWidget(parent), cancel_(iconButton(QStringLiteral("close"), tr("Cancel"))), timer_(new QTimer(this)) {
    setFixedHeight(std::max(Metrics::statusBar, QFontMetrics(uiFont(TextSize::Caption)).height() + Spacing::s));
    cancel_->setParent(this);
    cancel_->setFixedSize(20, 20);
    cancel_->hide();
    timer_->setInterval(200);
    connect(timer_, &QTimer::timeout, this, &StatusBar::refreshTask);
    connect(cancel_, &QToolButton::clicked, this, [this] {
        if (session_) session_->jobs().cancel(taskId_);
    });
    connect(&EngineService::instance(), &EngineService::changed, this, qOverload<>(&QWidget::update));
    connect(&EngineService::instance(), &EngineService::lampChanged, this, qOverload<>(&QWidget::update));
    setAccessibleName(tr("Status"));
}

void StatusBar::setTexts(const QStringList& texts) {
    texts_ = texts;
    setAccessibleDescription(texts.join(QStringLiteral(", ")));
    update();
}

void StatusBar::setSession(DocumentSession* session) {
    if (session_) disconnect(&session_->jobs(), nullptr, this, nullptr);
    session_ = session;
    if (session) {
        connect(&session->jobs(), &JobRunner::started, this, [this] { timer_->start(); });
        connect(&session->jobs(), &JobRunner::progressed, this, &StatusBar::refreshTask);
        connect(&session->jobs(), &JobRunner::finished, this, &StatusBar::refreshTask);
        if (!session->jobs().isIdle()) timer_->start();
    }
    refreshTask();
}

void StatusBar::refreshTask() {
    task_.clear();
    taskId_ = 0;
    if (session_) {
        const std::vector<JobState> jobs = session_->jobs().running();
        if (jobs.empty()) timer_->stop();
        for (const JobState& job : jobs) {
            if (job.since.elapsed() < kShowAfterMs) continue;
            taskId_ = job.id;
            task_ = job.cancelling ? tr("Cancelling…") : job.title;
            const QString amount = amountText(job.progress);
            if (!job.cancelling && !job.progress.stage.empty()) task_ += QStringLiteral(": ") + toQt(job.progress.stage);
            if (!amount.isEmpty()) task_ += QStringLiteral(" — ") + amount;
            share_ = job.progress.total > 0 ? static_cast<double>(job.progress.done) / static_cast<double>(job.progress.total) : -1;
            if (jobs.size() > 1) task_ = tr("%1 tasks · ").arg(jobs.size()) + task_;
            break;
        }
    } else {
        timer_->stop();
    }
    cancel_->setVisible(taskId_ != 0);
    update();
}

void StatusBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), color(Role::Window));
    painter.fillRect(QRect(0, 0, width(), 1), color(Role::Border));
    const QFont font = uiFont(TextSize::Caption);
    QFont first = font;
    first.setWeight(QFont::Medium);
    int x = Spacing::m + 2;
    const LampLook lamp = lampLook();
    const int lampWidth = QFontMetrics(font).horizontalAdvance(lamp.text);
    const int right = width() - Spacing::m - 2;
    painter.setFont(font);
    painter.setPen(color(Role::Muted));
    painter.drawText(QRect(right - lampWidth, 1, lampWidth, height() - 1), Qt::AlignVCenter | Qt::AlignRight, lamp.text);
    drawPanel(painter, QRectF(right - lampWidth - 16, (height() - 8) / 2.0 + 0.5, 8, 8), 4, color(lamp.role), QColor(), 0);
    int end = right - lampWidth - 16 - Spacing::l;
    if (!task_.isEmpty()) {
        const int taskWidth = std::min(QFontMetrics(font).horizontalAdvance(task_), width() / 2);
        end -= 20;
        cancel_->move(end, (height() - 20) / 2);
        end -= Spacing::xs;
        if (share_ >= 0) {
            end -= kBarWidth;
            const QRectF bar(end, (height() - 5) / 2.0, kBarWidth, 5);
            drawPanel(painter, bar, 2.5, color(Role::Border), QColor(), 0);
            drawPanel(painter, QRectF(bar.left(), bar.top(), bar.width() * std::clamp(share_, 0.0, 1.0), 5), 2.5, color(Role::Accent), QColor(), 0);
            end -= Spacing::s;
        }
        painter.setPen(color(Role::Text));
        painter.drawText(QRect(end - taskWidth, 1, taskWidth, height() - 1), Qt::AlignVCenter | Qt::AlignRight,
                         QFontMetrics(font).elidedText(task_, Qt::ElideMiddle, taskWidth));
        end -= taskWidth + Spacing::l;
    }
    for (int i = 0; i < texts_.size(); ++i) {
        const QFont& use = i == 0 ? first : font;
        const int w = std::min(QFontMetrics(use).horizontalAdvance(texts_[i]) + 2, end - x);
        if (w < Spacing::xl) break;
        painter.setFont(use);
        painter.setPen(color(i == 0 ? Role::Text : Role::Muted));
        painter.drawText(QRect(x, 1, w, height() - 1), Qt::AlignVCenter | Qt::TextSingleLine,
                         QFontMetrics(use).elidedText(texts_[i], Qt::ElideRight, w));
        x += w + Spacing::s;
        if (i + 1 < texts_.size()) painter.fillRect(QRect(x, 7, 1, height() - 13), color(Role::Border));
        x += Spacing::s;
    }
}

/// The words, the task that runs, and last the worker's lamp.
SpokenPart StatusBar::spokenPart(int index) const {
    SpokenPart part;
    part.place = rect();
    if (index >= 0 && index < texts_.size()) {
        part.name = texts_[index];
    } else if (index == texts_.size() && !task_.isEmpty()) {
        part.name = task_;
    } else {
        part.name = lampLook().text;
        part.role = QAccessible::Button;
        part.pressable = true;
    }
    return part;
}

void StatusBar::pressSpokenPart(int index) {
    if (index + 1 == spokenCount()) emit lampClicked();
}

void StatusBar::mouseReleaseEvent(QMouseEvent* event) {
    if (event->position().x() > width() - 200) emit lampClicked();
}

}  // namespace pt2::views
