#include "core/program/printed_form.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "core/base/text.h"
#include "core/program/printed_graph.h"
#include "core/program/printed_names.h"
#include "core/program/printed_value.h"

namespace pt2 {

namespace {

struct Infix {
    std::string_view target;
    const char* before;
    const char* between;
};
constexpr std::array kInfix = {
    Infix{"add", "", " + "},     Infix{"sub", "", " - "},       Infix{"mul", "", " * "},  Infix{"floordiv", "", " // "},
    Infix{"truediv", "", " / "}, Infix{"mod", "", " % "},       Infix{"pow", "", " ** "}, Infix{"lshift", "", " << "},
    Infix{"rshift", "", " >> "}, Infix{"and_", "", " & "},      Infix{"or_", "", " | "},  Infix{"xor", "", " ^ "},
    Infix{"matmul", "", " @ "},  Infix{"eq", "", " == "},       Infix{"ne", "", " != "},  Infix{"lt", "", " < "},
    Infix{"gt", "", " > "},      Infix{"le", "", " <= "},       Infix{"ge", "", " >= "},  Infix{"neg", "-", nullptr},
    Infix{"pos", "+", nullptr},  Infix{"invert", "~", nullptr},
};

const Infix* infixOf(std::string_view target) {
    constexpr std::string_view prefix = "_operator.";
    if (target.substr(0, prefix.size()) != prefix) return nullptr;
    for (const Infix& infix : kInfix)
        if (infix.target == target.substr(prefix.size())) return &infix;
    return nullptr;
}

/// Prints one graph without its subgraphs.
class GraphPrinter {
public:
    GraphPrinter(const Program& program, GraphId graph)
        : program_(program), graph_(program.graph(graph)), printed_(buildPrintedGraph(program, graph)), names_(printed_.nodes.size()) {
        for (const char* used : {"inf", "nan", "NoneType", "torch", "device", "fx_pytree", "pytree"}) table_.markUsed(used);
    }

    std::string print(std::string_view className) {
        findLastUsers();
        std::string parameters, body;
        for (std::uint32_t id = 0; id < printed_.nodes.size(); ++id) {
            if (printed_.nodes[id].kind == PrintedNode::Kind::Placeholder) {
                placeholder(id, parameters, body);
            } else {
                comment(printed_.nodes[id], body);
                line(id, body);
            }
        }
        body += "return " + outputs() + "\n";
        std::string out = "class " + std::string(className) + "(torch.nn.Module):\n    def forward(self" + parameters + "):\n";
        const std::size_t first = std::min(body.find_first_not_of('\n'), body.size());
        appendIndented(out, std::string_view(body).substr(first), 8);
        return out;
    }

    static void appendIndented(std::string& out, std::string_view text, std::size_t indent) {
        while (!text.empty()) {
            const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
            if (text[0] != '\n') out.append(indent, ' ');
            out += text.substr(0, end);
            text.remove_prefix(end);
        }
    }

private:
    std::string annotation(ValueId id) const {
        if (id == kNone) return {};
        const Value& value = program_.value(id);
        std::string text;
        switch (value.kind) {
            case ValueKind::Tensor: {
                text = dtypeShortName(value.dtype);
                text += '[';
                const char* separator = "";
                for (const SymInt& size : program_.sizes(value)) {
                    text += separator;
                    text += program_.dimText(size);
                    separator = ", ";
                }
                text += ']';
                break;
            }
            case ValueKind::SymInt:
            case ValueKind::SymFloat:
            case ValueKind::SymBool: {
                if (!value.symbolic.isSymbolic()) return {};
                const std::optional<SymExpr>& expression = program_.expression(value.symbolic.expr);
                if (expression && expression->isConstant()) return {};
                text = "Sym(" + program_.dimText(value.symbolic) + ")";
                break;
            }
            default: return {};
        }
        return ": \"" + text + "\"";
    }

    void placeholder(std::uint32_t id, std::string& parameters, std::string& body) {
        const PrintedNode& node = printed_.nodes[id];
        names_[id] = table_.request(node.name);
        const std::string target = node.target.empty() ? node.name : std::string(node.target);
        parameters += ", " + target + annotation(node.value);
        if (names_[id] != target) body += names_[id] + " = " + target + "\n";
    }

    void comment(const PrintedNode& node, std::string& body) {
        std::string text = "# No stacktrace found for following nodes";
        if (node.node != kNone) {
            // Nodes that follow each other often have the same metadata, getitems always have that of their source.
            const std::string_view raw = program_.slice(program_.node(node.node).metadata);
            if (raw != lastMetadata_) {
                lastMetadata_ = raw;
                lastMetadataComment_ = "#" + printedComment(program_.metadata(node.node));
            }
            text = lastMetadataComment_;
        }
        if (text == lastComment_) return;
        body += "\n" + text + "\n";
        lastComment_ = std::move(text);
    }

