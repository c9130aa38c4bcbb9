#pragma once

#include <vector>

#include "core/program/program.h"

namespace pt2 {

/// What of a graph's inputs is written to by its operators. A program before decomposition (a training graph) writes with in-place operators, of
/// which its signature says nothing: add_ on a buffer, a batch norm that is trained.
struct InPlaceWrites {
    struct By {
        ValueId input = kNone;
        NodeId node = kNone;
        bool certain = true;
    };
    std::vector<ValueId> written;  ///< for certain, in the order of the inputs
    std::vector<ValueId> perhaps;  ///< given to operators of which the file does not say whether they write: custom ones, and those that may or may
                                   ///< not copy before something writes; none of `written`
    std::vector<By> by;            ///< which nodes write, in the order of the graph; of an input in `written` only those that do for certain
};
/// Of the root graph.
InPlaceWrites inPlaceWrites(const Program& program);

}  // namespace pt2
