#include <algorithm>
#include <array>

#include "core/program/operator_family.h"
#include "core/program/program_reader.h"

namespace pt2 {

namespace {

constexpr std::array<std::string_view, 31> kKindNames = {
    "as_none",
    "as_tensor",
    "as_tensors",
    "as_optional_tensors",
    "as_optional_tensor",
    "as_nested_tensors",
    "as_int",
    "as_ints",
    "as_int_lists",
    "as_float",
    "as_floats",
    "as_float_lists",
    "as_string",
    "as_strings",
    "as_sym_int",
    "as_sym_ints",
    "as_sym_float",
    "as_sym_floats",
    "as_sym_bool",
    "as_sym_bools",
    "as_scalar_type",
    "as_memory_format",
    "as_layout",
    "as_device",
    "as_bool",
    "as_bools",
    "as_graph",
    "as_custom_obj",
    "as_operator",
    "as_complex",
    "as_string_to_argument",
};
static_assert(static_cast<std::size_t>(ArgumentKind::Unknown) == kKindNames.size());

ArgumentKind kindFromTag(std::string_view tag) {
    // The commonest first.
    if (tag == "as_tensor") return ArgumentKind::Tensor;
    for (std::size_t i = 0; i < kKindNames.size(); ++i)
        if (kKindNames[i] == tag) return static_cast<ArgumentKind>(i);
    return ArgumentKind::Unknown;
}

std::string quoted(std::string_view text) {
    std::string out = "\"";
    out += text.substr(0, 80);
    if (text.size() > 80) out += "...";
    return out + "\"";
}

}  // namespace

const char* argumentKindName(ArgumentKind kind) {
    const auto index = static_cast<std::size_t>(kind);
    return index < kKindNames.size() ? kKindNames[index].data() : "unknown";
}

ArgumentId ProgramReader::keep(const Argument& argument) {
    out_.arguments.push_back(argument);
    return static_cast<ArgumentId>(out_.arguments.size() - 1);
}

bool ProgramReader::readGraph(const PendingGraph& pending) {
    const auto id = static_cast<GraphId>(out_.graphs.size());
    out_.graphs.emplace_back();
    graph_ = id;
    Graph& graph = out_.graphs.back();
    graph.name = pending.name;
    graph.parent = pending.parent;
    graph.parentNode = pending.node;
    if (pending.parent != kNone) {
        const std::string& above = out_.graphs[pending.parent].path;
        graph.path = above.empty() ? std::string(pending.name) : above + "/" + std::string(pending.name);
    }
    if (pending.argument != kNone) out_.arguments[pending.argument].graph = id;
    graph.nodes.begin = static_cast<std::uint32_t>(out_.nodes.size());
    graph.values.begin = static_cast<std::uint32_t>(out_.values.size());
    reader_.seek(pending.token);
    const std::size_t firstArgument = out_.arguments.size();
    if (!readGraphBody(id)) return false;
    const JsonRange text = reader_.rangeSince(pending.token);
    Graph& read = out_.graphs[id];
    read.text = {text.begin, text.end};
    read.nodes.end = static_cast<std::uint32_t>(out_.nodes.size());
    read.values.end = static_cast<std::uint32_t>(out_.values.size());
    for (PendingGraph& inner : pending_) {
        inner.parent = id;
        inner.depth = pending.depth + 1;
    }
    // Until it is read, an as_graph argument holds its place in the list of pending graphs.
    for (std::size_t i = firstArgument; !pending_.empty() && i < out_.arguments.size(); ++i) {
        Argument& argument = out_.arguments[i];
        if (argument.kind != ArgumentKind::Graph || argument.graph == kNone) continue;
        pending_[argument.graph].argument = static_cast<ArgumentId>(i);
        argument.graph = kNone;
    }
    linkGraph(id);
    return true;
}

bool ProgramReader::readGraphBody(GraphId graph) {
    const std::uint32_t token = reader_.position();
    bool inputs = false, outputs = false, nodes = false, tensors = false;
    const auto twice = [&](bool& seen, std::string_view key) {
        if (seen) reader_.fault("the key " + quoted(key) + " is given twice");
        return !std::exchange(seen, true);
    };
    const bool read = reader_.readObject([&](std::string_view key) {
        if (key == "inputs") {
            if (!twice(inputs, key)) return false;
            IdRange range;
            if (!readArgumentList(range, kNone)) return false;
            out_.graphs[graph].inputs = range;
            return true;
        }
        if (key == "outputs") {
            if (!twice(outputs, key)) return false;
            IdRange range;
            if (!readArgumentList(range, kNone)) return false;
            out_.graphs[graph].outputs = range;
            return true;
        }
        if (key == "nodes") {
            if (!twice(nodes, key)) return false;
            return reader_.readArray([&] { return readNode(); });
        }
        if (key == "tensor_values") {
            tensors = true;
            return readTensorValues();
        }
        if (key == "sym_int_values") return reader_.atNull() ? reader_.skip() : readSymbolicValues(ValueKind::SymInt);
        if (key == "sym_float_values") return reader_.atNull() ? reader_.skip() : readSymbolicValues(ValueKind::SymFloat);
        if (key == "sym_bool_values") return reader_.atNull() ? reader_.skip() : readSymbolicValues(ValueKind::SymBool);
        if (key == "custom_obj_values") return reader_.atNull() ? reader_.skip() : readCustomObjects();
        if (key == "is_single_tensor_return" && reader_.atBoolean()) {
            bool single = false;
            if (!reader_.readBool(single)) return false;
            out_.graphs[graph].isSingleTensorReturn = single;
            return true;
        }
        return reader_.skip();
    });
    if (!read) return false;
    if (!inputs) return isMissing(token, "inputs");
    if (!outputs) return isMissing(token, "outputs");
    if (!nodes) return isMissing(token, "nodes");
    if (!tensors) return isMissing(token, "tensor_values");
    return true;
}

bool ProgramReader::readNode() {
    const std::uint32_t token = reader_.position();
    const auto id = static_cast<NodeId>(out_.nodes.size());
    out_.nodes.emplace_back();
    Node node;
    node.graph = graph_;
    node.index = id - out_.graphs[graph_].nodes.begin;
    bool target = false, inputs = false, outputs = false, metadata = false;
    const bool read = reader_.readObject([&](std::string_view key) {
        if (key == "target") {
            target = true;
            return reader_.readString(node.target);
        }
        if (key == "inputs") {
            inputs = true;
            node.inputs.begin = static_cast<std::uint32_t>(out_.namedArguments.size());
            const bool list = reader_.readArray([&] {
                NamedArgument argument;
                if (!readNamedArgument(argument)) return false;
                out_.namedArguments.push_back(argument);
                return true;
            });
            node.inputs.end = static_cast<std::uint32_t>(out_.namedArguments.size());
            return list;
        }
        if (key == "outputs") {
            outputs = true;
            return readArgumentList(node.outputs, id);
        }
        if (key == "metadata") {
            metadata = true;
            const std::uint32_t at = reader_.position();
            if (!checkMetadata()) return false;
            const JsonRange range = reader_.rangeSince(at);
            node.metadata = {range.begin, range.end};
            return true;
        }
        if (key == "name" && reader_.atString()) return reader_.readString(node.name);
        if (key == "is_hop_single_tensor_return" && reader_.atBoolean()) {
            bool single = false;
            if (!reader_.readBool(single)) return false;
            node.isHopSingleTensorReturn = single;
            return true;
        }
        return reader_.skip();
    });
    if (!read) return false;
    if (!target) return isMissing(token, "target");
    if (!inputs) return isMissing(token, "inputs");
    if (!outputs) return isMissing(token, "outputs");
    if (!metadata) return isMissing(token, "metadata");
    const JsonRange text = reader_.rangeSince(token);
    node.text = {text.begin, text.end};
    if (node.target.find_first_of(" \t\r\n()'\"=") != std::string_view::npos) {
        note(Severity::Error, "program.target", token, "The target " + quoted(node.target) + " is no operator's name.",
             "torch refuses this file. Nothing of it is run here.");
    }
    for (std::size_t i = pending_.size(); i-- > 0 && pending_[i].node == kNone;) pending_[i].node = id;
    out_.nodes[id] = node;
    return true;
}

bool ProgramReader::checkMetadata() {
    const std::uint32_t token = reader_.position();
    if (!reader_.atObject()) {
        note(Severity::Error, "program.metadata", token, "The metadata of a node is no object; it is left out.", "torch refuses this file.");
        return reader_.skip();
    }
    // A flat object of strings has tokens in fours: key, colon, value, comma. Anything else takes the careful way.
    const JsonTokens& tokens = reader_.tokens();
    std::uint32_t at = token + 1;
    if (tokens.first(at) == '}') {
        reader_.seek(at + 1);
        return true;
    }
    while (tokens.first(at) == '"' && tokens.first(at + 1) == ':' && tokens.first(at + 2) == '"') {
        const char c = tokens.first(at + 3);
        at += 4;
        if (c == ',') continue;
        if (c != '}') break;
        reader_.seek(at);
        return true;
    }
    note(Severity::Error, "program.metadata", token, "The metadata of a node holds something that is no text.", "torch refuses this file.");
    return reader_.skip();
}

bool ProgramReader::readNamedArgument(NamedArgument& out) {
    const std::uint32_t token = reader_.position();
    bool hasName = false, hasArgument = false;
    Argument argument;
    const bool read = reader_.readObject([&](std::string_view key) {
        if (key == "name") {
            hasName = true;
            return reader_.readString(out.name);
        }
        if (key == "arg") {
            hasArgument = true;
            return readArgument(argument, kNone, 0);
        }
        if (key == "kind" && reader_.atNumber()) {
            std::int64_t kind = 0;
            if (!reader_.readInteger(kind)) return false;
            out.kind = kind == 1 || kind == 2 ? static_cast<int>(kind) : 0;
            return true;
        }
        return reader_.skip();
    });
    if (!read) return false;
    if (!hasName) return isMissing(token, "name");
    if (!hasArgument) return isMissing(token, "arg");
    out.argument = keep(argument);
    return true;
}

template <typename Read>
bool ProgramReader::readChildren(Argument& out, Read&& read) {
    // Children of one list stand together, so they wait on a stack until the list is complete.
    const std::size_t base = scratch_.size();
    const bool done = reader_.readArray([&] {
        Argument child;
        if (!read(child)) return false;
        scratch_.push_back(child);
        return true;
    });
    if (!done) return false;
    out.children.begin = static_cast<std::uint32_t>(out_.arguments.size());
    out_.arguments.insert(out_.arguments.end(), scratch_.begin() + static_cast<std::ptrdiff_t>(base), scratch_.end());
    out.children.end = static_cast<std::uint32_t>(out_.arguments.size());
    scratch_.resize(base);
    return true;
}

bool ProgramReader::readArgumentList(IdRange& out, NodeId node) {
    Argument list;
    const std::size_t firstPending = pending_.size();
    if (!readChildren(list, [&](Argument& child) { return readArgument(child, node, 0); })) return false;
    out = list.children;
    for (std::size_t i = firstPending; i < pending_.size(); ++i) pending_[i].node = node;
    return true;
}

bool ProgramReader::readArgument(Argument& out, NodeId node, int depth) {
    const std::uint32_t token = reader_.position();
    std::string_view tag;
    int found = 0, members = 0;
    const bool read = reader_.readObject([&](std::string_view key) {
        ++members;
        if (reader_.atNull()) {  // the unused tags of torch 2.1 and 2.2
            if (found == 0) tag = key;
            return reader_.skip();
        }
        if (++found > 1) return reader_.skip();
        tag = key;
        const ArgumentKind kind = kindFromTag(key);
        if (kind == ArgumentKind::Unknown || (kind == ArgumentKind::StringToArgument && depth >= kArgumentDepthLimit)) {
            out.kind = ArgumentKind::Unknown;
            return reader_.skip();
        }
        out.kind = kind;
        return readArgumentOf(kind, out, node, depth);
    });
    if (!read) return false;
    if (found == 1 && out.kind != ArgumentKind::Unknown) return true;
    if (found == 0 && members == 1 && tag == "as_none") return true;
    const ArgumentKind kind = kindFromTag(tag);
    std::string message = "An argument of the unknown kind " + quoted(tag) + " is shown as its JSON.";
    if (found > 1) message = "An argument has two kinds; it is shown as its JSON.";
    if (found == 0) message = "An argument has no kind; it is shown as its JSON.";
    if (found == 1 && kind == ArgumentKind::StringToArgument) message = "An argument is nested too deeply; it is shown as its JSON.";
    const bool unknownTag = found == 1 && kind == ArgumentKind::Unknown;
    note(unknownTag ? Severity::Note : Severity::Error, "program.unknown-argument", token, message,
         unknownTag ? "A newer pt2scope may know it." : "torch refuses this file.");
    out = Argument{};
    out.kind = ArgumentKind::Unknown;
    out.text = reader_.textSince(token);
    return true;
}

bool ProgramReader::readInt(Argument& out) {
    out.kind = ArgumentKind::Int;
    const std::uint32_t token = reader_.position();
    if (reader_.tryInteger(out.integer)) return true;
    const std::string_view text =
        reader_.tokens().text().substr(reader_.tokens().offset(token), reader_.tokens().end(token) - reader_.tokens().offset(token));
    const std::size_t sign = text.substr(0, 1) == "-" ? 1 : 0;
    if (text.size() == sign || text.find_first_not_of("0123456789", sign) != std::string_view::npos)
        return reader_.fault("an integer is missing here");
    out.integer = 0;
    out.text = text;
    note(Severity::Warning, "program.large-integer", token, "An integer argument does not fit 64 bits; it is kept as text.");
    return reader_.skip();
}

bool ProgramReader::readNameObject(Argument& out) {
    const std::uint32_t token = reader_.position();
    bool found = false;
    std::string_view name;
    const bool read = reader_.readObject([&](std::string_view key) {
        if (key == "name") {
            found = true;
            return reader_.readString(name);
        }
        if (key == "class_fqn" && out.kind == ArgumentKind::CustomObj) return reader_.readString(out.text);
        return reader_.skip();
    });
    if (!read) return false;
    if (!found) return isMissing(token, "name");
    if (creatingValues_) {
        out.value = out_.valueTable.enter(out_.values, graph_, name);
    } else {
        out.value = out_.valueTable.find(out_.values, graph_, name);
        if (out.value == kNone) out.text = name;
    }
    return true;
}

bool ProgramReader::readSymbolic(ArgumentKind kind, Argument& out) {
    const std::uint32_t token = reader_.position();
    bool found = false;
    const bool read = reader_.readObject([&](std::string_view tag) {
        if (reader_.atNull()) return reader_.skip();
        found = true;
        if (tag == "as_name") {
            std::string_view name;
            if (!reader_.readString(name)) return false;
            out.value = creatingValues_ ? out_.valueTable.enter(out_.values, graph_, name) : out_.valueTable.find(out_.values, graph_, name);
            if (out.value == kNone) out.text = name;
            out.kind = kind;
            return true;
        }
        if (tag == "as_int" && kind == ArgumentKind::SymInt) return readInt(out);
        if (tag == "as_float" && kind == ArgumentKind::SymFloat) {
            out.kind = ArgumentKind::Float;
            return reader_.readReal(out.real);
        }
        if (tag == "as_bool" && kind == ArgumentKind::SymBool) {
            bool truth = false;
            if (!reader_.readBool(truth)) return false;
            out.kind = ArgumentKind::Bool;
            out.integer = truth ? 1 : 0;
            return true;
        }
        return reader_.fault("this kind of symbolic argument is not known here");
    });
    return read && (found || reader_.faultAt(token, "a symbolic argument has no value"));
}

bool ProgramReader::readGraphArgument(Argument& out, NodeId node) {
    const std::uint32_t token = reader_.position();
    std::uint32_t graph = kNone;
    bool found = false;
    const bool read = reader_.readObject([&](std::string_view key) {
        if (key == "name") {
            found = true;
            return reader_.readString(out.text);
        }
        if (key == "graph" && !reader_.atNull()) graph = reader_.position();
        return reader_.skip();
    });
    if (!read) return false;
    if (!found) return isMissing(token, "name");
    if (graph == kNone || reader_.tokens().first(graph) != '{') {
        note(Severity::Error, "program.no-subgraph", token, "The argument " + quoted(out.text) + " names a graph that the file does not hold.",
             "torch refuses this file.");
        return true;
    }
    if (!creatingValues_) return true;  // a signature holds no graphs
    PendingGraph pending;
    pending.token = graph;
    pending.name = out.text;
    pending.node = node;
    out.graph = static_cast<GraphId>(pending_.size());
    pending_.push_back(pending);
    return true;
}

bool ProgramReader::readArgumentOf(ArgumentKind kind, Argument& out, NodeId node, int depth) {
    const auto enumNumber = [&] {
        if (!reader_.readInteger(out.integer)) return false;
        return out.integer >= 0 && out.integer < 256 ? true : reader_.fault("this number is out of range");
    };
    const auto truth = [&](Argument& a) {
        bool value = false;
        if (!reader_.readBool(value)) return false;
        a.kind = ArgumentKind::Bool;
        a.integer = value ? 1 : 0;
        return true;
    };
    const auto real = [&](Argument& a) {
        a.kind = ArgumentKind::Float;
        return reader_.readReal(a.real);
    };
    const auto tensor = [&](Argument& a) {
        a.kind = ArgumentKind::Tensor;
        return readNameObject(a);
    };
    const auto optionalTensor = [&](Argument& a) { return readArgument(a, node, depth + 1); };
    switch (kind) {
        case ArgumentKind::None: return reader_.skip();
        case ArgumentKind::Tensor:
        case ArgumentKind::CustomObj: return readNameObject(out);
        case ArgumentKind::Tensors: return readChildren(out, tensor);
        case ArgumentKind::OptionalTensors: return readChildren(out, optionalTensor);
        case ArgumentKind::OptionalTensor: {
            Argument child;
            if (!readArgument(child, node, depth + 1)) return false;
            out.children.begin = keep(child);
            out.children.end = out.children.begin + 1;
            return true;
        }
        case ArgumentKind::NestedTensors:
            return readChildren(out, [&](Argument& a) {
                a.kind = ArgumentKind::Tensors;
                return readChildren(a, tensor);
            });
        case ArgumentKind::Int: return readInt(out);
        case ArgumentKind::Ints: return readChildren(out, [&](Argument& a) { return readInt(a); });
        case ArgumentKind::IntLists:
            return readChildren(out, [&](Argument& a) {
                a.kind = ArgumentKind::Ints;
                return readChildren(a, [&](Argument& b) { return readInt(b); });
            });
        case ArgumentKind::Float: return reader_.readReal(out.real);
        case ArgumentKind::Floats: return readChildren(out, real);
        case ArgumentKind::FloatLists:
            return readChildren(out, [&](Argument& a) {
                a.kind = ArgumentKind::Floats;
                return readChildren(a, real);
            });
        case ArgumentKind::String:
        case ArgumentKind::Operator: return reader_.readString(out.text);
        case ArgumentKind::Strings:
            return readChildren(out, [&](Argument& a) {
                a.kind = ArgumentKind::String;
                return reader_.readString(a.text);
            });
        case ArgumentKind::SymInt:
        case ArgumentKind::SymFloat:
        case ArgumentKind::SymBool: {
            Argument inner;
            if (!readSymbolic(kind, inner)) return false;
            inner.kind = kind;
            out = inner;
            return true;
        }
        case ArgumentKind::SymInts: return readChildren(out, [&](Argument& a) { return readSymbolic(ArgumentKind::SymInt, a); });
        case ArgumentKind::SymFloats: return readChildren(out, [&](Argument& a) { return readSymbolic(ArgumentKind::SymFloat, a); });
        case ArgumentKind::SymBools: return readChildren(out, [&](Argument& a) { return readSymbolic(ArgumentKind::SymBool, a); });
        case ArgumentKind::ScalarType:
        case ArgumentKind::MemoryFormat:
        case ArgumentKind::Layout: return enumNumber();
        case ArgumentKind::Device: {
            Device device;
            if (!readDevice(device)) return false;
            out.text = device.type;
            out.integer = device.index.value_or(-1);
            return true;
        }
        case ArgumentKind::Bool: return truth(out);
        case ArgumentKind::Bools: return readChildren(out, truth);
        case ArgumentKind::Graph: return readGraphArgument(out, node);
        case ArgumentKind::Complex:
            return reader_.readObject([&](std::string_view key) {
                if (key == "real") return reader_.readReal(out.real);
                if (key == "imag") return reader_.readReal(out.imaginary);
                return reader_.skip();
            });
        case ArgumentKind::StringToArgument: {
            const std::size_t base = scratch_.size();
            const bool read = reader_.readObject([&](std::string_view key) {
                Argument name, value;
                name.kind = ArgumentKind::String;
                name.text = key;
                if (!readArgument(value, node, depth + 1)) return false;
                scratch_.push_back(name);
                scratch_.push_back(value);
                return true;
            });
            if (!read) return false;
            out.children.begin = static_cast<std::uint32_t>(out_.arguments.size());
            out_.arguments.insert(out_.arguments.end(), scratch_.begin() + static_cast<std::ptrdiff_t>(base), scratch_.end());
            out.children.end = static_cast<std::uint32_t>(out_.arguments.size());
            scratch_.resize(base);
            return true;
        }
        case ArgumentKind::Unknown: break;
    }
    return reader_.skip();
}

void ProgramReader::linkGraph(GraphId graphId) {
    const Graph& graph = out_.graphs[graphId];
    std::vector<Value>& values = out_.values;
    const ValueId firstValue = graph.values.begin;
    const auto nodeWhere = [&](NodeId node) {
        return (out_.where.empty() ? "" : out_.where + ": ") + (graph.path.empty() ? "" : graph.path + ": ") + "node " +
               std::to_string(out_.nodes[node].index);
    };
    // Lists nest at most kArgumentDepthLimit deep, by the reader above.
    const auto visit = [&](const auto& self, const Argument& argument, const auto& use) -> void {
        if (argument.value != kNone) use(argument.value);
        for (std::uint32_t i = argument.children.begin; i < argument.children.end; ++i) self(self, out_.arguments[i], use);
    };

    for (std::uint32_t i = graph.inputs.begin; i < graph.inputs.end; ++i) {
        const ValueId value = out_.arguments[i].value;
        if (value == kNone) continue;
        if (values[value].inputIndex != kNone) {
            noteAt(Severity::Error, "program.duplicate-value", out_.where, "Two inputs of a graph have the name " + quoted(values[value].name) + ".",
                   "torch refuses this file.");
        }
        values[value].inputIndex = i - graph.inputs.begin;
    }
    for (NodeId node = graph.nodes.begin; node < graph.nodes.end; ++node) {
        for (std::uint32_t i = out_.nodes[node].outputs.begin; i < out_.nodes[node].outputs.end; ++i) {
            visit(visit, out_.arguments[i], [&](ValueId value) {
                if (values[value].producer != kNone || values[value].inputIndex != kNone) {
                    noteAt(Severity::Error, "program.duplicate-value", nodeWhere(node), "The value " + quoted(values[value].name) + " is made twice.",
                           "torch refuses this file.");
                    return;
                }
                values[value].producer = node;
            });
        }
    }
    for (std::uint32_t i = graph.outputs.begin; i < graph.outputs.end; ++i) {
        visit(visit, out_.arguments[i], [&](ValueId value) { values[value].isGraphOutput = true; });
        if (out_.arguments[i].kind == ArgumentKind::String) {
            noteAt(Severity::Error, "program.string-output", out_.where, "An output of the program is a text.",
                   "torch writes such programs but cannot load them.");
        }
    }
    // Users: counted, then placed, each node once for a value.
    std::vector<NodeId> lastUser(graph.values.size(), kNone);
    const auto forUses = [&](const auto& use) {
        std::fill(lastUser.begin(), lastUser.end(), kNone);
        for (NodeId node = graph.nodes.begin; node < graph.nodes.end; ++node) {
            for (std::uint32_t i = out_.nodes[node].inputs.begin; i < out_.nodes[node].inputs.end; ++i) {
                visit(visit, out_.arguments[out_.namedArguments[i].argument], [&](ValueId value) {
                    if (lastUser[value - firstValue] == node) return;
                    lastUser[value - firstValue] = node;
                    use(node, value);
                });
            }
        }
    };
    forUses([&](NodeId node, ValueId value) {
        ++values[value].users.end;
        const NodeId producer = values[value].producer;
        if (producer != kNone && producer >= node) {
            noteAt(Severity::Error, "program.order", nodeWhere(node),
                   "The node reads " + quoted(values[value].name) + ", which only a later node or it itself makes.", "torch refuses this file.");
        } else if (producer == kNone && values[value].inputIndex == kNone) {
            noteAt(Severity::Error, "program.dangling", nodeWhere(node), "The node reads " + quoted(values[value].name) + ", which nothing makes.",
                   "torch refuses this file.");
        }
    });
    auto next = static_cast<std::uint32_t>(out_.userNodes.size());
    for (ValueId value = firstValue; value < graph.values.end; ++value) {
        const std::uint32_t count = values[value].users.end;
        values[value].users = {next, next};
        next += count;
    }
    out_.userNodes.resize(next);
    forUses([&](NodeId node, ValueId value) { out_.userNodes[values[value].users.end++] = node; });

    for (ValueId id = firstValue; id < graph.values.end; ++id) {
        const Value& value = values[id];
        if (value.isGraphOutput && value.producer == kNone && value.inputIndex == kNone) {
            noteAt(Severity::Error, "program.dangling", out_.where, "The graph's output " + quoted(value.name) + " is made by nothing.",
                   "torch refuses this file.");
        }
        if (value.kind == ValueKind::Untyped && (value.producer != kNone || value.inputIndex != kNone)) {
            noteAt(Severity::Error, "program.untyped-value", value.producer != kNone ? nodeWhere(value.producer) : out_.where,
                   "The value " + quoted(value.name) + " has no description of its type and sizes.", "torch refuses this file.");
        }
    }
}

void ProgramReader::nameNodes() {
    for (const Graph& graph : out_.graphs) {
        const GraphId graphId = static_cast<GraphId>(&graph - out_.graphs.data());
        TextTable taken;
        TextTable bases;
        std::vector<std::uint32_t> lastNumbers;
        for (NodeId id = graph.nodes.begin; id < graph.nodes.end; ++id) {
            const Node& node = out_.nodes[id];
            if (node.outputs.size() == 1 && out_.arguments[node.outputs.begin].value != kNone) continue;
            std::string_view name = node.name.empty() ? splitOperatorName(node.target).name : node.name;
            if (name.empty()) name = "node";
            const auto isFree = [&](std::string_view candidate) {
                const ValueId value = out_.valueTable.find(out_.values, graphId, candidate);
                return (value == kNone || out_.values[value].producer == id) && taken.find(candidate) == kNone;
            };
            bool added = false;
            const std::uint32_t base = bases.enter(name, added);
            if (added) lastNumbers.push_back(0);
            std::string candidate(name);
            while (!isFree(candidate)) candidate = std::string(bases.text(base)) + "_" + std::to_string(++lastNumbers[base]);
            if (candidate != name) name = out_.texts.keep(std::move(candidate));
            taken.enter(name, added);
            out_.nodeNames.emplace_back(id, name);
            out_.nodesByName.push_back({{graphId, name}, id});
        }
    }
    std::sort(out_.nodesByName.begin(), out_.nodesByName.end());
}

}  // namespace pt2
