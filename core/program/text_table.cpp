#include "core/program/text_table.h"

#include <cstring>
#include <random>

namespace pt2 {

namespace {

constexpr std::uint32_t kEmpty = 0xFFFFFFFF;

std::uint64_t secret() {
    static const std::uint64_t value = [] {
        std::random_device device;
        return (static_cast<std::uint64_t>(device()) << 32 | device()) | 1U;
    }();
    return value;
}

__extension__ typedef unsigned __int128 Wide;

std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

}  // namespace

std::uint64_t hashText(std::string_view text, std::uint64_t salt) {
    const std::uint64_t key = secret();
    std::uint64_t hash = fold(key ^ salt, 0x9E3779B97F4A7C15U ^ text.size());
    const char* at = text.data();
    std::size_t left = text.size();
    while (left >= 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, at, 8);
        hash = fold(hash ^ word, key ^ 0xD6E8FEB86659FD93U);
        at += 8;
        left -= 8;
    }
    std::uint64_t word = 0;
    if (left > 0) std::memcpy(&word, at, left);
    return fold(hash ^ word, key ^ 0xA0761D6478BD642FU);
}

void TextTable::grow() {
    const std::size_t capacity = slots_.empty() ? 64 : slots_.size() * 2;
    slots_.assign(capacity, kEmpty);
    for (std::uint32_t id = 0; id < hashes_.size(); ++id) {
        std::size_t slot = hashes_[id] & (capacity - 1);
        while (slots_[slot] != kEmpty) slot = (slot + 1) & (capacity - 1);
        slots_[slot] = id;
    }
}

std::uint32_t TextTable::enter(std::string_view text, bool& added) {
    if (texts_.size() * 2 >= slots_.size()) grow();
    const std::uint64_t hash = hashText(text);
    std::size_t slot = hash & (slots_.size() - 1);
    while (slots_[slot] != kEmpty) {
        const std::uint32_t id = slots_[slot];
        if (hashes_[id] == hash && texts_[id] == text) {
            added = false;
            return id;
        }
        slot = (slot + 1) & (slots_.size() - 1);
    }
    added = true;
    const auto id = static_cast<std::uint32_t>(texts_.size());
    slots_[slot] = id;
    texts_.push_back(text);
    hashes_.push_back(hash);
    return id;
}

std::uint32_t TextTable::find(std::string_view text) const {
    if (slots_.empty()) return kEmpty;
    const std::uint64_t hash = hashText(text);
    std::size_t slot = hash & (slots_.size() - 1);
    while (slots_[slot] != kEmpty) {
        const std::uint32_t id = slots_[slot];
        if (hashes_[id] == hash && texts_[id] == text) return id;
        slot = (slot + 1) & (slots_.size() - 1);
    }
    return kEmpty;
}

}  // namespace pt2
