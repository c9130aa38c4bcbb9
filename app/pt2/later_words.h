#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace pt2 {

/// Commands and options that cli.md names and that are not there yet: refused with a sentence that says so, never taken for a misspelling.
std::optional<Error> refuseLaterWords(const std::string& command, const std::vector<std::string>& arguments);
bool isLaterCommand(const std::string& word);

}  // namespace pt2
