#include "views/run/how_to_run.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QVBoxLayout>

#include "views/frame/file_path.h"
#include "views/theme/spacing.h"
#include "views/widgets/chip.h"
#include "views/widgets/choice_box.h"
#include "views/widgets/ground.h"
#include "views/widgets/link_label.h"
#include "views/widgets/segmented_switch.h"
#include "views/widgets/text.h"

namespace pt2::views {

namespace {

constexpr int kLabelWidth = 104, kSpinWidth = 76;

QSpinBox* spin(const char* name, const QString& accessible, int low, int high, int value) {
    auto* box = new QSpinBox;
    box->setObjectName(QString::fromUtf8(name));
    box->setAccessibleName(accessible);
    box->setRange(low, high);
    box->setValue(value);
    box->setFixedWidth(kSpinWidth);
    return box;
}

}  // namespace

QHBoxLayout* HowToRun::row(QVBoxLayout* column, const QString& label) {
    auto* line = new QHBoxLayout;
    setMargins(line, 0, Spacing::s);
    auto* text = new TextLabel(label);
    text->setMinimumWidth(kLabelWidth);
    line->addWidget(text);
    column->addLayout(line);
    return line;
}

HowToRun::HowToRun(QWidget* parent)
    : QWidget(parent),
      checks_(new SegmentedSwitch({tr("Off"), tr("On"), tr("Both")})),
      device_(makeChoiceBox(tr("Device"))),
      threads_(spin("threads", tr("Threads"), 0, 1024, 0)),
      warmup_(spin("warmup", tr("Warm-up runs"), 0, 100000, 20)),
      repeat_(spin("repeat", tr("Timed runs"), 0, 1000000, 200)),
      limit_(spin("limit", tr("Time limit in seconds"), 1, 86400, 60)),
      runners_(spin("runners", tr("Runners"), 1, 256, 1)),
      steps_(spin("steps", tr("Calls in sequence"), 1, 1000, 1)),
      soak_(spin("soak", tr("Loads of a soak"), 0, 100000, 0)),
      single_(new QCheckBox(tr("Single-threaded"))),
      boxed_(new QCheckBox(tr("Boxed"))),
      more_(new QWidget),
      fold_(new LinkLabel(tr("More…"))),
      choose_(new LinkLabel(tr("Choose…"))),
      constants_(new TextLabel({}, TextSize::Body, Role::Muted)) {
    auto* column = new QVBoxLayout(this);
    setMargins(column, 0, Spacing::s);
    column->addSpacing(Spacing::s);
    column->addWidget(new Hairline);
    column->addSpacing(Spacing::xs);
    column->addWidget(new TextLabel(tr("How to run"), TextSize::Section));
    auto* first = row(column, tr("Runtime checks"));
    checks_->setObjectName(QStringLiteral("runtimeChecks"));
    checks_->setAccessibleName(tr("Runtime checks"));
    first->addWidget(checks_);
    auto* variable = new TextLabel(QStringLiteral("AOTI_RUNTIME_CHECK_INPUTS"), TextSize::Caption, Role::Muted);
    variable->setCode(true);
    variable->setSelectable(true);
    variable->setElided(true);
    first->addWidget(variable);
    first->addStretch(1);
    connect(checks_, &SegmentedSwitch::currentChanged, this, &HowToRun::changed);

    auto* second = row(column, tr("Device"));
    device_->setObjectName(QStringLiteral("device"));
    device_->setMinimumWidth(140);
    second->addWidget(device_);
    second->addWidget(new TextLabel(tr("Threads")));
    threads_->setSpecialValueText(tr("all"));
    second->addWidget(threads_);
    second->addStretch(1);

    auto* third = row(column, tr("Warm-up"));
    third->addWidget(warmup_);
    third->addWidget(new TextLabel(tr("Runs")));
    third->addWidget(repeat_);
    third->addWidget(new TextLabel(tr("Limit")));
    third->addWidget(limit_);
    third->addWidget(new TextLabel(tr("s"), TextSize::Body, Role::Muted));
    third->addStretch(1);

    buildMore(column);

    auto* last = new QHBoxLayout;
    setMargins(last, 0, Spacing::s);
    auto* chip = new Chip(tr("Separate process"), QStringLiteral("shield"));
    chip->setOutlined(true);
    chip->setFocusPolicy(Qt::NoFocus);
    last->addWidget(chip);
    last->addWidget(paragraph(tr("A crash stops the run, not the window."), TextSize::Caption, Role::Muted), 1);
    last->addWidget(fold_);
    column->addLayout(last);
}

void HowToRun::buildMore(QVBoxLayout* column) {
    auto* inside = new QVBoxLayout(more_);
    setMargins(inside, 0, Spacing::s);
    auto* first = row(inside, tr("Runners"));
    runners_->setToolTip(tr("Instances of the model. With several, as many of the timed runs are made at once, and the throughput is told."));
    first->addWidget(runners_);
    single_->setObjectName(QStringLiteral("singleThreaded"));
    single_->setToolTip(tr("AOTInductor's mode without locks, which CUDA graphs need; it has one runner only."));
    first->addWidget(single_);
    boxed_->setObjectName(QStringLiteral("boxed"));
    boxed_->setToolTip(tr("Each call gives its list of inputs away (boxed_run), so that the model can free them early."));
    first->addWidget(boxed_);
    first->addStretch(1);
    connect(single_, &QCheckBox::toggled, this, [this](bool on) {
        if (on) runners_->setValue(1);
        runners_->setEnabled(!on);
    });

    auto* second = row(inside, tr("Calls"));
    steps_->setToolTip(tr("Calls in sequence, each shown with the state after it: for models that keep state."));
    second->addWidget(steps_);
    second->addWidget(new TextLabel(tr("Soak")));
    soak_->setSpecialValueText(tr("off"));
    soak_->setToolTip(tr("Loads, runs and unloads the model so many times more, and tells whether memory grows."));
    second->addWidget(soak_);
    second->addWidget(new TextLabel(tr("loads"), TextSize::Body, Role::Muted));
    second->addStretch(1);

    auto* third = row(inside, tr("Constants"));
    constants_->setElided(true);
    third->addWidget(constants_);
    choose_->setObjectName(QStringLiteral("chooseConstants"));
    third->addWidget(choose_);
    third->addStretch(1);
    connect(choose_, &QAbstractButton::clicked, this, [this] {
        if (constantsFile_.isEmpty()) {
            chooseConstants();
        } else {
            setConstants({});
        }
    });
    setConstants({});
    more_->hide();
    column->addWidget(more_);
    fold_->setObjectName(QStringLiteral("moreHowToRun"));
    connect(fold_, &QAbstractButton::clicked, this, [this] { unfold(more_->isHidden()); });
}

void HowToRun::unfold(bool open) {
    more_->setVisible(open);
    fold_->setText(open ? tr("Less") : tr("More…"));
    emit foldChanged();
}

void HowToRun::chooseConstants() {
    const QString file = QFileDialog::getOpenFileName(this, tr("Constants by their FQN"), {}, tr("Tensors (*.safetensors *.npz *.pt)"));
    if (!file.isEmpty()) setConstants(file);
}

void HowToRun::setConstants(const QString& file) {
    constantsFile_ = file;
    constants_->setFullText(file.isEmpty() ? tr("as in the file") : shownFileName(file));
    constants_->setToolTip(file.isEmpty() ? tr("A file of tensors by FQN replaces those of its names for the run.") : shownPath(file));
    choose_->setText(file.isEmpty() ? tr("Replace…") : tr("Reset"));
    soak_->setEnabled(file.isEmpty());
}

void HowToRun::setModel(const CompiledModel* model) {
    device_->clear();
    setConstants({});
    if (!model) return;
    const QString device = model->device.empty() ? QStringLiteral("cpu") : toQt(model->device);
    device_->addItem(device == QLatin1String("cpu") ? QStringLiteral("CPU") : device, device);
    if (device == QLatin1String("cuda")) {
        for (int i = 0; i < 8; ++i) device_->addItem(tr("CUDA %1").arg(i), QStringLiteral("cuda:%1").arg(i));
    }
}

RunRequest HowToRun::request() const {
    RunRequest request;
    request.device = toStd(device_->currentData().toString());
    request.checks = checks();
    request.threads = threads_->value();
    request.warmup = warmup_->value();
    request.repeat = repeat_->value();
    request.timeoutSeconds = limit_->value();
    request.runners = runners_->value();
    request.singleThreaded = single_->isChecked();
    request.boxed = boxed_->isChecked();
    request.steps = steps_->value();
    if (!constantsFile_.isEmpty()) {
        request.constantsFile = systemPath(constantsFile_).string();
    } else {
        request.soakLoads = soak_->value();
    }
    return request;
}

RuntimeChecks HowToRun::checks() const { return static_cast<RuntimeChecks>(checks_->current()); }
void HowToRun::setChecks(RuntimeChecks checks) { checks_->setCurrent(static_cast<int>(checks)); }

}  // namespace pt2::views
