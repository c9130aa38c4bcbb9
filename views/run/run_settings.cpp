#include "views/run/run_settings.h"

#include <algorithm>

namespace pt2::views {

RunSettings& RunSettings::of(DocumentSession& session) {
    if (auto* found = session.findChild<RunSettings*>({}, Qt::FindDirectChildrenOnly)) return *found;
    return *new RunSettings(&session);
}

bool hasSample(const DocumentSession& session) {
    const Document::ProgramRef program = session.document().program(session.model());
    return program && program.entry->sampleInputs && program.package->archive().members()[*program.entry->sampleInputs].size > 0;
}

std::string inputsInWords(const InputSet& set, const InputRequest& request) {
    std::string words;
    for (const auto& [symbol, value] : set.symbolValues) words += symbol + " = " + std::to_string(value) + ", ";
    const bool sample = std::any_of(set.inputs.begin(), set.inputs.end(), [](const MadeInput& input) { return input.madeBy == "sample"; });
    const bool made =
        std::any_of(set.inputs.begin(), set.inputs.end(), [](const MadeInput& input) { return input.isTensor && input.madeBy != "sample"; });
    if (sample) words += made ? "stored sample, " : "stored sample";
    if (made || !sample) words += "seed " + std::to_string(request.seed);
    return words;
}

}  // namespace pt2::views
