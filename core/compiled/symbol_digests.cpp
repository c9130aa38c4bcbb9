#include "core/compiled/symbol_digests.h"

#include <algorithm>

namespace pt2 {
namespace {

constexpr unsigned kBits = 40;
constexpr std::uint64_t kMask = (std::uint64_t{1} << kBits) - 1;
constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string base64(const std::string& bytes) {
    std::string text;
    text.reserve(bytes.size() * 4 / 3 + 4);
    std::uint32_t bits = 0;
    unsigned held = 0;
    for (const char c : bytes) {
        bits = (bits << 8U) | static_cast<unsigned char>(c);
        held += 8;
        while (held >= 6) {
            held -= 6;
            text += kAlphabet[(bits >> held) & 63U];
        }
    }
    if (held > 0) text += kAlphabet[(bits << (6 - held)) & 63U];
    return text;
}

}  // namespace

std::uint64_t symbolDigest(std::string_view name) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    return (hash ^ (hash >> kBits)) & kMask;
}

std::vector<std::uint64_t> symbolDigests(const std::vector<std::string>& names) {
    std::vector<std::uint64_t> digests;
    digests.reserve(names.size());
    for (const std::string& name : names) digests.push_back(symbolDigest(name));
    std::sort(digests.begin(), digests.end());
    digests.erase(std::unique(digests.begin(), digests.end()), digests.end());
    return digests;
}

std::string digestsText(const std::vector<std::uint64_t>& digests) {
    std::string bytes;
    std::uint64_t last = 0;
    for (const std::uint64_t digest : digests) {
        std::uint64_t step = digest - last;
        last = digest;
        for (; step >= 128; step >>= 7U) bytes += static_cast<char>(128U | (step & 127U));
        bytes += static_cast<char>(step);
    }
    return base64(bytes);
}

std::optional<std::vector<std::uint64_t>> parseDigests(std::string_view text, std::size_t most) {
    std::vector<std::uint64_t> digests;
    std::uint64_t step = 0, last = 0;
    unsigned shift = 0, held = 0;
    std::uint32_t bits = 0;
    for (const char c : text) {
        const std::size_t value = kAlphabet.find(c);
        if (value == std::string_view::npos) return std::nullopt;
        bits = ((bits & 0xffU) << 6U) | static_cast<std::uint32_t>(value);
        held += 6;
        if (held < 8) continue;
        held -= 8;
        const std::uint32_t byte = (bits >> held) & 0xffU;
        if (shift >= kBits + 7) return std::nullopt;
        step |= std::uint64_t{byte & 127U} << shift;
        shift += 7;
        if (byte >= 128) continue;
        if (step > kMask - last || digests.size() == most) return std::nullopt;
        last += step;
        digests.push_back(last);
        step = 0;
        shift = 0;
    }
    if (shift != 0 || (held > 0 && (bits & ((1U << held) - 1)) != 0)) return std::nullopt;
    return digests;
}

}  // namespace pt2
