#include "views/signature/signature_page.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QFontMetrics>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "core/base/text.h"
#include "core/contract/call_text.h"
#include "core/contract/coverage.h"
#include "core/program/printed_form.h"
#include "views/signature/signature_facts.h"
#include "views/theme/spacing.h"
#include "views/theme/theme.h"
#include "views/widgets/card.h"
#include "views/widgets/choice_box.h"
#include "views/widgets/code_view.h"
#include "views/widgets/data_table.h"
#include "views/widgets/filter_field.h"
#include "views/widgets/ground.h"
#include "views/widgets/icon_label.h"
#include "views/widgets/key_value_list.h"
#include "views/widgets/link_label.h"
#include "views/widgets/segmented_switch.h"
#include "views/widgets/text.h"

namespace pt2::views {

namespace {
constexpr int kSideWidth = 340, kSideMinimum = 940;
constexpr std::size_t kNotesShown = 40;
constexpr std::uint32_t kPrintedAtOnce = 200000;  // nodes; a larger program is printed by the command line

/// The file that the call's code loads: the one with the compiled model, where there are two.
std::string compiledFile(const DocumentSession& session) {
    const Document::CompiledRef compiled = session.document().compiled(session.model());
    return (compiled ? compiled.package->archive().path() : session.document().primary->archive().path()).string();
}
}  // namespace

SignaturePage::SignaturePage(DocumentSession& session, QWidget* parent)
    : Page(session, parent),
      form_(new SegmentedSwitch({tr("Table"), tr("As torch prints it"), tr("Program text")})),
      filter_(makeFilterField(tr("Filter"), tr("Filter the signature"))),
      kind_(makeChoiceBox(tr("Kinds that are shown"))),
      count_(new TextLabel({}, TextSize::Caption, Role::Muted)),
      stack_(new QStackedWidget),
      table_(new DataTable),
      model_(new RowModel(signatureColumns(), this)),
      signatureCode_(new CodeView),
      programCode_(new CodeView),
      splitter_(new QSplitter(Qt::Horizontal)),
      side_(nullptr),
      sidePage_(new QWidget),
      sideColumn_(new QVBoxLayout),
      notesColumn_(nullptr),
      call_(new DataTable(this)),
      callModel_(new RowModel({{tr("Argument"), 150, false, false, {}}, {tr("Type"), 170, false, true, {}}}, this)) {
    auto* column = new QVBoxLayout(this);
    setMargins(column, 0, 0);
    auto* bar = new PageToolbar;
    filter_->setMaximumWidth(280);
    bar->row()->addWidget(filter_);
    constexpr int kKindLetters = 10;  // the titles of the groups are long, and the bar is not
    kind_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    kind_->setMinimumContentsLength(kKindLetters);
    bar->row()->addWidget(kind_);
    bar->row()->addWidget(count_);
    bar->row()->addStretch(1);
    bar->row()->addWidget(form_);
    column->addWidget(bar);

    table_->setSource(model_);
    table_->setAccessibleName(tr("Signature"));
    stack_->addWidget(table_);
    signatureCode_->setAccessibleName(tr("Signature as torch prints it"));
    programCode_->setAccessibleName(tr("Text of the program"));
    form_->setAccessibleName(tr("Form of the signature"));
    stack_->addWidget(signatureCode_);
    stack_->addWidget(programCode_);
    auto* sideBox = new QVBoxLayout(sidePage_);
    setMargins(sideBox, 0, 0);
    stack_->addWidget(sidePage_);
    splitter_->addWidget(stack_);
    auto* area = new QScrollArea;
    area->setAccessibleName(tr("Call, sizes and guards"));
    area->setWidgetResizable(true);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    area->setFrameShape(QFrame::NoFrame);
    auto* ground = new Ground(Role::Window);
    ground->setLayout(sideColumn_);
    setMargins(sideColumn_, Spacing::l, Spacing::m);
    area->setWidget(ground);
    area->setMinimumWidth(Metrics::inspectorMin);
    side_ = area;
    splitter_->addWidget(area);
    splitter_->setStretchFactor(0, 1);
    splitter_->setSizes({10000, kSideWidth});
    splitter_->setCollapsible(0, false);
    column->addWidget(splitter_, 1);

    call_->setSource(callModel_);
    call_->setIndented(true);
    call_->setGround(Role::Card);
    call_->setFitToRows(true);
    call_->setSortingEnabled(false);
    call_->setAccessibleName(tr("Call"));

    connect(filter_, &QLineEdit::textChanged, this, [this](const QString& text) {
        table_->filter()->setText(text);
        table_->expandAll();
        refreshCount();
    });
    connect(splitter_, &QSplitter::splitterMoved, this, [this] { sideMoved_ = true; });
    connect(kind_, &QComboBox::currentIndexChanged, this, [this] { showKind(); });
    connect(form_, &SegmentedSwitch::currentChanged, this, [this](int index) {
        stack_->setCurrentIndex(index);
        filter_->setEnabled(index == 0);
        kind_->setEnabled(index == 0);
        if (index == 2 && programCode_->text().isEmpty() && this->session().program()) {
            programCode_->setText(tr("Printing…"), Language::Plain);
            this->session().jobs().start(
                this, QStringLiteral("print"), tr("Printing the program"),
                [program = this->session().program()](const CancelToken&, const ProgressSink&) {
                    return program->nodes().size() > kPrintedAtOnce ? std::string() : printProgram(*program);
                },
                [this](const std::string& text) {
                    programCode_->setText(
                        text.empty() ? tr("This program has more than %1 nodes. \"pt2 print\" writes all of it.").arg(kPrintedAtOnce) : toQt(text),
                        Language::Python);
                });
        }
    });
    connect(table_, &DataTable::rowSelected, this, [this](const QString& address) {
        if (auto parsed = Address::parse(address.toStdString())) this->session().select(*parsed);
    });
    connect(table_, &DataTable::rowActivated, this, [this](const QString& address) { this->session().navigate(address); });
    documentChanged();
}

void SignaturePage::documentChanged() {
    rows_ = signatureRows(session());
    refreshKinds();
    const bool program = session().program() != nullptr;
    signatureCode_->setText(
        program ? signatureText(session()) : tr("There is no program in this archive, and so no signature that torch could print."),
        program ? Language::Python : Language::Plain);
    programCode_->setText({}, Language::Python);
    form_->setVisible(program);
    if (!program) form_->setCurrent(0);
    fillSide();
    refreshCount();
}

void SignaturePage::refreshKinds() {
    const QString chosen = kind_->currentText();
    const QSignalBlocker quiet(kind_);
    kind_->clear();
    kind_->addItem(tr("All kinds"));
    for (const Row& group : rows_) kind_->addItem(group.cells.front().text);
    kind_->setCurrentIndex(std::max(0, kind_->findText(chosen)));
    showKind();
}

void SignaturePage::showKind() {
    const int chosen = kind_->currentIndex();
    std::vector<Row> rows;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        if (chosen <= 0 || static_cast<std::size_t>(chosen) == i + 1) rows.push_back(rows_[i]);
    }
    model_->setRows(std::move(rows));
    if (!filter_->text().isEmpty()) table_->expandAll();
    refreshCount();
}

