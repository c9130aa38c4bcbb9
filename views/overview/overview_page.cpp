#include "views/overview/overview_page.h"

#include <QAbstractButton>
#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QPainter>
#include <QScrollArea>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/package/stack_repair.h"
#include "views/frame/engine_service.h"
#include "views/frame/file_path.h"
#include "views/overview/contract_card.h"
#include "views/overview/modules_card.h"
#include "views/overview/overview_facts.h"
#include "views/overview/verdict_card.h"
#include "views/theme/drawn_parts.h"
#include "views/theme/icons.h"
#include "views/theme/spacing.h"
#include "views/theme/theme.h"
#include "views/widgets/banner.h"
#include "views/widgets/buttons.h"
#include "views/widgets/card.h"
#include "views/widgets/chip.h"
#include "views/widgets/flow_layout.h"
#include "views/widgets/ground.h"
#include "views/widgets/key_value_list.h"
#include "views/widgets/link_label.h"
#include "views/widgets/number_strip.h"
#include "views/widgets/share_bar.h"
#include "views/widgets/text.h"

namespace pt2::views {

namespace {

constexpr int kWide = 1000, kTile = 44;
constexpr std::size_t kMostMetadata = 6, kKeyShown = 18, kValueShown = 60;  // of the maker's own keys; the rest stands in tooltips
constexpr std::uint64_t kHashAtOnce = std::uint64_t{256} << 20;             // larger files are hashed when asked

/// The archive's picture beside its name.
class Tile : public QWidget {
public:
    Tile() { setFixedSize(kTile, kTile); }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        drawPanel(painter, QRectF(rect()), Metrics::cardRadius, color(Role::Selection), QColor(), 0);
        paintIcon(painter, QRectF(10, 10, 24, 24), QStringLiteral("archive"), Theme::instance().isDark() ? Role::SelectionText : Role::Accent);
    }
};

/// One of the things to do next: icon, words, what it needs at the right. The first is the default.
class NextAction : public QAbstractButton {
public:
    NextAction(const QString& text, QString iconName, QString remark, bool first)
        : icon_(std::move(iconName)), remark_(std::move(remark)), first_(first) {
        setText(text);
        setAccessibleName(text);
        setAccessibleDescription(remark_);
        setAttribute(Qt::WA_Hover);
        setFocusPolicy(Qt::TabFocus);
        setFixedHeight(std::max(32, fontMetrics().height() + Spacing::m));
        setCursor(Qt::PointingHandCursor);
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        const bool marked = isEnabled() && first_;
        if (marked || (isEnabled() && underMouse())) {
            drawPanel(painter, QRectF(rect()), Metrics::controlRadius, color(marked ? Role::Selection : Role::GroupRow), QColor(), 0);
        }
        const Role role = !isEnabled() ? Role::Disabled : marked ? Role::SelectionText : Role::Text;
        paintIcon(painter, QRectF(Spacing::s, (height() - 16) / 2.0, 16, 16), icon_,
                  isEnabled() ? (marked && Theme::instance().isDark() ? Role::SelectionText : Role::Link) : Role::Disabled);
        const QFont small = uiFont(TextSize::Caption);
        const int remarkWidth = QFontMetrics(small).horizontalAdvance(remark_);
        painter.setFont(uiFont(TextSize::Strong));
        painter.setPen(color(role));
        const QRect text(32 + Spacing::xs, 0, width() - 40 - remarkWidth - Spacing::m, height());
        painter.drawText(text, Qt::AlignVCenter | Qt::TextSingleLine,
                         QFontMetrics(painter.font()).elidedText(this->text(), Qt::ElideRight, text.width()));
        painter.setFont(small);
        painter.setPen(color(marked ? Role::SelectionText : isEnabled() ? Role::Muted : Role::Disabled));
        painter.drawText(rect().adjusted(0, 0, -Spacing::m, 0), Qt::AlignVCenter | Qt::AlignRight, remark_);
        if (hasFocus()) drawPanel(painter, QRectF(rect()), Metrics::controlRadius, QColor(), color(Role::Focus), 2);
    }

private:
    QString icon_, remark_;
    bool first_;
};

QString containerWords(const Package& package) {
    switch (package.archive().kind()) {
        case ContainerKind::Pt2Archive:
            return package.archiveVersion().empty() ? QObject::tr("PT2 archive")
                                                    : QObject::tr("PT2 archive, version %1").arg(shown(package.archiveVersion()));
        case ContainerKind::ExportZip: return QObject::tr("torch.export zip, before torch 2.8");
        case ContainerKind::AotiZip: return QObject::tr("AOTInductor zip, before torch 2.8");
        case ContainerKind::Folder: return QObject::tr("unpacked folder");
        case ContainerKind::Library: return QObject::tr("bare library");
    }
    return {};
}

}  // namespace

