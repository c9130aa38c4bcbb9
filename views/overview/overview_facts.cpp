#include "views/overview/overview_facts.h"

#include <QDateTime>
#include <algorithm>
#include <map>
#include <set>

#include "core/base/text.h"
#include "core/contract/call_changes.h"
#include "core/contract/contract_notes.h"
#include "core/contract/coverage.h"
#include "core/program/custom_operators.h"
#include "views/frame/file_path.h"
#include "views/widgets/text.h"

namespace pt2::views {

namespace {

QString count(std::uint64_t n) { return toQt(formatCount(n)); }

QString plural(std::uint64_t n, const QString& one, const QString& many) { return QStringLiteral("%1 %2").arg(count(n), n == 1 ? one : many); }

/// One tensor that belongs to the model, wherever it was read from.
struct WeightFact {
    std::string fqn;
    DType dtype = DType::Unknown;
    std::vector<std::int64_t> sizes;
    std::uint64_t elements = 0;
    bool parameter = true;
};

std::uint64_t elementsOf(const std::vector<std::int64_t>& sizes) {
    std::uint64_t n = 1;
    for (const std::int64_t size : sizes) {
        if (size < 0 || !multiplySafe(n, static_cast<std::uint64_t>(size), n)) return 0;
    }
    return n;
}

std::vector<WeightFact> weightFacts(const DocumentSession& session) {
    std::vector<WeightFact> facts;
    if (const ProgramEntry* entry = session.programEntry()) {
        for (const auto* list : {&entry->weights, &entry->constants}) {
            for (const WeightEntry& weight : *list) {
                if (weight.isObject) continue;
                facts.push_back({weight.fqn, weight.layout.dtype, weight.layout.sizes, elementsOf(weight.layout.sizes), weight.isParameter});
            }
        }
        if (!facts.empty()) return facts;
    }
    if (const CompiledModel* model = session.compiledModel()) {
        for (const CompiledConstant& constant : model->constants) {
            facts.push_back({constant.fqn.empty() ? constant.name : constant.fqn, constant.dtype.value, constant.shape, elementsOf(constant.shape),
                             constant.kind != "Buffer" && constant.kind != "TensorConstant" && constant.kind != "FoldedConstant"});
        }
    }
    return facts;
}

std::uint64_t bytesOf(const WeightFact& fact) {
    std::uint64_t bytes = 0;
    return multiplySafe(fact.elements, dtypeSize(fact.dtype), bytes) ? bytes : 0;
}

QString dtypeList(const std::set<DType>& dtypes) {
    QStringList names;
    for (const DType dtype : dtypes) names << (dtype == DType::Unknown ? QObject::tr("unknown") : QString::fromLatin1(dtypeName(dtype)));
    if (names.size() > 3) return QObject::tr("%1 dtypes").arg(names.size());
    return names.join(QStringLiteral(", "));
}

bool isNumber(std::string_view text) {
    return !text.empty() && text.size() < 10 && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// "layers.0.attn.weight" → ("layers", 0, "attn.weight"); "head.weight" → ("head", none, "weight").
struct SplitName {
    std::string group;
    std::optional<int> index;
    std::string rest;
};
SplitName splitName(const std::string& fqn) {
    const std::vector<std::string_view> parts = splitView(fqn, '.');
    std::size_t offset = 0;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
        offset += parts[i].size() + 1;
        if (isNumber(parts[i + 1]) && i + 2 < parts.size()) {
            const std::size_t restAt = offset + parts[i + 1].size() + 1;
            return {fqn.substr(0, offset - 1), std::stoi(std::string(parts[i + 1])), fqn.substr(restAt)};
        }
        if (i == 1) break;
    }
    if (parts.size() < 2) return {fqn, std::nullopt, {}};
    return {std::string(parts[0]), std::nullopt, fqn.substr(parts[0].size() + 1)};
}

/// Largest number of equal neighbours in a list of modules, and the list's path.
std::pair<std::string, std::size_t> repeatedModules(const Program& program) {
    std::map<std::string, std::map<int, std::string>> lists;
    for (const ModuleCallEntry& entry : program.moduleCallGraph()) {
        const std::string fqn(entry.fqn);
        const std::size_t dot = fqn.rfind('.');
        const std::string last = dot == std::string::npos ? fqn : fqn.substr(dot + 1);
        if (!isNumber(last)) continue;
        lists[dot == std::string::npos ? std::string() : fqn.substr(0, dot)][std::stoi(last)] = std::string(program.moduleType(fqn));
    }
    std::pair<std::string, std::size_t> best{{}, 0};
    for (const auto& [path, members] : lists) {
        std::map<std::string, std::size_t> byType;
        for (const auto& [index, type] : members) {
            if (!type.empty()) ++byType[type];
        }
        for (const auto& [type, n] : byType) {
            if (n > best.second) best = {path, n};
        }
    }
    return best;
}

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// What a run leaves changed: as the signature says, and as in-place operators do of which the signature says nothing.
struct StateChanges {
    std::set<std::string> buffers, perhaps, inputs;
};

StateChanges changesOfARun(const Program& program, const Contract& contract) {
    StateChanges changes;
    for (const CallChange& change : callChanges(program, contract)) {
        if (change.what == CallChange::What::Input) {
            changes.inputs.emplace(change.name);
        } else {
            (change.certain ? changes.buffers : changes.perhaps).emplace(change.name);
        }
    }
    for (const std::string& name : changes.buffers) changes.perhaps.erase(name);
    return changes;
}

QString names(const std::set<std::string>& list) {
    constexpr int kMost = 12;
    QStringList lines;
    for (const std::string& name : list) {
        if (lines.size() == kMost) {
            lines << QObject::tr("… %1 more").arg(list.size() - kMost);
            break;
        }
        lines << shown(name);
    }
    return lines.join(u'\n');
}

constexpr std::int64_t kEndless = std::int64_t{1} << 62;  // torch writes int_oo as a bound near the end of 64 bits

}  // namespace

QString rangeWithSymbol(const QString& symbol, const SymRange& range) {
    const bool low = range.minimum && *range.minimum > -kEndless, high = range.maximum && *range.maximum < kEndless;
    if (low && high) return QStringLiteral("%1 ≤ %2 ≤ %3").arg(*range.minimum).arg(symbol).arg(*range.maximum);
    if (low) return QStringLiteral("%1 ≥ %2").arg(symbol).arg(*range.minimum);
    if (high) return QStringLiteral("%1 ≤ %2").arg(symbol).arg(*range.maximum);
    return {};
}

QString tightRange(const SymRange& range) {
    const bool low = range.minimum && *range.minimum > -kEndless, high = range.maximum && *range.maximum < kEndless;
    if (!low && !high) return QObject::tr("no limit");
    return QStringLiteral("%1 … %2").arg(low ? QString::number(*range.minimum) : QObject::tr("no limit"),
                                         high ? QString::number(*range.maximum) : QObject::tr("no upper limit"));
}

QString testedRange(const SymRange& range) {
    if (!range.minimum && !range.maximum) return QObject::tr("not checked");
    const QString open = QObject::tr("not checked");
    return QStringLiteral("%1 … %2").arg(range.minimum ? QString::number(*range.minimum) : open,
                                         range.maximum ? QString::number(*range.maximum) : open);
}

QString testedWithSymbol(const QString& symbol, const SymRange& range) {
    if (!range.minimum && !range.maximum) return QObject::tr("%1 not checked").arg(symbol);
    const QString bounds = rangeWithSymbol(symbol, range);
    if (!range.minimum) return QObject::tr("%1, lower bound not checked").arg(bounds);
    if (!range.maximum) return QObject::tr("%1, upper bound not checked").arg(bounds);
    return bounds;
}

QString testedSize(const Contract& contract, const ContractSymbol& symbol) {
    if (!contract.hasCompiled) return {};
    if (!contract.sourceRead) return QObject::tr("not known");
    if (symbol.compiledKnown) return testedRange(symbol.compiled);
    for (const auto& [input, dimension] : placesWithin(contract, symbol)) {
        const ContractDim& dim = contract.inputs[input].sizes[dimension];
        if (dim.compiledKnown) return QObject::tr("%1: %2").arg(toQt(dim.text), testedRange(dim.compiled));
    }
    return QObject::tr("not checked");
}

std::vector<KindChip> kindChips(const DocumentSession& session) {
    std::vector<KindChip> chips;
    const Document& document = session.document();
    std::size_t programs = 0, compiled = 0;
    for (const std::string& name : document.modelNames()) {
        if (document.program(name)) ++programs;
        if (document.compiled(name)) ++compiled;
    }
    if (programs > 0) {
        chips.push_back({programs == 1 ? QObject::tr("Exported program") : QObject::tr("%1 exported programs").arg(programs), "graph", "graph",
                         QObject::tr("It can be read, run in torch eager, and recompiled.")});
    }
    if (compiled > 0) {
        QString text = compiled == 1 ? QObject::tr("Compiled model") : QObject::tr("%1 compiled models").arg(compiled);
        if (const CompiledModel* model = session.compiledModel(); model && !model->device.empty())
            text += QStringLiteral(" · ") + shown(model->device).toUpper();
        chips.push_back({text, "kernel", "kernels", QObject::tr("Made by AOTInductor: it can be run without Python.")});
    }
    if (programs + compiled == 0)
        chips.push_back({QObject::tr("No program, no compiled model"), "unknown", "problems", QObject::tr("Neither was found among the members.")});
    const CompiledModel* model = session.compiledModel();
    const ProgramEntry* entry = session.programEntry();
    if (model && model->weightsAbsent) {
        chips.push_back(
            {QObject::tr("Weights absent"), "weight", "weights", QObject::tr("The compiled model needs weights that the archive does not hold.")});
    } else if (entry && (!entry->weights.empty() || !entry->constants.empty())) {
        const bool all =
            std::all_of(entry->weights.begin(), entry->weights.end(), [](const WeightEntry& weight) { return weight.member.has_value(); });
        chips.push_back({all ? QObject::tr("Weights inside") : QObject::tr("Some weights missing"), "weight", "weights",
                         QObject::tr("Parameters, buffers and constants of the program.")});
    } else if (model && !model->constants.empty()) {
        chips.push_back({QObject::tr("Weights with the library"), "weight", "weights", QObject::tr("Constants of the compiled model.")});
    }
    if (entry && entry->sampleInputs)
        chips.push_back({QObject::tr("Sample inputs"), "samples", "run", QObject::tr("The inputs the program was exported with.")});
    if (!document.primary->extraFiles().empty()) {
        chips.push_back({plural(document.primary->extraFiles().size(), QObject::tr("extra file"), QObject::tr("extra files")), "extra", "files", {}});
    }
    return chips;
}

bool isStandardInput(const DocumentSession& session) { return session.path() == QLatin1String("-"); }

QString fileLine(const DocumentSession& session) {
    QStringList parts;
    const Archive& archive = session.document().primary->archive();
    parts << toQt(formatBytes(archive.fileSize()));
    if (isStandardInput(session)) parts << QObject::tr("read into a temporary file that goes with this window");
    const QDateTime saved = lastModified(session.path());
    if (saved.isValid()) parts << QObject::tr("saved %1").arg(saved.toString(QStringLiteral("yyyy-MM-dd HH:mm")));
    const std::vector<std::string> names = session.document().modelNames();
    if (names.size() == 1) {
        parts << QObject::tr("one model, \"%1\"").arg(shown(names.front()));
    } else if (names.size() > 1) {
        QStringList list;
        for (std::size_t i = 0; i < names.size() && i < 4; ++i) list << u'"' + shown(names[i]) + u'"';
        if (names.size() > 4) list << QObject::tr("… %1 more").arg(names.size() - 4);
        parts << QObject::tr("%1 models, %2").arg(names.size()).arg(list.join(QStringLiteral(", ")));
    }
    if (session.document().attached) parts << QObject::tr("with \"%1\"").arg(shownFileName(session.withPath()));
    return parts.join(QStringLiteral(" · "));
}

std::vector<NumberStrip::Item> numberItems(const DocumentSession& session) {
    std::vector<NumberStrip::Item> items;
    if (const auto program = session.program()) {
        std::set<std::string_view> operators;
        for (const Node& node : program->nodes()) operators.insert(node.target);
        const std::size_t nodes = program->nodes().size();
        QString detail = plural(operators.size(), QObject::tr("operator"), QObject::tr("operators"));
        if (program->graphs().size() > 1)
            detail += QStringLiteral(" · ") + plural(program->graphs().size() - 1, QObject::tr("subgraph"), QObject::tr("subgraphs"));
        items.push_back({toQt(formatCountShort(nodes)), nodes == 1 ? QObject::tr("node") : QObject::tr("nodes"), detail,
                         QObject::tr("%1 nodes with all subgraphs").arg(count(nodes))});
    }
    const WeightTotals totals = weightTotals(session);
    QString weights = totals.tensors == 0 ? QObject::tr("no weights") : QStringLiteral("%1, %2").arg(toQt(formatBytes(totals.bytes)), totals.dtypes);
    if (totals.others > 0) weights = QObject::tr("+ %1 in buffers, %2").arg(toQt(formatCountShort(totals.others)), toQt(formatBytes(totals.bytes)));
    if (const CompiledModel* model = session.compiledModel();
        model && !session.program() && totals.tensors == 0 && !model->wrapperSource && model->constantCount != 0) {
        items.push_back({QStringLiteral("?"), QObject::tr("params"), QObject::tr("the file does not say"), {}});
    } else {
        items.push_back({toQt(formatCountShort(totals.parameters)), QObject::tr("params"), weights,
                         QObject::tr("%1 elements in parameters, %2 in buffers and constants, %3 tensors in all\n%4")
                             .arg(count(totals.parameters), count(totals.others), count(totals.tensors), totals.dtypes)});
    }
    if (const CompiledModel* model = session.compiledModel()) {
        if (model->kernelCalls) {
            items.push_back({toQt(formatCountShort(*model->kernelCalls)),
                             *model->kernelCalls == 1 ? QObject::tr("kernel call") : QObject::tr("kernel calls"),
                             QObject::tr("in the generated code"),
                             {}});
        } else {
            items.push_back({QObject::tr("?"), QObject::tr("kernel calls"), QObject::tr("no generated code inside"), {}});
        }
    }
    if (session.contract()) {
        const Contract& contract = *session.contract();
        // The file may say nothing of the inputs, the outputs, or both.
        const QString in = contract.inputsKnown ? QString::number(contract.inputs.size()) : QStringLiteral("?");
        const QString out = outputsKnown(contract) ? QString::number(contract.outputs.size()) : QStringLiteral("?");
        items.push_back({QStringLiteral("%1 → %2").arg(in, out),
                         QObject::tr("inputs → outputs"),
                         !contract.inputsKnown                               ? QObject::tr("the file does not say")
                         : !sizesKnown(contract) && contract.symbols.empty() ? QObject::tr("sizes not known")
                         : contract.symbols.empty()                          ? QObject::tr("all sizes fixed")
                                                    : plural(contract.symbols.size(), QObject::tr("dynamic size"), QObject::tr("dynamic sizes")),
                         {}});
    }
    if (const auto program = session.program()) {
        const auto [path, n] = repeatedModules(*program);
        const std::size_t modules = program->moduleCallGraph().empty() ? 0 : program->moduleCallGraph().size() - 1;
        if (n > 1) {
            items.push_back({QStringLiteral("%1 ×").arg(n),
                             path.empty() ? QObject::tr("modules") : shown(path.substr(path.rfind('.') + 1)),
                             QObject::tr("of one class, %1 modules in all").arg(modules),
                             {}});
        } else {
            items.push_back({count(modules), modules == 1 ? QObject::tr("module") : QObject::tr("modules"), QObject::tr("below the root"), {}});
        }
    }
    const std::uint64_t size = session.document().primary->archive().fileSize();
    const std::vector<ByteShare> shares = byteShares(session);
    const QString text = toQt(formatBytes(size));
    const qsizetype blank = text.indexOf(u' ');
    QString largest;
    if (!shares.empty() && size > 0) {
        largest = QObject::tr("%1 %2").arg(toQt(formatPercent(static_cast<double>(shares.front().bytes) / static_cast<double>(size))),
                                           shares.front().name.at(0).toLower() + shares.front().name.mid(1));
    }
    items.push_back({text.left(blank), text.mid(blank + 1) + (isStandardInput(session) ? QObject::tr(" read") : QObject::tr(" on disk")), largest,
                     QObject::tr("%1 bytes").arg(count(size))});
    return items;
}

std::vector<std::pair<std::string, std::string>> userMetadata(const DocumentSession& session) {
    std::vector<std::pair<std::string, std::string>> pairs;
    if (const CompiledModel* model = session.compiledModel()) {
        for (const auto& [key, value] : model->metadata) {
            if (!key.starts_with("AOTI_")) pairs.emplace_back(key, value);
        }
    }
    return pairs;
}

std::vector<ByteShare> byteShares(const DocumentSession& session) {
    const Archive& archive = session.document().primary->archive();
    std::map<QString, std::uint64_t> sums;
    std::uint64_t used = 0;
    for (MemberIndex i = 0; i < archive.members().size(); ++i) {
        const Member& member = archive.members()[i];
        if (member.isDirectory) continue;
        const std::string_view name = archive.nameBelowRoot(i);
        QString kind = QObject::tr("Configs and the rest");
        if (name.ends_with(".so"))
            kind = QObject::tr("Compiled library");
        else if (name.starts_with("models/") && name.ends_with(".json"))
            kind = QObject::tr("Program (JSON)");
        else if (name == "serialized_exported_program.json")
            kind = QObject::tr("Program (JSON)");
        else if (name.ends_with(".cpp") || name.ends_with(".h") || name.ends_with(".cu"))
            kind = QObject::tr("Generated source");
        else if (name.starts_with("extra/") || contains(name, "/extra/"))
            kind = QObject::tr("Extra files");
        else if (contains(name, "weights/weight_") || contains(name, "constants/tensor_") || contains(name, ".blob") ||
                 contains(name, "constants/") || contains(name, "weights/"))
            kind = name.ends_with(".json") ? kind : QObject::tr("Weights");
        sums[kind] += member.compressedSize;
        used += member.compressedSize;
    }
    if (archive.fileSize() > used && archive.kind() != ContainerKind::Folder) sums[QObject::tr("Configs and the rest")] += archive.fileSize() - used;
    std::vector<ByteShare> shares;
    for (const auto& [name, bytes] : sums) {
        if (bytes > 0) shares.push_back({name, bytes});
    }
    std::sort(shares.begin(), shares.end(), [](const ByteShare& a, const ByteShare& b) { return a.bytes > b.bytes; });
    constexpr std::size_t kMost = kSeriesCount;
    while (shares.size() > kMost) {
        shares[kMost - 1].name = QObject::tr("Everything else");
        shares[kMost - 1].bytes += shares.back().bytes;
        shares.pop_back();
    }
    return shares;
}

WeightTotals weightTotals(const DocumentSession& session) {
    WeightTotals totals;
    std::set<DType> dtypes;
    for (const WeightFact& fact : weightFacts(session)) {
        ++totals.tensors;
        (fact.parameter ? totals.parameters : totals.others) += fact.elements;
        totals.bytes += bytesOf(fact);
        dtypes.insert(fact.dtype);
    }
    totals.dtypes = dtypeList(dtypes);
    if (const CompiledModel* model = session.compiledModel()) {
        std::set<CompiledConstant::Where> where;
        for (const CompiledConstant& constant : model->constants) where.insert(constant.where);
        if (where.size() == 1 && where.count(CompiledConstant::Where::Library) > 0)
            totals.where = QObject::tr("inside the library, not given by the caller");
        else if (where.size() == 1 && where.count(CompiledConstant::Where::Beside) > 0)
            totals.where = QObject::tr("beside the library, not given by the caller");
        else if (where.count(CompiledConstant::Where::Absent) > 0)
            totals.where = QObject::tr("absent from the compiled model");
        else
            totals.where = QObject::tr("not given by the caller");
    } else {
        totals.where = QObject::tr("in the archive, not given by the caller");
    }
    return totals;
}

std::vector<WeightGroup> weightGroups(const DocumentSession& session) {
    struct Building {
        std::string name;
        std::optional<int> index;
        std::vector<std::string> signature;
        std::set<DType> dtypes;
        bool parameters = false, buffers = false;
        std::size_t tensors = 0;
        std::uint64_t elements = 0, bytes = 0;
        std::string first;
    };
    std::vector<Building> groups;
    std::map<std::pair<std::string, int>, std::size_t> places;
    for (const WeightFact& fact : weightFacts(session)) {
        const SplitName split = splitName(fact.fqn);
        const auto key = std::make_pair(split.group, split.index.value_or(-1));
        const auto found = places.find(key);
        std::size_t at = 0;
        if (found == places.end()) {
            at = groups.size();
            places.emplace(key, at);
            groups.push_back({split.group, split.index, {}, {}, false, false, 0, 0, 0, fact.fqn});
        } else {
            at = found->second;
        }
        Building& group = groups[at];
        std::string signature = split.rest + ":" + dtypeName(fact.dtype);
        for (const std::int64_t size : fact.sizes) signature += "," + std::to_string(size);
        group.signature.push_back(std::move(signature));
        group.dtypes.insert(fact.dtype);
        (fact.parameter ? group.parameters : group.buffers) = true;
        ++group.tensors;
        group.elements += fact.elements;
        group.bytes += bytesOf(fact);
    }
    std::vector<WeightGroup> result;
    std::optional<Building> last;
    std::string lastName;
    for (Building& group : groups) {
        std::sort(group.signature.begin(), group.signature.end());
        const bool joins = last && last->name == group.name && last->index && group.index && last->signature == group.signature && !result.empty();
        const std::string name = group.index ? group.name + "." + std::to_string(*group.index) : group.name;
        if (joins) {
            WeightGroup& row = result.back();
            ++row.repeat;
            row.name = shown(lastName) + QStringLiteral(" … ") + shown(name);
        } else {
            WeightGroup row;
            row.name = shown(name);
            row.kinds = group.parameters && group.buffers ? QObject::tr("parameters, buffers")
                        : group.parameters                ? QObject::tr("parameters")
                                                          : QObject::tr("buffers, constants");
            row.dtypes = dtypeList(group.dtypes);
            row.tensors = group.tensors;
            row.elements = group.elements;
            row.bytes = group.bytes;
            row.first = toQt(group.first);
            result.push_back(row);
            lastName = name;
        }
        last = group;
    }
    return result;
}

QString fromText(const FactSource& source) {
    switch (source.origin) {
        case Origin::Unknown: return QObject::tr("Not known");
        case Origin::Program: return QObject::tr("From the program");
        case Origin::Metadata: return QObject::tr("From the metadata");
        case Origin::Library: return QObject::tr("From the library");
        case Origin::WrapperSource: break;
        case Origin::Inferred: return toQt("Inferred" + sourceText(source).substr(std::string("inferred").size()));
    }
    return source.line != 0 ? QObject::tr("From the wrapper source, line %1").arg(source.line) : QObject::tr("From the wrapper source");
}

std::vector<Statement> contractStatements(const DocumentSession& session) {
    std::vector<Statement> statements;
    const auto program = session.program();
    if (program) {
        if (const std::vector<std::string> custom = customOperators(*program); !custom.empty()) {
            statements.push_back(
                {false,
                 plural(custom.size(), QObject::tr("operator needs a library of its own"), QObject::tr("operators need libraries of their own")),
                 QObject::tr("Without the library, torch eager cannot run the program and Recompile cannot compile it. Name the "
                             "Python module that registers it in the variable PT2SCOPE_IMPORT.\n%1")
                     .arg(names({custom.begin(), custom.end()}))});
        }
        const StateChanges changes = changesOfARun(*program, session.contract() ? *session.contract() : Contract());
        const std::size_t buffers = changes.buffers.size(), perhaps = changes.perhaps.size(), inputs = changes.inputs.size();
        if (buffers > 0) {
            statements.push_back({false, plural(buffers, QObject::tr("buffer changes during a run"), QObject::tr("buffers change during a run")),
                                  QObject::tr("The next call may give another answer than the first.\n%1").arg(names(changes.buffers))});
        } else if (perhaps == 0) {
            statements.push_back({true, QObject::tr("No buffer changes during a run"), {}});
        }
        if (perhaps > 0) {
            statements.push_back(
                {false, plural(perhaps, QObject::tr("buffer may change during a run"), QObject::tr("buffers may change during a run")),
                 QObject::tr("The file does not say whether the operators that read it write to it.\n%1").arg(names(changes.perhaps))});
        }
        if (inputs > 0) {
            statements.push_back(
                {false, plural(inputs, QObject::tr("input is changed in place"), QObject::tr("inputs are changed in place")), names(changes.inputs)});
        }
    }
    if (!session.contract()) return statements;
    const Contract& contract = *session.contract();
    if (contract.hasProgram) {
        if (contract.guards.empty()) {
            statements.push_back({true, QObject::tr("No guards beyond the ranges"), {}});
        } else {
            QStringList list;
            for (const std::string& guard : contract.guards) list << shown(guardSentence(contract, guard));
            statements.push_back({true, plural(contract.guards.size(), QObject::tr("guard on the inputs"), QObject::tr("guards on the inputs")),
                                  list.mid(0, 12).join(u'\n')});
        }
    }
    std::map<std::string, std::string> seen;
    QString swapped;
    for (const ContractInput& input : contract.inputs) {
        if (input.isConstant || !input.tensorIndex) continue;
        std::string key = dtypeName(input.dtype);
        for (const ContractDim& dim : input.sizes) key += "," + dim.text;
        const auto [place, isNew] = seen.emplace(key, input.name);
        if (!isNew && swapped.isEmpty())
            swapped = QObject::tr("\"%1\" and \"%2\" have the same dtype and shape").arg(shown(place->second), shown(input.name));
    }
    if (!swapped.isEmpty()) {
        statements.push_back({false, swapped, QObject::tr("A call with the two swapped would run unnoticed.")});
    } else if (contract.inputs.size() > 1) {
        statements.push_back(
            {true, QObject::tr("No two inputs look alike"), QObject::tr("Swapped inputs differ in dtype or shape, so a check finds them.")});
    }
    return statements;
}

}  // namespace pt2::views
