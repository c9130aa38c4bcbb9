#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace pt2 {

using Bytes = std::span<const std::byte>;
using MutableBytes = std::span<std::byte>;
using ByteBuffer = std::vector<std::byte>;

inline std::string_view asText(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
inline Bytes asBytes(std::string_view text) { return {reinterpret_cast<const std::byte*>(text.data()), text.size()}; }

/// Reads a little-endian integer at `offset`; the caller has checked that it lies inside.
template <typename T>
T loadLittle(Bytes bytes, std::size_t offset) {
    T value{};
    for (std::size_t i = 0; i < sizeof(T); ++i) {
        value = static_cast<T>(value | (static_cast<T>(std::to_integer<std::uint8_t>(bytes[offset + i])) << (8 * i)));
    }
    return value;
}

/// a * b, or false when it does not fit 64 bits. Every size that comes from a file goes through here.
inline bool multiplySafe(std::uint64_t a, std::uint64_t b, std::uint64_t& out) { return !__builtin_mul_overflow(a, b, &out); }
inline bool addSafe(std::uint64_t a, std::uint64_t b, std::uint64_t& out) { return !__builtin_add_overflow(a, b, &out); }

}  // namespace pt2
