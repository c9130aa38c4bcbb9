#pragma once

#include <QString>
#include <string>
#include <vector>

#include "views/graph/graph_scene.h"
#include "views/inspector/inspector_facts.h"

namespace pt2::views {

// What the facts of several kinds of things share.

constexpr std::size_t kMostRows = 12;  ///< of a section; the rest is counted

QString addressText(const Program& program, const std::string& model, const GraphItem& item);
/// "Used by": the nodes that read something, and whether the graph gives it out.
InspectorSection usersSection(const Program& program, const std::string& model, const std::vector<NodeId>& users, bool isOutput);
QString kindWords(InputKind kind);

}  // namespace pt2::views
