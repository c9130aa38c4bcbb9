#include "core/run/recompile_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/compare/compare_outputs.h"
#include "core/contract/check.h"

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
    Result<NamedTensors> expected = runEager(document, contract, eager, *inputs, cancel, progress);
    if (!expected) return tl::unexpected(expected.error());
    return compareOutputs(ran->primary()->outputs, *expected, {}, cancel);
}

}  // namespace

std::int64_t otherLegalSize(const ContractSymbol& symbol) {
    const std::int64_t hint = symbol.hint.value_or(2);
    std::int64_t low = symbol.program.minimum.value_or(0), high = symbol.program.maximum.value_or(INT64_MAX);
    if (symbol.compiledKnown) {
        low = std::max(low, symbol.compiled.minimum.value_or(low));
        high = std::min(high, symbol.compiled.maximum.value_or(high));
    }
    low = std::max<std::int64_t>(low, 2);
    if (high < low) return hint;
    // A hint out of the range comes back into it first, so that neither step leaves 64 bits.
    const std::int64_t from = std::clamp(hint, low, high);
    const std::int64_t wanted = from > INT64_MAX / 4 ? high : std::min(2 * from + 1, high);
    if (wanted != hint) return wanted;
    return std::max(from - 1, low);
}

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
