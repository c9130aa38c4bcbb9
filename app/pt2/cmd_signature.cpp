#include "app/pt2/command.h"
#include "app/pt2/contract_table.h"
#include "core/contract/assert_text.h"
#include "core/contract/call_changes.h"
#include "core/contract/contract_notes.h"
#include "core/contract/coverage.h"
#include "core/contract/program_asserts.h"
#include "core/program/printed_form.h"
#include "core/report/contract_json.h"

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
                          {"graph_name", input.graphName},
                          {"compiled_name", input.compiledName.empty() ? Json() : Json(input.compiledName)},
                          {"origins", inputOriginsJson(input)}});
    }
    for (const ContractOutput& output : contract.outputs) {
        outputs.push_back({{"name", output.name},
                           {"graph_name", output.graphName},
                           {"dtype", output.dtype == DType::Unknown ? Json() : Json(dtypeName(output.dtype))},
                           {"shape", output.isTensor && output.sizesSource.origin != Origin::Unknown ? Json(output.shape) : Json()},
                           {"origins", {{"dtype", factSourceJson(output.dtypeSource)}, {"sizes", factSourceJson(output.sizesSource)}}}});
    }
    return {{"inputs", std::move(inputs)},
            {"outputs", std::move(outputs)},
            {"sizes", symbolsJson(contract)},
            {"known", {{"inputs", contract.inputsKnown}, {"outputs", outputsKnown(contract)}, {"sizes", sizesKnown(contract)}}}};
}

/// Everything about the contract that torch's text does not say.
void addContract(Json& json, const Document& document, const Contract& contract, const std::string& file) {
    json.update(callerJson(contract));
    json["notes"] = contractNotesJson(document, contract);
    json["asserts"] = programAssertsJson(document, contract);
    json["changes"] = callChangesJson(document, contract);
    json["call"] = callJson(contract, file);
}

void printNotes(Output& out, const std::string& title, const std::vector<std::string>& notes) {
    if (notes.empty()) return;
    out.line("");
    out.line(out.paint(Style::Bold, title));
    for (const std::string& note : notes) out.line("    " + oneLine(note));
}

std::vector<std::string> changeNotes(const Program& program, const Contract& contract) {
    std::vector<std::string> lines;
    for (const CallChange& change : callChanges(program, contract)) lines.push_back(change.sentence);
    return lines;
}

void printAsserts(Output& out, const Program& program, const Contract& contract, const CompiledModel* compiled) {
    for (const AssertGroup& group : assertGroups(programAsserts(program, contract, compiled), compiled != nullptr)) {
        std::vector<std::string> lines;
        for (const AssertGroup::Line& line : group.lines) lines.push_back(compiled != nullptr ? line.sentence + "  " + line.why : line.sentence);
        if (!group.remark.empty()) lines.push_back(group.remark);
        printNotes(out, group.title, lines);
    }
}

void printContract(Output& out, const Document& document, const Contract& contract) {
    const auto unknown = [&](std::string_view what) {
        out.line(out.paint(Style::Bold, what) + "  not known: the file holds neither a program nor generated source");
    };
    out.line("");
    if (contract.inputsKnown) {
        printContractInputs(out, contract, "");
    } else {
        unknown("Inputs");
    }
    out.line("");
    if (outputsKnown(contract)) {
        printContractOutputs(out, contract, "");
    } else {
        unknown("Outputs");
    }
    if (!contract.symbols.empty()) {
        out.line("");
        printContractSymbols(out, contract, "");
    } else if (!contract.inputsKnown) {
        out.line("");
        unknown("Dynamic sizes");
    } else if (!sizesKnown(contract)) {
        out.line("");
        out.line(out.paint(Style::Bold, "Dynamic sizes") + "  not known: nothing says the sizes of all inputs");
    }
    const Document::ProgramRef found = document.program(contract.model);
    const Program* program = found ? found.entry->program.get() : nullptr;
    const Document::CompiledRef compiled = document.compiled(contract.model);
    if (program != nullptr) printNotes(out, "What a call changes", changeNotes(*program, contract));
    std::vector<std::string> conditions;
    for (ConditionNote& note : conditionNotes(contract)) conditions.push_back(std::move(note.sentence));
    printNotes(out, "What must hold", conditions);
    printNotes(out, "Sizes of 0 and 1", sizeOneNotes(contract));
    printNotes(out, "Where program and compiled code differ", boundNotes(contract));
    if (program != nullptr) printAsserts(out, *program, contract, compiled ? compiled.model : nullptr);
    printNotes(out, "What the compiled code does not test", uncheckedNotes(contract));
    printNotes(out, "Fixed though meant to be dynamic, as it seems", fixedSizeNotes(document, contract));
    printNotes(out, "Order", orderNotes(contract));
}

/// A compiled model has no signature of torch's; what is known of its inputs and outputs is shown instead.
Result<int> compiledSignature(const SignatureArguments& arguments, const Document& document, const std::string& model, const Contract& contract,
                              Context& context) {
    if (context.out.json()) {
        Json json = {{"format", 1}, {"model", model}, {"text", nullptr}};
        addContract(json, document, contract, arguments.file);
        context.out.document(json);
        return 0;
    }
    context.out.note("There is no exported program here; this is what the compiled model says.");
    printContract(context.out, document, contract);
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
        return compiledSignature(arguments, *document, *name, *contract, context);
    }
    auto chosen = chooseProgram(context, *document, arguments.model);
    if (!chosen) return fail(chosen.error());
    const Program& program = chosen->program();
    const std::string text = "Graph signature: " + printSignature(program) + "\nRange constraints: " + printRangeConstraints(program) + "\n";
    auto contract = buildContract(*document, chosen->model);
    if (context.out.json()) {
        Json json = {{"format", 1}, {"model", chosen->model}, {"text", text}, {"guards_code", program.guardsCode()}};
        if (contract) addContract(json, *document, *contract, arguments.file);
        context.out.document(json);
        return 0;
    }
    context.out.exact(text);
    if (!program.guardsCode().empty()) {
        context.out.line("\nGuards:");
        for (const std::string_view guard : program.guardsCode()) context.out.exact("    " + std::string(guard) + "\n");
    }
    if (contract) printContract(context.out, *document, *contract);
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
