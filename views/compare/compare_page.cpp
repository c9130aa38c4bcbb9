#include "views/compare/compare_page.h"

#include <QComboBox>
#include <QDoubleValidator>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>

#include "core/base/text.h"
#include "core/compare/reference_file.h"
#include "core/contract/check.h"
#include "core/run/eager_comparison.h"
#include "views/compare/compare_result.h"
#include "views/frame/engine_notice.h"
#include "views/frame/engine_service.h"
#include "views/frame/file_path.h"
#include "views/run/run_settings.h"
#include "views/theme/spacing.h"
#include "views/theme/theme.h"
#include "views/widgets/answer_pane.h"
#include "views/widgets/choice_box.h"
#include "views/widgets/empty_state.h"
#include "views/widgets/error_panel.h"
#include "views/widgets/ground.h"
#include "views/widgets/progress.h"
#include "views/widgets/text.h"

namespace pt2::views {

namespace {

const QString kJob = QStringLiteral("compare");

/// All of a comparison, on a pool thread.
struct CompareJob {
    std::shared_ptr<const Document> document;
    Contract contract;
    InputRequest inputs;
    RunRequest run;
    std::filesystem::path file;  ///< of reference outputs; empty: torch eager
    bool trust = false;          ///< torch may unpickle what is not known to be safe
    std::string referenceName;
    std::optional<double> rtol, atol;

    Result<ComparePicture> operator()(const CancelToken& cancel, const ProgressSink& progress) const {
        report(progress, {"making inputs", 0, 0, Progress::Unit::None, {}});
        Result<InputSet> set = planInputs(*document, contract, inputs);
        if (!set) return tl::unexpected(set.error());
        const CheckReport check = checkInputs(contract, *set, run.device);
        if (!check.ok()) {
            return fail({ErrorKind::DoesNotHold,
                         "contract.broken",
                         "The inputs break the contract, so nothing was compared.",
                         {},
                         check.breaches.front().sentence,
                         "Change them on the Run page."});
        }
        if (const Status filled = fillInputs(*set, cancel); !filled) return tl::unexpected(filled.error());
        ComparePicture picture;
        picture.notes = check.notes;
        picture.reference = referenceName;
        picture.inputText = inputsInWords(*set, inputs);
        // The reference first: what it lacks (program, Python, consent, file) is said before anything runs.
        const Result<NamedTensors> stored = reference(*set, cancel, progress);
        if (!stored) return tl::unexpected(stored.error());
        Result<RunReport> ran = runCompiled(*document, contract, run, set->tensors(), cancel, progress);
        if (!ran) return tl::unexpected(ran.error());
        if (!ran->primary()) return tl::unexpected(ran->primary().error());
        picture.actual = ran->primary()->outputs;
        Result<NamedTensors> paired = pairOutputs(picture.actual, *stored);
        if (!paired) return tl::unexpected(paired.error());
        picture.expected = std::move(*paired);
        report(progress, {"comparing", 0, 0, Progress::Unit::None, {}});
        Result<Comparison> comparison = compareOutputs(picture.actual, picture.expected, {rtol, atol, {}}, cancel);
        if (!comparison) return tl::unexpected(comparison.error());
        picture.comparison = std::move(*comparison);
        picture.ownTolerance = rtol || atol;
        for (std::string& warning : comparisonWarnings(*document, contract, false)) picture.notes.push_back(std::move(warning));
        if (file.empty() && !picture.comparison.ok()) judge(picture, *set, cancel, progress);
        return picture;
    }

    /// Whether it is rounding: where torch cannot say, the comparison stands as it is, with a note.
    void judge(ComparePicture& picture, const InputSet& set, const CancelToken& cancel, const ProgressSink& progress) const {
        EagerRequest request = eagerRequest();
        request.float64 = true;
        const Result<EagerRun> exact = runEager(*document, contract, request, set, cancel, progress);
        if (!exact) {
            picture.notes.push_back(exact.error().what + " " + exact.error().why);
            return;
        }
        auto distances = judgeByFloat64(picture.actual, picture.expected, exact->outputs(), cancel);
        if (distances) picture.distances = std::move(*distances);
    }

