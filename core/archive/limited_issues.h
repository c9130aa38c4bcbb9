#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "core/base/issue.h"

namespace pt2 {

/// Adds issues, but only the first few of each code: a hostile archive has a million odd names, and nobody reads a million lines.
/// finish() says how many were left out.
class LimitedIssues {
public:
    explicit LimitedIssues(Issues& issues) : issues_(issues) {}

    void add(Severity severity, std::string code, std::string where, std::string message, std::string help = {}) {
        const std::size_t count = ++counts_[code].second;
        counts_[code].first = severity;
        if (count <= kShown) issues_.push_back({severity, std::move(code), std::move(where), std::move(message), std::move(help)});
    }

    void finish() {
        for (const auto& [code, count] : counts_) {
            if (count.second <= kShown) continue;
            issues_.push_back({count.first, code, "file", "The same holds for " + std::to_string(count.second - kShown) + " more members.", {}});
        }
        counts_.clear();
    }

private:
    static constexpr std::size_t kShown = 8;
    Issues& issues_;
    std::map<std::string, std::pair<Severity, std::size_t>> counts_;
};

}  // namespace pt2