OverviewPage::OverviewPage(DocumentSession& session, QWidget* parent)
    : Page(session, parent),
      name_(new TextLabel({}, TextSize::Title)),
      path_(new TextLabel({}, TextSize::Body, Role::Muted)),
      line_(new TextLabel({}, TextSize::Body, Role::Muted)),
      chips_(new QWidget),
      numbers_(new NumberStrip),
      contract_(new ContractCard(session)),
      verdict_(new VerdictCard(session)),
      modules_(new ModulesCard(session)),
      bytes_(new Card(tr("Where the bytes are"))),
      madeBy_(new Card(tr("Made by"))),
      next_(new Card(tr("Next"))),
      told_(new Banner(State::Info, {})),
      shares_(new ShareBar),
      cards_(new QWidget),
      grid_(new QGridLayout(cards_)) {
    auto* outer = new QVBoxLayout(this);
    setMargins(outer, 0, 0);
    auto* area = new QScrollArea;
    area->setAccessibleName(tr("Overview"));
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* ground = new Ground(Role::Base);
    auto* column = new QVBoxLayout(ground);
    setMargins(column, Spacing::xl, Spacing::l);
    column->setContentsMargins(Spacing::xl, Spacing::l + 2, Spacing::xl, Spacing::l);
    auto* head = new QHBoxLayout;
    setMargins(head, 0, Spacing::m + 2);
    head->addWidget(new Tile, 0, Qt::AlignTop);
    auto* words = new QVBoxLayout;
    setMargins(words, 0, 2);
    auto* titleRow = new QHBoxLayout;
    setMargins(titleRow, 0, Spacing::m);
    name_->setElided(true);
    name_->setSelectable(true);
    titleRow->addWidget(name_, 0, Qt::AlignTop);
    new FlowLayout(chips_, Spacing::xs + 2, Spacing::xs);
    chips_->layout()->setContentsMargins(0, Spacing::xs, 0, 0);
    titleRow->addWidget(chips_, 1, Qt::AlignTop);
    words->addLayout(titleRow);
    auto* place = new QHBoxLayout;
    setMargins(place, 0, Spacing::l);
    path_->setCode(true);
    path_->setSelectable(true);
    path_->setElided(true);
    line_->setSelectable(true);
    place->addWidget(path_, 0);
    place->addWidget(line_, 0);
    place->addStretch(1);
    words->addLayout(place);
    head->addLayout(words, 1);
    column->addLayout(head);
    column->addWidget(told_);
    told_->hide();
    column->addWidget(numbers_);
    setMargins(grid_, 0, Spacing::l);
    column->addWidget(cards_);
    column->addWidget(modules_);
    column->addStretch(1);
    bytes_->content()->addWidget(shares_);
    bytes_->content()->addStretch(1);
    area->setWidget(ground);
    outer->addWidget(area);
    connect(verdict_, &VerdictCard::settledChanged, this, &Page::changed);
    connect(modules_, &ModulesCard::settledChanged, this, &Page::changed);
    connect(&EngineService::instance(), &EngineService::changed, this, &OverviewPage::fillNext);
    connect(&session, &DocumentSession::runnableChanged, this, &OverviewPage::fillNext);
    documentChanged();
}

