#pragma once

#include <string_view>

#include "app/pt2/output.h"
#include "core/base/issue.h"

namespace pt2 {

/// Issues for people: severity, sentence and place on one line, the advice below it.
void printIssues(Output& out, const Issues& issues, std::string_view indent);

}  // namespace pt2
