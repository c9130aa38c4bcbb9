#pragma once

#include <QString>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "views/frame/document_session.h"
#include "views/widgets/number_strip.h"

namespace pt2::views {

/// What the Overview says of a document, without widgets: each function reads the session and returns what is shown.

/// A kind chip behind the title: what the archive holds.
struct KindChip {
    QString text, icon, page, tooltip;
};
std::vector<KindChip> kindChips(const DocumentSession& session);

/// Whether the file came through a pipe: then it has no path, no date and no place on the disk that a reader could go to.
bool isStandardInput(const DocumentSession& session);

/// "2.13 MB · saved 2026-03-14 16:05 · one model, "model"".
QString fileLine(const DocumentSession& session);

std::vector<NumberStrip::Item> numberItems(const DocumentSession& session);

/// What whoever made the package wrote into the compiled model's metadata: keys and values that are not torch's own.
std::vector<std::pair<std::string, std::string>> userMetadata(const DocumentSession& session);

/// Bytes of the archive by what they are for, largest first.
struct ByteShare {
    QString name;
    std::uint64_t bytes = 0;
};
std::vector<ByteShare> byteShares(const DocumentSession& session);

/// Weights of equal layers as one row: "layers.0 … layers.2", 3 × 15 tensors.
struct WeightGroup {
    QString name;
    QString kinds;   ///< "parameters", "buffers", "parameters, buffers"
    QString dtypes;  ///< "float32", "float32, int64"
    std::size_t repeat = 1, tensors = 0;
    std::uint64_t elements = 0, bytes = 0;  ///< of one
    QString first;                          ///< FQN of the first tensor
};
struct WeightTotals {
    std::size_t tensors = 0;
    std::uint64_t parameters = 0, others = 0, bytes = 0;  ///< elements of parameters, of buffers and constants; bytes of all
    QString dtypes;
    QString where;  ///< "inside the library, not given by the caller"
};
std::vector<WeightGroup> weightGroups(const DocumentSession& session);
WeightTotals weightTotals(const DocumentSession& session);

/// A statement below the contract: holds (ok) or is a warning.
struct Statement {
    bool holds = true;
    QString text, tooltip;
};
/// "From the wrapper source, line 712": where a fact of the contract comes from, for tooltips.
QString fromText(const FactSource& source);

std::vector<Statement> contractStatements(const DocumentSession& session);

/// "1 ≤ s77 ≤ 16", "s77 ≥ 2"; empty when nothing bounds it. Bounds at the end of 64 bits are none.
QString rangeWithSymbol(const QString& symbol, const SymRange& range);
/// "1 … 16", "2 … no limit", "no limit".
QString tightRange(const SymRange& range);
/// The same of what the compiled code tests, where an open side is not one without a limit: "2 … not checked", "not checked".
QString testedRange(const SymRange& range);
/// "2 ≤ s77 ≤ 1024", "s77 ≥ 2, upper bound not checked", "s77 not checked".
QString testedWithSymbol(const QString& symbol, const SymRange& range);
/// What the code tests of a dynamic size, in the form of testedRange(): "not known" where no source of it was read.
QString testedSize(const Contract& contract, const ContractSymbol& symbol);

}  // namespace pt2::views
