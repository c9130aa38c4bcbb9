#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace pt2 {

/// A search pattern made ready: a glob when it has * or ?, else a substring; both without regard to the case of ASCII letters.
class NameMatcher {
public:
    static constexpr int kExact = 0, kPrefix = 1, kInside = 2, kNoMatch = 3;

    explicit NameMatcher(std::string_view pattern);
    bool empty() const { return pattern_.empty(); }
    /// How well `text` fits: the whole of it, its beginning, somewhere inside, or not at all.
    int rank(std::string_view text) const;
    /// Whether a string inside this JSON text may match: never false for one that does, and quick, since nothing is parsed.
    bool mayOccurInJson(std::string_view json) const;

private:
    /// Position of the folded literal in `text` from `from` on, or npos (Horspool's search over folded bytes).
    std::size_t findLiteral(std::string_view text) const;

    std::string pattern_;  ///< folded to lower case
    std::string literal_;  ///< folded; what must occur as it stands: the pattern, or the longest part of a glob without wildcards
    bool isGlob_ = false;
    bool escapedInJson_ = false;  ///< JSON may write a character of the literal in more than one way
    std::array<std::uint32_t, 256> shift_{};
};

}  // namespace pt2
