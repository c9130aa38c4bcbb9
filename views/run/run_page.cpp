#include "views/run/run_page.h"

#include <QFileDialog>
#include <QHBoxLayout>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSplitter>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>
#include <cstring>

#include "core/base/text.h"
#include "core/compare/compare_outputs.h"
#include "core/run/run_text.h"
#include "views/frame/engine_notice.h"
#include "views/frame/engine_service.h"
#include "views/frame/file_path.h"
#include "views/run/breach_list.h"
#include "views/run/how_to_run.h"
#include "views/run/input_form.h"
#include "views/run/run_settings.h"
#include "views/theme/spacing.h"
#include "views/widgets/answer_pane.h"
#include "views/widgets/buttons.h"
#include "views/widgets/chip.h"
#include "views/widgets/empty_state.h"
#include "views/widgets/error_panel.h"
#include "views/widgets/ground.h"
#include "views/widgets/progress.h"
#include "views/widgets/text.h"
#include "views/widgets/vertical_scroll.h"

namespace pt2::views {

namespace {

const QString kJob = QStringLiteral("run");
constexpr int kFormWidth = 528, kAnswerLeast = 480;
constexpr int kEmptyLeast = 128;  // height of the words that say there is no answer yet
constexpr int kFormShare = 42;    // of the height, percent, above an answer

bool sameBytes(const Tensor& a, const Tensor& b) {
    const Result<Tensor> left = contiguous(a), right = contiguous(b);
    return left && right && left->layout.dtype == right->layout.dtype && left->layout.sizes == right->layout.sizes &&
           left->storage.size() == right->storage.size() &&
           (left->storage.empty() || std::memcmp(left->storage.data(), right->storage.data(), left->storage.size()) == 0);
}

/// Inputs, contract, mends, run, statistics: all of a run, on a pool thread.
struct RunJob {
    std::shared_ptr<const Document> document;
    Contract contract;
    InputRequest inputs;
    RunRequest request;
    std::vector<Breach> mends;
    bool skipContract = false;
    std::shared_ptr<CheckReport> check;