void OverviewPage::documentChanged() {
    told_->hide();
    fillTitle();
    numbers_->setItems(numberItems(session()));
    contract_->refresh();
    verdict_->refresh();
    modules_->refresh();
    const std::uint64_t size = session().document().primary->archive().fileSize();
    bytes_->setRightText(toQt(formatBytes(size)));
    std::vector<ShareBar::Part> parts;
    std::uint64_t total = 0;
    const std::vector<ByteShare> shares = byteShares(session());
    for (const ByteShare& share : shares) total += share.bytes;
    for (const ByteShare& share : shares) {
        const double fraction = total > 0 ? static_cast<double>(share.bytes) / static_cast<double>(total) : 0;
        parts.push_back({share.name, toQt(formatBytes(share.bytes)), toQt(formatPercent(fraction)), fraction});
    }
    shares_->setParts(std::move(parts));
    fillMadeBy();
    fillNext();
}

void OverviewPage::fillTitle() {
    name_->setFullText(session().fileName());
    path_->setFullText(isStandardInput(session()) ? tr("standard input") : shownPath(session().path()));
    line_->setFullText(fileLine(session()));
    QLayout* flow = chips_->layout();
    while (QLayoutItem* item = flow->takeAt(0)) {
        if (item->widget()) item->widget()->deleteLater();
        delete item;
    }
    for (const KindChip& chip : kindChips(session())) {
        auto* button = new Chip(chip.text, chip.icon);
        button->setToolTip(chip.tooltip);
        button->setCursor(Qt::PointingHandCursor);
        connect(button, &Chip::clicked, this, [this, page = chip.page] { session().showPage(page); });
        flow->addWidget(button);
        button->show();
    }
}

void OverviewPage::fillMadeBy() {
    if (madeByList_) {
        madeBy_->content()->removeWidget(madeByList_);
        madeByList_->hide();
        madeByList_->deleteLater();
    } else {
        madeBy_->content()->addStretch(1);
    }
    auto* list = new KeyValueList;
    madeByList_ = list;
    const auto program = session().program();
    const CompiledModel* model = session().compiledModel();
    if (program) {
        list->add(tr("torch"), shown(program->torchVersion()), true);
        QString schema = QStringLiteral("%1.%2").arg(program->schemaMajor()).arg(program->schemaMinor());
        for (const auto& [name, version] : program->opsetVersion()) schema += QStringLiteral(" · %1 %2").arg(shown(name)).arg(version);
        list->add(tr("Schema, opset"), schema, true);
    } else {
        list->add(tr("torch"), tr("not stated"), false, Role::Muted);
    }
    if (model) {
        QStringList built;
        if (!model->device.empty()) built << shown(model->device).toUpper();
        if (!model->platform.empty() || !model->machine.empty()) built << (shown(model->platform) + u' ' + shown(model->machine)).trimmed();
        if (!model->cpuIsa.empty()) built << shown(model->cpuIsa);
        list->add(tr("Built for"), built.isEmpty() ? tr("not stated") : built.join(QStringLiteral(" · ")), !built.isEmpty(),
                  built.isEmpty() ? Role::Muted : Role::Text);
    }
    const std::vector<std::pair<std::string, std::string>> own = userMetadata(session());
    for (std::size_t i = 0; i < std::min(own.size(), kMostMetadata); ++i) {
        TextLabel* value = list->add(shown(elideMiddle(own[i].first, kKeyShown)), shown(elideMiddle(own[i].second, kValueShown)), true);
        value->setToolTip(shown(own[i].first + " = " + own[i].second));
    }
    if (own.size() > kMostMetadata) {
        QStringList rest;
        for (std::size_t i = kMostMetadata; i < own.size(); ++i) rest << shown(own[i].first + " = " + own[i].second);
        list->add({}, tr("%1 more of the metadata").arg(own.size() - kMostMetadata), false, Role::Muted)->setToolTip(rest.join(u'\n'));
    }
    list->add(tr("Layout"), containerWords(*session().document().primary));
    auto* hashBox = new QWidget;
    auto* hashRow = new QHBoxLayout(hashBox);
    setMargins(hashRow, 0, Spacing::xs);
    hash_ = new TextLabel(tr("…"));
    hash_->setCode(true);
    hash_->setSelectable(true);
    auto* copyHash = iconButton(QStringLiteral("copy"), tr("Copy the whole sha256"));
    copyHash->setFixedSize(24, 18);
    connect(copyHash, &QToolButton::clicked, this, [this] { QApplication::clipboard()->setText(hash_->toolTip()); });
    hashRow->addWidget(hash_);
    hashRow->addWidget(copyHash);
    hashRow->addStretch(1);
    list->addWidget(tr("sha256"), hashBox);
    madeBy_->content()->insertWidget(0, list);
    const Archive& archive = session().document().primary->archive();
    if (archive.kind() == ContainerKind::Folder) {
        hash_->setFullText(tr("a folder has none"));
        hash_->setRole(Role::Muted);
        copyHash->hide();
    } else if (archive.fileSize() <= kHashAtOnce) {
        hashFile();
    } else {
        hash_->hide();
        copyHash->hide();
        auto* link = new LinkLabel(tr("Compute"));
        hashRow->insertWidget(0, link);
        connect(link, &LinkLabel::clicked, this, [this, link, copyHash] {
            link->hide();
            hash_->show();
            copyHash->show();
            hashFile();
        });
    }
}