namespace {

/// Rows that are no group, at any depth.
std::size_t specsOf(const QAbstractItemModel& model) {
    std::size_t count = 0;
    std::vector<QModelIndex> open{QModelIndex()};
    while (!open.empty()) {
        const QModelIndex parent = open.back();
        open.pop_back();
        for (int i = 0; i < model.rowCount(parent); ++i) {
            const QModelIndex index = model.index(i, 0, parent);
            if (index.data(GroupRole).toBool()) {
                open.push_back(index);
            } else {
                ++count;
            }
        }
    }
    return count;
}

std::size_t specsOf(const std::vector<Row>& rows) {
    std::size_t count = 0;
    std::vector<const std::vector<Row>*> open{&rows};
    while (!open.empty()) {
        const std::vector<Row>& list = *open.back();
        open.pop_back();
        for (const Row& row : list) {
            if (row.group) {
                open.push_back(&row.children);
            } else {
                ++count;
            }
        }
    }
    return count;
}

/// What the call's two columns want, so that neither names nor types are cut.
int widthOfCall(const std::vector<Row>& rows) {
    constexpr int kIndent = 20;
    const QFontMetrics code(codeFont(TextSize::Body)), small(uiFont(TextSize::Caption));
    int name = 0, type = 0;
    std::vector<std::pair<const Row*, int>> open;
    for (const Row& row : rows) open.emplace_back(&row, 1);
    while (!open.empty()) {
        const auto [row, depth] = open.back();
        open.pop_back();
        const Cell& first = row->cells[0];
        const int second = first.second.isEmpty() ? 0 : Spacing::s + small.horizontalAdvance(first.second);
        name = std::max(name, depth * kIndent + code.horizontalAdvance(first.text) + second + 3 * Spacing::s);
        if (row->cells.size() > 1) type = std::max(type, code.horizontalAdvance(row->cells[1].text) + 4 * Spacing::s);
        for (const Row& child : row->children) open.emplace_back(&child, depth + 1);
    }
    return name + type;
}

/// A name longer than the room may break behind its dots and underscores; what breaks is not for copying.
QString breakable(const QString& text) {
    constexpr qsizetype kLongest = 28;
    static const QChar kBreak(0x200B);
    QString out;
    for (const QString& word : text.split(u' ')) {
        if (!out.isEmpty()) out += u' ';
        if (word.size() <= kLongest) {
            out += word;
            continue;
        }
        qsizetype run = 0;
        for (const QChar c : word) {
            out += c;
            if (c == u'.' || c == u'_' || c == u'/' || ++run == kLongest) {
                out += kBreak;
                run = 0;
            }
        }
    }
    return out;
}

/// A sentence that never asks for more width than there is.
TextLabel* sentence(const QString& text, TextSize size, Role role = Role::Text) {
    const QString shownText = breakable(text);
    TextLabel* label = paragraph(shownText, size, role);
    label->setTextFormat(Qt::PlainText);
    if (shownText != text) {
        label->setSelectable(false);
        label->setAccessibleName(text);
    }
    return label;
}

}  // namespace

