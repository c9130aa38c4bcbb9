#include "core/run/recompile_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/compare/compare_outputs.h"
#include "core/contract/check.h"
#include "core/contract/legal_size.h"

namespace pt2 {

namespace {

Result<Comparison> runAndCompare(const Document& document, const Contract& contract, const InputRequest& asked, const EagerRequest& eager,
                                 CompiledCheck& check, const CancelToken& cancel, const ProgressSink& progress) {
    Result<InputSet> inputs = makeInputs(document, contract, asked, cancel);
    if (!inputs) return tl::unexpected(inputs.error());
    for (const auto& [symbol, value] : inputs->symbolValues) check.sizes += fmt::format("{}{} = {}", check.sizes.empty() ? "" : ", ", symbol, value);
    RunRequest request;
    request.model = contract.model;
    if (const Document::CompiledRef compiled = document.compiled(contract.model); compiled && !compiled.model->device.empty())
        request.device = compiled.model->device;
    Result<RunReport> ran = runCompiled(document, contract, request, inputs->tensors(), cancel, progress);
    if (!ran) return tl::unexpected(ran.error());
    if (!ran->primary()) return tl::unexpected(ran->primary().error());
    check.seconds = ran->primary()->seconds.first;
    const Result<EagerRun> expected = runEager(document, contract, eager, *inputs, cancel, progress);
    if (!expected) return tl::unexpected(expected.error());
    return compareOutputs(ran->primary()->outputs, expected->outputs(), {}, cancel);
}

}  // namespace

Result<std::vector<CompiledCheck>> checkRecompiled(const std::filesystem::path& archive, const std::vector<std::string>& models,
                                                   const EagerRequest& eager, const CancelToken& cancel, const ProgressSink& progress) {
    Result<Document> document = Document::open(archive, {}, cancel, progress);
    if (!document) return tl::unexpected(document.error());
    std::vector<CompiledCheck> checks;
    for (const std::string& model : models) {
        const Result<Contract> contract = buildContract(*document, model);
        if (!contract) return tl::unexpected(contract.error());
        const bool varies = std::any_of(contract->symbols.begin(), contract->symbols.end(),
                                        [](const ContractSymbol& s) { return !s.places.empty() && otherLegalSize(s) != s.hint.value_or(2); });
        for (int round = 0; round < (varies ? 2 : 1); ++round) {
            if (cancel.requested()) return cancelled();
            InputRequest asked;
            asked.seed = static_cast<std::uint64_t>(round);
            for (const ContractSymbol& symbol : contract->symbols) {
                if (round == 1 && !symbol.places.empty()) asked.sizes.emplace_back(symbol.name, otherLegalSize(symbol));
            }
            if (round == 1) {  // sizes that fit one by one may still break a guard between them; then one size must do
                const Result<InputSet> tried = planInputs(*document, *contract, asked);
                if (!tried || !checkInputs(*contract, *tried).ok()) continue;
            }
            CompiledCheck check{model, {}, Comparison{}, 0};
            EagerRequest request = eager;
            request.model = model;
            check.comparison = runAndCompare(*document, *contract, asked, request, check, cancel, progress);
            checks.push_back(std::move(check));
        }
    }
    return checks;
}

}  // namespace pt2
