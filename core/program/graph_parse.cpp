#include <utility>

#include "core/program/program_reader.h"

namespace pt2 {

namespace {

/// Whether a target has the form of one that some torch writes (format.md 2.5).
bool mayBeTarget(std::string_view target) {
    if (!target.empty() && target.front() == '#') return target.find(':') != std::string_view::npos;
    for (char c : target) {
        const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
                          static_cast<unsigned char>(c) >= 0x80;
        if (!word) return false;
    }
    for (std::string_view prefix : {"torch.", "_operator.", "math.", "executorch."})
        if (target.size() > prefix.size() && target.substr(0, prefix.size()) == prefix) return true;
    return false;
}

}  // namespace

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
    if (!mayBeTarget(node.target)) {
        note(Severity::Error, "program.target", token, "The target " + quoted(node.target) + " names no operator.",
             "torch refuses this file. Nothing of it is run here.");
    }
    for (std::size_t i = pending_.size(); i-- > 0 && pending_[i].node == kNone;) pending_[i].node = id;
    out_.nodes[id] = node;
    return true;
}

bool ProgramReader::checkMetadata() {
    const std::uint32_t token = reader_.position();
    if (!reader_.atObject()) {
        note(Severity::Error, "program.metadata", token, "The metadata of a node is no object; it is left out.",
             "torch refuses this file; export the program again.");
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
    note(Severity::Error, "program.metadata", token, "The metadata of a node holds something that is no text.",
         "torch refuses this file; export the program again.");
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

}  // namespace pt2
