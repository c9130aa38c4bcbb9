#include "core/report/contract_json.h"

#include <utility>
#include <vector>

#include "core/contract/call_changes.h"
#include "core/contract/call_text.h"
#include "core/contract/contract_notes.h"
#include "core/contract/program_asserts.h"

namespace pt2 {

Json factSourceJson(const FactSource& source) {
    return {{"from", originName(source.origin)}, {"line", source.line != 0 ? Json(source.line) : Json()}};
}

Json inputOriginsJson(const ContractInput& input) {
    Json dimensions = Json::array();
    for (const ContractDim& dim : input.sizes) dimensions.push_back(factSourceJson(dim.compiledSource));
    return {{"name", factSourceJson(input.nameSource)},     {"dtype", factSourceJson(input.dtypeSource)},
            {"sizes", factSourceJson(input.sizesSource)},   {"strides", factSourceJson(input.stridesSource)},
            {"device", factSourceJson(input.deviceSource)}, {"compiled_sizes", std::move(dimensions)}};
}

Json contractNotesJson(const Document& document, const Contract& contract) {
    std::vector<std::string> guards;
    for (ConditionNote& note : conditionNotes(contract)) {
        if (note.isGuard) guards.push_back(std::move(note.sentence));
    }
    return {{"order", orderNotes(contract)},          {"equalities", equalityNotes(contract)}, {"guards", std::move(guards)},
            {"bounds", boundNotes(contract)},         {"size_one", sizeOneNotes(contract)},    {"fixed_sizes", fixedSizeNotes(document, contract)},
            {"not_checked", uncheckedNotes(contract)}};
}

Json programAssertsJson(const Document& document, const Contract& contract) {
    const Document::ProgramRef program = document.program(contract.model);
    if (!program || !program.entry->program) return nullptr;
    const Document::CompiledRef compiled = document.compiled(contract.model);
    Json out = Json::array();
    for (const ProgramAssert& found : programAsserts(*program.entry->program, contract, compiled ? compiled.model : nullptr)) {
        out.push_back({{"kind", assertKindName(found.kind)},
                       {"condition", found.condition},
                       {"node", found.node.empty() ? Json() : Json("program/" + contract.model + "/" + found.node)},
                       {"in_code", assertStateName(found.inCode)},
                       {"line", found.source.line != 0 ? Json(found.source.line) : Json()},
                       {"why", found.why},
                       {"sentence", found.sentence},
                       {"fixed_by_program", found.fixedByProgram}});
    }
    return out;
}

Json callChangesJson(const Document& document, const Contract& contract) {
    const Document::ProgramRef program = document.program(contract.model);
    if (!program || !program.entry->program) return nullptr;
    Json out = Json::array();
    for (const CallChange& change : callChanges(*program.entry->program, contract)) {
        Json nodes = Json::array();
        for (const std::string& node : change.nodes) nodes.push_back("program/" + contract.model + "/" + node);
        out.push_back({{"what", callChangeName(change.what)},
                       {"name", change.name},
                       {"graph_name", change.graphName},
                       {"in_place", change.inPlace},
                       {"certain", change.certain},
                       {"nodes", std::move(nodes)},
                       {"sentence", change.sentence}});
    }
    return out;
}

Json callJson(const Contract& contract, const std::string& file) {
    return {{"python", callInPython(contract, file)}, {"cpp", contract.hasCompiled ? Json(callInCpp(contract, file)) : Json()}};
}

}  // namespace pt2
