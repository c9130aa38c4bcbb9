#include "views/overview/verdict_card.h"

#include <QFileDialog>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QMenu>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "core/compiled/target.h"
#include "views/frame/engine_service.h"
#include "views/frame/file_path.h"
#include "views/overview/known_targets.h"
#include "views/theme/drawn_parts.h"
#include "views/theme/spacing.h"
#include "views/theme/theme.h"
#include "views/widgets/buttons.h"
#include "views/widgets/icon_label.h"
#include "views/widgets/link_label.h"
#include "views/widgets/text.h"

namespace pt2::views {

namespace {

constexpr int kLabelColumn = 108;
constexpr std::size_t kMostLines = 16;

State stateOf(const std::optional<bool>& ok) { return !ok ? State::Unknown : *ok ? State::Ok : State::Error; }

QString capitalised(const QString& text) { return text.isEmpty() ? text : text.at(0).toUpper() + text.mid(1); }

/// What was found; what is needed only where it is another thing: always for a failed reason, for a good one only versions.
QString reasonWords(const RunReason& reason) {
    const QString found = shown(reason.found), needed = shown(reason.needed);
    if (found.isEmpty() || found == needed) return needed;
    if (needed.isEmpty() || (reason.ok == true && !needed.front().isDigit())) return found;
    return QObject::tr("%1 · needs %2").arg(found, needed);
}

}  // namespace

std::vector<VerdictLine> verdictLines(const Runnable& runnable) {
    std::vector<VerdictLine> lines;
    struct Joined {
        const char* prefix;
        QString label;
        std::size_t all = 0, found = 0;
    };
    Joined joined[] = {{"library ", QObject::tr("Libraries")}, {"operator ", QObject::tr("Operators")}};
    for (const RunReason& reason : runnable.reasons) {
        bool taken = false;
        for (Joined& group : joined) {
            if (reason.what.rfind(group.prefix, 0) != 0) continue;
            ++group.all;
            if (reason.ok == true) {
                ++group.found;
                taken = true;
            }
        }
        if (taken) continue;
        VerdictLine line;
        line.label = capitalised(shown(reason.what));
        line.words = reasonWords(reason);
        line.tooltip = reason.help.empty() && reason.ok == true ? QObject::tr("Needed: %1").arg(shown(reason.needed)) : shown(reason.help);
        line.state = reason.warning && reason.ok == true ? State::Warning : stateOf(reason.ok);
        lines.push_back(line);
    }
    for (const Joined& group : joined) {
        if (group.found == 0) continue;
        lines.push_back({group.label,
                         group.found == group.all ? QObject::tr("%1 of %2 found").arg(group.found).arg(group.all)
                                                  : QObject::tr("%1 of %2 found, the others above").arg(group.found).arg(group.all),
                         {},
                         State::Ok});
    }
    const auto rank = [](State state) { return state == State::Error ? 0 : state == State::Unknown ? 1 : state == State::Warning ? 2 : 3; };
    std::stable_sort(lines.begin(), lines.end(), [&rank](const VerdictLine& a, const VerdictLine& b) { return rank(a.state) < rank(b.state); });
    return lines;
}

VerdictCard::VerdictCard(DocumentSession& session, QWidget* parent) : QWidget(parent), session_(session), head_(nullptr), body_(nullptr) {
    auto* column = new QVBoxLayout(this);
    setMargins(column, 1, 0);
    // What is known of this machine changes nothing about another.
    connect(&session, &DocumentSession::runnableChanged, this, [this] {
        if (target_.isEmpty() || !session_.compiledModel()) refresh();
    });
    refresh();
}

void VerdictCard::chooseTarget(const QString& path) {
    target_ = path;
    settled_ = false;
    refresh();
}

/// The machine described is judged by its description alone, so neither the engine nor LibTorch is asked.
void VerdictCard::judgeThere() {
    session_.jobs().start(
        this, QStringLiteral("verdict-there"), tr("Judging for \"%1\"").arg(shownFileName(target_)),
        [document = session_.documentPointer(), model = session_.model(), path = systemPath(target_).string()](const CancelToken& cancel,
                                                                                                               const ProgressSink&) -> Result<There> {
            const Result<Target> target = readTargetFile(path);
            if (!target) return fail(target.error());
            const Document::CompiledRef found = document->compiled(model);
            if (!found) return There{};
            return There{shown(target->name), judgeRunnable(found.package->archive(), *found.model, *target, cancel)};
        },
        [this, path = target_](const Result<There>& there) {
            if (path != target_) return;  // another machine was chosen meanwhile
            settled_ = true;
            if (there) {
                rememberTarget(path);
                build(there->runnable, true, there->name.isEmpty() ? shownFileName(path) : there->name);
            } else if (there.error().kind != ErrorKind::Cancelled) {
                showTargetProblem(there.error());
            }
            emit settledChanged();
        });
}

void VerdictCard::showTargetProblem(const Error& error) {
    setHead(State::Error, tr("The description cannot be read"), shown(error.what));
    auto* column = new QVBoxLayout(body_);
    setMargins(column, Spacing::l, Spacing::s);
    column->addWidget(paragraph(shown(error.why + " " + error.help), TextSize::Body, Role::Muted));
    column->addWidget(paragraph(tr("On the other machine, \"pt2 probe > TARGET.json\" writes one."), TextSize::Body, Role::Muted));
    column->addStretch(1);
    update();
}

void VerdictCard::offerTargets(QWidget* below) {
    QMenu menu(this);
    const auto add = [&](const QString& text, const QString& path) {
        QAction* action = menu.addAction(text, this, [this, path] { chooseTarget(path); });
        action->setCheckable(true);
        action->setChecked(path == target_);
        action->setToolTip(path);
    };
    menu.setToolTipsVisible(true);
    add(tr("This machine"), {});
    for (const QString& path : knownTargets()) add(shownFileName(path), path);
    menu.addSeparator();
    QAction* open = menu.addAction(tr("Add a machine…"), this, [this] {
        const QString path =
            QFileDialog::getOpenFileName(this, tr("Description of a machine"), {}, tr("Descriptions by pt2 probe (*.json);;All files (*)"));
        if (!path.isEmpty()) chooseTarget(path);
    });
    open->setToolTip(tr("There, \"pt2 probe > TARGET.json\" describes the machine"));
    if (!target_.isEmpty() && knownTargets().contains(target_)) {
        menu.addAction(tr("Forget \"%1\"").arg(shownFileName(target_)), this, [this] {
            forgetTarget(target_);
            chooseTarget({});
        });
    }
    menu.exec(below->mapToGlobal(QPoint(0, below->height())));
}

void VerdictCard::refresh() {
    const CompiledModel* model = session_.compiledModel();
    if (!model) {
        settled_ = true;
        buildEmpty();
        emit settledChanged();
        return;
    }
    if (!target_.isEmpty()) return judgeThere();
    if (!session_.runnable()) return;  // what was judged before stays until the new verdict is there
    const bool known = EngineService::instance().engineKnown();
    build(*session_.runnable(), known, {});
    settled_ = known;
    emit settledChanged();
}

void VerdictCard::setHead(State state, const QString& title, const QString& text) {
    state_ = state;
    auto* column = static_cast<QVBoxLayout*>(layout());
    for (QWidget* old : {head_, body_}) {
        if (!old) continue;
        column->removeWidget(old);
        old->hide();
        old->deleteLater();
    }
    head_ = new QWidget;
    auto* row = new QHBoxLayout(head_);
    setMargins(row, Spacing::l, Spacing::m, Spacing::m);
    row->addWidget(new IconLabel(stateIcon(state), 24, stateRole(state)));
    auto* words = new QVBoxLayout;
    setMargins(words, 0, 2);
    auto* heading = new TextLabel(title, TextSize::Section, state == State::Unknown ? Role::Text : stateRole(state));
    heading->setSelectable(true);
    words->addWidget(heading);
    auto* small = paragraph(text, TextSize::Caption);
    words->addWidget(small);
    row->addLayout(words, 1);
    if (session_.compiledModel()) {
        auto* link = new LinkLabel(target_.isEmpty() ? tr("Elsewhere…") : tr("Machine…"));
        link->setToolTip(tr("Whether it runs on another machine"));
        connect(link, &QAbstractButton::clicked, this, [this, link] { offerTargets(link); });
        row->addWidget(link, 0, Qt::AlignTop);
    }
    column->addWidget(head_);
    body_ = new QWidget;
    column->addWidget(body_, 1);
}

void VerdictCard::buildEmpty() {
    const bool program = session_.program() != nullptr;
    setHead(State::Unknown, program ? tr("Nothing to run yet") : tr("Nothing to run"),
            program ? tr("There is a program and no compiled model.") : tr("There is neither a program that can be read nor a compiled model."));
    auto* column = new QVBoxLayout(body_);
    setMargins(column, Spacing::l, Spacing::m);
    if (!program) {
        column->addStretch(1);
        update();
        return;
    }
    column->addWidget(
        paragraph(tr("Recompile makes a library for this machine from the exported program. Torch eager can run it as it is, in Python."),
                  TextSize::Body, Role::Muted));
    auto* button = plainButton(tr("Recompile…"), QStringLiteral("recompile"));
    connect(button, &QPushButton::clicked, this, [this] { session_.showPage(QStringLiteral("recompile")); });
    column->addWidget(button, 0, Qt::AlignLeft);
    column->addStretch(1);
    update();
}

void VerdictCard::build(const Runnable& runnable, bool engineKnown, const QString& where) {
    const bool here = where.isEmpty();
    std::vector<VerdictLine> lines = verdictLines(runnable);
    const auto failed =
        static_cast<std::size_t>(std::count_if(lines.begin(), lines.end(), [](const VerdictLine& line) { return line.state == State::Error; }));
    const auto unknown =
        static_cast<std::size_t>(std::count_if(lines.begin(), lines.end(), [](const VerdictLine& line) { return line.state == State::Unknown; }));
    switch (runnable.verdict) {
        case Runnable::Verdict::Yes:
            setHead(State::Ok, here ? tr("Runs here") : tr("Runs on %1").arg(where), tr("Judged without loading the code."));
            break;
        case Runnable::Verdict::No:
            setHead(
                State::Error, here ? tr("Does not run here") : tr("Does not run on %1").arg(where),
                failed == 1 ? tr("One reason. Judged without loading the code.") : tr("%1 reasons. Judged without loading the code.").arg(failed));
            break;
        case Runnable::Verdict::Unknown:
            setHead(State::Unknown,
                    !here         ? tr("May run on %1").arg(where)
                    : engineKnown ? tr("May run here")
                                  : tr("Looking for the run engine"),
                    unknown == 1 ? tr("One thing is not known. Judged without loading the code.")
                                 : tr("%1 things are not known. Judged without loading the code.").arg(unknown));
            break;
    }
    auto* grid = new QGridLayout(body_);
    grid->setContentsMargins(Spacing::l, Spacing::m, Spacing::l, Spacing::m);
    grid->setHorizontalSpacing(Spacing::m);
    grid->setVerticalSpacing(Spacing::s + 1);
    grid->setColumnStretch(2, 1);
    int row = 0;
    for (const VerdictLine& line : lines) {
        if (static_cast<std::size_t>(row) >= kMostLines) {
            grid->addWidget(new TextLabel(tr("… %1 more").arg(lines.size() - kMostLines), TextSize::Body, Role::Muted), row, 1, 1, 2);
            ++row;
            break;
        }
        grid->addWidget(new IconLabel(stateIcon(line.state), 16, stateRole(line.state)), row, 0, Qt::AlignTop);
        auto* label = new TextLabel(line.label, line.state == State::Error ? TextSize::Strong : TextSize::Body,
                                    line.state == State::Error ? Role::Error : Role::Text);
        label->setMinimumWidth(kLabelColumn);
        label->setMaximumWidth(kLabelColumn + Spacing::xxl);
        label->setWordWrap(true);
        grid->addWidget(label, row, 1, Qt::AlignTop);
        auto* words = paragraph(line.words, TextSize::Body, line.state == State::Error ? Role::Text : Role::Muted);
        words->setToolTip(line.tooltip);
        grid->addWidget(words, row, 2, Qt::AlignTop);
        ++row;
        if ((line.state == State::Error || line.state == State::Warning) && !line.tooltip.isEmpty()) {
            grid->addWidget(paragraph(line.tooltip, TextSize::Caption, Role::Muted), row, 1, 1, 2);
            ++row;
        }
    }
    grid->setRowStretch(row, 1);
    update();
}

void VerdictCard::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    drawStateCard(painter, rect(), head_ ? head_->geometry().bottom() + 1 : 0, state_, false);
}

}  // namespace pt2::views
