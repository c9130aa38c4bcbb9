#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace pt2 {

/// A hash of text with a secret of this process, so that no file can be made to collide.
std::uint64_t hashText(std::string_view text, std::uint64_t salt = 0);

/// Distinct texts with ids counted from zero; the texts stay where they are.
class TextTable {
public:
    /// The id of `text`, entered if it is new; `added` says which.
    std::uint32_t enter(std::string_view text, bool& added);
    /// The id of `text`, or 0xFFFFFFFF.
    std::uint32_t find(std::string_view text) const;
    std::string_view text(std::uint32_t id) const { return texts_[id]; }
    std::size_t size() const { return texts_.size(); }
    const std::vector<std::string_view>& texts() const { return texts_; }

private:
    void grow();
    std::vector<std::string_view> texts_;
    std::vector<std::uint64_t> hashes_;
    std::vector<std::uint32_t> slots_;
};

}  // namespace pt2
