#pragma once

#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/package/package.h"

namespace pt2 {

struct SearchHit {
    std::string address;
    std::string kind;  ///< "node", "weight", "member", "symbol", "module", "source"
    std::string text;  ///< what to show beside it
};

/// Everything of the document whose name holds `pattern`: as a glob when it has * or ?, else as a substring without regard to case.
/// Nodes by name, operator and target; weights; members; symbols; modules; source lines. Exact names first.
std::vector<SearchHit> findInDocument(const Document& document, std::string_view pattern, std::size_t limit = 10000, const CancelToken& cancel = {});

}  // namespace pt2
