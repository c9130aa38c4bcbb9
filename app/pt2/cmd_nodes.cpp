#include <algorithm>

#include "app/pt2/command.h"
#include "app/pt2/table.h"
#include "core/base/text.h"
#include "core/program/operator_family.h"
#include "core/program/printed_form.h"
#include "core/report/nodes_json.h"

namespace pt2 {
namespace {

struct NodesArguments {
    std::string file, model, op, module, format;
    bool byModule = false;
    bool subgraphs = false;
};

bool operatorMatches(const std::string& glob, std::string_view target) {
    if (globMatch(glob, target)) return true;
    constexpr std::string_view kPrefix = "torch.ops.";
    if (!target.starts_with(kPrefix)) return false;
    const std::string_view shortName = target.substr(kPrefix.size());
    const OperatorName parts = splitOperatorName(target);
    return globMatch(glob, shortName) || globMatch(glob, std::string(parts.ns) + "." + std::string(parts.name)) || globMatch(glob, parts.name);
}

bool isInside(std::string_view path, std::string_view module) {
    return path == module || (path.size() > module.size() && path.starts_with(module) && (module.empty() || path[module.size()] == '.'));
}

Result<std::vector<NodeId>> selectNodes(const NodesArguments& arguments, const Program& program) {
    std::vector<NodeId> out;
    bool moduleSeen = false;
    const IdRange root = program.rootGraph().nodes;
    for (NodeId id = 0; id < program.nodes().size(); ++id) {
        const Node& node = program.node(id);
        if (arguments.byModule) {
            if (!isInside(program.modulePath(id), arguments.module)) continue;
            moduleSeen = true;
        }
        if (!arguments.subgraphs && (id < root.begin || id >= root.end)) continue;
        if (!arguments.op.empty() && !operatorMatches(arguments.op, node.target)) continue;
        out.push_back(id);
    }
    if (!arguments.byModule || moduleSeen) return out;
    std::vector<std::string> modules;
    for (const ModuleCallEntry& call : program.moduleCallGraph()) modules.emplace_back(call.fqn);
    if (std::find(modules.begin(), modules.end(), arguments.module) != modules.end()) return out;
    const std::string near = nearestName(arguments.module, modules);
    return fail(usageError("module.unknown", "No node belongs to a module \"" + arguments.module + "\".", {},
                           near.empty() ? "pt2 inspect lists the modules." : "Did you mean " + near + "?"));
}

std::string outputsText(const Program& program, const Node& node) {
    std::vector<std::string> parts;
    program.forEachOutputValue(node, [&](ValueId id) {
        const Value& value = program.value(id);
        if (value.kind == ValueKind::Tensor) {
            parts.push_back(std::string(dtypeName(value.dtype)) + " " + formatShape(program.sizesText(value)));
        } else if (value.kind == ValueKind::SymInt || value.kind == ValueKind::SymFloat || value.kind == ValueKind::SymBool) {
            parts.push_back(program.dimText(value.symbolic));
        }
    });
    return join(parts, ", ");
}

std::string inputsText(const Program& program, const Node& node) {
    std::vector<std::string> parts;
    for (std::uint32_t i = node.inputs.begin; i < node.inputs.end; ++i) {
        const NamedArgument& named = program.namedArguments()[i];
        const std::string value = printArgument(program, named.argument);
        parts.push_back(named.kind == 2 ? std::string(named.name) + " = " + value : value);
    }
    return join(parts, ", ");
}

std::string sourceText(const Program& program, NodeId id) {
    const NodeMetadata metadata = program.metadata(id);
    if (metadata.stackTrace.empty()) return {};
    const SourceFrame& frame = metadata.stackTrace.back();
    return frame.file.substr(frame.file.rfind('/') + 1) + ":" + std::to_string(frame.line);
}

std::string nodeName(const Program& program, NodeId id) {
    const std::string& graph = program.graph(program.node(id).graph).path;
    return graph.empty() ? std::string(program.displayName(id)) : graph + "/" + std::string(program.displayName(id));
}

void printTable(const Program& program, const std::vector<NodeId>& nodes, Output& out) {
    Table table({{"#", Table::Align::Right}, {"NODE"}, {"OPERATOR"}, {"TYPE"}, {"INPUTS"}, {"MODULE"}, {"SOURCE"}});
    for (const NodeId id : nodes) {
        const Node& node = program.node(id);
        std::string_view target = node.target;
        if (target.starts_with("torch.ops.")) target.remove_prefix(10);
        table.row({{std::to_string(node.index), Style::Muted},
                   {nodeName(program, id), Style::Bold},
                   {std::string(target), Style::Accent},
                   outputsText(program, node),
                   inputsText(program, node),
                   {std::string(program.modulePath(id)), Style::Muted},
                   {sourceText(program, id), Style::Muted}});
    }
    table.print(out);
}

void printTsv(const Program& program, const std::vector<NodeId>& nodes, Output& out) {
    out.line("node\toperator\ttype\tinputs\tmodule\tsource\tgraph");
    for (const NodeId id : nodes) {
        const Node& node = program.node(id);
        std::string line;
        for (const std::string& field : {std::string(program.displayName(id)), std::string(node.target), outputsText(program, node),
                                         inputsText(program, node), std::string(program.modulePath(id)), sourceText(program, id)}) {
            line += escapeForDisplay(field);
            line += '\t';
        }
        out.line(line + escapeForDisplay(program.graph(node.graph).path));
    }
}

Result<int> nodes(const NodesArguments& arguments, Context& context) {
    const bool filtered = !arguments.op.empty() || arguments.byModule;
    std::string format = arguments.format;
    if (format.empty()) format = context.out.json() ? "json" : filtered || arguments.subgraphs ? "table" : "text";
    if (format == "text" && filtered) {
        return fail(usageError("nodes.filtered-text", "--format text is the whole program as torch prints it.",
                               "--op and --module pick single nodes.", "Use --format table, tsv or json with them."));
    }
    auto document = context.open(arguments.file);
    if (!document) return fail(document.error());
    auto chosen = chooseProgram(context, *document, arguments.model);
    if (!chosen) return fail(chosen.error());
    const Program& program = chosen->program();
    if (format == "text") {
        const std::string text = printReadable(program);
        if (context.out.json()) {
            context.out.document({{"format", 1}, {"model", chosen->model}, {"text", text}});
        } else {
            context.out.exact(text);
        }
        return 0;
    }
    auto selected = selectNodes(arguments, program);
    if (!selected) return fail(selected.error());
    if (format == "json" || context.out.json()) {
        context.out.document(nodesJson(program, chosen->model, *selected));
    } else if (format == "tsv") {
        printTsv(program, *selected, context.out);
    } else {
        printTable(program, *selected, context.out);
    }
    if (!selected->empty() || !filtered) return 0;
    const bool more = !arguments.subgraphs && program.graphs().size() > 1;
    context.out.note(more ? "No node fits; --subgraphs looks into the graphs inside, too." : "No node fits.");
    return 1;
}

}  // namespace

void addNodesCommand(CommandRegistry& registry) {
    auto arguments = std::make_shared<NodesArguments>();
    CLI::App* command = registry.add("nodes", "The graph: as torch prints it, or as a list of nodes",
                                     [arguments](Context& context) { return nodes(*arguments, context); });
    command->add_option("FILE", arguments->file, "The file to look into")->required();
    command->add_option("--model", arguments->model, "Which program, where there are several")->type_name("NAME");
    command->add_option("--op", arguments->op, "Only nodes of these operators: aten.linear, 'aten.*'")->type_name("GLOB");
    command
        ->add_option_function<std::string>(
            "--module",
            [arguments](const std::string& module) {
                arguments->module = module;
                arguments->byModule = true;
            },
            "Only nodes of this module and those inside of it")
        ->type_name("FQN");
    command->add_flag("--subgraphs", arguments->subgraphs, "List the nodes of subgraphs, too");
    command->add_option("--format", arguments->format, "text (print_readable's form), table, tsv or json")
        ->check(CLI::IsMember({"text", "table", "tsv", "json"}))
        ->type_name("FORMAT");
}

}  // namespace pt2
