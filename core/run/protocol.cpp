#include "core/run/protocol.h"

#include <algorithm>
#include <utility>

#include "core/base/text.h"

namespace pt2 {

namespace {

void appendLittle(ByteBuffer& out, std::uint32_t value) {
    for (int shift = 0; shift < 32; shift += 8) out.push_back(static_cast<std::byte>(value >> shift & 0xff));
}

/// Whether `object[key]` is an integer of 0 to `limit`.
bool boundedCount(const nlohmann::json& object, const char* key, std::uint64_t limit, std::uint64_t& out) {
    const auto found = object.find(key);
    if (found == object.end()) {
        out = 0;
        return true;
    }
    if (!found->is_number_unsigned()) return false;
    out = found->get<std::uint64_t>();
    return out <= limit;
}

}  // namespace

ByteBuffer encodePreamble() {
    const Bytes magic = asBytes(kProtocolMagic);
    ByteBuffer out(magic.begin(), magic.end());
    appendLittle(out, kProtocolVersion);
    return out;
}

Result<ByteBuffer> encodeFrameHead(const Frame& frame) {
    const nlohmann::json header = {
        {"sequence", frame.sequence}, {"payload", frame.payload.size()}, {"descriptors", frame.descriptors.size()}, {"body", frame.body}};
    // Text of a model (messages, names) need not be UTF-8; what is not is replaced, never thrown about.
    const std::string text = header.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    if (text.size() > kMaxHeaderBytes || frame.payload.size() > kMaxPayloadBytes || frame.descriptors.size() > kMaxDescriptors) {
        return fail({ErrorKind::System,
                     "protocol.frame-too-large",
                     "A message to or from the run engine is too large.",
                     {},
                     "Its header has " + formatBytes(text.size()) + ", and " + formatBytes(kMaxHeaderBytes) + " is the limit.",
                     {}});
    }
    ByteBuffer out;
    out.reserve(4 + text.size());
    appendLittle(out, static_cast<std::uint32_t>(text.size()));
    const Bytes bytes = asBytes(text);
    out.insert(out.end(), bytes.begin(), bytes.end());
    return out;
}

void FrameDecoder::feed(Bytes bytes, std::vector<Descriptor> descriptors) {
    if (start_ > 0 && start_ == buffer_.size()) {
        buffer_.clear();
        start_ = 0;
    }
    for (Descriptor& descriptor : descriptors) descriptors_.push_back(std::move(descriptor));
    if (descriptors_.size() > 4 * kMaxDescriptors && !error_) static_cast<void>(damaged("Open files came that no message names."));
    // A payload goes straight to its frame, so that it is not held twice.
    if (current_ && start_ == buffer_.size()) {
        const std::uint64_t missing = payloadBytes_ - current_->payload.size();
        const std::size_t taken = static_cast<std::size_t>(std::min<std::uint64_t>(missing, bytes.size()));
        current_->payload.insert(current_->payload.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(taken));
        bytes = bytes.subspan(taken);
    }
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
}

tl::unexpected<Error> FrameDecoder::damaged(std::string why) {
    error_ = Error{ErrorKind::System,
                   "protocol.damaged",
                   "The run engine and pt2scope do not understand each other.",
                   {},
                   std::move(why),
                   "If this comes back, build the run engine anew: both must come from the same pt2scope."};
    return fail(*error_);
}

Status FrameDecoder::takePreamble() {
    const Bytes available = Bytes(buffer_).subspan(start_);
    const std::size_t compared = std::min(available.size(), kProtocolMagic.size());
    if (asText(available.first(compared)) != kProtocolMagic.substr(0, compared)) {
        const std::string_view came = asText(available.first(std::min<std::size_t>(available.size(), 120)));
        error_ = Error{ErrorKind::System,
                       "protocol.not-a-worker",
                       "What answered is not a pt2-worker.",
                       {},
                       "It began with \"" + escapeForDisplay(came) + "\".",
                       "The command must start pt2-worker --stdio and print nothing before it (a login shell's greeting does)."};
        return fail(*error_);
    }
    if (available.size() < kPreambleBytes) return {};
    const std::uint32_t version = loadLittle<std::uint32_t>(available, kProtocolMagic.size());
    if (version != kProtocolVersion) {
        error_ = Error{ErrorKind::CannotRun,
                       "protocol.version",
                       "The run engine belongs to another version of pt2scope.",
                       {},
                       "It speaks protocol " + std::to_string(version) + ", and this program speaks " + std::to_string(kProtocolVersion) + ".",
                       "Build the run engine of this version."};
        return fail(*error_);
    }
    start_ += kPreambleBytes;
    preambleSeen_ = true;
    return {};
}

Status FrameDecoder::takeHeader() {
    const Bytes available = Bytes(buffer_).subspan(start_);
    if (available.size() < 4) return {};
    const std::uint32_t length = loadLittle<std::uint32_t>(available, 0);
    if (length == 0 || length > kMaxHeaderBytes) return damaged("A message header of " + std::to_string(length) + " bytes came.");
    if (available.size() - 4 < length) return {};
    nlohmann::json header = nlohmann::json::parse(asText(available.subspan(4, length)), nullptr, false);
    std::uint64_t sequence = 0, payload = 0, descriptors = 0;
    if (!header.is_object() || !boundedCount(header, "sequence", ~std::uint64_t{0}, sequence) ||
        !boundedCount(header, "payload", kMaxPayloadBytes, payload) || !boundedCount(header, "descriptors", kMaxDescriptors, descriptors) ||
        !header.contains("body") || !header["body"].is_object()) {
        return damaged("A message header is not what it should be.");
    }
    if (descriptors > descriptors_.size()) return damaged("A message names open files that did not come with it.");
    start_ += 4 + std::size_t{length};
    Frame frame;
    frame.sequence = sequence;
    frame.body = std::move(header["body"]);
    payloadBytes_ = payload;
    descriptorCount_ = static_cast<std::size_t>(descriptors);
    current_ = std::move(frame);
    return {};
}

Result<std::optional<Frame>> FrameDecoder::next() {
    if (error_) return fail(*error_);
    if (!preambleSeen_) {
        if (auto status = takePreamble(); !status) return fail(status.error());
        if (!preambleSeen_) return std::nullopt;
    }
    if (!current_) {
        if (auto status = takeHeader(); !status) return fail(status.error());
        if (!current_) return std::nullopt;
    }
    const std::uint64_t missing = payloadBytes_ - current_->payload.size();
    const std::size_t taken = static_cast<std::size_t>(std::min<std::uint64_t>(missing, buffer_.size() - start_));
    const auto from = buffer_.begin() + static_cast<std::ptrdiff_t>(start_);
    current_->payload.insert(current_->payload.end(), from, from + static_cast<std::ptrdiff_t>(taken));
    start_ += taken;
    if (current_->payload.size() < payloadBytes_) return std::nullopt;
    for (std::size_t i = 0; i < descriptorCount_; ++i) {
        current_->descriptors.push_back(std::move(descriptors_.front()));
        descriptors_.pop_front();
    }
    std::optional<Frame> done = std::exchange(current_, std::nullopt);
    if (start_ > 0) {
        buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(start_));
        start_ = 0;
    }
    return done;
}

