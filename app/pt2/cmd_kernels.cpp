#include <algorithm>
#include <memory>

#include "app/pt2/command.h"
#include "app/pt2/table.h"
#include "core/base/text.h"
#include "core/package/linked_kernels.h"
#include "core/report/kernels_json.h"

namespace pt2 {
namespace {

struct KernelsArguments {
    std::string file, model, source;
};

/// The model that was asked for, else the default one, else the first that is compiled.
Result<std::string> chooseCompiled(const Document& document, const std::string& model) {
    auto name = document.resolveModel(model);
    if (!name || !model.empty() || document.compiled(*name)) return name;
    for (const std::string& other : document.modelNames()) {
        if (document.compiled(other)) return other;
    }
    return name;
}

/// Names of the linked nodes; without a program those that the source names.
std::string nodesText(const LinkedKernels& kernels, std::size_t call) {
    std::vector<std::string> names;
    for (const KernelLink& link : kernels.links[call]) names.emplace_back(kernels.program.entry->program->displayName(link.node));
    return join(kernels.program ? names : kernels.listing.calls[call].sourceNodes, ", ");
}

std::string byText(const LinkedKernels& kernels, std::size_t call) {
    std::vector<std::string> ways;
    for (const KernelLink& link : kernels.links[call]) {
        if (const std::string way = kernelLinkWords(link.by); std::find(ways.begin(), ways.end(), way) == ways.end()) ways.push_back(way);
    }
    if (!kernels.program && !kernels.listing.calls[call].sourceNodes.empty()) return kernelLinkWords(KernelLink::By::Named);
    return join(ways, ", ");
}

Result<int> printSource(const LinkedKernels& kernels, const std::string& name, Context& context) {
    const auto& calls = kernels.listing.calls;
    const auto found = std::find_if(calls.begin(), calls.end(), [&](const KernelCall& call) { return call.name == name; });
    if (found == calls.end()) {
        std::vector<std::string> names;
        for (const KernelCall& call : calls) names.push_back(call.name);
        const std::string near = nearestName(name, names);
        return fail(usageError("kernel.unknown", "No kernel named \"" + name + "\" is called.", {},
                               near.empty() ? "pt2 kernels FILE lists them." : "Did you mean " + near + "?"));
    }
    const auto index = static_cast<std::size_t>(found - calls.begin());
    const auto source = kernels.sourceOf(index);
    if (!source) return fail(source.error());
    if (context.out.json()) {
        context.out.document({{"format", 1},
                              {"name", name},
                              {"member", std::string(kernels.compiled.package->archive().nameBelowRoot(source->lines.member))},
                              {"line", source->lines.first},
                              {"text", source->text}});
    } else {
        context.out.exact(source->text);
    }
    return 0;
}

Result<int> kernels(const KernelsArguments& arguments, Context& context) {
    auto document = context.open(arguments.file);
    if (!document) return fail(document.error());
    const auto model = chooseCompiled(*document, arguments.model);
    if (!model) return fail(model.error());
    const auto read = readLinkedKernels(*document, *model);
    if (!read) return fail(read.error());
    if (!arguments.source.empty()) return printSource(*read, arguments.source, context);
    if (context.out.json()) {
        context.out.document(kernelsJson(*read));
        return 0;
    }
    Table table(
        {{"#", Table::Align::Right}, {"KERNEL"}, {"KIND"}, {"NODES"}, {"KNOWN BY"}, {"ATEN"}, {"READS"}, {"WRITES"}, {"LINE", Table::Align::Right}});
    for (std::size_t i = 0; i < read->listing.calls.size(); ++i) {
        const KernelCall& call = read->listing.calls[i];
        const std::string nodes = nodesText(*read, i);
        table.row({{std::to_string(i + 1), Style::Muted},  // as the window counts them
                   {call.name, Style::Bold},
                   kernelKindName(call.kind),
                   nodes.empty() ? Table::Cell{"unknown", Style::Muted} : Table::Cell{nodes, Style::Accent},
                   {byText(*read, i), Style::Muted},
                   {join(call.aten, ", "), Style::Muted},
                   join(call.reads, ", "),
                   join(call.writes, ", "),
                   {std::to_string(call.call.first), Style::Muted}});
    }
    table.print(context.out);
    if (read->listing.calls.empty()) context.out.note("The compiled model calls no kernel.");
    if (!read->program) context.out.note("There is no exported program in the file, so nodes are not known; --with joins one.");
    return 0;
}

}  // namespace

void addKernelsCommand(CommandRegistry& registry) {
    auto arguments = std::make_shared<KernelsArguments>();
    CLI::App* command = registry.add("kernels", "What the compiled model calls, in order, and the nodes it comes from",
                                     [arguments](Context& context) { return kernels(*arguments, context); });
    command->add_option("FILE", arguments->file, "The file to look into")->required();
    command->add_option("--model", arguments->model, "Which compiled model, where there are several")->type_name("NAME");
    command->add_option("--source", arguments->source, "Print the source of one kernel")->type_name("NAME");
}

}  // namespace pt2
