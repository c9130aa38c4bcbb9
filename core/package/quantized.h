#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/package/weight_table.h"
#include "core/program/program.h"

namespace pt2 {

/// An integer (or float8) weight that the program turns back into floats: value = (weight - zero point) * scale.
struct QuantizedWeight {
    std::size_t weight = 0;                       ///< row of the table
    std::optional<std::size_t> scale, zeroPoint;  ///< rows that hold them
    std::optional<double> scaleValue, zeroPointValue;
    std::optional<std::int64_t> axis;  ///< of per-channel quantization
    bool inferred = false;             ///< recovered from casts and products, not from an operator that says so
    std::string why;                   ///< the node, or the path that was found
};

/// Which weights a program holds quantized: those that a dequantize operator reads, and those that are cast, multiplied by another weight and so
/// scaled back. Rows are the table's, which lists the program's weights.
std::vector<QuantizedWeight> quantizedWeights(const WeightTable& table, const Program& program);

}  // namespace pt2
