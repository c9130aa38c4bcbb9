#include "views/overview/contract_card.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QMenu>
#include <algorithm>

#include "core/base/text.h"
#include "core/contract/coverage.h"
#include "views/overview/overview_facts.h"
#include "views/theme/spacing.h"
#include "views/widgets/card.h"
#include "views/widgets/error_panel.h"
#include "views/widgets/flow_layout.h"
#include "views/widgets/icon_label.h"
#include "views/widgets/link_label.h"
#include "views/widgets/text.h"

namespace pt2::views {

namespace {

constexpr std::size_t kMostInputs = 12, kMostGroups = 8;

Cell checked(const QString& words) {
    Cell cell(words);
    cell.icon = QStringLiteral("ok");
    cell.iconColour = Role::Ok;
    return cell;
}

Row groupRow(const QString& title, std::size_t count, const QString& remark = {}) {
    Row row;
    row.group = true;
    Cell cell(title);
    cell.second = remark.isEmpty() ? toQt(formatCount(count)) : QStringLiteral("%1   %2").arg(toQt(formatCount(count)), remark);
    row.cells = {cell};
    return row;
}

/// Neither a program nor generated source says it: not none, but not known.
Row unknownGroup(const QString& title) {
    Row row = groupRow(title, 0);
    row.cells.front().second = QObject::tr("not known: the file holds neither a program nor generated source");
    return row;
}

Row moreRow(std::size_t left, const QString& address) {
    Row row;
    Cell cell(QObject::tr("… %1 more").arg(left));
    cell.link = true;
    row.cells = {cell};
    row.address = address;
    return row;
}

QString dimsText(const std::vector<ContractDim>& dims) {
    QStringList texts;
    for (const ContractDim& dim : dims) texts << toQt(dim.text);
    return u'[' + texts.join(QStringLiteral(", ")) + u']';
}

bool sameRange(const SymRange& a, const SymRange& b) { return tightRange(a) == tightRange(b); }

/// Ranges of the symbols in an input's shape: "1 ≤ s77 ≤ 16"; `whole` says of each bound that is not tested that it is not.
QString inputRange(const Contract& contract, const ContractInput& input, bool whole) {
    QStringList parts;
    for (const ContractDim& dim : input.sizes) {
        if (dim.fixed || !dim.expression) continue;
        for (const std::string& symbol : dim.expression->symbols()) {
            const ContractSymbol* known = contract.findSymbol(symbol);
            QString text;
            if (known && contract.hasProgram) text = rangeWithSymbol(toQt(symbol), known->program);
            // Without a program only what the code tests is known, of a size that stands alone.
            if (known && !contract.hasProgram && known->compiledKnown) {
                if (!whole) text = rangeWithSymbol(toQt(symbol), known->compiled);
                if (text.isEmpty()) text = testedWithSymbol(toQt(symbol), known->compiled);
            }
            if (!text.isEmpty() && !parts.contains(text)) parts << text;
        }
    }
    return parts.join(QStringLiteral(", "));
}

QString outputRange(const ContractOutput& output) {
    QStringList symbols;
    for (const std::string& dim : output.shape) {
        const auto expression = SymExpr::parse(dim);
        if (!expression) continue;
        for (const std::string& symbol : expression->symbols()) {
            if (!symbols.contains(toQt(symbol))) symbols << toQt(symbol);
        }
    }
    return symbols.isEmpty() ? QString() : QObject::tr("follows %1").arg(symbols.join(QStringLiteral(", ")));
}

Row inputRow(const Contract& contract, const ContractInput& input) {
    Row row;
    row.address = QStringLiteral("page/signature");
    Cell name = Cell::fixed(shown(input.name));
    Cell kind = Cell::muted(input.isKeyword ? QObject::tr("keyword") : QObject::tr("positional %1").arg(input.flatIndex));
    if (input.isConstant) {
        row.cells = {name,
                     kind,
                     Cell::muted(QObject::tr("constant")),
                     Cell::fixed(shown(input.constantText)),
                     Cell::missing(QObject::tr("baked in")),
                     Cell(QStringLiteral("—"))};
        return row;
    }
    Cell dtype = input.dtype == DType::Unknown ? Cell::missing(QObject::tr("unknown")) : Cell::fixed(QString::fromLatin1(dtypeName(input.dtype)));
    Cell shape = input.rankKnown ? Cell::shape(dimsText(input.sizes)) : Cell::missing(QObject::tr("unknown"));
    const QString range = inputRange(contract, input, false);
    Cell ranges = range.isEmpty() ? Cell(QStringLiteral("—")) : Cell::shape(range);
    ranges.tooltip = inputRange(contract, input, true);
    dtype.tooltip = fromText(input.dtypeSource);
    shape.tooltip = fromText(input.sizesSource);
    if (!input.compiledName.empty()) name.tooltip = QObject::tr("In the compiled model \"%1\"").arg(shown(input.compiledName));
    Cell checks(QStringLiteral("—"));
    if (contract.hasCompiled) checks = input.checkedAtRuntime ? checked(QObject::tr("when on")) : Cell::missing(QObject::tr("none compiled in"));
    row.cells = {name, kind, dtype, shape, ranges, checks};
    return row;
}

Row outputRow(const ContractOutput& output) {
    Row row;
    row.address = QStringLiteral("page/signature");
    Cell name = Cell::fixed(shown(output.name));
    Cell kind = Cell::muted(output.name == "result" ? QObject::tr("the tensor itself") : QObject::tr("part of the result"));
    if (!output.isTensor) {
        row.cells = {name,
                     kind,
                     Cell::muted(QObject::tr("constant")),
                     Cell::fixed(shown(output.constantText)),
                     Cell(QStringLiteral("—")),
                     Cell(QStringLiteral("—"))};
        return row;
    }
    Cell dtype = output.dtype == DType::Unknown ? Cell::missing(QObject::tr("unknown")) : Cell::fixed(QString::fromLatin1(dtypeName(output.dtype)));
    Cell shape = output.origin == Origin::Unknown ? Cell::missing(QObject::tr("unknown")) : Cell::shape(toQt(formatShape(output.shape)));
    dtype.tooltip = fromText(output.dtypeSource);
    shape.tooltip = fromText(output.sizesSource);
    const QString range = outputRange(output);
    Cell ranges = range.isEmpty() ? Cell(QStringLiteral("—")) : Cell::shape(range);
    ranges.code = false;
    row.cells = {name, kind, dtype, shape, ranges, Cell(QStringLiteral("—"))};
    return row;
}

/// Where the code tests a size: the first place that it is tested at.
QString testedAt(const Contract& contract, const ContractSymbol& symbol) {
    for (const auto& [input, dimension] : symbol.places) {
        const FactSource& source = contract.inputs[input].sizes[dimension].compiledSource;
        if (contract.inputs[input].sizes[dimension].testedAtRuntime) return fromText(source);
    }
    return {};
}

Row symbolRow(const Contract& contract, const ContractSymbol& symbol) {
    Row row;
    row.address = QStringLiteral("page/signature");
    Cell name = Cell::shape(toQt(symbol.name));
    QString place = QObject::tr("derived");
    if (!symbol.places.empty() && symbol.places.front().first < contract.inputs.size()) {
        place = QObject::tr("%1, dimension %2").arg(shown(contract.inputs[symbol.places.front().first].name)).arg(symbol.places.front().second);
    }
    Cell kind = Cell::muted(place);
    if (symbol.places.size() > 1) kind.tooltip = QObject::tr("and at %1 more places").arg(symbol.places.size() - 1);
    Cell hint = symbol.hint ? Cell(QObject::tr("example %1").arg(*symbol.hint)) : Cell(QStringLiteral("—"));
    Cell range = Cell::fixed(contract.hasProgram ? tightRange(symbol.program) : testedSize(contract, symbol));
    Cell checks(QStringLiteral("—"));
    if (contract.hasCompiled) {
        if (!symbol.compiledKnown) {
            const QString tested = testedSize(contract, symbol);
            checks = tested == QObject::tr("not checked") || tested == QObject::tr("not known") ? Cell::missing(tested) : Cell::fixed(tested);
        } else if (contract.hasProgram && !sameRange(symbol.program, symbol.compiled)) {
            checks = Cell::fixed(testedRange(symbol.compiled));
            checks.icon = QStringLiteral("warning");
            checks.iconColour = Role::Warning;
            checks.tooltip = QObject::tr("The compiled code tests another range than the program allows.\n%1").arg(testedAt(contract, symbol));
        } else {
            QStringList sides;
            if (symbol.compiled.minimum) sides << QObject::tr("lower");
            if (symbol.compiled.maximum) sides << QObject::tr("upper");
            checks = sides.isEmpty() ? Cell::missing(QObject::tr("not checked")) : checked(sides.join(QStringLiteral(", ")));
            if (sides.size() == 1 && !contract.hasProgram) checks = Cell::fixed(testedRange(symbol.compiled));
            checks.tooltip = testedAt(contract, symbol);
        }
    }
    row.cells = {name, kind, Cell::fixed(QStringLiteral("int")), hint, range, checks};
    return row;
}

Row weightRow(const WeightGroup& group) {
    Row row;
    row.address = QStringLiteral("weights/") + group.first;
    const QString tensors = group.tensors == 1 ? QObject::tr("1 tensor") : QObject::tr("%1 tensors").arg(toQt(formatCount(group.tensors)));
    const QString all = toQt(formatBytes(group.bytes * group.repeat));
    Cell amount(group.repeat > 1 ? QStringLiteral("%1 × %2 · %3").arg(group.repeat).arg(tensors, all) : QStringLiteral("%1 · %2").arg(tensors, all));
    if (group.repeat > 1) amount.tooltip = QObject::tr("%1 each").arg(toQt(formatBytes(group.bytes)));
    row.cells = {Cell::fixed(group.name),   Cell::muted(group.kinds), Cell::fixed(group.dtypes), amount,
                 Cell(QStringLiteral("—")), Cell(QStringLiteral("—"))};
    return row;
}

}  // namespace

std::vector<Row> contractRows(const DocumentSession& session) {
    std::vector<Row> rows;
    if (session.contract()) {
        const Contract& contract = *session.contract();
        Row inputs = contract.inputsKnown ? groupRow(QObject::tr("Inputs"), contract.inputs.size()) : unknownGroup(QObject::tr("Inputs"));
        for (std::size_t i = 0; i < contract.inputs.size() && i < kMostInputs; ++i) inputs.children.push_back(inputRow(contract, contract.inputs[i]));
        if (contract.inputs.size() > kMostInputs)
            inputs.children.push_back(moreRow(contract.inputs.size() - kMostInputs, QStringLiteral("page/signature")));
        rows.push_back(std::move(inputs));
        Row outputs = outputsKnown(contract) ? groupRow(QObject::tr("Outputs"), contract.outputs.size()) : unknownGroup(QObject::tr("Outputs"));
        for (std::size_t i = 0; i < contract.outputs.size() && i < kMostInputs; ++i) outputs.children.push_back(outputRow(contract.outputs[i]));
        if (contract.outputs.size() > kMostInputs)
            outputs.children.push_back(moreRow(contract.outputs.size() - kMostInputs, QStringLiteral("page/signature")));
        rows.push_back(std::move(outputs));
        if (!contract.symbols.empty()) {
            Row symbols = groupRow(QObject::tr("Dynamic sizes"), contract.symbols.size());
            for (std::size_t i = 0; i < contract.symbols.size() && i < kMostInputs; ++i)
                symbols.children.push_back(symbolRow(contract, contract.symbols[i]));
            if (contract.symbols.size() > kMostInputs)
                symbols.children.push_back(moreRow(contract.symbols.size() - kMostInputs, QStringLiteral("page/signature")));
            rows.push_back(std::move(symbols));
        } else if (!sizesKnown(contract)) {
            Row symbols = groupRow(QObject::tr("Dynamic sizes"), 0);
            symbols.cells.front().second = QObject::tr("not known: nothing says the sizes of all inputs");
            rows.push_back(std::move(symbols));
        }
    }
    const std::vector<WeightGroup> groups = weightGroups(session);
    const WeightTotals totals = weightTotals(session);
    if (!groups.empty()) {
        Row weights = groupRow(QObject::tr("Weights"), totals.tensors,
                               totals.others == 0 ? QObject::tr("%1 params · %2").arg(toQt(formatCount(totals.parameters)), totals.where)
                                                  : QObject::tr("%1 params, %2 elements in buffers · %3")
                                                        .arg(toQt(formatCount(totals.parameters)), toQt(formatCount(totals.others)), totals.where));
        for (std::size_t i = 0; i < groups.size() && i < kMostGroups; ++i) weights.children.push_back(weightRow(groups[i]));
        if (groups.size() > kMostGroups) weights.children.push_back(moreRow(groups.size() - kMostGroups, QStringLiteral("page/weights")));
        rows.push_back(std::move(weights));
    }
    return rows;
}

ContractCard::ContractCard(DocumentSession& session, QWidget* parent)
    : Card(tr("Contract"), parent),
      session_(session),
      table_(new DataTable),
      model_(new RowModel({{tr("Name"), 180, false, false, {}},
                           {tr("Kind"), 128, false, false, {}},
                           {tr("dtype"), 76, false, false, {}},
                           {tr("Shape"), 136, false, true, {}},
                           {tr("Range"), 128, false, false, tr("By the program")},
                           {tr("Runtime checks"), 122, false, false, tr("What the compiled code tests when AOTI_RUNTIME_CHECK_INPUTS is 1")}},
                          this)),
      statements_(new QWidget),
      error_(nullptr) {
    setSubtitle(tr("what a caller gives and gets"));
    setTitleLine(true);
    setFlush(true);
    auto* copy = new LinkLabel(tr("Copy as…"));
    connect(copy, &LinkLabel::clicked, this, [this, copy] {
        QMenu menu(this);
        menu.addAction(tr("Plain text"), this, [this] {
            QStringList lines;
            for (const Row& group : contractRows(session_)) {
                lines << group.cells.front().text;
                for (const Row& row : group.children) {
                    QStringList cells;
                    for (const Cell& cell : row.cells) cells << cell.text;
                    lines << QStringLiteral("  ") + cells.join(u'\t');
                }
            }
            QApplication::clipboard()->setText(lines.join(u'\n'));
        });
        menu.addAction(tr("Markdown"), this, [this] {
            QStringList lines{QStringLiteral("| Name | Kind | dtype | Shape | Range | Runtime checks |"),
                              QStringLiteral("|---|---|---|---|---|---|")};
            for (const Row& group : contractRows(session_)) {
                for (const Row& row : group.children) {
                    QStringList cells;
                    for (const Cell& cell : row.cells) cells << cell.text;
                    lines << QStringLiteral("| %1 |").arg(cells.join(QStringLiteral(" | ")));
                }
            }
            QApplication::clipboard()->setText(lines.join(u'\n'));
        });
        menu.exec(copy->mapToGlobal(QPoint(0, copy->height())));
    });
    auto* signature = new LinkLabel(tr("Signature ›"));
    connect(signature, &LinkLabel::clicked, this, [this] { session_.showPage(QStringLiteral("signature")); });
    addToTitle(copy);
    addToTitle(signature);
    table_->setGround(Role::Card);
    table_->setSource(model_);
    table_->setSortingEnabled(false);
    table_->setFitToRows(true);
    table_->setAccessibleName(tr("Contract"));
    connect(table_, &DataTable::rowActivated, this, [this](const QString& address) { session_.navigate(address); });
    content()->addWidget(table_);
    auto* flow = new FlowLayout(statements_, Spacing::xl, Spacing::s);
    flow->setContentsMargins(Spacing::l, Spacing::m, Spacing::l, Spacing::m);
    content()->addWidget(statements_);
    content()->addStretch(1);
    refresh();
}

void ContractCard::refresh() {
    model_->setRows(contractRows(session_));
    QLayout* flow = statements_->layout();
    while (QLayoutItem* item = flow->takeAt(0)) {
        if (item->widget()) item->widget()->deleteLater();
        delete item;
    }
    for (const Statement& statement : contractStatements(session_)) {
        auto* box = new QWidget;
        auto* row = new QHBoxLayout(box);
        setMargins(row, 0, Spacing::s);
        row->addWidget(
            new IconLabel(statement.holds ? QStringLiteral("ok") : QStringLiteral("warning"), 16, statement.holds ? Role::Ok : Role::Warning));
        auto* text = new TextLabel(statement.text);
        text->setSelectable(true);
        row->addWidget(text);
        box->setToolTip(statement.tooltip);
        flow->addWidget(box);
    }
    if (error_) {
        error_->hide();
        error_->deleteLater();
        error_ = nullptr;
    }
    if (!session_.contract()) {
        if (session_.document().modelNames().empty()) {
            auto* words = paragraph(tr("Neither a program nor a compiled model was found in this file, so there is nothing to call. "
                                       "Problems says what is wrong, Files shows what the file holds."),
                                    TextSize::Body, Role::Muted);
            words->setContentsMargins(Spacing::l, Spacing::m, Spacing::l, Spacing::m);
            error_ = words;
        } else {
            error_ = new ErrorPanel(session_.contract().error());
        }
        content()->insertWidget(0, error_);
    }
    table_->setVisible(model_->rowCount() > 0);
}

}  // namespace pt2::views