void SignaturePage::refreshCount() {
    const std::size_t all = specsOf(rows_), left = specsOf(*table_->filter());
    const bool unknown = all == 0 && session().contract() && !session().contract()->inputsKnown;
    count_->setFullText(unknown       ? tr("inputs and outputs not known")
                        : left == all ? counted(all, tr("spec"), tr("specs"))
                                      : tr("%1 of %2").arg(toQt(formatCount(left)), toQt(formatCount(all))));
}

/// Wide enough for the call, as far as the table leaves room.
void SignaturePage::fitSide() {
    constexpr int kWidest = 480;
    if (narrow_ || callWidth_ == 0 || sideMoved_) return;
    const int side = std::clamp(std::min(callWidth_ + 2 * Spacing::l, splitter_->width() * 2 / 5), kSideWidth, kWidest);
    splitter_->setSizes({std::max(0, splitter_->width() - side), side});
}

void SignaturePage::fillSide() {
    // Without a call to show it is the page's, unseen; the card that held it goes.
    call_->hide();
    call_->setParent(this);
    while (QLayoutItem* item = sideColumn_->takeAt(0)) {
        if (item->widget() && item->widget() != call_) item->widget()->deleteLater();
        delete item;
    }
    const auto title = [this](const QString& text, const QString& remark, QWidget* action = nullptr) {
        auto* box = new QWidget;
        auto* row = new QHBoxLayout(box);
        setMargins(row, 0, Spacing::s);
        row->addWidget(new TextLabel(text, TextSize::Section));
        auto* beside = new TextLabel(remark, TextSize::Caption, Role::Muted);
        beside->setElided(true);
        row->addWidget(beside);
        row->addStretch(1);
        if (action != nullptr) row->addWidget(action);
        sideColumn_->addWidget(box);
    };
    std::vector<Row> rows = callRows(session());
    callWidth_ = 0;
    if (!rows.empty()) {
        auto* copy = new LinkLabel(tr("Copy as…"));
        copy->setAccessibleName(tr("Copy the call"));
        connect(copy, &LinkLabel::clicked, this, [this, copy] {
            QMenu menu(this);
            const auto put = [this](std::string (*make)(const Contract&, const std::string&)) {
                if (this->session().contract())
                    QApplication::clipboard()->setText(toQt(make(*this->session().contract(), compiledFile(this->session()))));
            };
            menu.addAction(tr("Python"), this, [put] { put(callInPython); });
            QAction* cpp = menu.addAction(tr("C++"), this, [put] { put(callInCpp); });
            cpp->setEnabled(this->session().contract() && this->session().contract()->hasCompiled);
            if (!cpp->isEnabled()) cpp->setText(tr("C++ (needs a compiled model)"));
            menu.exec(copy->mapToGlobal(QPoint(0, copy->height())));
        });
        title(tr("Call"), tr("as the caller writes it"), copy);
        auto* card = new Card({});
        card->setFlush(true);
        callWidth_ = widthOfCall(rows);
        callModel_->setRows(std::move(rows));
        card->content()->addWidget(call_);
        call_->show();
        sideColumn_->addWidget(card);
    }
    const std::vector<SizeFact> sizes = sizeFacts(session());
    const bool sizesKnown = session().contract() && pt2::sizesKnown(*session().contract());
    title(tr("Dynamic sizes"), !sizes.empty() ? toQt(formatCount(sizes.size())) : sizesKnown ? tr("none, all sizes are fixed") : tr("not known"));
    for (const SizeFact& size : sizes) {
        auto* card = new Card({});
        card->content()->setContentsMargins(Spacing::m, Spacing::s, Spacing::m, Spacing::s);
        card->content()->setSpacing(Spacing::xs);
        auto* name = new TextLabel({}, TextSize::Body);
        name->setTextFormat(Qt::RichText);
        name->setFullText(symbolHtml(size.symbol));
        name->setCode(true);
        auto* row = new QHBoxLayout;
        setMargins(row, 0, Spacing::s);
        row->addWidget(name);
        auto* place = new TextLabel(size.place, TextSize::Caption, Role::Muted);
        place->setElided(true);
        row->addWidget(place, 1);
        card->content()->addLayout(row);
        auto* list = new KeyValueList;
        list->setKeyWidth(84);
        if (!size.program.isEmpty()) list->add(tr("program"), size.program, true);
        if (!size.compiled.isEmpty()) list->add(tr("compiled"), size.compiled, true, size.differs ? Role::Warning : Role::Text);
        card->content()->addWidget(list);
        if (size.differs)
            card->content()->addWidget(paragraph(tr("The compiled code tests another range than the program allows, when runtime checks are on."),
                                                 TextSize::Caption, Role::Muted));
        sideColumn_->addWidget(card);
    }
    if (session().program() && session().program()->guardsCode().empty()) title(tr("Guards"), tr("none beyond the ranges"));
    auto* notes = new QWidget;
    notesColumn_ = new QVBoxLayout(notes);
    setMargins(notesColumn_, 0, Spacing::m);
    sideColumn_->addWidget(notes);
    sideColumn_->addStretch(1);
    fitSide();
    startNotes();
}

