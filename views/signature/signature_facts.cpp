#include "views/signature/signature_facts.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/base/text.h"
#include "core/contract/assert_text.h"
#include "core/contract/call_changes.h"
#include "core/contract/contract_notes.h"
#include "core/contract/coverage.h"
#include "core/contract/program_asserts.h"
#include "core/program/printed_form.h"
#include "views/overview/overview_facts.h"
#include "views/widgets/text.h"

namespace pt2::views {

namespace {

struct Typed {
    Cell dtype, shape, range;
};

QString symbolRanges(const Program& program, const std::vector<std::string>& dims) {
    QStringList parts;
    for (const std::string& dim : dims) {
        const auto expression = SymExpr::parse(dim);
        if (!expression) continue;
        for (const std::string& symbol : expression->symbols()) {
            const auto range = program.rangeOf(symbol);
            const QString text = range ? rangeWithSymbol(toQt(symbol), *range) : QString();
            if (!text.isEmpty() && !parts.contains(text)) parts << text;
        }
    }
    return parts.join(QStringLiteral(", "));
}

Cell dash() { return Cell(QStringLiteral("—")); }

Typed typedCells(const Program& program, std::string_view name) {
    const auto id = program.findValue(0, name);
    if (!id) return {Cell::missing(QObject::tr("unknown")), Cell::missing(QObject::tr("unknown")), dash()};
    const Value& value = program.value(*id);
    switch (value.kind) {
        case ValueKind::Tensor: {
            const std::vector<std::string> sizes = program.sizesText(value);
            const QString range = symbolRanges(program, sizes);
            return {Cell::fixed(QString::fromLatin1(dtypeName(value.dtype))), Cell::shape(toQt(formatShape(sizes))),
                    range.isEmpty() ? dash() : Cell::shape(range)};
        }
        case ValueKind::SymInt: {
            const QString text = toQt(program.dimText(value.symbolic));
            const QString range = symbolRanges(program, {program.dimText(value.symbolic)});
            return {Cell::fixed(QStringLiteral("int")), Cell::shape(text), range.isEmpty() ? dash() : Cell::shape(range)};
        }
        case ValueKind::SymFloat: return {Cell::fixed(QStringLiteral("float")), dash(), dash()};
        case ValueKind::SymBool: return {Cell::fixed(QStringLiteral("bool")), dash(), dash()};
        case ValueKind::CustomObj: return {Cell::fixed(shown(value.classFqn)), dash(), dash()};
        case ValueKind::Untyped: break;
    }
    return {Cell::missing(QObject::tr("unknown")), Cell::missing(QObject::tr("unknown")), dash()};
}

Row group(const QString& title, std::size_t count) {
    Row row;
    row.group = true;
    Cell cell(title);
    cell.second = toQt(formatCount(count));
    row.cells = {cell};
    return row;
}

/// Nothing says what belongs here: not none, but not known.
void markUnknown(Row& group) { group.cells.front().second = QObject::tr("not known: the file holds neither a program nor generated source"); }

/// "layers.0" of "layers.0.attn.weight", "vit.embeddings" of "vit.embeddings.patch.projection.bias": the module that a tensor is looked for under.
QString moduleOf(const QString& fqn) {
    constexpr qsizetype kMostParts = 2;
    const QStringList parts = fqn.split(u'.');
    for (qsizetype i = 1; i + 1 < parts.size(); ++i) {
        bool isNumber = false;
        parts[i].toULongLong(&isNumber);
        if (isNumber) return parts.mid(0, i + 1).join(u'.');
    }
    return parts.mid(0, std::min(kMostParts, parts.size() - 1)).join(u'.');
}

/// Long lists of weights get a row for each module, in the order of the file; very long ones are folded.
void nestByModule(Row& list) {
    constexpr std::size_t kFlat = 8, kOpen = 24, kTarget = 2;
    if (list.children.size() <= kFlat) return;
    std::vector<std::pair<QString, std::size_t>> runs;
    for (const Row& row : list.children) {
        const QString module = moduleOf(row.cells[kTarget].text);
        if (runs.empty() || runs.back().first != module) runs.emplace_back(module, 0);
        ++runs.back().second;
    }
    if (runs.size() < 2 || runs.size() > list.children.size() / 2) return;
    const bool open = list.children.size() <= kOpen;
    std::vector<Row> nested;
    std::size_t at = 0;
    for (const auto& [module, count] : runs) {
        std::vector<Row>& to = count > 1 && !module.isEmpty() ? nested.emplace_back(group(module, count)).children : nested;
        if (&to != &nested) nested.back().open = open;
        for (std::size_t i = 0; i < count; ++i) to.push_back(std::move(list.children[at++]));
    }
    list.children = std::move(nested);
}

Address valueAddress(const DocumentSession& session, std::string_view name) {
    Address address;
    address.kind = Address::Kind::Value;
    address.model = session.model();
    address.name = std::string(name);
    return address;
}

QString inputGroup(InputKind kind) {
    switch (kind) {
        case InputKind::UserInput: return QObject::tr("Inputs of the caller");
        case InputKind::Parameter: return QObject::tr("Parameters");
        case InputKind::Buffer: return QObject::tr("Buffers");
        case InputKind::ConstantTensor: return QObject::tr("Constants");
        case InputKind::CustomObj: return QObject::tr("Objects");
        case InputKind::Token: return QObject::tr("Tokens");
        case InputKind::Unknown: return QObject::tr("Inputs of an unknown kind");
    }
    return {};
}

QString outputGroup(OutputKind kind) {
    switch (kind) {
        case OutputKind::UserOutput: return QObject::tr("Outputs to the caller");
        case OutputKind::LossOutput: return QObject::tr("Loss");
        case OutputKind::BufferMutation: return QObject::tr("Changed buffers");
        case OutputKind::ParameterMutation: return QObject::tr("Changed parameters");
        case OutputKind::GradientToParameter: return QObject::tr("Gradients of parameters");
        case OutputKind::GradientToUserInput: return QObject::tr("Gradients of inputs");
        case OutputKind::UserInputMutation: return QObject::tr("Changed inputs");
        case OutputKind::Token: return QObject::tr("Tokens out");
        case OutputKind::Unknown: return QObject::tr("Outputs of an unknown kind");
    }
    return {};
}

/// What the call writes to in place stands with its kind, as torch's signature does not say it.
void markChanged(Cell& kind, const std::vector<CallChange>& changes, std::string_view graphName) {
    for (const CallChange& change : changes) {
        if (!change.inPlace || change.graphName != graphName) continue;
        kind.text = change.certain ? QObject::tr("%1, changed in place").arg(kind.text) : QObject::tr("%1, may be changed in place").arg(kind.text);
        kind.tooltip = shown(change.sentence);
        kind.colour = Role::Warning;
    }
}

std::vector<Row> programRows(const DocumentSession& session, const Program& program) {
    std::vector<Row> rows;
    const std::vector<CallChange> changes = callChanges(program, session.contract() ? *session.contract() : Contract());
    std::map<int, std::size_t> places;
    // What the caller gives stands first, whatever the order in the file; within a kind the file's order holds.
    for (const InputSpec& spec : program.inputSpecs()) {
        if (spec.kind == InputKind::UserInput && places.emplace(static_cast<int>(spec.kind), 0).second)
            rows.push_back(group(inputGroup(spec.kind), 0));
    }
    for (const InputSpec& spec : program.inputSpecs()) {
        const auto [found, isNew] = places.emplace(static_cast<int>(spec.kind), rows.size());
        if (isNew) rows.push_back(group(inputGroup(spec.kind), 0));
        Row row;
        row.address = toQt(valueAddress(session, spec.name).text());
        Cell name = Cell::fixed(shown(spec.name));
        Cell target = spec.target.empty() ? dash() : Cell::fqn(shown(spec.target));
        if (spec.isConstant) {
            const Cell value =
                spec.argument == kNone ? Cell::missing(QObject::tr("none")) : Cell::fixed(shown(printArgument(program, spec.argument)));
            row.cells = {name, Cell::muted(inputKindInWords(spec)), target, Cell::muted(QObject::tr("constant")), value, dash()};
        } else {
            const Typed typed = typedCells(program, spec.name);
            row.cells = {name, Cell::muted(inputKindInWords(spec)), target, typed.dtype, typed.shape, typed.range};
            markChanged(row.cells[1], changes, spec.name);
        }
        rows[found->second].children.push_back(std::move(row));
    }
    places.clear();
    for (const OutputSpec& spec : program.outputSpecs()) {
        if (spec.kind == OutputKind::UserOutput && places.emplace(static_cast<int>(spec.kind), rows.size()).second)
            rows.push_back(group(outputGroup(spec.kind), 0));
    }
    for (const OutputSpec& spec : program.outputSpecs()) {
        const auto [found, isNew] = places.emplace(static_cast<int>(spec.kind), rows.size());
        if (isNew) rows.push_back(group(outputGroup(spec.kind), 0));
        Row row;
        Cell name = spec.name.empty() ? Cell::missing(QObject::tr("constant")) : Cell::fixed(shown(spec.name));
        Cell target = spec.target.empty() ? dash() : Cell::fqn(shown(spec.target));
        if (spec.name.empty()) {
            const Cell value =
                spec.argument == kNone ? Cell::missing(QObject::tr("none")) : Cell::fixed(shown(printArgument(program, spec.argument)));
            row.cells = {name, Cell::muted(outputKindInWords(spec.kind)), target, Cell::muted(QObject::tr("constant")), value, dash()};
        } else {
            row.address = toQt(valueAddress(session, spec.name).text());
            const Typed typed = typedCells(program, spec.name);
            row.cells = {name, Cell::muted(outputKindInWords(spec.kind)), target, typed.dtype, typed.shape, typed.range};
        }
        rows[found->second].children.push_back(std::move(row));
    }
    for (Row& row : rows) {
        row.cells.front().second = toQt(formatCount(row.children.size()));
        nestByModule(row);
    }
    return rows;
}

Cell kindFrom(bool known, Origin origin) {
    return Cell::muted(known ? QObject::tr("from the %1").arg(QString::fromLatin1(originName(origin))) : QObject::tr("not known"));
}

QString whereText(CompiledConstant::Where where) {
    switch (where) {
        case CompiledConstant::Where::Library: return QObject::tr("Its values are in the library.");
        case CompiledConstant::Where::Beside: return QObject::tr("Its values are in a file beside the library.");
        case CompiledConstant::Where::Absent: return QObject::tr("Its values are not in this file.");
        case CompiledConstant::Where::Unknown: break;
    }
    return QObject::tr("Where its values are is not known.");
}

/// What the code tests of one input, each with its line.
QString checksText(const CompiledModel& model, std::size_t input) {
    constexpr qsizetype kMostLines = 16;
    QStringList lines;
    for (const RuntimeCheck& check : model.checks) {
        if (check.input != input) continue;
        const QString where = check.dimension ? QObject::tr(" of dimension %1").arg(*check.dimension) : QString();
        lines
            << QObject::tr("%1%2: %3 (line %4)").arg(QString::fromLatin1(runtimeCheckName(check.what)), where, shown(check.expected)).arg(check.line);
    }
    if (lines.isEmpty()) return model.sourceRead ? QObject::tr("The compiled code tests nothing of it.") : QString();
    if (lines.size() > kMostLines) lines = lines.mid(0, kMostLines) << QObject::tr("… %1 more").arg(lines.size() - kMostLines);
    return QObject::tr("The compiled code tests:") + u'\n' + lines.join(u'\n');
}

/// "parameter" as beside a program, of the wrapper's "Parameter".
QString constantKindInWords(const std::string& kind) {
    if (kind.empty()) return QObject::tr("constant");
    if (kind == "Parameter") return QObject::tr("parameter");
    if (kind == "Buffer") return QObject::tr("buffer");
    if (kind == "TensorConstant") return QObject::tr("constant tensor");
    if (kind == "FoldedConstant") return QObject::tr("constant folded when compiled");
    return shown(kind);
}

std::vector<Row> compiledRows(const CompiledModel& model) {
    std::vector<Row> rows;
    Row inputs = group(QObject::tr("Inputs of the compiled model"), model.inputs.size());
    if (!model.inputCount) markUnknown(inputs);
    for (const CompiledInput& input : model.inputs) {
        QStringList dims, ranges;
        if (input.sizes.known()) {
            for (const CompiledDim& dim : input.sizes.value) {
                dims << (dim.fixed ? QString::number(*dim.fixed) : dim.symbol.empty() ? QStringLiteral("?") : shown(dim.symbol));
                const bool tested = dim.minimum || dim.maximum || model.sourceRead;
                const QString range = dim.fixed || !tested ? QString() : testedWithSymbol(dims.back(), {dim.minimum, dim.maximum});
                if (!range.isEmpty() && !ranges.contains(range)) ranges << range;
            }
        }
        Row row;
        row.cells = {Cell::fqn(shown(input.name)),
                     kindFrom(input.sizes.known(), input.sizes.origin),
                     dash(),
                     input.dtype.known() ? Cell::fixed(QString::fromLatin1(dtypeName(input.dtype.value))) : Cell::missing(QObject::tr("unknown")),
                     input.sizes.known() ? Cell::shape(u'[' + dims.join(QStringLiteral(", ")) + u']') : Cell::missing(QObject::tr("unknown")),
                     ranges.isEmpty() ? dash() : Cell::shape(ranges.join(QStringLiteral(", ")))};
        row.cells[0].tooltip = fromText({input.name.empty() ? Origin::Unknown : Origin::WrapperSource, input.nameLine});
        row.cells[3].tooltip = fromText({input.dtype.origin, input.dtype.line});
        row.cells[4].tooltip = row.cells[1].tooltip = fromText({input.sizes.origin, input.sizes.line});
        row.cells[5].tooltip = checksText(model, inputs.children.size());
        inputs.children.push_back(std::move(row));
    }
    rows.push_back(std::move(inputs));
    Row outputs = group(QObject::tr("Outputs of the compiled model"), model.outputs.size());
    if (!model.outputCount && model.outputs.empty()) markUnknown(outputs);
    for (const CompiledOutput& output : model.outputs) {
        Row row;
        row.cells = {Cell::fqn(shown(output.name)),
                     kindFrom(output.sizes.known(), output.sizes.origin),
                     dash(),
                     output.dtype.known() ? Cell::fixed(QString::fromLatin1(dtypeName(output.dtype.value))) : Cell::missing(QObject::tr("unknown")),
                     output.sizes.known() ? Cell::shape(toQt(formatShape(output.sizes.value))) : Cell::missing(QObject::tr("unknown")),
                     dash()};
        row.cells[0].tooltip = fromText({output.name.empty() ? Origin::Unknown : Origin::WrapperSource, output.nameLine});
        row.cells[3].tooltip = fromText({output.dtype.origin, output.dtype.line});
        row.cells[4].tooltip = row.cells[1].tooltip = fromText({output.sizes.origin, output.sizes.line});
        outputs.children.push_back(std::move(row));
    }
    rows.push_back(std::move(outputs));
    if (!model.constants.empty()) {
        Row constants = group(QObject::tr("Constants of the compiled model"), model.constants.size());
        for (const CompiledConstant& constant : model.constants) {
            std::vector<std::string> dims;
            for (const std::int64_t size : constant.shape) dims.push_back(std::to_string(size));
            Row row;
            row.cells = {
                Cell::fqn(shown(constant.name)),
                Cell::muted(constantKindInWords(constant.kind)),
                Cell::fqn(shown(constant.fqn)),
                constant.dtype.known() ? Cell::fixed(QString::fromLatin1(dtypeName(constant.dtype.value))) : Cell::missing(QObject::tr("unknown")),
                Cell::shape(toQt(formatShape(dims))),
                dash()};
            row.cells[0].tooltip = row.cells[2].tooltip = fromText({Origin::WrapperSource, constant.line});
            row.cells[1].tooltip = whereText(constant.where);
            row.cells[3].tooltip = fromText({constant.dtype.origin, constant.dtype.line});
            constants.children.push_back(std::move(row));
        }
        nestByModule(constants);
        rows.push_back(std::move(constants));
    } else if (model.constantCount != 0) {
        rows.push_back(group(QObject::tr("Constants of the compiled model"), 0));
        markUnknown(rows.back());
    }
    return rows;
}

}  // namespace

QString inputKindInWords(const InputSpec& spec) {
    switch (spec.kind) {
        case InputKind::UserInput: return spec.isConstant ? QObject::tr("constant of the caller, baked in") : QObject::tr("given by the caller");
        case InputKind::Parameter: return QObject::tr("parameter");
        case InputKind::Buffer: return spec.persistent == false ? QObject::tr("buffer, not saved in state dicts") : QObject::tr("buffer");
        case InputKind::ConstantTensor: return QObject::tr("constant tensor, lifted");
        case InputKind::CustomObj: return QObject::tr("custom object");
        case InputKind::Token: return QObject::tr("token that orders effects");
        case InputKind::Unknown: return QObject::tr("kind not known here");
    }
    return {};
}

QString outputKindInWords(OutputKind kind) {
    switch (kind) {
        case OutputKind::UserOutput: return QObject::tr("returned to the caller");
        case OutputKind::LossOutput: return QObject::tr("the loss, returned");
        case OutputKind::BufferMutation: return QObject::tr("new value of a buffer");
        case OutputKind::ParameterMutation: return QObject::tr("new value of a parameter");
        case OutputKind::GradientToParameter: return QObject::tr("gradient of a parameter");
        case OutputKind::GradientToUserInput: return QObject::tr("gradient of an input");
        case OutputKind::UserInputMutation: return QObject::tr("new value of an input");
        case OutputKind::Token: return QObject::tr("token that orders effects");
        case OutputKind::Unknown: return QObject::tr("kind not known here");
    }
    return {};
}

std::vector<Column> signatureColumns() {
    // A parameter's name is its target with underscores, so it gives way first; its beginning says the kind and its end the parameter.
    return {{QObject::tr("Name"), 250, false, false, {}, true}, {QObject::tr("Kind"), 160, false, false, {}, true},
            {QObject::tr("Target"), 170, false, true, {}},      {QObject::tr("dtype"), 84, false, false, {}},
            {QObject::tr("Shape"), 130, false, false, {}},      {QObject::tr("Range"), 130, false, false, {}}};
}

std::vector<Row> signatureRows(const DocumentSession& session) {
    if (const auto program = session.program()) return programRows(session, *program);
    if (const CompiledModel* model = session.compiledModel()) return compiledRows(*model);
    return {};
}

std::vector<Row> callRows(const DocumentSession& session) {
    if (!session.contract() || session.contract()->inSpec.nodes.empty()) return {};
    const Contract& contract = *session.contract();
    const TreeSpec& spec = contract.inSpec;
    // Children stand behind their parent, so from the end to the front every child is finished before its parent takes it.
    std::vector<Row> made(spec.nodes.size());
    for (std::size_t i = spec.nodes.size(); i-- > 0;) {
        const TreeSpecNode& node = spec.nodes[i];
        Row& row = made[i];
        if (node.isLeaf()) {
            Cell type = Cell::missing(QObject::tr("unknown"));
            const auto found = std::find_if(contract.inputs.begin(), contract.inputs.end(),
                                            [&node](const ContractInput& input) { return input.flatIndex == node.leafIndex; });
            if (found != contract.inputs.end()) {
                if (found->isConstant) {
                    type = Cell::fixed(shown(found->constantText));
                } else {
                    QStringList dims;
                    if (!found->rankKnown) dims << QStringLiteral("?");  // none would mean a scalar
                    for (const ContractDim& dim : found->sizes) dims << toQt(dim.text);
                    type = Cell::shape(
                        QStringLiteral("%1 [%2]").arg(QString::fromLatin1(dtypeShortName(found->dtype)), dims.join(QStringLiteral(", "))));
                }
            }
            row.cells = {Cell(), type};
            continue;
        }
        const QString type = toQt(node.type).section(u'.', -1);
        row.cells = {Cell(), Cell::muted(QObject::tr("%1 of %2").arg(type).arg(node.children.size()))};
        for (std::size_t k = 0; k < node.children.size(); ++k) {
            Row& child = made[node.children[k]];
            QString key = k < node.keys.size() ? shown(node.keys[k]) : QString::number(k);
            if (node.keysAreIndices) key = u'[' + key + u']';
            child.cells.front() = Cell::fixed(key);
            row.children.push_back(std::move(child));
        }
    }
    // The root is ((positional), {keywords}): its parts are shown by the caller's names.
    Row root = std::move(made.front());
    if (root.children.size() != 2) return std::move(root.children);
    std::vector<Row> rows;
    for (std::size_t k = 0; k < root.children[0].children.size(); ++k) {
        Row& argument = root.children[0].children[k];
        const QString name = k < contract.forwardArgNames.size() ? shown(contract.forwardArgNames[k]) : QObject::tr("argument %1").arg(k);
        argument.cells.front() = Cell::fixed(name);
        rows.push_back(std::move(argument));
    }
    for (Row& argument : root.children[1].children) {
        argument.cells.front().second = QObject::tr("keyword");
        rows.push_back(std::move(argument));
    }
    return rows;
}

std::vector<SizeFact> sizeFacts(const DocumentSession& session) {
    std::vector<SizeFact> facts;
    if (!session.contract()) return facts;
    const Contract& contract = *session.contract();
    for (const ContractSymbol& symbol : contract.symbols) {
        SizeFact fact;
        fact.symbol = toQt(symbol.name);
        QStringList places;
        for (std::size_t i = 0; i < symbol.places.size() && i < 3; ++i) {
            const auto& [input, dimension] = symbol.places[i];
            if (input < contract.inputs.size()) places << QObject::tr("%1 dimension %2").arg(shown(contract.inputs[input].name)).arg(dimension);
        }
        if (symbol.places.size() > 3) places << QObject::tr("… %1 more").arg(symbol.places.size() - 3);
        if (symbol.places.empty()) {  // it stands nowhere alone
            const auto within = placesWithin(contract, symbol);
            for (std::size_t i = 0; i < within.size() && i < 3; ++i) {
                const ContractInput& input = contract.inputs[within[i].first];
                places << QObject::tr("%1 dimension %2 is %3")
                              .arg(shown(input.name))
                              .arg(within[i].second)
                              .arg(shown(input.sizes[within[i].second].text));
            }
        }
        if (symbol.hint) places << QObject::tr("example %1").arg(*symbol.hint);
        fact.place = places.join(QStringLiteral(" · "));
        fact.program = contract.hasProgram ? tightRange(symbol.program) : QString();
        fact.compiled = testedSize(contract, symbol);
        fact.differs = symbol.compiledKnown && contract.hasProgram && !(symbol.program == symbol.compiled);
        facts.push_back(fact);
    }
    return facts;
}

std::vector<NoteGroup> contractNoteGroups(const Document& document, const Contract& contract) {
    std::vector<NoteGroup> groups;
    const auto add = [&](const QString& title, bool warns, const std::vector<std::string>& notes, const QString& tooltip = {}) {
        if (notes.empty()) return;
        NoteGroup group{title, warns, {}, {}};
        for (const std::string& note : notes) group.notes.push_back({shown(note), tooltip});
        groups.push_back(std::move(group));
    };
    const Document::ProgramRef found = document.program(contract.model);
    const Program* program = found ? found.entry->program.get() : nullptr;
    const Document::CompiledRef compiled = document.compiled(contract.model);
    if (program != nullptr) {
        NoteGroup changes{QObject::tr("What a call changes"), true, {}, {}};
        for (const CallChange& change : callChanges(*program, contract))
            changes.notes.push_back({shown(change.sentence), change.inPlace
                                                                 ? QObject::tr("From the operators of the graph; torch's signature does not say it")
                                                                 : QObject::tr("From the signature")});
        if (!changes.notes.empty()) groups.push_back(std::move(changes));
    }
    NoteGroup conditions{QObject::tr("What must hold"), false, {}, {}};
    for (const ConditionNote& note : conditionNotes(contract)) {
        QStringList from;
        if (!note.isGuard) from << QObject::tr("From the sizes of the inputs");
        for (const std::string& guard : note.guards) from << QObject::tr("From the program: %1").arg(shown(guard));
        conditions.notes.push_back({shown(note.sentence), from.join(u'\n')});
    }
    if (!conditions.notes.empty()) groups.push_back(std::move(conditions));
    add(QObject::tr("Sizes of 0 and 1"), false, sizeOneNotes(contract));
    add(QObject::tr("Fixed, though meant to be dynamic"), true, fixedSizeNotes(document, contract));
    add(QObject::tr("Program and compiled code differ"), true, boundNotes(contract));
    if (program != nullptr) {
        for (const AssertGroup& asserts : assertGroups(programAsserts(*program, contract, compiled ? compiled.model : nullptr), bool(compiled))) {
            NoteGroup group{toQt(asserts.title), asserts.warns, {}, toQt(asserts.remark)};
            for (const AssertGroup::Line& line : asserts.lines) group.notes.push_back({shown(line.sentence), shown(line.why)});
            groups.push_back(std::move(group));
        }
    }
    add(QObject::tr("Not tested by the compiled code"), true, uncheckedNotes(contract),
        QObject::tr("From the wrapper source, which holds no such test"));
    add(QObject::tr("Order"), true, orderNotes(contract));
    return groups;
}

QString signatureText(const DocumentSession& session) {
    const auto program = session.program();
    if (!program) return {};
    return QStringLiteral("Graph signature: %1\nRange constraints: %2\n").arg(toQt(printSignature(*program)), toQt(printRangeConstraints(*program)));
}

}  // namespace pt2::views
