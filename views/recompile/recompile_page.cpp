#include "views/recompile/recompile_page.h"

#include <algorithm>

#include <QCheckBox>
#include <QComboBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QTimer>
#include <QVBoxLayout>

#include "core/base/text.h"
#include "core/run/known_refusals.h"
#include "views/frame/engine_service.h"
#include "views/frame/file_path.h"
#include "views/theme/spacing.h"
#include "views/theme/theme.h"
#include "views/widgets/answer_pane.h"
#include "views/widgets/banner.h"
#include "views/widgets/buttons.h"
#include "views/widgets/card.h"
#include "views/widgets/choice_box.h"
#include "views/widgets/data_table.h"
#include "views/widgets/empty_state.h"
#include "views/widgets/error_panel.h"
#include "views/widgets/ground.h"
#include "views/widgets/key_value_list.h"
#include "views/widgets/progress.h"
#include "views/widgets/text.h"
#include "views/widgets/vertical_scroll.h"

namespace pt2::views {

namespace {

const QString kJob = QStringLiteral("recompile");
constexpr int kFormWidth = 440;
constexpr int kLogLines = 5000;

QPlainTextEdit* smallEditor(const QString& accessible, const QString& placeholder) {
    auto* edit = new QPlainTextEdit;
    edit->setAccessibleName(accessible);
    edit->setPlaceholderText(placeholder);
    edit->setFont(codeFont());
    edit->setFixedHeight(64);
    edit->setProperty("field", true);
    edit->setFrameStyle(QFrame::StyledPanel);  // measured anew as a field
    edit->setTabChangesFocus(true);
    return edit;
}

std::vector<std::pair<std::string, std::string>> keyValues(const QPlainTextEdit* edit) {
    std::vector<std::pair<std::string, std::string>> pairs;
    for (const QString& line : edit->toPlainText().split(QLatin1Char('\n'), Qt::SkipEmptyParts)) {
        const qsizetype equals = line.indexOf(QLatin1Char('='));
        if (equals > 0) pairs.emplace_back(toStd(line.left(equals).trimmed()), toStd(line.mid(equals + 1).trimmed()));
    }
    return pairs;
}

}  // namespace

RecompilePage::RecompilePage(DocumentSession& session, QWidget* parent) : Page(session, parent) {
    auto* outer = new QVBoxLayout(this);
    setMargins(outer, 0, 0);
    line_ = ProgressLine::over(this);
    auto* row = new QHBoxLayout;
    setMargins(row, 0, 0);
    auto* left = new Ground(Role::Window);
    left->setEdges(Qt::RightEdge);
    form_ = left;
    auto* column = new QVBoxLayout(left);
    setMargins(column, Spacing::l, Spacing::l, Spacing::s);
    buildForm(column);
    column->addStretch(1);
    formArea_ = verticalScroll(left, tr("Options"));
    formArea_->setMinimumWidth(340);
    formArea_->setMaximumWidth(kFormWidth);
    row->addWidget(formArea_, 4);
    answer_ = new AnswerPane;
    row->addWidget(answer_, 6);
    outer->addLayout(row, 1);
    connect(&session.jobs(), &JobRunner::progressed, this, [this](JobId id, const Progress& progress) {
        if (id == job_) showProgress(progress);
    });
    connect(&EngineService::instance(), &EngineService::changed, this, [this] {
        if (!picture_ && !this->session().jobs().isRunning(kJob)) showEmpty();
        emit changed();
    });
    EngineService::instance().ask();
    RecompilePage::documentChanged();
}

void RecompilePage::buildForm(QVBoxLayout* column) {
    column->addWidget(new TextLabel(tr("Compile for this machine"), TextSize::Section));
    column->addWidget(paragraph(
        tr("AOTInductor makes a library of the exported program. The program and its weights are copied byte for byte; this file is not changed."),
        TextSize::Body, Role::Muted));
    column->addSpacing(Spacing::s);
    column->addWidget(new TextLabel(tr("Write to"), TextSize::Strong));
    auto* row = new QHBoxLayout;
    setMargins(row, 0, Spacing::s);
    output_ = new QLineEdit;
    output_->setObjectName(QStringLiteral("recompileOutput"));
    output_->setAccessibleName(tr("File to write"));
    row->addWidget(output_, 1);
    auto* browse = plainButton(tr("Choose…"));
    row->addWidget(browse);
    column->addLayout(row);
    outputProblem_ = new TextLabel({}, TextSize::Caption, Role::Error);
    outputProblem_->setWordWrap(true);
    outputProblem_->hide();
    column->addWidget(outputProblem_);
    connect(output_, &QLineEdit::textEdited, this, [this] { outputTouched_ = true; });
    connect(browse, &QPushButton::clicked, this, [this] {
        const QString file = QFileDialog::getSaveFileName(this, tr("Write the compiled file"), output_->text(), tr("PT2 archive (*.pt2)"), nullptr,
                                                          QFileDialog::DontConfirmOverwrite);
        if (!file.isEmpty()) setOutput(file);
    });
    const auto check = [&](const char* name, const QString& text, const QString& explanation) {
        auto* box = new QCheckBox(text);
        box->setObjectName(QString::fromUtf8(name));
        column->addWidget(box);
        auto* words = paragraph(explanation, TextSize::Caption, Role::Muted);
        words->setContentsMargins(Spacing::xl, 0, 0, 0);
        column->addWidget(words);
        return box;
    };
    replace_ = check("replace", tr("Replace the file if it exists"), tr("Only when the new one is complete."));
    column->addSpacing(Spacing::xs);
    column->addWidget(new Hairline);
    column->addSpacing(Spacing::xs);
    column->addWidget(new TextLabel(tr("How to compile"), TextSize::Section));
    auto* deviceRow = new QHBoxLayout;
    setMargins(deviceRow, 0, Spacing::s);
    deviceRow->addWidget(new TextLabel(tr("Device")));
    device_ = makeChoiceBox(tr("Device"));
    device_->setObjectName(QStringLiteral("recompileDevice"));
    device_->addItem(tr("as exported"), QString());
    device_->addItem(QStringLiteral("CPU"), QStringLiteral("cpu"));
    device_->addItem(QStringLiteral("CUDA"), QStringLiteral("cuda"));
    deviceRow->addWidget(device_);
    deviceRow->addStretch(1);
    column->addLayout(deviceRow);
    autotune_ = check("maxAutotune", tr("Search for the fastest kernels"),
                      tr("Tries several variants of matrix products and convolutions (max_autotune). Compiling takes longer."));
    freezing_ = check("freezing", tr("Freeze the weights"),
                      tr("Folds and repacks weights into the code (freezing). They can then no longer be replaced at load time."));
    compiledOnly_ = check("compiledOnly", tr("Leave the program out"),
                          tr("A smaller file with the compiled model only. It cannot be compared with torch eager or compiled again."));
    column->addSpacing(Spacing::s);
    column->addWidget(new TextLabel(tr("Inductor settings"), TextSize::Strong));
    config_ = smallEditor(tr("Inductor settings, one KEY=VALUE a line"), QStringLiteral("max_fusion_size=8"));
    column->addWidget(config_);
    column->addWidget(new TextLabel(tr("Environment"), TextSize::Strong));
    environment_ = smallEditor(tr("Environment variables, one KEY=VALUE a line"), QStringLiteral("TORCH_LOGS=+inductor"));
    column->addWidget(environment_);
}

void RecompilePage::setOutput(const QString& path) {
    outputTouched_ = true;
    output_->setText(path);
}

QString RecompilePage::suggestedOutput() const {
    std::filesystem::path path = systemPath(session().path());
    if (path == "-") path = std::filesystem::path(systemPath(absolutePath(QStringLiteral("model"))));
    if (!path.has_filename()) path = path.parent_path();  // a folder written with its slash
    std::string base = path.stem().native();
    if (base.empty()) base = "model";
    return pathText(path.parent_path() / (base + "-compiled.pt2"));
}

void RecompilePage::documentChanged() {
    if (!outputTouched_) output_->setText(suggestedOutput());
    formArea_->setVisible(session().program() != nullptr);
    if (!picture_ && !session().jobs().isRunning(kJob)) showEmpty();
    emit changed();
}

void RecompilePage::showWidget(QWidget* widget) {
    stages_ = nullptr;
    log_ = nullptr;
    answer_->setAnswer(widget);
}

void RecompilePage::showEmpty() {
    const auto program = session().program();
    if (!program) {
        showWidget(new EmptyState(
            QStringLiteral("recompile"), tr("Nothing to compile"),
            tr("This file holds no exported program. A compiled model cannot be compiled again; open or attach the file with its program.")));
        return;
    }
    const std::vector<std::string> refusals = knownRefusals(*program);
    if (!refusals.empty()) {
        auto* holder = new QWidget;
        auto* column = new QVBoxLayout(holder);
        setMargins(column, 0, Spacing::l);
        for (const std::string& refusal : refusals)
            column->addWidget(new Banner(State::Warning, tr("AOTInductor will refuse this program"), toQt(refusal)));
        column->addStretch(1);
        showWidget(holder);
        return;
    }
    const auto& python = EngineService::instance().python();
    if (python && !*python) {
        auto* panel = new ErrorPanel(python->error());
        panel->addAction({tr("Look again"), [] { EngineService::instance().askAgain(); }});
        showWidget(panel);
        return;
    }
    const QString with =
        python && *python ? tr(" It uses torch %1 of %2.").arg(toQt((*python)->torchVersion), toQt((*python)->executable)) : QString();
    showWidget(new EmptyState(QStringLiteral("recompile"), tr("Not compiled yet"),
                              tr("Press Compile to make a library for this machine. A small model takes a quarter of a minute.") + with));
}

PrimaryAction RecompilePage::primaryAction() const {
    PrimaryAction action;
    const bool running = session().jobs().isRunning(kJob);
    action.text = running ? tr("Cancel") : picture_ ? tr("Compile again") : tr("Compile");
    action.icon = running ? QStringLiteral("close") : QStringLiteral("recompile");
    const auto& python = EngineService::instance().python();
    if (!session().program()) {
        action.enabled = false;
        action.reason = tr("This file holds no exported program.");
    } else if (python && !*python) {
        action.enabled = false;
        action.reason = toQt(python->error().what);
    }
    return action;
}

void RecompilePage::runPrimaryAction() {
    if (session().jobs().isRunning(kJob)) {
        state_ = tr("Cancelling…");
        session().jobs().cancel(kJob);
        emit changed();
        return;
    }
    if (primaryAction().enabled) start(false);
}

RecompileRequest RecompilePage::request() const {
    RecompileRequest request;
    request.models = {session().model()};
    request.device = toStd(device_->currentData().toString());
    request.maxAutotune = autotune_->isChecked();
    request.freezing = freezing_->isChecked();
    request.compiledOnly = compiledOnly_->isChecked();
    request.force = replace_->isChecked();
    request.config = keyValues(config_);
    request.environment = keyValues(environment_);
    return request;
}

void RecompilePage::start(bool trust) {
    const QString output = output_->text().trimmed();
    QString problem;
    if (!output.endsWith(QLatin1String(".pt2"))) problem = tr("The name must end in .pt2.");
    if (problem.isEmpty() && !replace_->isChecked() && pathExists(output))
        problem = tr("This file exists already. Choose another name, or tick the box below.");
    outputProblem_->setText(problem);
    outputProblem_->setVisible(!problem.isEmpty());
    if (!problem.isEmpty()) {
        output_->setFocus();
        return;
    }
    picture_.reset();
    doneStages_.clear();
    stage_.clear();
    logLines_.clear();
    RecompileRequest request = this->request();
    request.trust = trust;
    showRunning();
    running_.start();
    line_->setRunning(true);
    const auto work = [document = session().documentPointer(), request, path = systemPath(output)](
                          const CancelToken& cancel, const ProgressSink& progress) -> Result<RecompilePicture> {
        Result<RecompileReport> made = recompile(*document, path, request, cancel, progress);
        if (!made) return tl::unexpected(made.error());
        RecompilePicture picture{std::move(*made), std::vector<CompiledCheck>{}};
        if (!request.compiledOnly) {
            report(progress, {"running the result and comparing with torch eager", 0, 0, Progress::Unit::None, {}});
            EagerRequest eager;
            eager.trust = request.trust;
            picture.checks = checkRecompiled(picture.report.output, picture.report.models, eager, cancel, progress);
        }
        return picture;
    };
    job_ = session().jobs().start(this, kJob, tr("Compiling %1").arg(session().fileName()), work,
                                  [this](Result<RecompilePicture> result) { finished(std::move(result)); });
    state_ = tr("Compiling");
    emit changed();
}

void RecompilePage::showRunning() {
    auto* holder = new QWidget;
    auto* column = new QVBoxLayout(holder);
    setMargins(column, 0, Spacing::l);
    auto* stages = new StageList;
    column->addWidget(stages);
    auto* row = new QHBoxLayout;
    setMargins(row, 0, Spacing::s);
    auto* elapsed = new TextLabel(tr("Elapsed 0 s"));
    row->addWidget(elapsed);
    row->addStretch(1);
    auto* cancel = plainButton(tr("Cancel"));
    cancel->setObjectName(QStringLiteral("cancelRecompile"));
    cancel->setToolTip(tr("Stops Python and the compilers it started."));
    connect(cancel, &QPushButton::clicked, this, [this] { session().jobs().cancel(kJob); });
    row->addWidget(cancel);
    column->addLayout(row);
    auto* log = new QPlainTextEdit;
    log->setObjectName(QStringLiteral("recompileLog"));
    log->setAccessibleName(tr("Log of the compiler"));
    log->setReadOnly(true);
    log->setMaximumBlockCount(kLogLines);
    log->setFont(codeFont(TextSize::Caption));
    log->setMinimumHeight(200);
    log->setPlaceholderText(tr("Nothing was printed yet."));
    column->addWidget(log, 1);
    showWidget(holder);
    stages_ = stages;
    log_ = log;
    auto* timer = new QTimer(holder);
    connect(timer, &QTimer::timeout, elapsed, [this, elapsed] { elapsed->setText(tr("Elapsed %1 s").arg(running_.elapsed() / 1000)); });
    timer->start(1000);
}

void RecompilePage::showProgress(const Progress& progress) {
    if (!progress.line.empty()) {
        const QString line = shown(progress.line);
        logLines_ << line;
        session().log(line);
        if (log_) log_->appendPlainText(line);
    }
    const QString stage = toQt(progress.stage);
    if (stage.isEmpty() || stage == stage_) return;
    if (!stage_.isEmpty()) doneStages_.emplace_back(stage_, static_cast<double>(stageClock_.elapsed()) / 1000.0);
    stage_ = stage;
    stageClock_.start();
    if (!stages_) return;
    std::vector<StageList::Stage> list;
    const auto sentence = [](QString text) {
        if (!text.isEmpty()) text[0] = text[0].toUpper();
        return text;
    };
    for (const auto& [name, seconds] : doneStages_)
        list.push_back({sentence(name), StageList::Stage::Phase::Done, toQt(formatDuration(seconds)), -1});
    list.push_back({sentence(stage_), StageList::Stage::Phase::Running, {}, -1});
    stages_->setStages(std::move(list));
}

void RecompilePage::finished(Result<RecompilePicture> result) {
    line_->setRunning(false);
    const double seconds = static_cast<double>(running_.elapsed()) / 1000.0;
    if (result) {
        picture_ = std::move(*result);
        state_ = tr("Compiled in %1").arg(toQt(formatDuration(seconds)));
        // A file without a compiled model gets the new one at its side, so that Run and Compare work on it at once.
        if (!session().compiledModel()) session().attach(pathText(picture_->report.output));
        showResult();
    } else if (result.error().kind == ErrorKind::Cancelled) {
        state_ = tr("Cancelled after %1").arg(toQt(formatDuration(seconds)));
        showWidget(new EmptyState(QStringLiteral("recompile"), tr("Cancelled"),
                                  tr("Python and the compilers were stopped after %1. Nothing was written.").arg(toQt(formatDuration(seconds)))));
    } else if (result.error().code == "python.unsafe-pickle") {
        state_ = tr("Needs consent");
        showUnsafe(result.error());
    } else {
        state_ = tr("Compiling failed");
        auto* holder = new QWidget;
        auto* column = new QVBoxLayout(holder);
        setMargins(column, 0, Spacing::m);
        auto* panel = new ErrorPanel(result.error());
        panel->setObjectName(QStringLiteral("recompileError"));
        for (const QString& line : logLines_.mid(std::max<qsizetype>(0, logLines_.size() - 40))) panel->addDetail(line);
        if (result.error().code != "recompile.refused") panel->addAction({tr("Compile again"), [this] { start(false); }});
        column->addWidget(panel);
        column->addWidget(new TextLabel(tr("Nothing was written; this file is as it was."), TextSize::Caption, Role::Muted));
        column->addStretch(1);
        showWidget(holder);
    }
    emit changed();
}

void RecompilePage::showUnsafe(const Error& error) {
    auto* holder = new QWidget;
    auto* column = new QVBoxLayout(holder);
    setMargins(column, 0, Spacing::m);
    auto* panel = new ErrorPanel(error);
    panel->setSeverity(State::Warning);
    panel->addAction({tr("Compile all the same"), [this] { start(true); }});
    column->addWidget(panel);
    column->addStretch(1);
    showWidget(holder);
}

void RecompilePage::showResult() {
    auto* holder = new QWidget;
    auto* column = new QVBoxLayout(holder);
    setMargins(column, 0, Spacing::l);
    const RecompileReport& report = picture_->report;
    const QString file = shownFileName(pathText(report.output));
    bool allOk = picture_->checks.has_value(), anyError = !picture_->checks.has_value();
    if (picture_->checks) {
        for (const CompiledCheck& check : *picture_->checks) {
            allOk = allOk && check.comparison && check.comparison->ok();
            anyError = anyError || !check.comparison;
        }
    }
    const bool checked = picture_->checks && !picture_->checks->empty();
    const State state = allOk ? State::Ok : anyError ? State::Warning : State::Error;
    const QString title = !checked && allOk ? tr("Compiled")
                          : allOk           ? tr("Compiled, and it matches torch eager")
                          : anyError        ? tr("Compiled, but not all of it could be checked")
                                            : tr("Compiled, but the outputs differ from torch eager");
    auto* banner =
        new Banner(state, title, tr("%1 · library %2 · %3").arg(file, toQt(formatBytes(report.libraryBytes)), toQt(formatDuration(report.seconds))));
    banner->setObjectName(QStringLiteral("recompileVerdict"));
    banner->addAction({tr("Run ›"), [this] { session().showPage(QStringLiteral("run")); }});
    column->addWidget(banner);

    if (!picture_->checks) {
        column->addWidget(new ErrorPanel(picture_->checks.error()));
    } else if (checked) {
        auto* card = new Card(tr("Checked at once"));
        card->setSubtitle(tr("against torch eager"));
        card->setFlush(true);
        const std::vector<Column> columns = {{tr("Model"), 110, false, false, {}},
                                             {tr("Sizes"), 140, false, true, {}},
                                             {tr("Verdict"), 170, false, false, {}},
                                             {tr("Max abs"), 90, true, false, {}},
                                             {tr("First run"), 90, true, false, {}}};
        auto* model = new RowModel(columns, holder);
        std::vector<Row> rows;
        for (const CompiledCheck& check : *picture_->checks) {
            Row row;
            const bool ok = check.comparison && check.comparison->ok();
            Cell verdict(check.comparison ? toQt(check.comparison->verdict()) : shown(check.comparison.error().what));
            const State s = ok ? State::Ok : check.comparison ? State::Error : State::Warning;
            verdict.icon = stateIcon(s);
            verdict.iconColour = stateRole(s);
            verdict.tooltip = check.comparison ? toQt(check.comparison->sentence()) : shown(check.comparison.error().why);
            double worst = 0;
            if (check.comparison) {
                for (const OutputComparison& output : check.comparison->outputs) worst = std::max(worst, output.maxAbs);
            }
            row.cells = {Cell::fixed(shown(check.model)), check.sizes.empty() ? Cell::muted(tr("fixed")) : Cell::shape(toQt(check.sizes)), verdict,
                         check.comparison ? Cell::number(worst == 0 ? QStringLiteral("0") : QString::number(worst, 'e', 2), worst)
                                          : Cell::muted(QStringLiteral("—")),
                         check.comparison ? Cell::number(toQt(formatDuration(check.seconds)), check.seconds) : Cell::muted(QStringLiteral("—"))};
            rows.push_back(std::move(row));
        }
        model->setRows(std::move(rows));
        auto* table = new DataTable;
        table->setAccessibleName(tr("Checks of the compiled model"));
        table->setGround(Role::Card);
        table->setSource(model, columns);
        table->setFitToRows(true);
        card->content()->addWidget(table);
        column->addWidget(card);
    }

    auto* made = new Card(tr("What was made"));
    auto* facts = new KeyValueList;
    facts->add(tr("File"), shownPath(pathText(report.output)), true);
    facts->add(tr("Models"), toQt(join(report.models, ", ")), true);
    facts->add(tr("Library"), toQt(formatBytes(report.libraryBytes)));
    facts->add(tr("Time"), toQt(formatDuration(report.seconds)));
    std::vector<std::string> variables;
    for (const auto& [key, value] : report.inheritedEnvironment) variables.push_back(key + "=" + value);
    facts->add(tr("Inherited"), variables.empty() ? tr("no TORCHINDUCTOR_ or TORCH_ variables") : shown(join(variables, ", ")), !variables.empty());
    made->content()->addWidget(facts);
    column->addWidget(made);

    auto* logCard = new Card(tr("Log"));
    logCard->setRightText(counted(static_cast<std::uint64_t>(logLines_.size()), tr("line"), tr("lines")));
    if (logLines_.isEmpty()) {
        logCard->content()->addWidget(new TextLabel(tr("Nothing was printed."), TextSize::Body, Role::Muted));
    } else {
        auto* log = new QPlainTextEdit(logLines_.mid(std::max<qsizetype>(0, logLines_.size() - kLogLines)).join(QLatin1Char('\n')));
        log->setReadOnly(true);
        log->setAccessibleName(tr("Log of the compiler"));
        log->setFont(codeFont(TextSize::Caption));
        log->setFixedHeight(220);
        logCard->content()->addWidget(log);
    }
    column->addWidget(logCard);
    column->addStretch(1);
    showWidget(holder);
}

QStringList RecompilePage::statusTexts() const { return state_.isEmpty() ? Page::statusTexts() : QStringList{state_}; }

bool RecompilePage::settled() const { return !session().jobs().isRunning(kJob) && (EngineService::instance().pythonKnown() || !session().program()); }

}  // namespace pt2::views
