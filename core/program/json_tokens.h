#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace pt2 {

/// Half-open byte range of a JSON text.
struct JsonRange {
    std::uint32_t begin = 0, end = 0;
};

/// Where the tokens of a JSON text begin: brackets, commas, colons, strings and scalars, found by simdjson's first stage, which also checks the
/// UTF-8. No tree is made. The text must stay. Offsets are kept as 16 bits behind that of a group's first token, since a large program has a token
/// every few bytes.
class JsonTokens {
public:
    /// Unreadable when the text is empty, not UTF-8, has a string without end, or is larger than 4 GiB.
    static Result<JsonTokens> scan(std::string_view text);
    JsonTokens(JsonTokens&&) noexcept = default;
    JsonTokens& operator=(JsonTokens&&) noexcept = default;
    JsonTokens(const JsonTokens&) = delete;
    JsonTokens& operator=(const JsonTokens&) = delete;
    ~JsonTokens() = default;

    std::string_view text() const { return text_; }
    std::uint32_t count() const { return count_; }
    /// Byte offset of a token; the text's size behind the last.
    std::uint32_t offset(std::uint32_t token) const { return token < count_ ? at(token) : static_cast<std::uint32_t>(text_.size()); }
    /// First character of a token; NUL behind the last.
    char first(std::uint32_t token) const { return token < count_ ? text_[at(token)] : '\0'; }
    /// Offset behind a token, without white space.
    std::uint32_t end(std::uint32_t token) const { return token < count_ ? endOf(token, at(token)) : offset(token); }
    /// "graph_module.graph.nodes[3].inputs": where a token stands, for messages. Walks the text from its beginning.
    std::string path(std::uint32_t token) const;

private:
    friend class JsonReader;
    static constexpr std::uint32_t kGroupBits = 5;
    static constexpr std::uint16_t kFar = 0xFFFF;

    JsonTokens() = default;
    void pack(const std::uint32_t* offsets, std::uint32_t count);
    std::uint32_t at(std::uint32_t token) const {
        const std::uint16_t distance = distances_[token];
        return distance != kFar ? groups_[token >> kGroupBits] + distance : farOffset(token);
    }
    std::uint32_t farOffset(std::uint32_t token) const;
    std::uint32_t endOf(std::uint32_t token, std::uint32_t begin) const;

    std::string_view text_;
    std::unique_ptr<std::uint32_t[]> groups_;                   ///< offset of the first token of each group
    std::unique_ptr<std::uint16_t[]> distances_;                ///< from there; kFar where it does not fit
    std::vector<std::pair<std::uint32_t, std::uint32_t>> far_;  ///< token and offset of those, sorted
    std::uint32_t count_ = 0;
};

/// Text that had to be decoded from escapes; views into it stay valid as long as the store.
class TextStore {
public:
    std::string_view keep(std::string text) { return texts_.emplace_back(std::move(text)); }

private:
    std::deque<std::string> texts_;
};

/// Decodes JSON string escapes; lone surrogates become U+FFFD. False for a bad escape.
bool decodeJsonString(std::string_view raw, std::string& out);

/// Reads values in order. Every read returns false on the first fault, which is kept; nothing throws. A read leaves the position behind its value.
class JsonReader {
public:
    JsonReader(const JsonTokens& tokens, TextStore& store) : tokens_(tokens), store_(store) {}

    std::uint32_t position() const { return at_; }
    void seek(std::uint32_t token) { at_ = token; }
    char peek() const { return tokens_.first(at_); }
    bool atEnd() const { return at_ >= tokens_.count(); }
    bool atString() const { return peek() == '"'; }
    bool atObject() const { return peek() == '{'; }
    bool atArray() const { return peek() == '['; }
    bool atNull() const { return peek() == 'n'; }
    bool atBoolean() const { return peek() == 't' || peek() == 'f'; }
    bool atNumber() const {
        const char c = peek();
        return (c >= '0' && c <= '9') || c == '-';
    }
    /// Offsets of the value that was read last, when it began at `token`.
    JsonRange rangeSince(std::uint32_t token) const { return {tokens_.offset(token), at_ > token ? tokens_.end(at_ - 1) : tokens_.offset(token)}; }
    std::string_view textSince(std::uint32_t token) const {
        const JsonRange range = rangeSince(token);
        return tokens_.text().substr(range.begin, range.end - range.begin);
    }

    bool readString(std::string_view& out);
    bool readNull();
    bool readBool(bool& out);
    bool readInteger(std::int64_t& out);
    /// As readInteger, but where it returns false there is no fault and the position stays.
    bool tryInteger(std::int64_t& out);
    /// A number, bare NaN, Infinity, -Infinity, or one of these three in quotes (format.md 2.1).
    bool readReal(double& out);
    /// Passes over one value of any kind, checking that its tokens may follow each other.
    bool skip();

    /// Calls `field(key)` for each member; it reads the value. False from it ends the reading with a fault.
    template <typename Field>
    bool readObject(Field&& field) {
        if (!atObject()) return fault("an object is missing here");
        ++at_;
        if (peek() == '}') {
            ++at_;
            return true;
        }
        for (;;) {
            std::string_view key;
            if (!readString(key)) return false;
            if (peek() != ':') return fault("a colon is missing here");
            ++at_;
            if (!field(key)) return fault("this value is not readable");
            const char c = peek();
            if (c != ',' && c != '}') return fault("a comma or a closing brace is missing here");
            ++at_;
            if (c == '}') return true;
        }
    }
    /// Calls `item()` for each element; it reads the value.
    template <typename Item>
    bool readArray(Item&& item) {
        if (!atArray()) return fault("an array is missing here");
        ++at_;
        if (peek() == ']') {
            ++at_;
            return true;
        }
        for (;;) {
            if (!item()) return fault("this value is not readable");
            const char c = peek();
            if (c != ',' && c != ']') return fault("a comma or a closing bracket is missing here");
            ++at_;
            if (c == ']') return true;
        }
    }

    /// Keeps the first fault, at the present token or at `token`; always false.
    bool fault(std::string message) { return faultAt(at_, std::move(message)); }
    bool faultAt(std::uint32_t token, std::string message) {
        if (message_.empty()) {
            message_ = std::move(message);
            faultToken_ = token;
        }
        return false;
    }
    bool failed() const { return !message_.empty(); }
    const std::string& message() const { return message_; }
    std::uint32_t faultToken() const { return faultToken_; }
    const JsonTokens& tokens() const { return tokens_; }

private:
    std::string_view scalar() const { return tokens_.text().substr(tokens_.offset(at_), tokens_.end(at_) - tokens_.offset(at_)); }

    const JsonTokens& tokens_;
    TextStore& store_;
    std::uint32_t at_ = 0;
    std::string message_;
    std::uint32_t faultToken_ = 0;
};

}  // namespace pt2
