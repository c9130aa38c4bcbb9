#include <algorithm>

#include "app/pt2/command.h"
#include "app/pt2/contract_table.h"
#include "app/pt2/run_plan.h"
#include "app/pt2/table.h"
#include "core/contract/coverage.h"
#include "core/report/outcome_json.h"

namespace pt2 {
namespace {

struct CheckArguments {
    std::string file;
    InputOptions inputs;
};

void printBreaches(const CheckReport& report, Output& out) {
    for (const Breach& breach : report.breaches) {
        out.line(out.paint(Style::Bad, breachName(breach.what)) + "  " + oneLine(breach.sentence));
        out.line(std::string("    runtime checks would ") + (breach.caughtByRuntimeChecks ? "catch this" : "not catch this"));
        if (!breach.fixSentence.empty()) out.line("    " + oneLine(breach.fixSentence) + (breach.fix.empty() ? "" : " (--mend does it)"));
    }
}

/// Where not everything is known: no breach says nothing of what was not looked at.
void printCoverage(const ContractCoverage& coverage, Output& out) {
    for (const std::string& phrase : coverage.checked) out.line("    checked      " + oneLine(phrase));
    for (const std::string& sentence : coverage.notChecked) out.line("    not checked  " + oneLine(sentence));
}

Result<int> check(const CheckArguments& arguments, Context& context) {
    auto plan = makePlan(arguments.file, arguments.inputs, false, context);
    if (!plan) return fail(plan.error());
    const ContractCoverage coverage = contractCoverage(plan->contract);
    if (context.out.json()) {
        Json json = checkJson(plan->report);
        json["checked"] = coverage.checked;
        json["not_checked"] = coverage.notChecked;
        json["complete"] = coverage.complete();
        context.out.document(json);
        return plan->report.ok() ? 0 : 1;
    }
    if (!plan->report.ok()) {
        context.out.line(context.out.paint(Style::Bad, "The inputs break the contract of \"" + plan->model + "\"."));
        printBreaches(plan->report, context.out);
    } else if (coverage.complete()) {
        context.out.line(context.out.paint(Style::Good, "The inputs keep the contract of \"" + plan->model + "\"."));
    } else if (coverage.checked.empty()) {
        context.out.line(context.out.paint(Style::Warning, "Nothing could be checked: the contract of \"" + plan->model + "\" is not known."));
    } else {
        context.out.line(
            context.out.paint(Style::Warning, "What could be checked holds; not all of the contract of \"" + plan->model + "\" is known."));
    }
    if (!coverage.complete()) printCoverage(coverage, context.out);
    Table table({{"#", Table::Align::Right}, {"INPUT"}, {"GIVEN"}, {"STRIDES"}, {"FROM"}, {"ALLOWED"}});
    for (const MadeInput& made : plan->inputs.inputs) {
        if (made.contractIndex >= plan->contract.inputs.size()) {
            table.row({std::to_string(made.contractIndex),
                       std::string(),
                       tensorTypeText(made.tensor.layout),
                       std::string(),
                       {made.madeBy, Style::Muted},
                       "not known"});
            continue;
        }
        const ContractInput& input = plan->contract.inputs[made.contractIndex];
        const bool usual = !made.isTensor || made.tensor.layout.isContiguous();
        table.row({std::to_string(input.flatIndex),
                   {input.name, Style::Bold},
                   made.isTensor ? tensorTypeText(made.tensor.layout) : made.constantText,
                   usual ? std::string() : Json(made.tensor.layout.strides).dump(),
                   {made.madeBy, Style::Muted},
                   input.isConstant || input.rankKnown || input.dtype != DType::Unknown ? contractTypeText(input) : std::string("not known")});
    }
    if (!table.empty()) context.out.line("");
    table.print(context.out);
    for (const std::string& note : plan->report.notes) {
        const auto& said = coverage.notChecked;
        if (std::find(said.begin(), said.end(), note) == said.end()) context.out.note(note);
    }
    return plan->report.ok() ? 0 : 1;
}

}  // namespace

void addCheckCommand(CommandRegistry& registry) {
    auto arguments = std::make_shared<CheckArguments>();
    CLI::App* command =
        registry.add("check", "Inputs against the contract, without running", [arguments](Context& context) { return check(*arguments, context); });
    command->add_option("FILE", arguments->file, "The file whose contract it is")->required();
    arguments->inputs.addTo(command);
}

}  // namespace pt2