/// Sentences take the stored samples and every guard, so a job makes them.
void SignaturePage::startNotes() {
    notes_.clear();
    notesPending_ = session().contract().has_value();
    if (!notesPending_) return;
    session().jobs().start(
        this, QStringLiteral("contract-notes"), tr("Reading the contract"),
        [document = session().documentPointer(), contract = *session().contract()](const CancelToken&, const ProgressSink&) {
            return contractNoteGroups(*document, contract);
        },
        [this](const std::vector<NoteGroup>& groups) {
            notesPending_ = false;
            notes_ = groups;
            fillNotes();
        });
}

void SignaturePage::fillNotes() {
    while (QLayoutItem* item = notesColumn_->takeAt(0)) {
        if (item->widget()) item->widget()->deleteLater();
        delete item;
    }
    for (const NoteGroup& group : notes_) {
        auto* box = new QWidget;
        auto* row = new QHBoxLayout(box);
        setMargins(row, 0, Spacing::s);
        if (group.warns) row->addWidget(new IconLabel(QStringLiteral("warning"), 16, Role::Warning));
        auto* heading = sentence(group.title, TextSize::Section);
        heading->setSelectable(false);
        heading->unsetCursor();
        row->addWidget(heading, 1);
        if (!group.notes.empty()) row->addWidget(new TextLabel(toQt(formatCount(group.notes.size())), TextSize::Caption, Role::Muted));
        notesColumn_->addWidget(box);
        auto* card = new Card({});
        card->content()->setContentsMargins(Spacing::m, Spacing::s, Spacing::m, Spacing::s);
        for (std::size_t i = 0; i < group.notes.size() && i < kNotesShown; ++i) {
            auto* note = sentence(group.notes[i].text, TextSize::Caption);
            note->setToolTip(group.notes[i].tooltip);
            card->content()->addWidget(note);
        }
        if (group.notes.size() > kNotesShown)
            card->content()->addWidget(new TextLabel(tr("… %1 more").arg(group.notes.size() - kNotesShown), TextSize::Caption, Role::Muted));
        if (!group.remark.isEmpty()) card->content()->addWidget(sentence(group.remark, TextSize::Caption, Role::Muted));
        notesColumn_->addWidget(card);
    }
}

