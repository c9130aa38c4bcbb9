#pragma once

#include <cstddef>
#include <cstdint>

/// Numbers of the zip format (APPNOTE.TXT 4.3) that reader and writer share.
namespace pt2::zip {

inline constexpr std::uint32_t kLocalSignature = 0x04034b50;
inline constexpr std::uint32_t kCentralSignature = 0x02014b50;
inline constexpr std::uint32_t kDescriptorSignature = 0x08074b50;
inline constexpr std::uint32_t kEndSignature = 0x06054b50;
inline constexpr std::uint32_t kEnd64Signature = 0x06064b50;
inline constexpr std::uint32_t kLocatorSignature = 0x07064b50;

// Fixed parts of the records, in bytes.
inline constexpr std::size_t kLocalSize = 30;
inline constexpr std::size_t kCentralSize = 46;
inline constexpr std::size_t kEndSize = 22;
inline constexpr std::size_t kEnd64Size = 56;
inline constexpr std::size_t kLocatorSize = 20;

inline constexpr std::uint16_t kStored = 0;
inline constexpr std::uint16_t kDeflated = 8;

inline constexpr std::uint16_t kFlagEncrypted = 0x0001;
inline constexpr std::uint16_t kFlagDescriptor = 0x0008;
inline constexpr std::uint16_t kFlagUtf8 = 0x0800;
inline constexpr std::uint16_t kFlagHiddenHeaders = 0x2000;

inline constexpr std::uint16_t kZip64ExtraId = 0x0001;

inline constexpr std::uint64_t kAlignment = 64;  ///< of payloads, as torch writes (format.md 1.5)

}  // namespace pt2::zip
