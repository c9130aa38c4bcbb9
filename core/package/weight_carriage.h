#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/package/package.h"
#include "core/package/weight_table.h"

namespace pt2 {

/// How a compiled model carries a weight of the program. Unknown is never shown as fine.
enum class Carriage : std::uint8_t { Same, Different, Absent, BakedIn, Unknown };
const char* carriageName(Carriage carriage);  ///< "same", "different", "absent", "baked into code", "unknown"

struct CarriedBy {
    Carriage as = Carriage::Unknown;
    std::string constant;  ///< FQN of the compiled constant, where there is one
    std::string why;       ///< one sentence
    std::string place{};   ///< where its values lie there: constantPlace of `constant`, "in the code", or "nowhere"; empty where not known
};

/// Values are compared without being asked for up to this many bytes.
inline constexpr std::uint64_t kComparedUnasked = std::uint64_t{64} << 20;

/// One answer a row of `table`, which is the program's; empty when the document has no compiled model of that name. With `values` the bytes of both
/// sides are read, each weight once and streamed; without, a weight that agrees in name, dtype and shape is Unknown with that reason.
Result<std::vector<CarriedBy>> compareWithCompiled(const WeightTable& table, const Document& document, bool values, const CancelToken& cancel = {},
                                                   const ProgressSink& progress = {});

}  // namespace pt2