    EagerRequest eagerRequest() const {
        EagerRequest request;
        request.model = contract.model;
        request.seed = inputs.seed;
        request.trust = trust;
        return request;
    }

    Result<NamedTensors> reference(const InputSet& set, const CancelToken& cancel, const ProgressSink& progress) const {
        if (file.empty()) {
            report(progress, {"running torch eager", 0, 0, Progress::Unit::None, {}});
            const Result<EagerRun> eager = runEager(*document, contract, eagerRequest(), set, cancel, progress);
            if (!eager) return tl::unexpected(eager.error());
            return eager->outputs();
        }
        return readReferenceFile(file);
    }
};

}  // namespace

ComparePage::ComparePage(DocumentSession& session, QWidget* parent) : Page(session, parent) {
    auto* outer = new QVBoxLayout(this);
    setMargins(outer, 0, 0);
    line_ = ProgressLine::over(this);
    buildToolbar(outer);
    answer_ = new AnswerPane;
    outer->addWidget(answer_, 1);
    connect(&session.jobs(), &JobRunner::progressed, this, [this](JobId id, const Progress& progress) {
        if (id != job_) return;
        if (!progress.line.empty()) this->session().log(toQt(progress.line));
        if (!stages_ || progress.stage.empty()) return;
        QString name = toQt(progress.stage);
        name[0] = name[0].toUpper();
        stages_->setStages({{name, StageList::Stage::Phase::Running, {}, -1}});
    });
    connect(&EngineService::instance(), &EngineService::changed, this, [this] {
        nameReference();
        fitToolbar();
        if (!picture_ && !this->session().jobs().isRunning(kJob)) showEmpty();
        emit changed();
    });
    connect(&session, &DocumentSession::runnableChanged, this, [this] {
        if (!picture_ && state_.isEmpty()) showEmpty();
        emit changed();
    });
    EngineService::instance().ask();
    nameReference();
    ComparePage::documentChanged();
}

void ComparePage::nameReference() {
    const auto& python = EngineService::instance().python();
    reference_->setItemText(0, python && *python ? tr("torch eager, %1").arg(toQt((*python)->torchVersion)) : tr("torch eager"));
}

void ComparePage::buildToolbar(QVBoxLayout* column) {
    auto* bar = new PageToolbar;
    const auto combo = [&](const char* name, const QString& accessible, int width) {
        auto* box = makeChoiceBox(accessible);
        box->setObjectName(QString::fromUtf8(name));
        box->setMinimumWidth(width);
        box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
        box->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
        return box;
    };
    bar_ = bar;
    compiledWord_ = new TextLabel(tr("Compiled"));
    bar->row()->addWidget(compiledWord_);
    device_ = combo("compareDevice", tr("Device of the compiled model"), 72);
    bar->row()->addWidget(device_);
    bar->row()->addWidget(new TextLabel(tr("against")));
    reference_ = combo("reference", tr("Reference"), 130);
    reference_->addItem(tr("torch eager"), QString());
    reference_->addItem(tr("File of outputs…"), QStringLiteral("file"));
    connect(reference_, &QComboBox::activated, this, [this](int index) {
        if (reference_->itemData(index).toString() != QLatin1String("file")) return;
        const QString file = QFileDialog::getOpenFileName(this, tr("Reference outputs"), {}, tr("Tensors (*.npz *.safetensors *.pt)"));
        if (!file.isEmpty())
            setReferenceFile(file);
        else if (referenceFile_.isEmpty())
            reference_->setCurrentIndex(0);
    });
    connect(reference_, &QComboBox::currentIndexChanged, this, [this] { emit changed(); });
    bar->row()->addWidget(reference_);
    bar->row()->addWidget(new TextLabel(tr("on")));
    inputs_ = combo("compareInputs", tr("Inputs"), 120);
    bar->row()->addWidget(inputs_);
    const auto field = [&](const QString& name) {
        auto* label = new TextLabel(name, TextSize::Caption, Role::Muted);
        label->setCode(true);
        bar->row()->addWidget(label);
        auto* edit = new QLineEdit;
        edit->setObjectName(name);
        edit->setAccessibleName(name);
        edit->setPlaceholderText(tr("default"));
        edit->setFixedWidth(72);
        auto* validator = new QDoubleValidator(0, 1e30, 12, edit);
        validator->setLocale(QLocale::c());
        edit->setValidator(validator);
        connect(edit, &QLineEdit::editingFinished, this, &ComparePage::toleranceEdited);
        bar->row()->addWidget(edit);
        return edit;
    };
    rtol_ = field(QStringLiteral("rtol"));
    atol_ = field(QStringLiteral("atol"));
    defaults_ = new TextLabel({}, TextSize::Caption, Role::Muted);
    bar->row()->addWidget(defaults_);
    bar->row()->addStretch(1);
    column->addWidget(bar);
}

void ComparePage::setReferenceFile(const QString& file) {
    referenceFile_ = file;
    const int index = reference_->findData(QStringLiteral("file"));
    reference_->setItemText(index, shownFileName(file));
    reference_->setCurrentIndex(index);
    fitToolbar();
}

/// The fields stay whole; the words that explain them go first (their fields' tooltips say the same).
void ComparePage::fitToolbar() {
    defaults_->setVisible(!defaults_->text().isEmpty());
    compiledWord_->show();
    for (QWidget* word : {static_cast<QWidget*>(defaults_), static_cast<QWidget*>(compiledWord_)}) {
        bar_->row()->invalidate();
        if (bar_->row()->sizeHint().width() <= width()) break;
        word->hide();
    }
}

void ComparePage::resizeEvent(QResizeEvent* event) {
    Page::resizeEvent(event);
    fitToolbar();
}

void ComparePage::documentChanged() {
    picture_.reset();
    state_.clear();
    device_->clear();
    inputs_->clear();
    const CompiledModel* model = session().compiledModel();
    const QString device = model && !model->device.empty() ? toQt(model->device) : QStringLiteral("cpu");
    device_->addItem(device == QLatin1String("cpu") ? QStringLiteral("CPU") : device, device);
    // In the order in which the command line takes them.
    if (hasSample(session())) inputs_->addItem(tr("Stored sample"), QStringLiteral("sample"));
    inputs_->addItem(tr("Random, seed 0"), QStringLiteral("random"));
    inputs_->addItem(tr("Inputs of the Run page"), QStringLiteral("run"));
    QStringList texts;
    if (session().contract()) {
        for (const ContractOutput& output : session().contract()->outputs) {
            if (!output.isTensor || output.dtype == DType::Unknown) continue;
            const Tolerance t = defaultTolerance(output.dtype);
            texts << tr("defaults for %1: %2, %3").arg(QString::fromUtf8(dtypeName(output.dtype))).arg(t.rtol).arg(t.atol);
            break;
        }
    }
    defaults_->setText(texts.join(QString()));
    for (QLineEdit* field : {rtol_, atol_}) {
        field->setToolTip(
            tr("Allowed error is atol + rtol × |reference|. %1").arg(texts.isEmpty() ? tr("Empty: the default of each dtype.") : texts.front()));
    }
    fitToolbar();
    showEmpty();
    emit changed();
}

void ComparePage::showWidget(QWidget* widget) {
    stages_ = nullptr;
    answer_->setAnswer(widget);
}

void ComparePage::showEmpty() {
    if (!session().compiledModel()) {
        auto* empty = new EmptyState(QStringLiteral("compare"), tr("Nothing to compare yet"),
                                     tr("There is no compiled model in this file. Compile the exported program first."));
        empty->setButton({tr("Compile…"), [this] { session().showPage(QStringLiteral("recompile")); }});
        showWidget(empty);
        return;
    }
    if (QWidget* notice = makeEngineNotice()) {
        showWidget(notice);
        return;
    }
    if (const QString refusal = session().refusal(); !refusal.isEmpty()) {
        auto* empty = new EmptyState(QStringLiteral("compare"), tr("This compiled model cannot run here"), refusal);
        if (session().program()) empty->setButton({tr("Recompile…"), [this] { session().showPage(QStringLiteral("recompile")); }});
        showWidget(empty);
        return;
    }
    if (!session().program()) {
        showWidget(new EmptyState(QStringLiteral("compare"), tr("No exported program in this file"),
                                  tr("torch eager needs the program. Attach the file that holds it, or compare with a file of outputs.")));
        return;
    }
    showWidget(new EmptyState(QStringLiteral("compare"), tr("Not compared yet"),
                              tr("Press Compare to run the compiled model and torch eager on the same inputs.")));
}

PrimaryAction ComparePage::primaryAction() const {
    PrimaryAction action;
    const bool running = session().jobs().isRunning(kJob);
    action.text = running ? tr("Cancel") : picture_ ? tr("Compare again") : tr("Compare");
    action.icon = running ? QStringLiteral("close") : QStringLiteral("compare");
    if (!session().compiledModel()) {
        action.enabled = false;
        action.reason = tr("There is no compiled model in this file.");
    } else if (!EngineService::instance().problem().isEmpty()) {
        action.enabled = false;
        action.reason = EngineService::instance().problem();
    } else if (!running && !session().refusal().isEmpty()) {
        action.enabled = false;
        action.reason = session().refusal();
    } else if (!running && reference_->currentData().toString().isEmpty() && !session().program()) {
        action.enabled = false;
        action.reason = tr("torch eager needs the program: attach the file that holds it, or choose a file of outputs.");
    }
    return action;
}

void ComparePage::runPrimaryAction() {
    if (session().jobs().isRunning(kJob)) {
        state_ = tr("Cancelling…");
        session().jobs().cancel(kJob);
        emit changed();
        return;
    }
    if (primaryAction().enabled) start(false);
}

std::optional<double> ComparePage::tolerance(const QLineEdit* field) const {
    bool ok = false;
    const double value = QLocale::c().toDouble(field->text().trimmed(), &ok);
    return ok ? std::optional(value) : std::nullopt;
}

void ComparePage::start(bool trust) {
    if (!session().contract()) return;
    CompareJob job;
    job.document = session().documentPointer();
    job.contract = *session().contract();
    const QString choice = inputs_->currentData().toString();
    const RunSettings& settings = RunSettings::of(session());
    if (choice == QLatin1String("run") && settings.used) {
        job.inputs = settings.inputs;
    } else {
        job.inputs.useSample = choice == QLatin1String("sample");
        if (choice == QLatin1String("random")) {  // sizes are asked for by name, so that stored samples do not take their place
            for (const ContractSymbol& symbol : job.contract.symbols) {
                if (symbol.hint && !symbol.places.empty()) job.inputs.sizes.emplace_back(symbol.name, *symbol.hint);
            }
        }
    }
    job.run.model = session().model();
    job.run.device = toStd(device_->currentData().toString());
    job.run.timeoutSeconds = 600;
    job.trust = trust;
    const bool fromFile = reference_->currentData().toString() == QLatin1String("file") && !referenceFile_.isEmpty();
    if (fromFile) job.file = systemPath(referenceFile_);
    job.referenceName = toStd(fromFile ? shownFileName(referenceFile_) : reference_->itemText(0));
    job.rtol = tolerance(rtol_);
    job.atol = tolerance(atol_);

    auto* holder = new QWidget;
    auto* column = new QVBoxLayout(holder);
    setMargins(column, 0, Spacing::l);
    auto* stages = new StageList;
    column->addWidget(stages);
    column->addStretch(1);
    showWidget(holder);
    stages_ = stages;
    line_->setRunning(true);
    running_.start();
    EngineService::instance().setLamp(EngineService::Lamp::Busy);
    job_ = session().jobs().start(this, kJob, tr("Comparing %1").arg(session().fileName()), std::move(job),
                                  [this](Result<ComparePicture> result) { finished(std::move(result)); });
    state_ = tr("Comparing");
    emit changed();
}

void ComparePage::finished(Result<ComparePicture> result) {
    line_->setRunning(false);
    EngineService::instance().setLamp(EngineService::Lamp::Idle);
    const double seconds = static_cast<double>(running_.elapsed()) / 1000.0;
    picture_.reset();
    if (result) {
        picture_ = std::move(*result);
        picture_->seconds = seconds;
        state_ = tr("Compared in %1").arg(toQt(formatDuration(seconds)));
        showResult();
    } else if (result.error().kind == ErrorKind::Cancelled) {
        state_ = tr("Cancelled after %1").arg(toQt(formatDuration(seconds)));
        showWidget(new EmptyState(QStringLiteral("compare"), tr("Cancelled"),
                                  tr("The comparison was stopped after %1.").arg(toQt(formatDuration(seconds)))));
    } else if (result.error().code == "python.unsafe-pickle") {
        state_ = tr("Needs consent");
        showUnsafe(result.error());
    } else {
        state_ = tr("Comparison failed");
        auto* holder = new QWidget;
        auto* column = new QVBoxLayout(holder);
        setMargins(column, 0, Spacing::m);
        auto* panel = new ErrorPanel(result.error());
        panel->setObjectName(QStringLiteral("compareError"));
        if (result.error().kind != ErrorKind::CannotRun) panel->addAction({tr("Compare again"), [this] { start(false); }});
        column->addWidget(panel);
        column->addStretch(1);
        showWidget(holder);
    }
    emit changed();
}

/// Torch would run code of the file to read it: only when the reader says so.
void ComparePage::showUnsafe(const Error& error) {
    auto* holder = new QWidget;
    auto* column = new QVBoxLayout(holder);
    setMargins(column, 0, Spacing::m);
    auto* panel = new ErrorPanel(error);
    panel->setObjectName(QStringLiteral("compareConsent"));
    panel->setSeverity(State::Warning);
    panel->addAction({tr("Compare all the same"), [this] { start(true); }});
    column->addWidget(panel);
    column->addStretch(1);
    showWidget(holder);
}

void ComparePage::showResult() { showWidget(new CompareResult(*picture_)); }

/// Another tolerance needs no other run: the tensors are at hand.
void ComparePage::toleranceEdited() {
    if (!picture_) return;
    const auto work = [actual = picture_->actual, expected = picture_->expected, rtol = tolerance(rtol_), atol = tolerance(atol_)](
                          const CancelToken& cancel, const ProgressSink&) {
        return compareOutputs(actual, expected, {rtol, atol, {}}, cancel);
    };
    session().jobs().start(this, QStringLiteral("compare.tolerance"), tr("Judging anew"), work, [this](Result<Comparison> again) {
        if (!again || !picture_) return;
        picture_->comparison = std::move(*again);
        picture_->ownTolerance = tolerance(rtol_) || tolerance(atol_);
        showResult();
        emit changed();
    });
}

QStringList ComparePage::statusTexts() const {
    if (state_.isEmpty()) return Page::statusTexts();
    QStringList texts{state_};
    if (picture_) texts << counted(picture_->comparison.outputs.size(), tr("output"), tr("outputs")) << toQt(picture_->inputText);
    return texts;
}

bool ComparePage::settled() const { return !session().jobs().isRunning(kJob) && EngineService::instance().engineKnown(); }

}  // namespace pt2::views
