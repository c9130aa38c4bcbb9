#pragma once

#include <QString>
#include <cstddef>
#include <optional>
#include <vector>

#include "core/package/quantized.h"
#include "core/package/weight_carriage.h"
#include "core/package/weight_table.h"
#include "views/widgets/data_table.h"

namespace pt2::views {

/// What reading all weights has told so far: an entry a row of the table.
struct WeightScan {
    std::vector<std::optional<TensorStatistics>> statistics;  ///< empty where a weight was not or cannot be read
    std::vector<CarriedBy> carried;                           ///< empty without a compiled model
};
/// Values are read and compared unasked up to this many bytes, of one weight as of all.
inline constexpr std::uint64_t kReadUnasked = kComparedUnasked;

/// Statistics of every weight, and how the compiled model carries it.
Result<WeightScan> scanWeights(const WeightTable& table, const Document& document, const CancelToken& cancel, const ProgressSink& progress);

/// Which columns the table has: the compiled model's only where there is one; where room is short, dtype (by its short name) and shape share one, and
/// kind and sharing are left to the view beside it.
struct WeightForm {
    bool compiled = false, narrow = false;
    bool operator==(const WeightForm&) const = default;
};
std::vector<Column> weightColumns(WeightForm form);
std::vector<Row> weightRows(const WeightTable& table, const WeightScan& scan, WeightForm form);
QString weightAddress(const WeightRow& row);

/// "tied with a, b", "shares storage with c"; empty for a weight alone in its storage.
QString sharingText(const WeightTable& table, std::size_t row);
/// "2 NaN, 1 Inf" with true words for zero: "none".
QString oddValuesText(const TensorStatistics& statistics);
QString carriageIcon(Carriage carriage);
Role carriageRole(Carriage carriage);
/// "12 weights, 4.83 MB" and in how many storages where some are shared.
QString totalsText(const WeightTable& table);

}  // namespace pt2::views
