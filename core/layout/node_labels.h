#pragma once

#include <string>
#include <string_view>

#include "core/program/program.h"

namespace pt2 {

// The words of a box, the same for layout (widths), canvas, tooltip and export.

/// "s77×5×32", "[]" for a scalar, the expression for a symbolic number, "?" when nothing is known.
std::string shapeLabel(const Program& program, const Value& value);
/// "f32 s77×5×32".
std::string typeLabel(const Program& program, const Value& value);

struct NodeLabel {
    std::string name;    ///< operator without namespace and overload: "linear"
    std::string detail;  ///< at the right: "s77×5×32", or "÷ 2.82843" where a number says more than an unchanged shape
};
NodeLabel nodeLabel(const Program& program, NodeId node);
/// "weight 32×32": the last part of the target's name and the shape.
std::string weightLabel(const Program& program, ValueId weight);
/// First value the node makes, kNone if none.
ValueId firstOutput(const Program& program, NodeId node);

}  // namespace pt2
