#pragma once

#include <functional>
#include <string>

#include "core/program/program.h"

namespace pt2 {

/// How names stand in a printed value: those of SSA values, and of the graphs that as_graph arguments name, asked in the order they are printed.
struct PrintedNames {
    std::function<std::string(ValueId)> value;
    std::function<std::string(const Argument&)> graph;
};

/// An argument as Python prints it (format.md 2.8 "Values"). Lists nest as deep as the program's reader allows.
std::string printValue(const Program& program, const Argument& argument, const PrintedNames& names);
/// A list of them between brackets; a tuple's parenthesis with one element gets its comma.
std::string printValues(const Program& program, IdRange arguments, char open, char close, const PrintedNames& names);

/// The comment line above a node without its "#": annotation of the `custom` metadata, and the place of the stack trace (format.md 2.8 "Comment
/// lines").
std::string printedComment(const NodeMetadata& metadata);

}  // namespace pt2
