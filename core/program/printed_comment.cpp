#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/program/printed_value.h"

namespace pt2 {

namespace {

std::string_view stripped(std::string_view text) {
    const std::size_t from = text.find_first_not_of(" \t\r\n\f\v");
    if (from == std::string_view::npos) return {};
    return text.substr(from, text.find_last_not_of(" \t\r\n\f\v") - from + 1);
}

/// JSON as Python prints the value it reads from it. The nesting of `value` is bounded by kCustomDepth.
void appendPython(std::string& out, const nlohmann::ordered_json& value) {
    switch (value.type()) {
        case nlohmann::ordered_json::value_t::null: out += "None"; break;
        case nlohmann::ordered_json::value_t::boolean: out += value.get<bool>() ? "True" : "False"; break;
        case nlohmann::ordered_json::value_t::number_float: out += pythonFloatRepr(value.get<double>()); break;
        case nlohmann::ordered_json::value_t::string: out += pythonStringRepr(value.get_ref<const std::string&>()); break;
        case nlohmann::ordered_json::value_t::array: {
            out += '[';
            const char* separator = "";
            for (const auto& item : value) {
                out += separator;
                appendPython(out, item);
                separator = ", ";
            }
            out += ']';
            break;
        }
        case nlohmann::ordered_json::value_t::object: {
            out += '{';
            const char* separator = "";
            for (const auto& [key, item] : value.items()) {
                out += separator;
                out += pythonStringRepr(key) + ": ";
                appendPython(out, item);
                separator = ", ";
            }
            out += '}';
            break;
        }
        default: out += value.dump(); break;
    }
}

constexpr int kCustomDepth = 64;

int nesting(std::string_view json) {
    int depth = 0, deepest = 0;
    bool inString = false;
    for (std::size_t i = 0; i < json.size(); ++i) {
        const char c = json[i];
        if (inString) {
            if (c == '\\') ++i;
            if (c == '"') inString = false;
        } else if (c == '"') {
            inString = true;
        } else if (c == '{' || c == '[') {
            deepest = std::max(deepest, ++depth);
        } else if (c == '}' || c == ']') {
            --depth;
        }
    }
    return deepest;
}

/// The first `count` characters of UTF-8 text; `cut` says whether there were more.
std::string_view firstCharacters(std::string_view text, std::size_t count, bool& cut) {
    std::size_t at = 0;
    for (std::size_t n = 0; at < text.size(); ++n) {
        if (n == count) {
            cut = true;
            return text.substr(0, at);
        }
        ++at;
        while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) ++at;
    }
    cut = false;
    return text;
}

std::string customAnnotation(std::string_view custom) {
    if (nesting(custom) > kCustomDepth) return {};
    const nlohmann::ordered_json parsed = nlohmann::ordered_json::parse(custom.begin(), custom.end(), nullptr, false);
    if (!parsed.is_object() || parsed.empty()) return {};
    std::string out = " Annotation: {";
    const char* separator = "";
    for (const auto& [key, value] : parsed.items()) {
        std::string text;
        if (value.is_string()) {
            text = value.get<std::string>();
        } else {
            appendPython(text, value);
        }
        bool cut = false;
        const std::string_view head = firstCharacters(text, 40, cut);
        out += separator;
        out += pythonStringRepr(key) + ": ";
        out += cut ? pythonStringRepr(std::string(head) + "...") : value.is_string() ? pythonStringRepr(text) : text;
        separator = ", ";
    }
    return out + "}";
}

/// `File "<greedy path>", line <digits>, in <name>` and nothing behind it.
bool matchFrame(std::string_view line, std::string_view& file, std::string_view& number, std::string_view& function) {
    constexpr std::string_view head = "File \"", middle = "\", line ", tail = ", in ";
    if (line.substr(0, head.size()) != head) return false;
    for (std::size_t at = line.rfind(middle); at != std::string_view::npos && at > head.size(); at = line.rfind(middle, at - 1)) {
        const std::string_view rest = line.substr(at + middle.size());
        const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
        if (digits > 0 && rest.substr(digits, tail.size()) == tail && rest.size() > digits + tail.size()) {
            file = line.substr(head.size(), at - head.size());
            number = rest.substr(0, digits);
            function = rest.substr(digits + tail.size());
            return true;
        }
    }
    return false;
}

std::string placeOf(std::string_view stackTrace) {
    const std::vector<std::string_view> lines = splitView(stripped(stackTrace), '\n');
    for (std::size_t i = lines.size(); i-- > 1;) {
        std::string_view file, number, function;
        if (!matchFrame(stripped(lines[i - 1]), file, number, function)) continue;
        std::string place = "File: ";
        place += file;
        place += ':';
        place += number;
        place += " in ";
        place += function;
        place += ", code: ";
        place += stripped(lines[i]);
        return place;
    }
    return "No stacktrace found for following nodes";
}

}  // namespace

std::string printedComment(const NodeMetadata& metadata) {
    std::string_view stack, custom;
    for (const auto& [key, value] : metadata.entries) {
        if (key == "stack_trace") stack = value;
        if (key == "custom") custom = value;
    }
    return customAnnotation(custom) + " " + placeOf(stack);
}

}  // namespace pt2
