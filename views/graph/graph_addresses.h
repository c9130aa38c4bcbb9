#pragma once

#include <string>

#include "core/package/address.h"
#include "views/graph/graph_scene.h"

namespace pt2::views {

/// The address of what is selected on a canvas; none for groups, which have no address.
Address addressOf(const Program& program, const std::string& model, const GraphItem& item);
/// What an address of this program names; a weight is the value that brings it in. Empty when it is not in the program.
GraphItem itemOf(const Program& program, const Address& address);
/// The graph an item or address lies in.
GraphId graphOf(const Program& program, const GraphItem& item);

}  // namespace pt2::views
