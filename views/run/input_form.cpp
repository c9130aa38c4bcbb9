#include "views/run/input_form.h"

#include <QComboBox>
#include <QFileDialog>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QSlider>
#include <QSpinBox>
#include <QStandardItemModel>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/text.h"
#include "views/frame/file_path.h"
#include "views/theme/spacing.h"
#include "views/widgets/chip.h"
#include "views/widgets/choice_box.h"
#include "views/widgets/ground.h"
#include "views/widgets/link_label.h"
#include "views/widgets/text.h"

namespace pt2::views {

namespace {

constexpr int kSourceWidth = 116;
constexpr int kSettingWidth = 128, kLeastSetting = 72;
/// A spin box holds an int; sizes beyond are typed on the command line.
constexpr std::int64_t kSpinLimit = 2'000'000'000;
constexpr int kSliderSteps = 1000;
constexpr int kSymbolWidth = 32, kLeastSlider = 40;
constexpr qsizetype kLongType = 20;  // longer types are elided

/// What the source list offers; the key is the SPEC's first word (cli.md "Inputs").
struct Source {
    const char* key;
    const char* label;
    const char* hint;  ///< shown in the empty setting field; nullptr: no setting
};
constexpr Source kSources[] = {
    {"", "default", nullptr},  {"randn", "randn", nullptr},           {"rand", "uniform 0 to 1", nullptr}, {"zeros", "zeros", nullptr},
    {"ones", "ones", nullptr}, {"arange", "arange", nullptr},         {"full", "constant", "1"},           {"randint", "randint", "low, high"},
    {"@", "File…", "x.npy"},   {"=", "typed in", "[[1, 2], [3, 4]]"},
};

QString shortType(const ContractInput& input) {
    std::vector<std::string> dims;
    for (const ContractDim& dim : input.sizes) dims.push_back(dim.text);
    if (!input.rankKnown) return QString::fromUtf8(dtypeShortName(input.dtype)) + QStringLiteral(" [?]");
    return QString::fromUtf8(dtypeShortName(input.dtype)) + QLatin1Char(' ') + toQt(formatShape(dims));
}

/// Slider position of a size: logarithmic when the range spans more than a factor of 32.
bool isLogarithmic(std::int64_t low, std::int64_t high) { return low > 0 && high / low > 32; }

int sliderOf(std::int64_t value, std::int64_t low, std::int64_t high) {
    if (high <= low) return 0;
    const double t = isLogarithmic(low, high) ? std::log(static_cast<double>(value) / static_cast<double>(low)) /
                                                    std::log(static_cast<double>(high) / static_cast<double>(low))
                                              : static_cast<double>(value - low) / static_cast<double>(high - low);
    return static_cast<int>(std::lround(std::clamp(t, 0.0, 1.0) * kSliderSteps));
}

std::int64_t valueOf(int slider, std::int64_t low, std::int64_t high) {
    const double t = static_cast<double>(slider) / kSliderSteps;
    const double value = isLogarithmic(low, high) ? static_cast<double>(low) * std::pow(static_cast<double>(high) / static_cast<double>(low), t)
                                                  : static_cast<double>(low) + t * static_cast<double>(high - low);
    return std::clamp<std::int64_t>(std::llround(value), low, high);
}

QString placeText(const Contract& contract, const ContractSymbol& symbol) {
    QStringList parts;
    for (const auto& [input, dimension] : symbol.places) {
        if (parts.size() == 3) {
            parts << InputForm::tr("%1 more").arg(symbol.places.size() - 3);
            break;
        }
        parts << InputForm::tr("%1 dimension %2").arg(shown(contract.inputs[input].name)).arg(dimension);
    }
    return parts.join(QStringLiteral(", "));
}

void mark(QWidget* field, bool invalid) {
    field->setProperty("invalid", invalid ? QVariant(true) : QVariant());
    field->update();
}

}  // namespace

InputForm::InputForm(QWidget* parent) : QWidget(parent), column_(new QVBoxLayout(this)) { setMargins(column_, 0, 0); }

void InputForm::setContract(const Contract& contract, bool hasSamples) {
    std::map<std::string, std::pair<QString, QString>> kept;
    for (const InputRow& row : inputs_) {
        if (row.source && row.input < contract_.inputs.size()) {
            kept[contract_.inputs[row.input].name] = {row.source->currentData().toString(), row.setting->text()};
        }
    }
    std::map<std::string, std::int64_t> keptSizes;
    for (const SizeRow& row : sizes_) {
        if (row.touched) keptSizes[row.symbol] = row.value->value();
    }
    const int seed = seed_ ? seed_->value() : 0;
    contract_ = contract;
    hasSamples_ = hasSamples;
    rebuild();
    seed_->setValue(seed);
    for (InputRow& row : inputs_) {
        const auto found = kept.find(contract_.inputs[row.input].name);
        if (!row.source || found == kept.end()) continue;
        row.source->setCurrentIndex(std::max(0, row.source->findData(found->second.first)));
        row.setting->setText(found->second.second);
    }
    for (const auto& [symbol, value] : keptSizes) setSize(toQt(symbol), value);
}

void InputForm::rebuild() {
    inputs_.clear();
    sizes_.clear();
    delete body_;
    body_ = new QWidget;
    column_->addWidget(body_);
    auto* column = new QVBoxLayout(body_);
    setMargins(column, 0, Spacing::s);

    const auto tensors = std::count_if(contract_.inputs.begin(), contract_.inputs.end(), [](const ContractInput& i) { return !i.isConstant; });
    auto* head = new QHBoxLayout;
    setMargins(head, 0, Spacing::s);
    head->addWidget(new TextLabel(tr("Inputs"), TextSize::Section));
    head->addWidget(new TextLabel(counted(static_cast<std::uint64_t>(tensors), tr("tensor"), tr("tensors")), TextSize::Body, Role::Muted));
    head->addStretch(1);
    auto* all = makeChoiceBox(tr("Fill all inputs with"));
    all->addItem(tr("Fill all with…"), QStringLiteral("-"));
    for (const Source& source : kSources) {
        if (!source.hint) all->addItem(tr(source.label), QString::fromUtf8(source.key));
    }
    if (hasSamples_) all->addItem(tr("stored sample"), QStringLiteral("sample"));
    connect(all, &QComboBox::activated, this, [this, all](int index) {
        fillAll(all->itemData(index).toString());
        all->setCurrentIndex(0);
    });
    head->addWidget(all);
    auto* seedLabel = new TextLabel(tr("Seed"), TextSize::Body, Role::Muted);
    head->addWidget(seedLabel);
    seed_ = new QSpinBox;
    seed_->setObjectName(QStringLiteral("seed"));
    seed_->setAccessibleName(tr("Seed"));
    seed_->setRange(0, 1'000'000'000);
    seed_->setFixedWidth(88);
    connect(seed_, &QSpinBox::valueChanged, this, &InputForm::edited);
    head->addWidget(seed_);
    column->addLayout(head);
    all->setVisible(tensors > 0);  // only now: outside of the form it would open a window

    auto* card = new Ground(Role::Base);
    card->setEdges(Qt::TopEdge | Qt::BottomEdge | Qt::LeftEdge | Qt::RightEdge);
    auto* grid = new QGridLayout(card);
    setMargins(grid, Spacing::m, Spacing::s, Spacing::xs);
    grid->setHorizontalSpacing(Spacing::s);
    grid->setColumnStretch(0, 2);
    grid->setColumnStretch(1, 3);
    addInputRows(grid);
    column->addWidget(card);

    if (!contract_.symbols.empty()) {
        column->addSpacing(Spacing::s);
        column->addWidget(new Hairline);
        column->addSpacing(Spacing::xs);
        column->addWidget(new TextLabel(tr("Dynamic sizes"), TextSize::Section));
        for (const ContractSymbol& symbol : contract_.symbols) addSizeRow(column, symbol);
    }
}

void InputForm::addInputRows(QGridLayout* grid) {
    int row = 0;
    int at = 0;
    if (contract_.inputs.empty()) {
        grid->addWidget(paragraph(tr("No inputs are known of this model."), TextSize::Body, Role::Muted), 0, 0, 1, 4);
        return;
    }
    for (const QString& title : {tr("Argument"), tr("dtype, shape"), tr("Values from"), tr("Setting")}) {
        auto* label = new TextLabel(title, TextSize::Caption, Role::Muted);
        grid->addWidget(label, row, at++);
    }
    std::string openParent;
    bool keywords = false;
    for (std::size_t i = 0; i < contract_.inputs.size(); ++i) {
        const ContractInput& input = contract_.inputs[i];
        if (input.isKeyword && !keywords) {
            keywords = true;
            grid->addWidget(new TextLabel(tr("keywords"), TextSize::Caption, Role::Muted), ++row, 0, 1, 4);
        }
        const std::size_t cut = input.name.find_first_of(".[");
        const std::string parent = cut == std::string::npos ? std::string() : input.name.substr(0, cut);
        if (!parent.empty() && parent != openParent) {
            const auto children = std::count_if(contract_.inputs.begin(), contract_.inputs.end(), [&](const ContractInput& other) {
                return other.name.size() > parent.size() && other.name.starts_with(parent) &&
                       (other.name[parent.size()] == '.' || other.name[parent.size()] == '[');
            });
            auto* label = new TextLabel(shown(parent));
            label->setTextFormat(Qt::PlainText);
            label->setCode(true);
            grid->addWidget(label, ++row, 0);
            grid->addWidget(new TextLabel(tr("%1 inside").arg(children), TextSize::Caption, Role::Muted), row, 1, 1, 3);
        }
        openParent = parent;
        addInputRow(grid, ++row, i, shown(parent.empty() ? input.name : input.name.substr(cut)), parent.empty() ? 0 : 1);
        ++row;  // the problem line below
    }
}

void InputForm::addInputRow(QGridLayout* grid, int row, std::size_t index, const QString& label, int depth) {
    const ContractInput& input = contract_.inputs[index];
    auto* name = new TextLabel(label);
    name->setCode(true);
    name->setElided(true);
    name->setToolTip(shown(input.name));
    name->setContentsMargins(depth * Spacing::l, 0, 0, 0);
    name->setMinimumHeight(Metrics::control);
    grid->addWidget(name, row, 0);
    if (input.isConstant) {
        auto* value = new TextLabel(shown(input.constantText), TextSize::Body, Role::Muted);
        value->setCode(true);
        grid->addWidget(value, row, 1);
        auto* why = new TextLabel(tr("constant of the program"), TextSize::Caption, Role::Muted);
        grid->addWidget(why, row, 2, 1, 2);
        inputs_.push_back({index, nullptr, nullptr, nullptr});
        return;
    }
    const QString typeText = shortType(input);
    auto* type = new TextLabel(typeText.size() <= kLongType ? symbolHtml(typeText) : typeText);
    type->setCode(true);
    if (typeText.size() > kLongType) type->setElided(true);
    type->setToolTip(QStringLiteral("%1 · %2").arg(QString::fromUtf8(dtypeName(input.dtype)), typeText));
    grid->addWidget(type, row, 1);
    InputRow entry;
    entry.input = index;
    entry.source = makeChoiceBox(tr("Values of %1 from").arg(shown(input.name)));
    entry.source->setObjectName(QStringLiteral("source:") + toQt(input.name));
    entry.source->setFixedWidth(kSourceWidth);
    for (const Source& source : kSources) entry.source->addItem(tr(source.label), QString::fromUtf8(source.key));
    if (hasSamples_) entry.source->addItem(tr("stored sample"), QStringLiteral("sample"));
    entry.setting = new QLineEdit;
    entry.setting->setObjectName(QStringLiteral("setting:") + toQt(input.name));
    entry.setting->setAccessibleName(tr("Setting of %1").arg(shown(input.name)));
    entry.setting->setMinimumWidth(kLeastSetting);
    entry.setting->setMaximumWidth(kSettingWidth);
    entry.problem = new TextLabel({}, TextSize::Caption, Role::Error);
    entry.problem->setWordWrap(true);
    entry.problem->hide();
    grid->addWidget(entry.source, row, 2);
    grid->addWidget(entry.setting, row, 3);
    grid->addWidget(entry.problem, row + 1, 0, 1, 4);
    inputs_.push_back(entry);
    const std::size_t at = inputs_.size() - 1;
    connect(entry.source, &QComboBox::currentIndexChanged, this, [this, at] { sourceChanged(inputs_[at]); });
    connect(entry.source, &QComboBox::activated, this, [this, at] {
        InputRow& chosen = inputs_[at];
        if (chosen.source->currentData().toString() != QLatin1String("@")) return;
        const QString file =
            QFileDialog::getOpenFileName(this, tr("Choose a tensor"), {}, tr("Tensors (*.npy *.npz *.safetensors *.pt);;All files (*)"));
        if (!file.isEmpty()) chosen.setting->setText(file);
    });
    connect(entry.setting, &QLineEdit::textChanged, this, [this, at] { inputEdited(inputs_[at]); });
    sourceChanged(inputs_.back());
}

void InputForm::sourceChanged(InputRow& row) {
    const QString key = row.source->currentData().toString();
    const auto source = std::find_if(std::begin(kSources), std::end(kSources), [&](const Source& s) { return key == QLatin1String(s.key); });
    const bool hasSetting = source != std::end(kSources) && source->hint != nullptr;
    row.setting->setEnabled(hasSetting);
    row.setting->setPlaceholderText(hasSetting ? tr(source->hint) : tr("no setting"));
    if (!hasSetting) row.setting->clear();
    inputEdited(row);
}

void InputForm::inputEdited(InputRow& row) {
    row.problem->hide();
    mark(row.setting, false);
    emit edited();
}

void InputForm::addSizeRow(QVBoxLayout* column, const ContractSymbol& symbol) {
    SizeRow entry;
    entry.symbol = symbol.name;
    const SymRange legal = legalRange(symbol);
    entry.low = legal.minimum.value_or(0);
    const std::int64_t bound = legal.maximum.value_or(INT64_MAX);
    const bool bounded = bound <= kSpinLimit;
    entry.initial = symbol.hint.value_or(std::max<std::int64_t>(2, entry.low));
    entry.high = bounded ? bound : std::max<std::int64_t>(entry.initial * 16, 1024);

    auto* line = new QHBoxLayout;
    setMargins(line, 0, Spacing::s);
    auto* name = new TextLabel(symbolHtml(toQt(symbol.name)));
    name->setCode(true);
    name->setMinimumWidth(kSymbolWidth);
    line->addWidget(name);
    entry.value = new QSpinBox;
    entry.value->setObjectName(QStringLiteral("size:") + toQt(symbol.name));
    entry.value->setAccessibleName(tr("Size %1").arg(toQt(symbol.name)));
    entry.value->setRange(0, static_cast<int>(kSpinLimit));  // a size out of range may be typed; the contract then says so
    entry.value->setValue(static_cast<int>(std::min(entry.initial, kSpinLimit)));
    entry.value->setFixedWidth(88);
    line->addWidget(entry.value);
    line->addWidget(new TextLabel(QString::number(entry.low), TextSize::Body, Role::Muted));
    entry.slider = new QSlider(Qt::Horizontal);
    entry.slider->setRange(0, kSliderSteps);
    entry.slider->setAccessibleName(tr("Size %1 on its range").arg(toQt(symbol.name)));
    entry.slider->setValue(sliderOf(entry.initial, entry.low, entry.high));
    entry.slider->setMinimumWidth(kLeastSlider);
    line->addWidget(entry.slider, 1);
    const bool known = contract_.hasProgram;
    auto* high = new TextLabel(bounded ? QString::number(bound) : known ? tr("no limit") : tr("not known"), TextSize::Body, Role::Muted);
    if (!bounded) {
        high->setToolTip(known ? tr("The program has no upper limit for this size.")
                               : tr("There is no program to say how large this may be, and the compiled code does not test it."));
    }
    line->addWidget(high);
    const std::size_t at = sizes_.size();
    const auto chip = [&](const QString& text, std::int64_t value, const QString& tooltip) {
        auto* button = new Chip(text);
        button->setOutlined(true);
        button->setToolTip(tooltip);
        connect(button, &QAbstractButton::clicked, this, [this, at, value] { sizes_[at].value->setValue(static_cast<int>(value)); });
        line->addWidget(button);
    };
    chip(tr("Min"), entry.low, tr("The smallest legal size, %1").arg(entry.low));
    if (symbol.hint) chip(tr("Example"), *symbol.hint, tr("The size at export, %1").arg(*symbol.hint));
    if (bounded) chip(tr("Max"), bound, tr("The largest legal size, %1").arg(bound));
    column->addLayout(line);

    QString where = placeText(contract_, symbol);
    if (symbol.compiledKnown && symbol.compiled.minimum && symbol.program.minimum && *symbol.compiled.minimum != *symbol.program.minimum) {
        where += tr(" · the compiled code tests from %1").arg(*symbol.compiled.minimum);
    }
    auto* place = new TextLabel(where, TextSize::Caption, Role::Muted);
    place->setElided(true);
    column->addWidget(place);
    entry.problem = new QWidget;
    auto* problem = new QHBoxLayout(entry.problem);
    setMargins(problem, 0, Spacing::s);
    entry.allowed = new TextLabel({}, TextSize::Caption, Role::Error);
    entry.nearest = new LinkLabel(QString());
    entry.nearest->setObjectName(QStringLiteral("nearest:") + toQt(symbol.name));
    entry.nearest->setCaption(true);
    problem->addWidget(entry.allowed);
    problem->addWidget(entry.nearest);
    problem->addStretch(1);
    entry.problem->hide();
    column->addWidget(entry.problem);
    sizes_.push_back(entry);

    connect(entry.value, &QSpinBox::valueChanged, this, [this, at](int value) {
        SizeRow& row = sizes_[at];
        row.touched = true;
        const QSignalBlocker quiet(row.slider);
        row.slider->setValue(sliderOf(value, row.low, row.high));
        // What was said of the size before does not hold for this one.
        row.problem->hide();
        mark(row.value, false);
        emit edited();
    });
    connect(entry.slider, &QSlider::valueChanged, this, [this, at](int position) {
        SizeRow& row = sizes_[at];
        row.value->setValue(static_cast<int>(std::min(valueOf(position, row.low, row.high), kSpinLimit)));
    });
    connect(entry.nearest, &QAbstractButton::clicked, this, [this, at] {
        SizeRow& row = sizes_[at];
        row.value->setValue(static_cast<int>(row.legalNear()));
    });
}

void InputForm::fillAll(const QString& spec) {
    if (spec == QLatin1String("-")) return;
    for (InputRow& row : inputs_) {
        if (row.source) row.source->setCurrentIndex(std::max(0, row.source->findData(spec)));
    }
}

InputRequest InputForm::request() const {
    InputRequest request;
    request.seed = seed_ ? static_cast<std::uint64_t>(seed_->value()) : 0;
    for (const SizeRow& row : sizes_) {
        if (row.touched || !hasSamples_) request.sizes.emplace_back(row.symbol, row.value->value());
    }
    for (const InputRow& row : inputs_) {
        if (!row.source) continue;
        const QString key = row.source->currentData().toString();
        const QString setting = row.setting->text().trimmed();
        QString spec;
        if (key == QLatin1String("sample")) {
            request.useSample = true;
            continue;
        }
        if (key.isEmpty()) continue;
        if (key == QLatin1String("@")) {
            spec = QLatin1Char('@') + setting;
        } else if (key == QLatin1String("=")) {
            spec = setting;
        } else if (key == QLatin1String("full")) {
            spec = QStringLiteral("full(%1)").arg(setting.isEmpty() ? QStringLiteral("1") : setting);
        } else if (key == QLatin1String("randint")) {
            spec = QStringLiteral("randint(%1)").arg(setting.isEmpty() ? QStringLiteral("0,2") : QString(setting).remove(QLatin1Char(' ')));
        } else {
            spec = key;
        }
        request.inputs.emplace_back(std::to_string(contract_.inputs[row.input].flatIndex), systemPath(spec).native());
    }
    return request;
}

std::int64_t InputForm::SizeRow::legalNear() const { return std::clamp<std::int64_t>(value->value(), low, high); }

QWidget* InputForm::showBreaches(const std::vector<Breach>& breaches) {
    QWidget* first = nullptr;
    const auto showProblem = [&first](QWidget* problem) {
        problem->show();
        if (first == nullptr) first = problem;
    };
    for (SizeRow& row : sizes_) {
        row.problem->hide();
        mark(row.value, false);
    }
    for (InputRow& row : inputs_) {
        if (!row.problem) continue;
        row.problem->hide();
        mark(row.setting, false);
    }
    for (const Breach& breach : breaches) {
        if (breach.contractIndex >= contract_.inputs.size()) continue;
        if (breach.dimension && (breach.what == Breach::What::Range || breach.what == Breach::What::Size)) {
            const auto row = std::find_if(sizes_.begin(), sizes_.end(), [&](const SizeRow& s) {
                const ContractSymbol* symbol = contract_.findSymbol(s.symbol);
                return symbol && std::find(symbol->places.begin(), symbol->places.end(), std::pair(breach.contractIndex, *breach.dimension)) !=
                                     symbol->places.end();
            });
            if (row != sizes_.end()) {
                row->allowed->setText(tr("Allowed: %1.").arg(toQt(breach.allowed)));
                row->nearest->setText(tr("Set to %1").arg(row->legalNear()));
                row->nearest->setAccessibleName(row->nearest->text());
                row->nearest->updateGeometry();
                showProblem(row->problem);
                mark(row->value, true);
                continue;
            }
        }
        for (InputRow& row : inputs_) {
            if (row.input == breach.contractIndex && row.problem) {
                row.problem->setText(toQt(breach.sentence));
                showProblem(row.problem);
                mark(row.setting, row.setting->isEnabled());
            }
        }
    }
    return first;
}

void InputForm::setSize(const QString& symbol, std::int64_t value) {
    for (SizeRow& row : sizes_) {
        if (toQt(row.symbol) == symbol) row.value->setValue(static_cast<int>(std::clamp<std::int64_t>(value, 0, kSpinLimit)));
    }
}

void InputForm::setSource(std::size_t input, const QString& spec) {
    for (InputRow& row : inputs_) {
        if (row.input != input || !row.source) continue;
        row.source->setCurrentIndex(row.source->findData(QStringLiteral("=")));
        row.setting->setText(spec);
    }
}

}  // namespace pt2::views