    Result<RunPicture> operator()(const CancelToken& cancel, const ProgressSink& progress) const {
        report(progress, {"making inputs", 0, 0, Progress::Unit::None, {}});
        Result<InputSet> set = planInputs(*document, contract, inputs);
        if (!set) return tl::unexpected(set.error());
        RunPicture picture;
        for (const Breach& breach : mends) {
            Result<InputSet> mended = pt2::mend(contract, *set, breach);
            if (!mended) return tl::unexpected(mended.error());
            set = std::move(mended);
            picture.mends += (picture.mends.empty() ? "" : " ") + breach.fixSentence;
        }
        *check = checkInputs(contract, *set, request.device);
        if (!check->ok() && !skipContract) {
            return fail({ErrorKind::DoesNotHold, "contract.broken", check->breaches.front().sentence, {}, {}, {}});
        }
        if (const Status filled = fillInputs(*set, cancel); !filled) return tl::unexpected(filled.error());
        for (const Breach& breach : check->breaches) picture.breaches.push_back(breach.sentence);
        picture.hasProgram = contract.hasProgram;
        picture.notes = check->notes;
        picture.inputText = inputsInWords(*set, inputs);
        Result<RunReport> ran = runCompiled(*document, contract, request, set->tensors(), cancel, progress);
        if (!ran) return tl::unexpected(ran.error());
        picture.report = std::move(*ran);
        const bool offRan = picture.report.off && *picture.report.off, onRan = picture.report.on && *picture.report.on;
        if (!offRan && !onRan) return tl::unexpected(picture.report.primary().error());
        report(progress, {"reading the outputs", 0, 0, Progress::Unit::None, {}});
        const RunOutcome& shown = offRan ? **picture.report.off : **picture.report.on;
        picture.outputs = summarise(shown, cancel);
        picture.names = libraryNamesText(contract, shown.library);
        if (std::string strange = strangeSourceText(contract, shown.library); !strange.empty()) picture.notes.push_back(std::move(strange));
        if (offRan && onRan) {
            const NamedTensors& off = (**picture.report.off).outputs;
            const NamedTensors& on = (**picture.report.on).outputs;
            for (std::size_t i = 0; i < off.size(); ++i) picture.same.push_back(i < on.size() && sameBytes(off[i].second, on[i].second));
        }
        return picture;
    }
};

}  // namespace

RunPage::RunPage(DocumentSession& session, QWidget* parent) : Page(session, parent) {
    auto* outer = new QVBoxLayout(this);
    setMargins(outer, 0, 0);
    line_ = ProgressLine::over(this);
    auto* left = new Ground(Role::Window);
    auto* leftColumn = new QVBoxLayout(left);
    setMargins(leftColumn, Spacing::l, Spacing::l, Spacing::s);
    form_ = new InputForm;
    leftColumn->addWidget(form_);
    how_ = new HowToRun;
    leftColumn->addWidget(how_);
    connect(how_, &HowToRun::changed, this, &Page::changed);
    connect(how_, &HowToRun::foldChanged, this, [this] { arrange(true); });
    leftColumn->addStretch(1);
    formArea_ = verticalScroll(left, tr("Inputs and settings"));
    answer_ = new AnswerPane;
    answer_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    splitter_ = new QSplitter(Qt::Horizontal);
    splitter_->addWidget(formArea_);
    splitter_->addWidget(answer_);
    splitter_->setChildrenCollapsible(false);
    splitter_->setStretchFactor(0, 0);
    splitter_->setStretchFactor(1, 1);
    outer->addWidget(splitter_, 1);
    connect(&session.jobs(), &JobRunner::progressed, this, [this](JobId id, const Progress& progress) {
        if (id == job_) showProgress(progress);
    });
    connect(&session, &DocumentSession::runnableChanged, this, [this] {
        showForm();
        if (empty_) showEmpty();
        emit changed();
    });
    connect(&EngineService::instance(), &EngineService::changed, this, [this] {
        if (empty_) showEmpty();
        emit changed();
    });
    EngineService::instance().ask();
    RunPage::documentChanged();
}

void RunPage::documentChanged() {
    const CompiledModel* model = session().compiledModel();
    const bool usable = session().contract().has_value();
    showForm();
    mends_.clear();
    result_ = nullptr;
    state_.clear();
    if (usable) {
        form_->setContract(*session().contract(), hasSample(session()));
        arrange(true);
    }
    how_->setModel(model);
    showEmpty();
    emit changed();
}

void RunPage::showForm() {
    formArea_->setVisible(session().contract().has_value() && session().compiledModel() != nullptr && session().refusal().isEmpty());
}

/// Form and answer beside each other, or, where that would cut one of them, the answer below the form.
void RunPage::arrange(bool anew) {
    const int least = formArea_->widget()->minimumSizeHint().width();
    const auto orientation = width() - std::max(least, kFormWidth) >= kAnswerLeast ? Qt::Horizontal : Qt::Vertical;
    if (!anew && orientation == splitter_->orientation() && width() == arrangedWidth_) return;
    const bool turned = anew || orientation != splitter_->orientation();
    arrangedWidth_ = width();
    splitter_->setOrientation(orientation);
    const bool beside = orientation == Qt::Horizontal;
    formArea_->setMinimumWidth(beside ? std::min(kFormWidth, least) : 0);
    formArea_->setMaximumWidth(beside ? std::max(least, kFormWidth) : QWIDGETSIZE_MAX);
    if (!turned && !beside) return;
    divide();
}

/// Beside each other the form has its width. Above the answer it is whole while there is no answer, and makes room for one.
void RunPage::divide() {
    const bool beside = splitter_->orientation() == Qt::Horizontal;
    const int whole = formArea_->widget()->sizeHint().height() + 1;
    const int form = beside ? kFormWidth : std::min(whole, empty_ ? height() - kEmptyLeast : height() * kFormShare / 100);
    splitter_->setSizes({form, std::max(1, (beside ? width() : height()) - form)});
}

void RunPage::resizeEvent(QResizeEvent* event) {
    Page::resizeEvent(event);
    arrange(false);
    // The splitter has its own new size only later, and until then takes sizes for shares.
    QTimer::singleShot(0, this, [this] {
        if (empty_ && splitter_->orientation() == Qt::Vertical) divide();
    });
}

void RunPage::showWidget(QWidget* widget) {
    const bool first = empty_;
    empty_ = false;
    if (first && splitter_->orientation() == Qt::Vertical) divide();
    result_ = nullptr;
    stages_ = nullptr;
    answer_->setAnswer(widget);
}

void RunPage::showEmpty() {
    showWidget(emptyAnswer());
    empty_ = true;
    if (splitter_->orientation() == Qt::Vertical) divide();
}

QWidget* RunPage::emptyAnswer() {
    if (session().document().modelNames().empty())
        return new EmptyState(QStringLiteral("run"), tr("Nothing to run"), tr("Neither a program nor a compiled model was found in this file."));
    if (!session().contract()) return new ErrorPanel(session().contract().error());
    if (!session().compiledModel()) {
        auto* empty = new EmptyState(QStringLiteral("run"), tr("Nothing to run yet"),
                                     tr("There is no compiled model in this file. Compile the exported program to make one for this machine."));
        empty->setButton({tr("Compile…"), [this] { session().showPage(QStringLiteral("recompile")); }});
        return empty;
    }
    if (QWidget* notice = makeEngineNotice()) return notice;
    if (const QString refusal = session().refusal(); !refusal.isEmpty()) {
        QStringList words{refusal};
        for (const RunReason& reason : session().runnable()->reasons) {
            if (reason.ok != false) continue;
            if (!reason.help.empty()) words << shown(reason.help);
            break;
        }
        auto* empty = new EmptyState(QStringLiteral("run"), tr("This compiled model cannot run here"), words.join(QLatin1Char(' ')));
        if (session().program()) empty->setButton({tr("Recompile…"), [this] { session().showPage(QStringLiteral("recompile")); }});
        return empty;
    }
    return new EmptyState(
        QStringLiteral("run"), tr("No run yet"),
        tr("Press Run to see outputs and timings. The model's library is code of whoever made the file; it runs in a process of its own."));
}

PrimaryAction RunPage::primaryAction() const {
    PrimaryAction action;
    const bool running = session().jobs().isRunning(kJob);
    action.text = running ? tr("Cancel") : result_ ? tr("Run again") : tr("Run");
    action.icon = running ? QStringLiteral("close") : QStringLiteral("run");
    if (!session().compiledModel()) {
        action.enabled = false;
        action.reason = tr("There is no compiled model in this file.");
    } else if (!EngineService::instance().problem().isEmpty()) {
        action.enabled = false;
        action.reason = EngineService::instance().problem();
    } else if (!running && !session().refusal().isEmpty()) {
        action.enabled = false;
        action.reason = session().refusal();
    }
    return action;
}

void RunPage::runPrimaryAction() {
    if (session().jobs().isRunning(kJob)) {
        state_ = tr("Cancelling…");
        session().jobs().cancel(kJob);
        emit changed();
        return;
    }
    if (primaryAction().enabled) start(false);
}

RunRequest RunPage::runRequest() const {
    RunRequest request = how_->request();
    request.model = session().model();
    return request;
}

void RunPage::start(bool skipContract) {
    RunJob job;
    job.document = session().documentPointer();
    job.contract = *session().contract();
    job.inputs = form_->request();
    job.request = runRequest();
    job.mends = mends_;
    job.skipContract = skipContract;
    job.check = std::make_shared<CheckReport>();
    RunSettings& settings = RunSettings::of(session());
    settings.inputs = job.inputs;
    settings.run = job.request;
    settings.used = true;

    auto* column = new QWidget;
    auto* layout = new QVBoxLayout(column);
    setMargins(layout, 0, Spacing::l);
    auto* stages = new StageList;
    layout->addWidget(stages);
    auto* cancelRow = new QHBoxLayout;
    cancelRow->addStretch(1);
    auto* cancel = plainButton(tr("Cancel"));
    cancel->setObjectName(QStringLiteral("cancelRun"));
    connect(cancel, &QPushButton::clicked, this, [this] { session().jobs().cancel(kJob); });
    cancelRow->addWidget(cancel);
    layout->addLayout(cancelRow);
    layout->addStretch(1);
    showWidget(column);
    stages_ = stages;
    running_.start();
    line_->setRunning(true);
    EngineService::instance().setLamp(EngineService::Lamp::Busy);
    const auto check = job.check;
    job_ = session().jobs().start(this, kJob, tr("Running %1").arg(session().fileName()), std::move(job), [this, check](Result<RunPicture> result) {
        lastCheck_ = *check;
        finished(std::move(result));
    });
    state_ = tr("Running");
    emit changed();
}

void RunPage::showProgress(const Progress& progress) {
    if (!progress.line.empty()) {
        session().log(toQt(progress.line));
        return;
    }
    if (!stages_) return;
    StageList::Stage stage;
    stage.name = toQt(progress.stage);
    if (!stage.name.isEmpty()) stage.name[0] = stage.name[0].toUpper();
    stage.phase = StageList::Stage::Phase::Running;
    if (progress.total > 0) {
        stage.share = static_cast<double>(progress.done) / static_cast<double>(progress.total);
        stage.amount = tr("%1 of %2").arg(toQt(formatCount(progress.done)), toQt(formatCount(progress.total)));
    }
    line_->setShare(stage.share);
    stages_->setStages({stage});
}

void RunPage::finished(Result<RunPicture> result) {
    line_->setRunning(false);
    mends_.clear();
    if (QWidget* first = form_->showBreaches(lastCheck_.breaches)) {
        // Once the form has its new height.
        QTimer::singleShot(0, first, [this, first] { formArea_->ensureWidgetVisible(first); });
    }
    const double seconds = static_cast<double>(running_.elapsed()) / 1000.0;
    if (!result && result.error().kind == ErrorKind::DoesNotHold) {
        EngineService::instance().setLamp(EngineService::Lamp::Idle);
        auto* breaches = new BreachList(lastCheck_);
        breaches->setObjectName(QStringLiteral("breaches"));
        connect(breaches, &BreachList::runAnywayRequested, this, [this] { start(true); });
        connect(breaches, &BreachList::mendRequested, this, &RunPage::mend);
        state_ = tr("Not run: the inputs break the contract");
        showWidget(breaches);
    } else if (!result) {
        const bool cancelled = result.error().kind == ErrorKind::Cancelled;
        EngineService::instance().setLamp(result.error().kind == ErrorKind::RunFailed ? EngineService::Lamp::Gone : EngineService::Lamp::Idle);
        if (cancelled) {
            state_ = tr("Cancelled after %1").arg(toQt(formatDuration(seconds)));
            showWidget(new EmptyState(QStringLiteral("run"), tr("Cancelled"),
                                      tr("The run was stopped after %1. Inputs are kept.").arg(toQt(formatDuration(seconds)))));
        } else {
            state_ = tr("Run failed");
            auto* holder = new QWidget;
            auto* column = new QVBoxLayout(holder);
            setMargins(column, 0, Spacing::m);
            auto* panel = new ErrorPanel(result.error());
            panel->setObjectName(QStringLiteral("runError"));
            const bool possible = result.error().kind != ErrorKind::CannotRun && session().refusal().isEmpty();
            if (possible) panel->addAction({tr("Run again"), [this] { start(false); }});
            if (!possible && session().program()) panel->addAction({tr("Recompile…"), [this] { session().showPage(QStringLiteral("recompile")); }});
            if (possible && how_->checks() == RuntimeChecks::Off) {
                panel->addAction({tr("Run with runtime checks on"), [this] {
                                      how_->setChecks(RuntimeChecks::On);
                                      start(false);
                                  }});
            }
            column->addWidget(panel);
            column->addWidget(
                paragraph(tr("Inputs are kept, and the window is not affected. The next run starts a new worker."), TextSize::Caption, Role::Muted));
            column->addStretch(1);
            showWidget(holder);
        }
    } else {
        EngineService::instance().setLamp(EngineService::Lamp::Idle);
        auto* view = new RunResult(std::move(*result));
        connect(view, &RunResult::compareRequested, this, [this] { session().startPage(QStringLiteral("compare")); });
        connect(view, &RunResult::saveRequested, this, &RunPage::save);
        showWidget(view);
        result_ = view;
        state_ = tr("Run finished in %1").arg(toQt(formatDuration(seconds)));
    }
    emit changed();
}

void RunPage::mend(const Breach& breach) {
    if (breach.fix == "size" && breach.dimension) {  // the size field is the place of this setting: put it there, where it can be seen
        const Contract& contract = *session().contract();
        for (const ContractSymbol& symbol : contract.symbols) {
            if (std::find(symbol.places.begin(), symbol.places.end(), std::pair(breach.contractIndex, *breach.dimension)) == symbol.places.end())
                continue;
            const InputRequest request = form_->request();
            for (const auto& [name, value] : request.sizes) {
                if (name != symbol.name) continue;
                std::int64_t nearest = value;
                if (symbol.program.minimum) nearest = std::max(nearest, *symbol.program.minimum);
                if (symbol.program.maximum) nearest = std::min(nearest, *symbol.program.maximum);
                form_->setSize(toQt(symbol.name), nearest);
            }
        }
        start(false);
        return;
    }
    mends_.push_back(breach);
    start(false);
}

const RunPicture* RunPage::lastPicture() const { return result_ ? &result_->picture() : nullptr; }

void RunPage::save() {
    if (!result_) return;
    const QString file = QFileDialog::getSaveFileName(this, tr("Save outputs"), QStringLiteral("outputs.npz"), tr("NumPy archive (*.npz)"));
    if (file.isEmpty()) return;
    NamedTensors tensors;
    for (const OutputSummary& output : result_->picture().outputs) tensors.emplace_back(output.name, output.tensor);
    const Status saved = writeNpzFile(systemPath(file), withoutNone(tensors), true);  // the dialog has asked before replacing
    state_ = saved ? tr("Outputs saved in %1").arg(file) : toQt(saved.error().what + " " + saved.error().why);
    emit changed();
}

QStringList RunPage::statusTexts() const {
    if (state_.isEmpty()) return Page::statusTexts();
    QStringList texts{state_};
    if (result_) texts << toQt(result_->picture().inputText);
    return texts;
}

bool RunPage::settled() const { return !session().jobs().isRunning(kJob) && EngineService::instance().engineKnown(); }

}  // namespace pt2::views
