#include <unordered_set>

#include "core/program/program_reader.h"

namespace pt2 {

/// torch's loader keeps a range only when its key prints like an expression, or a part of one, in the sizes and strides of a tensor or in a
/// symbolic value that some node, placeholder or subgraph owns (format.md 2.8 "Ranges").
void ProgramReader::keepUsedRanges() {
    if (out_.rangesAsStored.empty()) return;
    std::vector<bool> used(out_.expressions.size(), false);
    const auto use = [&](const SymInt& symbolic) {
        if (symbolic.isSymbolic()) used[symbolic.expr] = true;
    };
    for (const Value& value : out_.values) {
        if (value.producer == kNone && value.inputIndex == kNone) continue;
        for (std::uint32_t i = value.sizes.begin; i < value.sizes.end; ++i) use(out_.symInts[i]);
        for (std::uint32_t i = value.strides.begin; i < value.strides.end; ++i) use(out_.symInts[i]);
        use(value.symbolic);
    }
    std::unordered_set<std::string> printed;
    for (ExprId id = 0; id < used.size(); ++id) {
        if (!used[id]) continue;
        if (!out_.expressions[id]) {
            printed.emplace(out_.expressionTexts.text(id));
            continue;
        }
        for (std::string& text : out_.expressions[id]->printedSubexpressions()) printed.insert(std::move(text));
    }
    for (const RangeConstraint& stored : out_.rangesAsStored) {
        std::string key(stored.symbol);
        if (printed.count(key) != 0) out_.ranges.emplace_back(std::move(key), stored.range);
    }
}

/// Symbols without a range, and hints that their range forbids.
void ProgramReader::checkRanges() {
    std::unordered_set<std::string> known, told;
    for (const RangeConstraint& stored : out_.rangesAsStored) known.emplace(stored.symbol);
    std::vector<std::optional<std::string>> symbols(out_.expressions.size());
    for (ExprId id = 0; id < out_.expressions.size(); ++id) {
        if (!out_.expressions[id]) continue;
        symbols[id] = out_.expressions[id]->asSymbol();
        for (const std::string& symbol : out_.expressions[id]->symbols()) {
            if (known.count(symbol) != 0 || !told.insert(symbol).second) continue;
            noteAt(Severity::Warning, "program.no-range", out_.where, "The symbol " + quoted(symbol) + " has no range; any size is taken as allowed.",
                   "torch refuses this file; export the program again.");
        }
    }
    for (const SymInt& dim : out_.symInts) {
        if (!dim.isSymbolic() || !dim.hint || !symbols[dim.expr] || told.count(*symbols[dim.expr]) != 0) continue;
        for (const RangeConstraint& stored : out_.rangesAsStored) {
            if (stored.symbol != *symbols[dim.expr]) continue;
            const bool below = stored.range.minimum && *dim.hint < *stored.range.minimum,
                       above = stored.range.maximum && *dim.hint > *stored.range.maximum;
            if (!below && !above) continue;
            told.insert(*symbols[dim.expr]);
            noteAt(Severity::Warning, "program.hint", out_.where,
                   "The symbol " + quoted(stored.symbol) + " was exported at " + std::to_string(*dim.hint) + ", which its range forbids.");
        }
    }
}

}  // namespace pt2
