#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/program/program.h"

namespace pt2 {

/// One line of a printed graph: torch's loader makes more nodes of a file than the file has (placeholders, get_attr for subgraphs, getitem for
/// several outputs), with names of its own (format.md 2.8 "Nodes from the JSON").
struct PrintedNode {
    enum class Kind : std::uint8_t { Placeholder, GetAttr, Call, GetItem };
    Kind kind = Kind::Call;
    std::string name;                     ///< before the printing table
    std::string_view target;              ///< Placeholder: its argument's name; GetAttr: the graph's name
    NodeId node = kNone;                  ///< Call; GetItem and GetAttr of a higher-order operator: the node whose metadata they carry
    ValueId value = kNone;                ///< whose type and sizes the line shows
    std::uint32_t source = kNone;         ///< GetItem: the printed node it reads
    std::uint32_t index = 0;              ///< GetItem
    std::vector<std::uint32_t> getAttrs;  ///< Call: the get_attr nodes before it, in order of its as_graph arguments
};

struct PrintedGraph {
    std::vector<PrintedNode> nodes;          ///< in order, without the output
    std::vector<std::uint32_t> nodeOfValue;  ///< by value − first value of the graph; kNone where nothing makes it
};

PrintedGraph buildPrintedGraph(const Program& program, GraphId graph);
bool isHigherOrder(std::string_view target);

}  // namespace pt2
