#include "views/inspector/inspector_facts.h"

#include <QFileInfo>
#include <algorithm>
#include <functional>
#include <set>

#include "core/base/text.h"
#include "core/program/printed_form.h"
#include "views/graph/graph_addresses.h"
#include "views/widgets/text.h"

namespace pt2::views {
namespace {

constexpr std::size_t kMostRows = 12;

QString addressText(const Program& program, const std::string& model, const GraphItem& item) { return toQt(addressOf(program, model, item).text()); }

/// The node that makes a value, else the value itself.
QString valueLink(const Program& program, const std::string& model, ValueId id) {
    const Value& value = program.value(id);
    return addressText(program, model, value.producer != kNone ? GraphItem::node(value.producer) : GraphItem::value(id));
}

QString valueName(const Program& program, ValueId id) {
    const Value& value = program.value(id);
    if (value.graph == 0 && value.inputIndex < program.inputSpecs().size()) {
        const InputSpec& spec = program.inputSpecs()[value.inputIndex];
        if (spec.kind != InputKind::UserInput && !spec.target.empty()) return shown(spec.target);
    }
    return shown(value.name);
}

void addTypeLines(const Program& program, ValueId id, InspectorRow& row, bool bytes) {
    const Value& value = program.value(id);
    row.lines.push_back({typeWords(program, value), true, false});
    QStringList below;
    if (const QString strides = stridesWords(program, value); !strides.isEmpty()) below << strides;
    if (bytes) {
        if (const QString size = bytesWords(program, value); !size.isEmpty()) below << size;
    }
    if (!below.isEmpty()) row.lines.push_back({below.join(QStringLiteral(" · ")), false, true});
}

std::vector<ValueId> valuesBelow(const Program& program, ArgumentId id) {
    std::vector<ValueId> values;
    std::vector<ArgumentId> stack{id};
    while (!stack.empty()) {
        const Argument& a = program.argument(stack.back());
        stack.pop_back();
        if (a.value != kNone) values.push_back(a.value);
        for (std::uint32_t c = a.children.end; c > a.children.begin; --c) stack.push_back(c - 1);
    }
    return values;
}

InspectorSection usersSection(const Program& program, const std::string& model, const std::vector<NodeId>& users, bool isOutput) {
    InspectorSection section;
    section.title = QObject::tr("Used by");
    section.count = static_cast<int>(users.size()) + (isOutput ? 1 : 0);
    for (std::size_t i = 0; i < users.size() && i < kMostRows; ++i) {
        InspectorRow row;
        row.text = shown(program.displayName(users[i]));
        row.address = addressText(program, model, GraphItem::node(users[i]));
        row.right = shown(program.modulePath(users[i])).replace('.', QStringLiteral(" › "));
        section.rows.push_back(std::move(row));
    }
    if (users.size() > kMostRows)
        section.rows.push_back({{}, {}, {}, false, {}, {{QObject::tr("… %1 more").arg(users.size() - kMostRows), false, true}}, false});
    if (isOutput) section.rows.push_back({{}, {}, {}, false, {}, {{QObject::tr("an output of the graph"), false, true}}, false});
    if (section.rows.empty()) section.rows.push_back({{}, QObject::tr("nobody"), {}, true, {}, {}, false});
    return section;
}

InspectorSection sourceSection(const NodeMetadata& metadata) {
    InspectorSection section;
    section.title = QObject::tr("Source");
    const auto& trace = metadata.stackTrace;
    if (trace.empty()) {
        section.rows.push_back({{}, QObject::tr("none"), {}, true, {}, {}, false});
        return section;
    }
    const auto place = [](const SourceFrame& frame) { return QStringLiteral("%1:%2").arg(QFileInfo(shown(frame.file)).fileName()).arg(frame.line); };
    const SourceFrame& inner = trace.back();
    InspectorRow row;
    row.text = place(inner);
    row.right = shown(inner.function);
    section.rows.push_back(std::move(row));
    section.code = shown(inner.code);
    section.codeLine = inner.line;
    QStringList callers;
    for (std::size_t i = trace.size() - 1; i-- > 0 && callers.size() < 4;) callers << place(trace[i]);
    if (!callers.isEmpty())
        section.rows.push_back(
            {{}, {}, {}, false, {}, {{QObject::tr("called from %1").arg(callers.join(QStringLiteral("  "))), false, true}}, false});
    return section;
}

InspectorFacts nodeFacts(const DocumentSession& session, const Program& program, NodeId id) {
    const Node& node = program.node(id);
    const std::string& model = session.model();
    InspectorFacts facts;
    facts.title = shown(program.displayName(id));
    facts.family = operatorFamily(node.target);
    const OperatorName name = splitOperatorName(node.target);
    facts.mutedBefore = name.ns.empty() ? QString() : shown(name.ns) + '.';
    facts.strong = shown(name.name);
    facts.mutedAfter = name.overload.empty() ? QString() : '.' + shown(name.overload);
    facts.right = QObject::tr("node %1 of %2").arg(node.index + 1).arg(program.graph(node.graph).nodes.size());

    InspectorSection inputs, attributes;
    inputs.title = QObject::tr("Inputs");
    attributes.title = QObject::tr("Attributes");
    int inputCount = 0;
    for (std::uint32_t i = node.inputs.begin; i < node.inputs.end; ++i) {
        const NamedArgument& named = program.namedArguments()[i];
        const Argument& argument = program.argument(named.argument);
        const QString key = named.name.empty() ? QString::number(i - node.inputs.begin) : shown(named.name);
        const std::vector<ValueId> values = valuesBelow(program, named.argument);
        if (argument.kind == ArgumentKind::Graph && argument.graph != kNone) {
            Address whole;
            whole.kind = Address::Kind::Graph;
            whole.model = model;
            whole.graph = program.graph(argument.graph).path;
            attributes.rows.push_back({key,
                                       shown(argument.text),
                                       toQt(whole.text()),
                                       false,
                                       QObject::tr("%1 nodes").arg(program.graph(argument.graph).nodes.size()),
                                       {},
                                       false});
            continue;
        }
        if (values.empty()) {
            const bool none = argument.kind == ArgumentKind::None;
            attributes.rows.push_back({key, none ? QStringLiteral("None") : shown(printArgument(program, named.argument)), {}, false, {}, {}, false});
            continue;
        }
        const bool list = values.size() > 1 || argument.children.size() > 0;
        for (std::size_t k = 0; k < values.size() && k < kMostRows; ++k) {
            InspectorRow row;
            row.key = k == 0 ? key : QString();
            row.keyed = true;
            row.text = valueName(program, values[k]);
            row.address = valueLink(program, model, values[k]);
            if (list && program.value(values[k]).kind != ValueKind::Tensor) {
                row.lines.push_back({typeWords(program, program.value(values[k])), true, false});
            } else {
                addTypeLines(program, values[k], row, false);
            }
            inputs.rows.push_back(std::move(row));
            ++inputCount;
        }
        if (values.size() > kMostRows)
            inputs.rows.push_back({{}, {}, {}, false, {}, {{QObject::tr("… %1 more").arg(values.size() - kMostRows), false, true}}, false});
        const bool mixed =
            list && std::any_of(program.arguments().begin() + argument.children.begin, program.arguments().begin() + argument.children.end,
                                [](const Argument& a) { return a.value == kNone; });
        if (mixed) attributes.rows.push_back({key, shown(printArgument(program, named.argument)), {}, false, {}, {}, false});
    }
    inputs.count = inputCount;
    if (inputs.rows.empty()) inputs.rows.push_back({{}, QObject::tr("none"), {}, true, {}, {}, false});
    facts.sections.push_back(std::move(inputs));

    InspectorSection outputs;
    std::vector<NodeId> users;
    bool isOutput = false;
    program.forEachOutputValue(node, [&](ValueId v) {
        if (outputs.rows.size() < kMostRows) {
            InspectorRow row;
            row.key = outputs.rows.empty() ? QObject::tr("out") : QString();
            row.keyed = true;
            row.text = shown(program.value(v).name);
            addTypeLines(program, v, row, true);
            outputs.rows.push_back(std::move(row));
        }
        outputs.count = std::max(0, outputs.count) + 1;
        isOutput = isOutput || program.value(v).isGraphOutput;
        for (const NodeId user : program.users(program.value(v))) {
            if (std::find(users.begin(), users.end(), user) == users.end()) users.push_back(user);
        }
    });
    outputs.title = outputs.count > 1 ? QObject::tr("Outputs") : QObject::tr("Output");
    if (outputs.rows.empty()) outputs.rows.push_back({{}, QObject::tr("none"), {}, true, {}, {}, false});
    facts.sections.push_back(std::move(outputs));
    facts.sections.push_back(usersSection(program, model, users, isOutput));

    const NodeMetadata metadata = program.metadata(id);
    facts.sections.push_back(sourceSection(metadata));

    InspectorSection module;
    module.title = QObject::tr("Module");
    for (std::size_t i = metadata.moduleStack.size(); i-- > 0;) {
        const ModuleFrame& frame = metadata.moduleStack[i];
        if (frame.path.find("_empty_nn_module_stack") != std::string::npos) continue;
        InspectorRow row;
        row.text = frame.path.empty() ? QObject::tr("(root)") : shown(frame.path);
        row.lines.push_back({shown(frame.type), false, true});
        module.rows.push_back(std::move(row));
        if (module.rows.size() == 3) break;
    }
    if (module.rows.empty()) module.rows.push_back({{}, QObject::tr("none"), {}, true, {}, {}, false});
    facts.sections.push_back(std::move(module));

    if (attributes.rows.empty()) attributes.rows.push_back({{}, QObject::tr("none"), {}, true, {}, {}, false});
    facts.sections.push_back(std::move(attributes));

    InspectorSection other;
    other.title = QObject::tr("Metadata");
    other.openAtFirst = false;
    for (const auto& [key, value] : metadata.entries) {
        if (key == "stack_trace" || key == "nn_module_stack") continue;
        QString text = shown(value);
        if (text.size() > 400) text = text.left(400) + QStringLiteral("…");
        other.rows.push_back({shown(key), text, {}, false, {}, {}, false});
    }
    if (!other.rows.empty()) facts.sections.push_back(std::move(other));
    return facts;
}

QString kindWords(InputKind kind) {
    switch (kind) {
        case InputKind::UserInput: return QObject::tr("input");
        case InputKind::Parameter: return QObject::tr("parameter");
        case InputKind::Buffer: return QObject::tr("buffer");
        case InputKind::ConstantTensor: return QObject::tr("constant");
        case InputKind::CustomObj: return QObject::tr("object");
        case InputKind::Token: return QObject::tr("token");
        case InputKind::Unknown: return QObject::tr("unknown kind");
    }
    return {};
}

InspectorSection rangesSection(const Program& program, const Value& value) {
    InspectorSection section;
    section.title = QObject::tr("Ranges");
    std::set<std::string> seen;
    const auto add = [&](const SymInt& dim) {
        if (!dim.isSymbolic() || !program.expression(dim.expr)) return;
        for (const std::string& symbol : program.expression(dim.expr)->symbols()) {
            if (!seen.insert(symbol).second) continue;
            const auto range = program.rangeOf(symbol);
            QString words;
            if (range && range->minimum) words += QString::number(*range->minimum) + QStringLiteral(" ≤ ");
            words += shown(symbol);
            if (range && range->maximum) words += QStringLiteral(" ≤ ") + QString::number(*range->maximum);
            if (!range || (!range->minimum && !range->maximum)) words = shown(symbol) + QObject::tr(" has no range");
            section.rows.push_back({{}, words, {}, false, {}, {}, false});
        }
    };
    for (const SymInt& dim : program.sizes(value)) add(dim);
    if (value.kind != ValueKind::Tensor) add(value.symbolic);
    return section;
}

InspectorFacts valueFacts(const DocumentSession& session, const Program& program, ValueId id) {
    const Value& value = program.value(id);
    InspectorFacts facts;
    facts.title = shown(value.name);
    facts.icon = QStringLiteral("symbol");
    InspectorSection about;
    about.title = QObject::tr("Value");
    InspectorRow type;
    type.key = QObject::tr("type");
    type.text = typeWords(program, value);
    if (const QString strides = stridesWords(program, value); !strides.isEmpty()) type.lines.push_back({strides, false, true});
    if (const QString size = bytesWords(program, value); !size.isEmpty()) type.lines.push_back({size, false, true});
    about.rows.push_back(std::move(type));
    if (value.graph == 0 && value.inputIndex < program.inputSpecs().size()) {
        const InputSpec& spec = program.inputSpecs()[value.inputIndex];
        facts.strong = kindWords(spec.kind);
        facts.right = QObject::tr("input %1 of %2").arg(value.inputIndex + 1).arg(program.inputSpecs().size());
        about.rows.push_back({QObject::tr("kind"), QString::fromLatin1(inputKindName(spec.kind)), {}, false, {}, {}, false});
        if (!spec.target.empty()) about.rows.push_back({QObject::tr("target"), shown(spec.target), {}, false, {}, {}, false});
    } else if (value.inputIndex != kNone) {
        facts.strong = QObject::tr("input of the subgraph");
    }
    if (value.producer != kNone) {
        about.rows.push_back({QObject::tr("made by"),
                              shown(program.displayName(value.producer)),
                              addressText(program, session.model(), GraphItem::node(value.producer)),
                              false,
                              {},
                              {},
                              false});
        if (facts.strong.isEmpty()) facts.strong = QObject::tr("value");
    }
    for (std::size_t i = 0; value.graph == 0 && i < program.outputSpecs().size(); ++i) {
        const OutputSpec& spec = program.outputSpecs()[i];
        if (spec.argument == kNone || program.argument(spec.argument).value != id) continue;
        QString words = QString::fromLatin1(outputKindName(spec.kind));
        about.rows.push_back({QObject::tr("output %1").arg(i), words, {}, false, shown(spec.target), {}, false});
    }
    facts.sections.push_back(std::move(about));
    if (InspectorSection ranges = rangesSection(program, value); !ranges.rows.empty()) facts.sections.push_back(std::move(ranges));
    const auto users = program.users(value);
    facts.sections.push_back(usersSection(program, session.model(), std::vector<NodeId>(users.begin(), users.end()), value.isGraphOutput));
    return facts;
}

QString fixedShape(const std::vector<std::int64_t>& sizes) {
    std::vector<std::string> dims;
    for (const std::int64_t size : sizes) dims.push_back(std::to_string(size));
    return toQt(formatShape(dims));
}

InspectorFacts weightFacts(const DocumentSession& session, const std::string& fqn) {
    InspectorFacts facts;
    const ProgramEntry* entry = session.programEntry();
    const WeightEntry* weight = entry != nullptr ? entry->findWeight(fqn) : nullptr;
    const auto program = session.program();
    ValueId value = kNone;
    const InputSpec* spec = nullptr;
    if (program) {
        for (const InputSpec& s : program->inputSpecs()) {
            if (s.kind == InputKind::UserInput || s.target != fqn) continue;
            spec = &s;
            if (s.argument != kNone) value = program->argument(s.argument).value;
        }
    }
    if (weight == nullptr && spec == nullptr) return facts;
    facts.title = shown(fqn);
    facts.icon = QStringLiteral("weight");
    facts.strong = spec != nullptr ? kindWords(spec->kind) : weight->isParameter ? QObject::tr("parameter") : QObject::tr("buffer");
    InspectorSection about;
    about.title = QObject::tr("Weight");
    if (weight != nullptr && !weight->isObject && weight->layout.dtype != DType::Unknown) {
        InspectorRow type;
        type.key = QObject::tr("type");
        type.text = QString::fromLatin1(dtypeName(weight->layout.dtype)) + ' ' + fixedShape(weight->layout.sizes);
        QStringList below;
        std::vector<std::string> strides;
        for (const std::int64_t s : weight->layout.strides) strides.push_back(std::to_string(s));
        below << (weight->layout.isContiguous() ? QObject::tr("contiguous") : QObject::tr("strides (%1)").arg(toQt(join(strides, ", "))));
        if (weight->layout.storageOffset != 0) below << QObject::tr("offset %1").arg(weight->layout.storageOffset);
        type.lines.push_back({below.join(QStringLiteral(" · ")), false, true});
        about.rows.push_back(std::move(type));
        if (const auto count = weight->layout.elementCount()) {
            about.rows.push_back({QObject::tr("elements"),
                                  toQt(formatCount(*count)),
                                  {},
                                  false,
                                  toQt(formatBytes(*count * dtypeSize(weight->layout.dtype))),
                                  {},
                                  false});
        }
    } else if (value != kNone) {
        about.rows.push_back({QObject::tr("type"), typeWords(*program, program->value(value)), {}, false, {}, {}, false});
    }
    if (weight != nullptr && weight->isObject) about.rows.push_back({QObject::tr("stored as"), QObject::tr("object"), {}, false, {}, {}, false});
    if (weight != nullptr && weight->usePickle && !weight->isObject)
        about.rows.push_back({QObject::tr("stored as"), QObject::tr("pickle"), {}, false, {}, {}, false});
    if (weight != nullptr) {
        about.rows.push_back(
            {QObject::tr("gradient"), weight->requiresGrad ? QObject::tr("wanted") : QObject::tr("not wanted"), {}, false, {}, {}, false});
        const auto package = session.document().program(session.model()).package;
        if (weight->member && package && *weight->member < package->archive().members().size()) {
            const std::string name(package->archive().nameBelowRoot(*weight->member));
            about.rows.push_back({QObject::tr("record"),
                                  shown(name),
                                  toQt("file/" + name),
                                  false,
                                  toQt(formatBytes(package->archive().members()[*weight->member].size)),
                                  {},
                                  false});
        } else {
            about.rows.push_back({QObject::tr("record"), QObject::tr("missing"), {}, true, {}, {}, false});
        }
    }
    if (spec != nullptr && spec->kind == InputKind::Buffer && spec->persistent) {
        about.rows.push_back({QObject::tr("persistent"), *spec->persistent ? QObject::tr("yes") : QObject::tr("no"), {}, false, {}, {}, false});
    }
    facts.sections.push_back(std::move(about));
    if (weight != nullptr && weight->member) {
        InspectorSection sharing;
        sharing.title = QObject::tr("Shares storage with");
        for (const auto* list : {&entry->weights, &entry->constants}) {
            for (const WeightEntry& other : *list) {
                if (other.member != weight->member || other.fqn == weight->fqn) continue;
                sharing.rows.push_back({{}, shown(other.fqn), toQt("weights/" + other.fqn), false, {}, {}, false});
            }
        }
        sharing.count = static_cast<int>(sharing.rows.size());
        if (!sharing.rows.empty()) facts.sections.push_back(std::move(sharing));
    }
    if (value != kNone) {
        const auto users = program->users(program->value(value));
        facts.sections.push_back(
            usersSection(*program, session.model(), std::vector<NodeId>(users.begin(), users.end()), program->value(value).isGraphOutput));
    }
    return facts;
}

InspectorFacts memberFacts(const DocumentSession& session, const std::string& name) {
    InspectorFacts facts;
    for (const auto& package : {session.document().primary, session.document().attached}) {
        if (!package) continue;
        const auto found = package->archive().find(name);
        if (!found) continue;
        const Member& member = package->archive().members()[*found];
        const std::string_view below = package->archive().nameBelowRoot(*found);
        const auto slash = below.rfind('/');
        facts.title = shown(slash == std::string_view::npos ? below : below.substr(slash + 1));
        facts.icon = QStringLiteral("page");
        facts.mutedBefore = shown(member.name);
        InspectorSection about;
        about.title = QObject::tr("Member");
        about.rows.push_back({QObject::tr("size"), toQt(formatBytes(member.size)), {}, false, toQt(formatCount(member.size)), {}, false});
        if (member.method != 0)
            about.rows.push_back({QObject::tr("stored"), toQt(formatBytes(member.compressedSize)), {}, false, QObject::tr("deflated"), {}, false});
        if (package->archive().kind() != ContainerKind::Folder) {
            about.rows.push_back({QObject::tr("crc32"), QStringLiteral("0x%1").arg(member.crc32, 8, 16, QLatin1Char('0')), {}, false, {}, {}, false});
            about.rows.push_back({QObject::tr("offset"),
                                  toQt(formatOffset(member.dataOffset)),
                                  {},
                                  false,
                                  member.dataOffset % 64 == 0 ? QObject::tr("aligned to 64") : QString(),
                                  {}});
        }
        facts.sections.push_back(std::move(about));
        InspectorSection holds;
        holds.title = QObject::tr("Holds");
        if (const ProgramEntry* entry = session.programEntry(); entry != nullptr && package == session.document().program(session.model()).package) {
            for (const auto* list : {&entry->weights, &entry->constants}) {
                for (const WeightEntry& weight : *list) {
                    if (weight.member != *found || holds.rows.size() >= kMostRows) continue;
                    holds.rows.push_back({{}, shown(weight.fqn), toQt("weights/" + weight.fqn), false, {}, {}, false});
                }
            }
        }
        holds.count = static_cast<int>(holds.rows.size());
        if (!holds.rows.empty()) facts.sections.push_back(std::move(holds));
        return facts;
    }
    return facts;
}

InspectorFacts symbolFacts(const Program& program, const std::string& model, const std::string& symbol) {
    InspectorFacts facts;
    facts.title = shown(symbol);
    facts.icon = QStringLiteral("symbol");
    facts.strong = QObject::tr("dynamic size");
    InspectorSection about;
    about.title = QObject::tr("Range");
    const auto range = program.rangeOf(symbol);
    about.rows.push_back({QObject::tr("least"),
                          range && range->minimum ? QString::number(*range->minimum) : QObject::tr("open"),
                          {},
                          !(range && range->minimum),
                          {},
                          {},
                          false});
    about.rows.push_back({QObject::tr("most"),
                          range && range->maximum ? QString::number(*range->maximum) : QObject::tr("open"),
                          {},
                          !(range && range->maximum),
                          {},
                          {},
                          false});
    facts.sections.push_back(std::move(about));
    InspectorSection places;
    places.title = QObject::tr("In inputs");
    for (const InputSpec& spec : program.inputSpecs()) {
        if (spec.kind != InputKind::UserInput || spec.isConstant || spec.argument == kNone) continue;
        const ValueId v = program.argument(spec.argument).value;
        if (v == kNone) continue;
        const auto sizes = program.sizes(program.value(v));
        for (std::size_t d = 0; d < sizes.size(); ++d) {
            if (!sizes[d].isSymbolic() || program.dimText(sizes[d]).find(symbol) == std::string::npos) continue;
            places.rows.push_back(
                {{}, shown(spec.name), addressText(program, model, GraphItem::value(v)), false, QObject::tr("dimension %1").arg(d), {}, false});
        }
    }
    places.count = static_cast<int>(places.rows.size());
    if (!places.rows.empty()) facts.sections.push_back(std::move(places));
    return facts;
}

}  // namespace

QString typeWords(const Program& program, const Value& value) {
    switch (value.kind) {
        case ValueKind::Tensor: {
            QString text = QString::fromLatin1(dtypeName(value.dtype)) + ' ' + toQt(formatShape(program.sizesText(value)));
            if (!value.device.type.empty() && value.device.type != "cpu") {
                text += QStringLiteral(" · ") + shown(value.device.type);
                if (value.device.index) text += ':' + QString::number(*value.device.index);
            }
            return text;
        }
        case ValueKind::SymInt: return QStringLiteral("int ") + toQt(program.dimText(value.symbolic));
        case ValueKind::SymBool: return QStringLiteral("bool ") + toQt(program.dimText(value.symbolic));
        case ValueKind::SymFloat:
            return QStringLiteral("float ") + (value.symbolic.isSymbolic() ? toQt(program.dimText(value.symbolic)) : toQt(formatFloat(value.real)));
        case ValueKind::CustomObj: return shown(value.classFqn);
        case ValueKind::Untyped: break;
    }
    return QObject::tr("unknown");
}

namespace {

/// A number for a dimension with every symbol set to a prime that depends on its name and the round, to compare strides without algebra.
std::optional<std::int64_t> sample(const Program& program, const SymInt& dim, std::size_t round) {
    if (!dim.isSymbolic()) return dim.integer;
    static constexpr std::int64_t kPrimes[] = {101, 103, 107, 109, 113, 127, 131, 137, 139, 149, 151, 157, 163};
    const auto& expression = program.expression(dim.expr);
    if (!expression) return std::nullopt;
    const auto value = expression->evaluate([&](std::string_view symbol) -> std::optional<SymExpr::Value> {
        return SymExpr::Value(kPrimes[(std::hash<std::string_view>{}(symbol) + 5 * round) % std::size(kPrimes)] +
                              static_cast<std::int64_t>(round) * 60);
    });
    if (!value || !std::holds_alternative<std::int64_t>(*value)) return std::nullopt;
    return std::get<std::int64_t>(*value);
}

/// Whether strides are those of dense data with the dimensions in `order`, fastest last.
bool denseIn(const Program& program, const Value& value, const std::vector<std::size_t>& order) {
    const auto sizes = program.sizes(value), strides = program.strides(value);
    for (std::size_t round = 0; round < 2; ++round) {
        std::int64_t expected = 1;
        for (std::size_t i = order.size(); i-- > 0;) {
            const auto size = sample(program, sizes[order[i]], round), stride = sample(program, strides[order[i]], round);
            if (!size || !stride) return false;
            if (*size != 1 && *stride != expected) return false;
            std::int64_t next = 0;
            if (__builtin_mul_overflow(expected, std::max<std::int64_t>(1, *size), &next)) return false;
            expected = next;
        }
    }
    return true;
}

}  // namespace

QString stridesWords(const Program& program, const Value& value) {
    if (value.kind != ValueKind::Tensor || value.sizes.size() == 0 || value.sizes.size() != value.strides.size()) return {};
    std::vector<std::size_t> order(value.sizes.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    if (denseIn(program, value, order)) return QObject::tr("contiguous");
    if (order.size() == 4 && denseIn(program, value, {0, 2, 3, 1})) return QObject::tr("channels last");
    if (order.size() == 5 && denseIn(program, value, {0, 2, 3, 4, 1})) return QObject::tr("channels last");
    return QObject::tr("strides (%1)").arg(toQt(join(program.stridesText(value), ", ")));
}

QString bytesWords(const Program& program, const Value& value) {
    if (value.kind != ValueKind::Tensor || dtypeSize(value.dtype) == 0) return {};
    std::uint64_t bytes = dtypeSize(value.dtype);
    QString symbols;
    for (const SymInt& dim : program.sizes(value)) {
        if (dim.isSymbolic()) {
            QString text = toQt(program.dimText(dim));
            if (text.contains(' ')) text = '(' + text + ')';
            symbols += QStringLiteral(" × ") + text;
        } else if (dim.integer < 0 || !multiplySafe(bytes, static_cast<std::uint64_t>(dim.integer), bytes)) {
            return {};
        }
    }
    return toQt(formatBytes(bytes)) + symbols;
}

InspectorFacts inspectorFacts(const DocumentSession& session, const Address& address) {
    if (session.state() != DocumentSession::State::Ready) return {};
    const auto program = session.program();
    switch (address.kind) {
        case Address::Kind::Node:
        case Address::Kind::Value: {
            if (!program) return {};
            const GraphItem item = itemOf(*program, address);
            if (item.kind == GraphItem::Kind::Node) return nodeFacts(session, *program, item.id);
            if (item.kind == GraphItem::Kind::Value) return valueFacts(session, *program, item.id);
            return {};
        }
        case Address::Kind::Weight: return weightFacts(session, address.name);
        case Address::Kind::Member: return memberFacts(session, address.name);
        case Address::Kind::Symbol: return program ? symbolFacts(*program, session.model(), address.name) : InspectorFacts{};
        default: return {};
    }
}

}  // namespace pt2::views
