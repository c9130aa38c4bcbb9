#pragma once

#include "views/inspector/inspector_facts.h"

namespace pt2::views {

/// What the inspector says of what is stored: a weight with those that share its record, a member of the archive. Empty when there is none.
InspectorFacts weightFacts(const DocumentSession& session, const std::string& fqn);
InspectorFacts memberFacts(const DocumentSession& session, const std::string& name);

}  // namespace pt2::views
