#include "app/pt2/command.h"
#include "app/pt2/contract_table.h"
#include "core/program/printed_form.h"

namespace pt2 {
namespace {

struct SignatureArguments {
    std::string file, model;
};

Json symbolsJson(const Contract& contract) {
    const auto range = [](const SymRange& r) { return Json::array({r.minimum ? Json(*r.minimum) : Json(), r.maximum ? Json(*r.maximum) : Json()}); };
    Json out = Json::array();
    for (const ContractSymbol& symbol : contract.symbols) {
        Json places = Json::array();
        for (const auto& [input, dimension] : symbol.places) {
            places.push_back({{"input", contract.inputs.at(input).name}, {"dimension", dimension}});
        }
        out.push_back({{"name", symbol.name},
                       {"program", contract.hasProgram ? range(symbol.program) : Json()},
                       {"compiled", symbol.compiledKnown ? range(symbol.compiled) : Json()},
                       {"at_export", symbol.hint ? Json(*symbol.hint) : Json()},
                       {"places", std::move(places)}});
    }
    return out;
}

Json callerJson(const Contract& contract) {
    Json inputs = Json::array(), outputs = Json::array();
    for (const ContractInput& input : contract.inputs) {
        inputs.push_back({{"name", input.name},
                          {"index", input.flatIndex},
                          {"type", contractTypeText(input)},
                          {"keyword", input.isKeyword},
                          {"graph_name", input.graphName}});
    }
    for (const ContractOutput& output : contract.outputs) {
        outputs.push_back({{"name", output.name}, {"graph_name", output.graphName}});
    }
    return {{"inputs", std::move(inputs)}, {"outputs", std::move(outputs)}, {"sizes", symbolsJson(contract)}};
}

/// A compiled model has no signature of torch's; what is known of its inputs and outputs is shown instead.
Result<int> compiledSignature(const std::string& model, const Contract& contract, Context& context) {
    if (context.out.json()) {
        Json json = {{"format", 1}, {"model", model}, {"text", nullptr}};
        json.update(callerJson(contract));
        context.out.document(json);
        return 0;
    }
    context.out.note("There is no exported program here; this is what the compiled model says.");
    printContractInputs(context.out, contract, "");
    context.out.line("");
    printContractOutputs(context.out, contract, "");
    if (!contract.symbols.empty()) context.out.line("");
    printContractSymbols(context.out, contract, "");
    return 0;
}

Result<int> signature(const SignatureArguments& arguments, Context& context) {
    auto document = context.open(arguments.file);
    if (!document) return fail(document.error());
    auto name = document->resolveModel(arguments.model);
    if (!name) return fail(name.error());
    if (!document->program(*name) && document->compiled(*name)) {
        auto contract = buildContract(*document, *name);
        if (!contract) return fail(contract.error());
        return compiledSignature(*name, *contract, context);
    }
    auto chosen = chooseProgram(context, *document, arguments.model);
    if (!chosen) return fail(chosen.error());
    const Program& program = chosen->program();
    const std::string text = "Graph signature: " + printSignature(program) + "\nRange constraints: " + printRangeConstraints(program) + "\n";
    auto contract = buildContract(*document, chosen->model);
    if (context.out.json()) {
        Json json = {{"format", 1}, {"model", chosen->model}, {"text", text}, {"guards_code", program.guardsCode()}};
        if (contract) json.update(callerJson(*contract));
        context.out.document(json);
        return 0;
    }
    context.out.exact(text);
    if (!program.guardsCode().empty()) {
        context.out.line("\nGuards:");
        for (const std::string_view guard : program.guardsCode()) context.out.exact("    " + std::string(guard) + "\n");
    }
    if (contract && !contract->symbols.empty()) {
        context.out.line("");
        printContractSymbols(context.out, *contract, "");
    }
    return 0;
}

}  // namespace

void addSignatureCommand(CommandRegistry& registry) {
    auto arguments = std::make_shared<SignatureArguments>();
    CLI::App* command = registry.add("signature", "Inputs and outputs as torch prints them, with ranges",
                                     [arguments](Context& context) { return signature(*arguments, context); });
    command->add_option("FILE", arguments->file, "The file to look into")->required();
    command->add_option("--model", arguments->model, "Which program, where there are several")->type_name("NAME");
}

}  // namespace pt2
