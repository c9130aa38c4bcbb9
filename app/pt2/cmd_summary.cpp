#include <cstddef>

#include "app/pt2/command.h"
#include "app/pt2/option_values.h"
#include "app/pt2/table.h"
#include "core/base/text.h"
#include "core/package/module_summary.h"
#include "core/report/summary_json.h"

namespace pt2 {
namespace {

constexpr std::uint64_t kDeepest = 1000;
constexpr std::size_t kOperatorsShown = 3;

struct SummaryArguments {
    std::string file, model;
    std::uint64_t depth = kDeepest;
};

Result<int> summary(const SummaryArguments& arguments, Context& context) {
    auto document = context.open(arguments.file);
    if (!document) return fail(document.error());
    auto chosen = chooseProgram(context, *document, arguments.model);
    if (!chosen) return fail(chosen.error());
    auto table = WeightTable::make(*document, chosen->model);
    if (!table) return fail(table.error());
    const ProgramSummary found = summariseModules(chosen->program(), **table);
    if (context.out.json()) {
        context.out.document(summaryJson(found, chosen->model, arguments.depth));
        return 0;
    }
    using Align = Table::Align;
    Table out({{"MODULE"},
               {"CLASS"},
               {"PARAMETERS", Align::Right},
               {"BUFFERS", Align::Right},
               {"BYTES", Align::Right},
               {"NODES", Align::Right},
               {"OPERATORS"}});
    for (const std::size_t index : found.treeOrder(arguments.depth)) {
        const ModuleSummary& module = found.modules[index];
        const std::size_t dot = module.type.rfind('.');
        const std::string name = index == 0 ? "(whole program)" : std::string(2 * module.depth, ' ') + module.name;
        out.row({{name, index == 0 ? Style::Bold : Style::Plain},
                 {dot == std::string::npos ? module.type : module.type.substr(dot + 1), Style::Muted},
                 formatCount(module.sums.parameters),
                 module.sums.buffers > 0 ? formatCount(module.sums.buffers) : "",
                 formatBytes(module.sums.bytes),
                 formatCount(module.sums.nodes),
                 {frequentOperators(module.sums, kOperatorsShown), Style::Muted}});
    }
    out.print(context.out);
    std::vector<std::string> families;
    const ModuleSums& total = found.modules.front().sums;
    for (std::size_t i = 0; i < total.families.size(); ++i) {
        if (total.families[i] == 0) continue;
        families.push_back(std::string(operatorFamilyName(static_cast<OperatorFamily>(i))) + " " + formatCount(total.families[i]));
    }
    context.out.line("");
    context.out.line("Total: " + formatCount(total.parameters) + " parameters, " + formatBytes(total.bytes) + ", " + formatCount(total.nodes) +
                     " nodes" + (families.empty() ? "" : " (" + join(families, ", ") + ")"));
    for (const ProgramSummary::Shared& one : found.shared) {
        context.out.line("Counted once: \"" + escapeForDisplay(one.name) + "\" " + (one.tied ? "is tied to" : "is a view of the storage of") + " \"" +
                         escapeForDisplay(one.with) + "\".");
    }
    return 0;
}

}  // namespace

void addSummaryCommand(CommandRegistry& registry) {
    auto arguments = std::make_shared<SummaryArguments>();
    CLI::App* command = registry.add("summary", "Modules as a tree: parameters, bytes, nodes, operators",
                                     [arguments](Context& context) { return summary(*arguments, context); });
    command->add_option("FILE", arguments->file, "The file to look into")->required();
    command->add_option("--depth", arguments->depth, "Levels below the whole program")->check(wholeNumber(0, kDeepest))->type_name("N");
    command->add_option("--model", arguments->model, "Which program, where there are several")->type_name("NAME");
}

}  // namespace pt2
