#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace pt2 {

// Shell completion and man page, made from the commands and options themselves, so that they cannot fall behind.

/// For "bash", "zsh" or "fish"; empty for another shell.
std::string completionScript(const CLI::App& app, const std::string& shell);
/// Section 1, in roff.
std::string manPage(const CLI::App& app, const std::string& version);

}  // namespace pt2
