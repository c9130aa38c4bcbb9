#pragma once

#include <cstdint>
#include <deque>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/run/descriptor.h"

namespace pt2 {

// What window or command and a worker say to each other (design.md 5), over a Unix socket or any two byte streams. Each side begins with a
// preamble (magic, protocol version), then sends frames:
//
//     u32 little endian   length of the header, 1 byte to 1 MiB
//     header              JSON object: "sequence", "payload" (bytes that follow), "descriptors" (files that came with it), "body"
//     payload
//
// The worker opens with a hello (sequence 0). A request has a sequence of its own; its answers repeat it: "progress" any number of times, then
// one "result" or "error". Either side may be hostile or broken, so both check every number.

inline constexpr std::string_view kProtocolMagic = "PT2WORK\n";
inline constexpr std::uint32_t kProtocolVersion = 1;
inline constexpr std::size_t kPreambleBytes = 12;
inline constexpr std::uint32_t kMaxHeaderBytes = 1u << 20;
inline constexpr std::uint64_t kMaxPayloadBytes = std::uint64_t{1} << 40;
inline constexpr std::size_t kMaxDescriptors = 8;
/// What a worker ends with when its streams were closed in its own process, which only a model does.
inline constexpr int kStreamClosedStatus = 113;

struct Frame {
    std::uint64_t sequence = 0;
    nlohmann::json body = nlohmann::json::object();
    ByteBuffer payload;
    std::vector<Descriptor> descriptors;  ///< over a Unix socket only
};

/// The bytes that open a stream.
ByteBuffer encodePreamble();
/// Length and header of a frame; its payload follows as it stands. Error System "protocol.frame-too-large".
Result<ByteBuffer> encodeFrameHead(const Frame& frame);

/// Takes a stream apart as it arrives, in pieces of any size. After an error it stays in error.
class FrameDecoder {
public:
    void feed(Bytes bytes, std::vector<Descriptor> descriptors = {});
    /// The next complete frame, or nothing yet. Errors: "protocol.not-a-worker" (no magic: `why` shows what came instead), "protocol.version",
    /// "protocol.damaged".
    Result<std::optional<Frame>> next();

private:
    Status takePreamble();
    Status takeHeader();
    tl::unexpected<Error> damaged(std::string why);

    ByteBuffer buffer_;  // received and not yet taken apart, from `start_`
    std::size_t start_ = 0;
    std::deque<Descriptor> descriptors_;
    bool preambleSeen_ = false;
    std::optional<Frame> current_;  // its header has been read
    std::uint64_t payloadBytes_ = 0;
    std::size_t descriptorCount_ = 0;
    std::optional<Error> error_;
};

/// Error ↔ JSON object {"kind","code","what","where","why","help"}.
nlohmann::json errorToJson(const Error& error);
Error errorFromJson(const nlohmann::json& json);

// Values of a JSON object that may lie about their type; the default stands in for what is missing or of another type.
std::string textOf(const nlohmann::json& object, const char* key, std::string fallback = {});
std::int64_t integerOf(const nlohmann::json& object, const char* key, std::int64_t fallback = 0);
double numberOf(const nlohmann::json& object, const char* key, double fallback = 0);
bool flagOf(const nlohmann::json& object, const char* key, bool fallback = false);
/// A list of texts; what is no text is an empty one.
std::vector<std::string> textsOf(const nlohmann::json& object, const char* key);

}  // namespace pt2