void OverviewPage::hashFile() {
    session().jobs().start(
        this, QStringLiteral("sha256"), tr("Hashing the file"),
        [document = session().documentPointer()](const CancelToken& cancel, const ProgressSink& progress) {
            return document->primary->archive().sha256(cancel, progress);
        },
        [this](const Result<std::string>& hash) {
            if (!hash_) return;
            hash_->setFullText(hash ? toQt(*hash).left(12) + QStringLiteral("…") : tr("not readable"));
            hash_->setToolTip(hash ? toQt(*hash) : toQt(hash.error().why));
        });
}

void OverviewPage::fillNext() {
    while (QLayoutItem* item = next_->content()->takeAt(0)) {
        if (item->widget()) item->widget()->deleteLater();
        delete item;
    }
    next_->content()->setContentsMargins(Spacing::s, 0, Spacing::s, Spacing::m);
    next_->content()->setSpacing(2);
    bool first = true;
    const auto add = [this, &first](const QString& text, const QString& iconName, const QString& remark, const QString& reason,
                                    const std::function<void()>& run) {
        auto* action = new NextAction(text, iconName, remark, first && reason.isEmpty());
        if (reason.isEmpty()) first = false;
        action->setEnabled(reason.isEmpty());
        action->setToolTip(reason);
        connect(action, &QAbstractButton::clicked, this, run);
        next_->content()->addWidget(action);
    };
    const EngineService& service = EngineService::instance();
    const bool compiled = session().compiledModel(), program = session().program() != nullptr;
    const QString refusal = session().refusal();
    const QString noCompiled = compiled ? refusal : tr("There is no compiled model.");
    const QString noProgram = program ? QString() : tr("There is no program.");
    const bool pythonMissing = service.pythonKnown() && !*service.python();
    const QString python = pythonMissing ? tr("no Python with torch") : tr("needs Python");
    const ProgramEntry* entry = session().programEntry();
    const auto recompile = [&] {
        add(compiled ? tr("Recompile for this machine…") : tr("Compile for this machine…"), QStringLiteral("recompile"), python, noProgram,
            [this] { session().showPage(QStringLiteral("recompile")); });
    };
    const bool compileFirst = !compiled || !refusal.isEmpty();
    if (compileFirst) recompile();
    add(entry && entry->sampleInputs ? tr("Run the sample input") : tr("Run with random inputs"), QStringLiteral("run"),
        !compiled           ? tr("not compiled")
        : refusal.isEmpty() ? QStringLiteral("F5")
                            : tr("not here"),
        noCompiled, [this] { session().startPage(QStringLiteral("run")); });
    add(tr("Compare with torch eager"), QStringLiteral("compare"), python, noCompiled.isEmpty() ? noProgram : noCompiled,
        [this] { session().showPage(QStringLiteral("compare")); });
    if (!compileFirst) recompile();
    if (compiled && session().compiledModel()->elf.executableStack) {
        add(tr("Save a copy for newer systems…"), QStringLiteral("save"), tr("executable stack"), {}, [this] { saveRepaired(); });
    }
    add(tr("Look at the graph"), QStringLiteral("graph"), program ? counted(session().program()->nodes().size(), tr("node"), tr("nodes")) : QString(),
        noProgram, [this] { session().showPage(QStringLiteral("graph")); });
    next_->content()->addStretch(1);
}