void SignaturePage::showAddress(const Address& address) {
    if (address.kind == Address::Kind::Symbol) return;
    form_->setCurrent(0);
    kind_->setCurrentIndex(0);
    if (address.kind == Address::Kind::Weight && session().program()) {  // a weight is the input that carries it
        for (const InputSpec& spec : session().program()->inputSpecs()) {
            if (spec.target != address.name || spec.argument == kNone || spec.argument >= session().program()->arguments().size()) continue;
            const ValueId value = session().program()->argument(spec.argument).value;
            if (value == kNone) continue;
            Address input = address;
            input.kind = Address::Kind::Value;
            input.model = session().model();
            input.name = std::string(session().program()->value(value).name);
            table_->selectAddress(toQt(input.text()));
            return;
        }
    }
    table_->selectAddress(toQt(address.text()));
}

void SignaturePage::find() {
    filter_->setFocus(Qt::ShortcutFocusReason);
    filter_->selectAll();
}

void SignaturePage::resizeEvent(QResizeEvent* event) {
    Page::resizeEvent(event);
    const bool narrow = width() < kSideMinimum;
    if (narrow == narrow_) {
        if (event->size().width() != event->oldSize().width()) fitSide();
        return;
    }
    narrow_ = narrow;
    if (narrow) {
        sidePage_->layout()->addWidget(side_);
    } else {
        splitter_->addWidget(side_);
        splitter_->setSizes({splitter_->width() - kSideWidth, kSideWidth});
        fitSide();
    }
    form_->setLabels(forms());
}

QStringList SignaturePage::forms() const {
    QStringList labels{tr("Table"), tr("As torch prints it"), tr("Program text")};
    if (narrow_) labels << tr("Call and guards");
    return labels;
}

}  // namespace pt2::views
