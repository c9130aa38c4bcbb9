#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/pt2/command.h"
#include "app/pt2/option_values.h"
#include "app/pt2/table.h"
#include "core/base/text.h"
#include "core/contract/check.h"
#include "core/contract/inputs.h"
#include "core/package/module_summary.h"
#include "core/report/summary_json.h"

namespace pt2 {
namespace {

constexpr std::uint64_t kDeepest = 1000;
constexpr std::size_t kOperatorsShown = 3;

struct SummaryArguments {
    std::string file, model;
    std::vector<std::string> sizes;
    std::uint64_t depth = kDeepest;
};

/// A value for each symbol: what was asked for, the others as a run would have them. Sizes that break the contract are noted.
Result<std::map<std::string, std::int64_t, std::less<>>> symbolValues(const Document& document, const std::string& model,
                                                                      const std::vector<std::string>& asked, Output& out) {
    auto sizes = splitSizes(asked);
    if (!sizes) return fail(sizes.error());
    auto contract = buildContract(document, model);
    if (!contract) return fail(contract.error());
    InputRequest request;
    request.sizes = std::move(*sizes);
    auto inputs = planInputs(document, *contract, request);
    if (!inputs) return fail(inputs.error());
    for (const Breach& breach : checkInputs(*contract, *inputs, contract->device.empty() ? "cpu" : contract->device).breaches) {
        out.note(breach.sentence);
    }
    return std::map<std::string, std::int64_t, std::less<>>(inputs->symbolValues.begin(), inputs->symbolValues.end());
}

Result<int> summary(const SummaryArguments& arguments, Context& context) {
    auto document = context.open(arguments.file);
    if (!document) return fail(document.error());
    auto chosen = chooseProgram(context, *document, arguments.model);
    if (!chosen) return fail(chosen.error());
    auto table = WeightTable::make(*document, chosen->model);
    if (!table) return fail(table.error());
    std::optional<std::map<std::string, std::int64_t, std::less<>>> sizes;
    SymExpr::Lookup lookup;
    if (!arguments.sizes.empty()) {
        auto values = symbolValues(*document, chosen->model, arguments.sizes, context.out);
        if (!values) return fail(values.error());
        sizes = std::move(*values);
        lookup = [&sizes](std::string_view symbol) -> std::optional<SymExpr::Value> {
            const auto at = sizes->find(symbol);
            return at == sizes->end() ? std::nullopt : std::optional<SymExpr::Value>(at->second);
        };
    }
    const ProgramSummary found = summariseModules(chosen->program(), **table, lookup);
    if (context.out.json()) {
        context.out.document(summaryJson(found, chosen->model, arguments.depth, sizes ? &*sizes : nullptr));
        return 0;
    }
    using Align = Table::Align;
    std::vector<Table::Column> columns{
        {"MODULE"},   {"CLASS"}, {"PARAMETERS", Align::Right}, {"BUFFERS", Align::Right}, {"BYTES", Align::Right}, {"NODES", Align::Right},
        {"OPERATORS"}};
    if (sizes) columns.insert(columns.end() - 1, {"MADE", Align::Right});
    Table out(std::move(columns));
    for (const std::size_t index : found.treeOrder(arguments.depth)) {
        const ModuleSummary& module = found.modules[index];
        const std::size_t dot = module.type.rfind('.');
        const std::string name = index == 0 ? "(whole program)" : std::string(2 * module.depth, ' ') + module.name;
        std::vector<Table::Cell> cells{{name, index == 0 ? Style::Bold : Style::Plain},
                                       {dot == std::string::npos ? module.type : module.type.substr(dot + 1), Style::Muted},
                                       formatCount(module.sums.parameters),
                                       module.sums.buffers > 0 ? formatCount(module.sums.buffers) : "",
                                       formatBytes(module.sums.bytes),
                                       formatCount(module.sums.nodes),
                                       {frequentOperators(module.sums, kOperatorsShown), Style::Muted}};
        if (sizes) cells.insert(cells.end() - 1, formatBytes(module.sums.made) + (module.sums.unsized > 0 ? " +" : ""));
        out.row(std::move(cells));
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
    if (sizes) {
        std::vector<std::string> values;
        for (const auto& [symbol, value] : *sizes) values.push_back(symbol + " = " + std::to_string(value));
        context.out.line("Made: the tensors that the nodes give out" + (values.empty() ? "" : " at " + join(values, ", ")) + ", " +
                         formatBytes(total.made) + ", each counted as if it were stored by itself." +
                         (total.unsized > 0 ? " Not in it: " + formatCount(total.unsized) + (total.unsized == 1 ? " tensor" : " tensors") +
                                                  " whose size depends on data."
                                            : ""));
    }
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
    addRepeated(command, "--size", arguments->sizes, "Also the bytes that the nodes give out at this size: s77=512, x:0=512 or batch=512; repeatable")
        ->type_name("SYMBOL=N");
    command->add_option("--model", arguments->model, "Which program, where there are several")->type_name("NAME");
}

}  // namespace pt2
