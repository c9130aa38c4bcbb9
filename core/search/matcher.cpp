#include "core/search/matcher.h"

#include "core/base/text.h"

namespace pt2 {
namespace {

constexpr std::array<unsigned char, 256> makeFold() {
    std::array<unsigned char, 256> table{};
    for (unsigned i = 0; i < 256; ++i) table[i] = static_cast<unsigned char>(i >= 'A' && i <= 'Z' ? i + 32 : i);
    return table;
}
constexpr std::array<unsigned char, 256> kFold = makeFold();

unsigned char fold(char c) { return kFold[static_cast<unsigned char>(c)]; }

std::string folded(std::string_view text) {
    std::string out(text);
    for (char& c : out) c = static_cast<char>(fold(c));
    return out;
}

/// The longest run of a glob that has no wildcard or bracket in it.
std::string longestLiteral(std::string_view pattern) {
    std::string_view best;
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= pattern.size(); ++i) {
        const char c = i < pattern.size() ? pattern[i] : '*';
        if (c == '[') return {};  // which bytes a set stands for is left to the glob itself
        if (c != '*' && c != '?') continue;
        if (i - begin > best.size()) best = pattern.substr(begin, i - begin);
        begin = i + 1;
    }
    return std::string(best);
}

}  // namespace

NameMatcher::NameMatcher(std::string_view pattern) : pattern_(folded(pattern)) {
    isGlob_ = pattern_.find_first_of("*?") != std::string::npos;
    literal_ = isGlob_ ? longestLiteral(pattern_) : pattern_;
    for (const char c : literal_) {
        const auto u = static_cast<unsigned char>(c);
        if (u < 0x20 || u >= 0x7F || c == '"' || c == '\\' || c == '/') escapedInJson_ = true;
    }
    shift_.fill(static_cast<std::uint32_t>(literal_.size()));
    for (std::size_t i = 0; i + 1 < literal_.size(); ++i)
        shift_[static_cast<unsigned char>(literal_[i])] = static_cast<std::uint32_t>(literal_.size() - 1 - i);
}

std::size_t NameMatcher::findLiteral(std::string_view text) const {
    const std::size_t length = literal_.size();
    if (length == 0) return 0;
    if (text.size() < length) return std::string_view::npos;
    std::size_t at = 0;
    while (at <= text.size() - length) {
        const unsigned char last = fold(text[at + length - 1]);
        if (last == static_cast<unsigned char>(literal_[length - 1])) {
            std::size_t i = 0;
            while (i + 1 < length && fold(text[at + i]) == static_cast<unsigned char>(literal_[i])) ++i;
            if (i + 1 >= length) return at;
        }
        at += shift_[last];
    }
    return std::string_view::npos;
}

int NameMatcher::rank(std::string_view text) const {
    if (isGlob_) {
        if (findLiteral(text) == std::string_view::npos) return kNoMatch;
        return globMatch(pattern_, folded(text)) ? kPrefix : kNoMatch;
    }
    const std::size_t at = findLiteral(text);
    if (at == std::string_view::npos) return kNoMatch;
    if (at == 0) return text.size() == literal_.size() ? kExact : kPrefix;
    return kInside;
}

bool NameMatcher::mayOccurInJson(std::string_view json) const {
    // A JSON writer may spell these as \uXXXX or not, so only parsing tells.
    if (escapedInJson_) return json.size() > 2;
    return findLiteral(json) != std::string_view::npos;
}

}  // namespace pt2
