#include "core/program/json_tokens.h"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <system_error>
#include <vector>

#include "core/base/utf8.h"

namespace pt2 {

namespace {

tl::unexpected<Error> unreadable(std::string why, std::string help = "Export the program again, or fetch the file again.") {
    return fail({ErrorKind::Unreadable, "program.json", "The program's JSON cannot be read.", {}, std::move(why), std::move(help)});
}

bool isSpace(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

}  // namespace

Result<JsonTokens> JsonTokens::scan(std::string_view text) {
    if (text.empty()) return unreadable("It is empty.");
    if (text.size() >= std::numeric_limits<std::uint32_t>::max()) return unreadable("It is larger than 4 GiB.");
    // The first stage looks behind a character only when it is the beginning of a longer one.
    if (static_cast<unsigned char>(text.back()) >= 0x80) return unreadable("It does not end like a JSON text.");
    JsonTokens tokens;
    tokens.text_ = text;
    std::unique_ptr<simdjson::internal::dom_parser_implementation> parser;
    // Depth is no concern of the first stage; the readers above bound their own.
    simdjson::error_code error = simdjson::get_active_implementation()->create_dom_parser_implementation(text.size(), 1, parser);
    if (error == simdjson::SUCCESS) {
        error = parser->stage1(reinterpret_cast<const std::uint8_t*>(text.data()), text.size(), simdjson::stage1_mode::regular);
    }
    switch (error) {
        case simdjson::SUCCESS: break;
        case simdjson::EMPTY: return unreadable("It holds white space only.");
        case simdjson::UTF8_ERROR: return unreadable("It is not valid UTF-8.");
        case simdjson::UNCLOSED_STRING: return unreadable("It ends inside a string: the text was cut.");
        case simdjson::UNESCAPED_CHARS: return unreadable("A string holds a control character that is not escaped.");
        case simdjson::MEMALLOC:
            return unreadable("There is not enough memory for its index.", "Close other programs or use a machine with more memory.");
        default: return unreadable(std::string(simdjson::error_message(error)) + ".");
    }
    tokens.pack(parser->structural_indexes.get(), parser->n_structural_indexes);
    return tokens;
}

void JsonTokens::pack(const std::uint32_t* offsets, std::uint32_t count) {
    constexpr std::uint32_t group = 1U << kGroupBits;
    count_ = count;
    groups_.reset(new std::uint32_t[count / group + 1]);
    distances_.reset(new std::uint16_t[count + 1]);
    for (std::uint32_t begin = 0; begin < count; begin += group) {
        const std::uint32_t base = offsets[begin], end = begin + std::min(group, count - begin);
        groups_[begin >> kGroupBits] = base;
        for (std::uint32_t token = begin; token < end; ++token) distances_[token] = static_cast<std::uint16_t>(offsets[token] - base);
        if (offsets[end - 1] - base < kFar) continue;
        for (std::uint32_t token = begin; token < end; ++token) {
            if (offsets[token] - base < kFar) continue;
            distances_[token] = kFar;
            far_.emplace_back(token, offsets[token]);
        }
    }
}

std::uint32_t JsonTokens::farOffset(std::uint32_t token) const {
    const auto found = std::lower_bound(far_.begin(), far_.end(), token, [](const auto& entry, std::uint32_t t) { return entry.first < t; });
    return found->second;
}

std::uint32_t JsonTokens::endOf(std::uint32_t token, std::uint32_t begin) const {
    const char c = text_[begin];
    if (c == '{' || c == '}' || c == '[' || c == ']' || c == ':' || c == ',') return begin + 1;
    std::uint32_t at = offset(token + 1);
    while (at > begin + 1 && isSpace(text_[at - 1])) --at;
    return at;
}

std::string JsonTokens::path(std::uint32_t token) const {
    struct Level {
        bool object = false;
        std::string_view key;
        std::uint64_t index = 0;
    };
    std::vector<Level> levels;
    for (std::uint32_t t = 0; t < token && t < count_; ++t) {
        switch (first(t)) {
            case '{': levels.push_back({true, {}, 0}); break;
            case '[': levels.push_back({false, {}, 0}); break;
            case '}':
            case ']':
                if (!levels.empty()) levels.pop_back();
                break;
            case ',':
                if (!levels.empty()) {
                    levels.back().key = {};
                    ++levels.back().index;
                }
                break;
            case '"':
                if (!levels.empty() && levels.back().object && first(t + 1) == ':') {
                    levels.back().key = text_.substr(offset(t) + 1, end(t) - offset(t) - 2);
                }
                break;
            default: break;
        }
    }
    std::string out;
    std::size_t shown = 0;
    for (const Level& level : levels) {
        if (++shown > 40) return out + "...";
        if (!level.object) {
            out += "[" + std::to_string(level.index) + "]";
        } else if (!level.key.empty()) {
            if (!out.empty()) out += '.';
            out += level.key.substr(0, 80);
        }
    }
    return out.empty() ? "the document" : out;
}

namespace {

bool hexDigits(std::string_view text, std::uint32_t& out) {
    if (text.size() < 4) return false;
    const auto [end, error] = std::from_chars(text.data(), text.data() + 4, out, 16);
    return error == std::errc() && end == text.data() + 4;
}

}  // namespace

bool decodeJsonString(std::string_view raw, std::string& out) {
    out.clear();
    out.reserve(raw.size());
    for (std::size_t i = 0; i < raw.size();) {
        const std::size_t plain = raw.find('\\', i);
        out += raw.substr(i, plain == std::string_view::npos ? plain : plain - i);
        if (plain == std::string_view::npos) return true;
        i = plain + 1;
        if (i >= raw.size()) return false;
        switch (raw[i++]) {
            case '"': out += '"'; break;
            case '\\': out += '\\'; break;
            case '/': out += '/'; break;
            case 'b': out += '\b'; break;
            case 'f': out += '\f'; break;
            case 'n': out += '\n'; break;
            case 'r': out += '\r'; break;
            case 't': out += '\t'; break;
            case 'u': {
                std::uint32_t c = 0;
                if (!hexDigits(raw.substr(i), c)) return false;
                i += 4;
                if (c >= 0xD800 && c < 0xDC00) {
                    std::uint32_t low = 0;
                    if (raw.substr(i, 2) == "\\u" && hexDigits(raw.substr(i + 2), low) && low >= 0xDC00 && low < 0xE000) {
                        c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
                        i += 6;
                    } else {
                        c = 0xFFFD;
                    }
                } else if (c >= 0xDC00 && c < 0xE000) {
                    c = 0xFFFD;
                }
                appendUtf8(out, c);
                break;
            }
            default: return false;
        }
    }
    return true;
}

bool JsonReader::readString(std::string_view& out) {
    if (atEnd()) return fault("a string is missing here");
    const std::uint32_t begin = tokens_.at(at_);
    if (tokens_.text_[begin] != '"') return fault("a string is missing here");
    const std::uint32_t end = tokens_.endOf(at_, begin);
    const std::string_view text = tokens_.text();
    if (end < begin + 2 || text[end - 1] != '"') return fault("this string has no end");
    out = text.substr(begin + 1, end - begin - 2);
    if (out.find('\\') != std::string_view::npos) {
        std::string decoded;
        if (!decodeJsonString(out, decoded)) return fault("this string has a bad escape");
        out = store_.keep(std::move(decoded));
    }
    ++at_;
    return true;
}

bool JsonReader::readNull() {
    if (atEnd() || scalar() != "null") return fault("null is missing here");
    ++at_;
    return true;
}

bool JsonReader::readBool(bool& out) {
    const std::string_view text = atEnd() ? std::string_view() : scalar();
    if (text != "true" && text != "false") return fault("true or false is missing here");
    out = text == "true";
    ++at_;
    return true;
}

bool JsonReader::tryInteger(std::int64_t& out) {
    if (!atNumber()) return false;
    const std::string_view text = scalar();
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (error != std::errc() || end != text.data() + text.size()) return false;
    ++at_;
    return true;
}

bool JsonReader::readInteger(std::int64_t& out) {
    return tryInteger(out) || fault(atNumber() ? "this number is no integer of 64 bits" : "an integer is missing here");
}

bool JsonReader::readReal(double& out) {
    if (atEnd()) return fault("a number is missing here");
    std::string_view text = scalar();
    if (text.size() > 2 && text.front() == '"' && text.back() == '"') {
        text = text.substr(1, text.size() - 2);
        if (text != "NaN" && text != "Infinity" && text != "-Infinity") return fault("a number is missing here");
    }
    if (text == "NaN") {
        out = std::numeric_limits<double>::quiet_NaN();
    } else if (text == "Infinity" || text == "-Infinity") {
        out = text[0] == '-' ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
    } else {
        if (!atNumber()) return fault("a number is missing here");
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
        if (error == std::errc::result_out_of_range) {
            // Python reads 1e999 as infinity and 1e-999 as zero.
            const bool tiny = text.find("e-") != std::string_view::npos || text.find("E-") != std::string_view::npos;
            out = tiny ? 0.0 : text.front() == '-' ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
        } else if (error != std::errc() || end != text.data() + text.size()) {
            return fault("a number is missing here");
        }
    }
    ++at_;
    return true;
}

namespace {

enum TokenClass : std::uint8_t { kOpenObject, kOpenArray, kCloseObject, kCloseArray, kColon, kComma, kString, kScalar, kBad };

constexpr std::array<std::uint8_t, 256> makeClasses() {
    std::array<std::uint8_t, 256> classes{};
    for (auto& c : classes) c = kBad;
    classes['{'] = kOpenObject;
    classes['['] = kOpenArray;
    classes['}'] = kCloseObject;
    classes[']'] = kCloseArray;
    classes[':'] = kColon;
    classes[','] = kComma;
    classes['"'] = kString;
    for (char c = '0'; c <= '9'; ++c) classes[static_cast<std::uint8_t>(c)] = kScalar;
    for (char c : {'-', 't', 'f', 'n', 'N', 'I'}) classes[static_cast<std::uint8_t>(c)] = kScalar;
    return classes;
}
constexpr std::array<std::uint8_t, 256> kClasses = makeClasses();

constexpr std::uint16_t bit(TokenClass c) { return static_cast<std::uint16_t>(1U << c); }
constexpr std::uint16_t kValueStart = bit(kOpenObject) | bit(kOpenArray) | bit(kString) | bit(kScalar);
constexpr std::uint16_t kAfterValue = bit(kComma) | bit(kCloseObject) | bit(kCloseArray);
/// What a token of each class adds to the depth.
constexpr std::array<std::uint32_t, 9> kDepths = {1, 1, ~0U, ~0U, 0, 0, 0, 0, 0};
/// What may follow a token of each class.
constexpr std::array<std::uint16_t, 9> kFollows = {
    static_cast<std::uint16_t>(bit(kString) | bit(kCloseObject)),
    static_cast<std::uint16_t>(kValueStart | bit(kCloseArray)),
    kAfterValue,
    kAfterValue,
    kValueStart,
    kValueStart,
    static_cast<std::uint16_t>(kAfterValue | bit(kColon)),
    kAfterValue,
    0,
};

}  // namespace

bool JsonReader::skip() {
    const std::uint32_t count = tokens_.count();
    if (atEnd()) return fault("a value is missing here");
    std::uint8_t previous = kClasses[static_cast<std::uint8_t>(peek())];
    if (((kValueStart >> previous) & 1U) == 0) return fault("a value is missing here");
    ++at_;
    if (previous == kString || previous == kScalar) return true;
    // Most of a large text is only passed over, so this loop keeps to what it needs.
    const char* const text = tokens_.text_.data();
    const std::uint32_t* const groups = tokens_.groups_.get();
    const std::uint16_t* const distances = tokens_.distances_.get();
    std::uint32_t depth = 1, token = at_;
    for (; depth > 0; ++token) {
        if (token >= count) return faultAt(token, "the text ends inside this value");
        const std::uint16_t distance = distances[token];
        const std::uint32_t offset = distance != JsonTokens::kFar ? groups[token >> JsonTokens::kGroupBits] + distance : tokens_.farOffset(token);
        const std::uint8_t present = kClasses[static_cast<std::uint8_t>(text[offset])];
        if (((kFollows[previous] >> present) & 1U) == 0) return faultAt(token, "this is out of place");
        depth += kDepths[present];
        previous = present;
    }
    at_ = token;
    return true;
}

}  // namespace pt2