void OverviewPage::saveRepaired() {
    const std::shared_ptr<const Package> package = session().document().compiled(session().model()).package;
    if (!package) return;
    const QFileInfo file(pathText(package->archive().path()));
    const QString suggested = file.dir().filePath(file.completeBaseName() + QStringLiteral("-repaired.") + file.suffix());
    const QString target = QFileDialog::getSaveFileName(this, tr("Save a copy that asks for no executable stack"), suggested);
    if (!target.isEmpty()) saveRepairedAs(target);
}

void OverviewPage::saveRepairedAs(const QString& target) {
    using Saved = Result<std::vector<std::string>>;
    session().jobs().start(
        this, QStringLiteral("repair"), tr("Copying"),
        [package = session().document().compiled(session().model()).package, path = systemPath(target)](
            const CancelToken& cancel, const ProgressSink& progress) { return writeWithoutExecutableStacks(*package, path, true, cancel, progress); },
        [this, target](const Saved& saved) {
            if (!saved && saved.error().kind == ErrorKind::Cancelled) return;
            if (saved) {
                told_->set(State::Ok, tr("%1 is saved").arg(shownFileName(target)),
                           tr("It asks for no executable stack, so programs of your own load it on Debian 13 too. All else is as it was."));
            } else {
                told_->set(State::Error, toQt(saved.error().what), toQt(saved.error().why + " " + saved.error().help));
            }
            told_->show();
            emit changed();
        });
}

bool OverviewPage::settled() const { return verdict_->settled() && modules_->settled(); }

void OverviewPage::resizeEvent(QResizeEvent* event) {
    Page::resizeEvent(event);
    arrange();
}

void OverviewPage::arrange() {
    const int columns = width() >= kWide ? 3 : 2;
    if (columns == columns_) return;
    columns_ = columns;
    for (QWidget* card : {static_cast<QWidget*>(contract_), static_cast<QWidget*>(verdict_), static_cast<QWidget*>(bytes_),
                          static_cast<QWidget*>(madeBy_), static_cast<QWidget*>(next_)}) {
        grid_->removeWidget(card);
    }
    // Twelfths as in the picture: contract 8 of 12.6 beside the verdict; below it the two small cards share the contract's width.
    for (int i = 0; i < 3; ++i) grid_->setColumnStretch(i, 0);
    if (columns == 3) {
        grid_->addWidget(contract_, 0, 0, 1, 2);
        grid_->addWidget(verdict_, 0, 2);
        grid_->addWidget(bytes_, 1, 0);
        grid_->addWidget(madeBy_, 1, 1);
        grid_->addWidget(next_, 1, 2);
        grid_->setColumnStretch(0, 47);
        grid_->setColumnStretch(1, 47);
        grid_->setColumnStretch(2, 52);
    } else {
        grid_->addWidget(contract_, 0, 0, 1, 2);
        grid_->addWidget(verdict_, 1, 0);
        grid_->addWidget(next_, 1, 1);
        grid_->addWidget(bytes_, 2, 0);
        grid_->addWidget(madeBy_, 2, 1);
        grid_->setColumnStretch(0, 1);
        grid_->setColumnStretch(1, 1);
    }
}

}  // namespace pt2::views