    void line(std::uint32_t id, std::string& body) {
        const PrintedNode& node = printed_.nodes[id];
        std::string expression;
        switch (node.kind) {
            case PrintedNode::Kind::GetAttr: expression = attribute(node.target); break;
            case PrintedNode::Kind::GetItem: expression = names_[node.source] + "[" + std::to_string(node.index) + "]"; break;
            default: expression = call(node); break;
        }
        names_[id] = table_.request(node.name);
        body += names_[id] + annotation(node.value) + " = " + expression;
        const char* separator = ";  ";
        for (std::uint32_t used : inputsOf(node)) {
            if (lastUser_[used] != id) continue;
            body += separator + names_[used];
            separator = " = ";
        }
        if (lastUser_[id] == kNone) {
            body += separator + names_[id];
            separator = " = ";
        }
        if (separator[0] == ' ') body += " = None";
        body += '\n';
    }

    static std::string attribute(std::string_view target) {
        std::string text = "self";
        for (std::string_view part : splitView(target, '.')) {
            bool identifier = !part.empty() && !(part[0] >= '0' && part[0] <= '9');
            for (char c : part) {
                const auto u = static_cast<unsigned char>(c);
                identifier = identifier && (u >= 0x80 || c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'));
            }
            if (identifier) {
                text += "." + std::string(part);
            } else {
                text = "getattr(" + text + ", \"" + std::string(part) + "\")";
            }
        }
        return text;
    }

    std::string function(std::string_view target) {
        if (target.substr(0, 6) == "torch." || target.substr(0, 10) == "_operator.") return std::string(target);
        // A callable of another module becomes a global of the generated code.
        std::string& global = globals_[std::string(target)];
        if (global.empty()) global = table_.request(target);
        return global;
    }

    bool isPositional(const NamedArgument& argument, std::string_view target) const {
        if (target.substr(0, 10) == "_operator." || target.substr(0, 10) == "torch.sym_" || target.substr(0, 11) == "torch._sym_" ||
            target == "torch.ops.aten.item.default") {
            return true;
        }
        if (argument.kind == 1 || argument.name.empty()) return true;
        if (argument.kind == 2) return isPythonKeyword(argument.name) && !isHigherOrder(target);
        if (target.substr(0, 10) != "torch.ops." || isHigherOrder(target)) return false;
        return true;
    }

    std::string call(const PrintedNode& printed) {
        const Node& node = program_.node(printed.node);
        std::size_t nextGetAttr = 0;
        PrintedNames valueNames = namesForValues();
        valueNames.graph = [&](const Argument& graph) {
            return nextGetAttr < printed.getAttrs.size() ? names_[printed.getAttrs[nextGetAttr++]] : std::string(graph.text);
        };
        std::vector<std::string> positional, keyword;
        for (std::uint32_t i = node.inputs.begin; i < node.inputs.end; ++i) {
            const NamedArgument& argument = program_.namedArguments()[i];
            std::string text = printValue(program_, program_.argument(argument.argument), valueNames);
            if (isPositional(argument, node.target)) {
                positional.push_back(std::move(text));
            } else {
                keyword.push_back(std::string(argument.name) + " = " + text);
            }
        }
        if (const Infix* infix = infixOf(node.target)) {
            if (infix->between == nullptr && positional.size() == 1) return infix->before + positional[0];
            if (infix->between != nullptr && positional.size() == 2) return positional[0] + infix->between + positional[1];
        }
        positional.insert(positional.end(), std::make_move_iterator(keyword.begin()), std::make_move_iterator(keyword.end()));
        return function(node.target) + "(" + join(positional, ", ") + ")";
    }

    PrintedNames namesForValues() const {
        return {[this](ValueId id) {
                    const bool own = id >= graph_.values.begin && id < graph_.values.end;
                    const std::uint32_t maker = own ? printed_.nodeOfValue[id - graph_.values.begin] : kNone;
                    return maker != kNone && !names_[maker].empty() ? names_[maker] : std::string(program_.value(id).name);
                },
                [](const Argument& graph) { return std::string(graph.text); }};
    }

    std::string outputs() const {
        if (graph_.isSingleTensorReturn && graph_.outputs.size() == 1)
            return printValue(program_, program_.argument(graph_.outputs.begin), namesForValues());
        return printValues(program_, graph_.outputs, '(', ')', namesForValues());
    }

    void collect(const Argument& a, std::vector<std::uint32_t>& used) const {
        if (a.value != kNone && a.value >= graph_.values.begin && a.value < graph_.values.end) {
            const std::uint32_t id = printed_.nodeOfValue[a.value - graph_.values.begin];
            if (id != kNone && std::find(used.begin(), used.end(), id) == used.end()) used.push_back(id);
        }
        if (a.kind == ArgumentKind::Graph) used.push_back(kNone);  // its get_attr, put in by inputsOf
        for (std::uint32_t i = a.children.begin; i < a.children.end; ++i) collect(program_.argument(i), used);
    }

    /// The printed nodes a line reads, once each: positional arguments before keyword ones.
    std::vector<std::uint32_t> inputsOf(const PrintedNode& printed) const {
        if (printed.kind == PrintedNode::Kind::GetItem) return {printed.source};
        std::vector<std::uint32_t> used;
        if (printed.kind != PrintedNode::Kind::Call) return used;
        const Node& node = program_.node(printed.node);
        for (const bool positional : {true, false}) {
            for (std::uint32_t i = node.inputs.begin; i < node.inputs.end; ++i) {
                const NamedArgument& argument = program_.namedArguments()[i];
                if (isPositional(argument, node.target) == positional) collect(program_.argument(argument.argument), used);
            }
        }
        std::size_t next = 0;
        for (std::uint32_t& id : used)
            if (id == kNone && next < printed.getAttrs.size()) id = printed.getAttrs[next++];
        used.erase(std::remove(used.begin(), used.end(), kNone), used.end());
        return used;
    }

    void findLastUsers() {
        lastUser_.assign(printed_.nodes.size(), kNone);
        for (std::uint32_t id = 0; id < printed_.nodes.size(); ++id)
            for (std::uint32_t used : inputsOf(printed_.nodes[id])) lastUser_[used] = id;
        const auto output = static_cast<std::uint32_t>(printed_.nodes.size());
        std::vector<std::uint32_t> used;
        for (std::uint32_t i = graph_.outputs.begin; i < graph_.outputs.end; ++i) collect(program_.argument(i), used);
        for (std::uint32_t id : used)
            if (id != kNone) lastUser_[id] = output;
    }

    const Program& program_;
    const Graph& graph_;
    PrintedGraph printed_;
    std::vector<std::string> names_;  ///< as printed; empty before a node's line
    std::vector<std::uint32_t> lastUser_;
    NameTable table_;
    std::unordered_map<std::string, std::string> globals_;
    std::string lastComment_, lastMetadataComment_;
    std::string_view lastMetadata_;
};

std::string indentedAfterNewlines(std::string_view text) {
    std::string out;
    out.reserve(text.size() + text.size() / 8);
    for (char c : text) {
        out += c;
        if (c == '\n') out += "    ";
    }
    return out;
}

std::string bound(const std::optional<std::int64_t>& value, const char* open) { return value ? std::to_string(*value) : std::string(open); }

}  // namespace

std::string printReadable(const Program& program) {
    std::string out;
    std::vector<std::size_t> depth(program.graphs().size(), 0);
    for (GraphId id = 0; id < program.graphs().size(); ++id) {
        const Graph& graph = program.graph(id);
        if (graph.parent != kNone) depth[id] = depth[graph.parent] + 1;
        const std::string text = GraphPrinter(program, id).print(id == 0 ? "GraphModule" : graph.name);
        if (id > 0) out += '\n';
        GraphPrinter::appendIndented(out, text, 4 * depth[id]);
    }
    return out;
}

std::string printSignature(const Program& program) {
    const auto tail = [](std::string_view kind, std::string_view target, bool hasTarget) {
        std::string text = ": ";
        text += kind;
        if (hasTarget) {
            text += " target='";
            text += target;
            text += '\'';
        }
        return text;
    };
    const auto nameOf = [&](std::string_view name, ArgumentId id) {
        return id != kNone && program.argument(id).kind == ArgumentKind::SymBool ? std::string_view() : name;
    };
    std::string out = "\n# inputs\n";
    for (const InputSpec& spec : program.inputSpecs()) {
        const bool hasTarget = spec.kind != InputKind::UserInput && spec.kind != InputKind::Token && spec.kind != InputKind::Unknown;
        out += nameOf(spec.name, spec.argument);
        out += tail(inputKindName(spec.kind), spec.target, hasTarget);
        if (spec.kind == InputKind::Buffer && spec.persistent) out += *spec.persistent ? " persistent=True" : " persistent=False";
        out += '\n';
    }
    if (program.inputSpecs().empty()) out += '\n';
    out += "\n# outputs\n";
    for (const OutputSpec& spec : program.outputSpecs()) {
        const bool hasTarget = spec.kind != OutputKind::UserOutput && spec.kind != OutputKind::LossOutput && spec.kind != OutputKind::Token &&
                               spec.kind != OutputKind::Unknown;
        out += nameOf(spec.name, spec.argument);
        out += tail(outputKindName(spec.kind), spec.target, hasTarget);
        out += '\n';
    }
    if (program.outputSpecs().empty()) out += '\n';
    return out;
}

std::string printRangeConstraints(const Program& program) {
    std::string out = "{";
    const char* separator = "";
    for (const auto& [symbol, range] : program.rangeConstraints()) {
        out += separator;
        out += symbol + ": VR[" + bound(range.minimum, "-int_oo") + ", " + bound(range.maximum, "int_oo") + "]";
        separator = ", ";
    }
    return out + "}";
}

std::string printProgram(const Program& program) {
    return "ExportedProgram:\n    " + indentedAfterNewlines(printReadable(program)) +
           "\nGraph signature: " + indentedAfterNewlines(printSignature(program)) + "\nRange constraints: " + printRangeConstraints(program) + "\n";
}

std::string printArgument(const Program& program, ArgumentId argument) {
    const PrintedNames names{[&](ValueId id) { return std::string(program.value(id).name); },
                             [](const Argument& graph) { return std::string(graph.text); }};
    return printValue(program, program.argument(argument), names);
}

}  // namespace pt2