nlohmann::json errorToJson(const Error& error) {
    return {{"kind", static_cast<int>(error.kind)},
            {"code", error.code},
            {"what", error.what},
            {"where", error.where},
            {"why", error.why},
            {"help", error.help}};
}

Error errorFromJson(const nlohmann::json& json) {
    Error error{ErrorKind::System,   textOf(json, "code", "worker.error"), textOf(json, "what"), textOf(json, "where"), textOf(json, "why"),
                textOf(json, "help")};
    switch (integerOf(json, "kind")) {
        case 1: error.kind = ErrorKind::DoesNotHold; break;
        case 2: error.kind = ErrorKind::Usage; break;
        case 3: error.kind = ErrorKind::Unreadable; break;
        case 4: error.kind = ErrorKind::CannotRun; break;
        case 5: error.kind = ErrorKind::RunFailed; break;
        case 130: error.kind = ErrorKind::Cancelled; break;
        default: break;
    }
    return error;
}

std::string textOf(const nlohmann::json& object, const char* key, std::string fallback) {
    if (!object.is_object()) return fallback;
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : fallback;
}

std::int64_t integerOf(const nlohmann::json& object, const char* key, std::int64_t fallback) {
    if (!object.is_object()) return fallback;
    const auto found = object.find(key);
    if (found == object.end() || !found->is_number_integer()) return fallback;
    if (found->is_number_unsigned() && found->get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX)) return fallback;
    return found->get<std::int64_t>();
}

double numberOf(const nlohmann::json& object, const char* key, double fallback) {
    if (!object.is_object()) return fallback;
    const auto found = object.find(key);
    return found != object.end() && found->is_number() ? found->get<double>() : fallback;
}

bool flagOf(const nlohmann::json& object, const char* key, bool fallback) {
    if (!object.is_object()) return fallback;
    const auto found = object.find(key);
    return found != object.end() && found->is_boolean() ? found->get<bool>() : fallback;
}

std::vector<std::string> textsOf(const nlohmann::json& object, const char* key) {
    std::vector<std::string> texts;
    if (!object.is_object()) return texts;
    const auto list = object.find(key);
    if (list == object.end() || !list->is_array()) return texts;
    for (const nlohmann::json& one : *list) texts.push_back(one.is_string() ? one.get<std::string>() : std::string());
    return texts;
}

}  // namespace pt2
