#include "views/inspector/inspector_facts.h"

#include <QFileInfo>
#include <algorithm>
#include <functional>
#include <set>

#include "core/base/text.h"
#include "core/program/printed_form.h"
#include "views/graph/graph_addresses.h"
#include "views/inspector/fact_parts.h"
#include "views/inspector/kernel_facts.h"
#include "views/inspector/stored_facts.h"
#include "views/inspector/value_words.h"
#include "views/signature/signature_facts.h"
#include "views/widgets/text.h"

namespace pt2::views {
namespace {

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

InspectorSection sourceSection(const NodeMetadata& metadata) {
    InspectorSection section;
    section.title = QObject::tr("Source");
    const auto& trace = metadata.stackTrace;
    if (trace.empty()) {
        section.rows.push_back({{}, QObject::tr("none"), {}, true, {}, {}, false});
        return section;
    }
    // The word joiner keeps a line's number at its file where the text wraps.
    const auto place = [](const SourceFrame& frame) {
        return QStringLiteral("%1:\u2060%2").arg(QFileInfo(shown(frame.file)).fileName()).arg(frame.line);
    };
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
            {{}, {}, {}, false, {}, {{QObject::tr("called from %1").arg(callers.join(QStringLiteral(", "))), false, true}}, false});
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
    if (InspectorSection kernels = kernelSection(session, id); !kernels.rows.empty()) facts.sections.push_back(std::move(kernels));

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
        about.rows.push_back({QObject::tr("kind"), inputKindInWords(spec), {}, false, QString::fromLatin1(inputKindName(spec.kind)), {}, false});
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
        InspectorRow row{QObject::tr("output %1").arg(i), outputKindInWords(spec.kind), {}, false, shown(spec.target), {}, false};
        row.lines.push_back({QString::fromLatin1(outputKindName(spec.kind)), false, true});
        about.rows.push_back(std::move(row));
    }
    facts.sections.push_back(std::move(about));
    if (InspectorSection ranges = rangesSection(program, value); !ranges.rows.empty()) facts.sections.push_back(std::move(ranges));
    const auto users = program.users(value);
    facts.sections.push_back(usersSection(program, session.model(), std::vector<NodeId>(users.begin(), users.end()), value.isGraphOutput));
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
