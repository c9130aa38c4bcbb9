#pragma once

#include "app/pt2/command.h"
#include "core/compiled/target.h"

namespace pt2 {

struct PassportOptions {
    std::string model;         ///< only this one; empty for all
    Target target;             ///< where it is to run
    std::string enginePrompt;  ///< why there is no run engine; empty when there is one
    Json hashes;               ///< inspectJson's document when sha256 were asked for, else null
};

/// `inspect` for people: what the file is, who made it, what it takes and gives, its weights, whether it runs here, what is odd, what to do next.
void printPassport(Context& context, const Document& document, const PassportOptions& options);

/// A file name as a shell takes it.
std::string shellWord(const std::string& text);

}  // namespace pt2
