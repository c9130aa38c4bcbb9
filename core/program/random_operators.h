#pragma once

#include <string>
#include <vector>

#include "core/program/program.h"

namespace pt2 {

/// A node whose result differs from call to call (users.md A63): an operator that torch tags as drawing from a generator, with a probability that is
/// not 0 and not switched off by its `train` argument.
struct RandomNode {
    NodeId node = kNone;
    std::string operatorName;  ///< "aten.dropout"
};
/// In graph order, subgraphs included.
std::vector<RandomNode> randomNodes(const Program& program);

/// "The program draws random numbers (aten.dropout in 2 nodes, aten.bernoulli): …"; empty where it draws none.
std::string randomWarning(const Program& program);

}  // namespace pt2
