#pragma once

#include "app/pt2/output.h"

namespace pt2 {

/// Issues for people: severity, sentence and place on one line, the advice below it.
void printIssues(Output& out, const Issues& issues, std::string_view indent);

}  // namespace pt2
