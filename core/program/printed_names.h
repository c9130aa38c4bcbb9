#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace pt2 {

bool isPythonKeyword(std::string_view name);
/// Keywords, names of Python's builtins, and the globals torch.fx puts into generated code.
bool isReservedName(std::string_view name);

/// Turns wanted names into unique identifiers as torch.fx does (format.md 2.8 "Name tables").
class NameTable {
public:
    std::string request(std::string_view wanted);
    void markUsed(std::string_view name) { used_.emplace(name); }

private:
    std::unordered_set<std::string> used_;
    std::unordered_map<std::string, std::uint64_t> lastNumber_;
};

}  // namespace pt2
