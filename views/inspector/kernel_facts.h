#pragma once

#include "core/package/linked_kernels.h"
#include "views/inspector/inspector_facts.h"

namespace pt2::views {

/// "Becomes": the kernel calls of the compiled model that compute a node, with how that is known. Without rows where the file has no compiled model.
InspectorSection kernelSection(const DocumentSession& session, NodeId node);

}  // namespace pt2::views
