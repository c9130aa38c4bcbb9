#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pt2 {

// A LibTorch and its system export some eighty thousand names, five megabytes of them. To know whether a name is among them, 40 bits of each are
// enough: a name that is not there is taken for one that is once in ten million.

/// The low 40 bits of FNV-1a of 64 bits, its upper bits folded in.
std::uint64_t symbolDigest(std::string_view name);
/// Of all names, ascending, each once.
std::vector<std::uint64_t> symbolDigests(const std::vector<std::string>& names);
/// As text: the steps from one to the next as LEB128, in base64 without padding.
std::string digestsText(const std::vector<std::uint64_t>& digests);
/// Nothing when the text is no such list, or one of more than `most`.
std::optional<std::vector<std::uint64_t>> parseDigests(std::string_view text, std::size_t most);

}  // namespace pt2
