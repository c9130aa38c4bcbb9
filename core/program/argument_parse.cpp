#include <algorithm>
#include <array>

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

}  // namespace

const char* argumentKindName(ArgumentKind kind) {
    const auto index = static_cast<std::size_t>(kind);
    return index < kKindNames.size() ? kKindNames[index].data() : "unknown";
}

ArgumentId ProgramReader::keep(const Argument& argument) {
    out_.arguments.push_back(argument);
    return static_cast<ArgumentId>(out_.arguments.size() - 1);
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
         unknownTag ? "A newer pt2scope may know it." : "torch refuses this file; export the program again.");
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
             "torch refuses this file; export the program again.");
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

}  // namespace pt2
