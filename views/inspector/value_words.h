#pragma once

#include <QString>

#include "core/program/program.h"

namespace pt2::views {

/// "contiguous", "channels last", else "strides (160, 8, 32, 1)"; empty for values without sizes.
QString stridesWords(const Program& program, const Value& value);
/// "640 bytes × s77"; empty when nothing is known.
QString bytesWords(const Program& program, const Value& value);
/// "float32 [s77, 4, 5, 8]"; device added when it is not the CPU.
QString typeWords(const Program& program, const Value& value);

}  // namespace pt2::views
