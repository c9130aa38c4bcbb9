#include "core/compiled/operator_schema.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/base/text.h"

namespace pt2 {
namespace {

/// One character of a schema with what encloses it: brackets, or a quoted default.
class Depth {
public:
    /// Whether `c` stands outside of all brackets and quotes, itself included.
    bool outside(char c) {
        if (escaped_) {
            escaped_ = false;
            return false;
        }
        if (quote_ != 0) {
            escaped_ = c == '\\';
            if (c == quote_) quote_ = 0;
            return false;
        }
        if (c == '"' || c == '\'') {
            quote_ = c;
            return false;
        }
        if (c == '(' || c == '[' || c == '{') {
            ++brackets_;
            return false;
        }
        if (c == ')' || c == ']' || c == '}') {
            --brackets_;
            return false;
        }
        return brackets_ == 0;
    }
    int brackets() const { return brackets_; }

private:
    int brackets_ = 0;
    char quote_ = 0;
    bool escaped_ = false;
};

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(' ');
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// "float scale=1.0" or "Tensor(a!) self"; nothing for the mark of keyword-only parameters.
std::optional<OperatorSchema::Parameter> readParameter(std::string_view text) {
    OperatorSchema::Parameter parameter;
    Depth depth;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (depth.outside(text[i]) && text[i] == '=') {
            parameter.hasDefault = true;
            text = trimmed(text.substr(0, i));
            break;
        }
    }
    const std::size_t space = text.rfind(' ');
    if (space == std::string_view::npos) return std::nullopt;
    parameter.name = text.substr(space + 1);
    return parameter;
}

}  // namespace

std::string OperatorCall::text() const { return target + "(" + join(arguments, ", ") + ")"; }

std::optional<OperatorSchema> parseOperatorSchema(std::string_view text) {
    const std::size_t open = text.find('(');
    if (open == std::string_view::npos || text.substr(0, open).find("::") == std::string_view::npos) return std::nullopt;
    OperatorSchema schema;
    schema.text = text;
    Depth depth;
    std::size_t begin = open + 1;
    const auto take = [&](std::size_t end) {
        const std::string_view part = trimmed(text.substr(begin, end - begin));
        begin = end + 1;
        if (part == "...") schema.variadic = true;
        if (part.empty() || part == "*" || part == "...") return true;
        auto parameter = readParameter(part);
        if (parameter) schema.parameters.push_back(std::move(*parameter));
        return parameter.has_value();
    };
    for (std::size_t i = open + 1; i < text.size(); ++i) {
        if (depth.outside(text[i]) && text[i] == ',' && !take(i)) return std::nullopt;
        if (depth.brackets() < 0) {
            if (!take(i)) return std::nullopt;
            return schema;
        }
    }
    return std::nullopt;
}

SchemaFit fitSchema(const OperatorCall& call, const OperatorSchema& schema) {
    SchemaFit fit;
    for (const std::string& given : call.arguments) {
        const auto is = [&](const OperatorSchema::Parameter& parameter) { return parameter.name == given; };
        if (!schema.variadic && std::none_of(schema.parameters.begin(), schema.parameters.end(), is)) fit.unknown.push_back(given);
    }
    for (const OperatorSchema::Parameter& parameter : schema.parameters) {
        if (std::find(call.arguments.begin(), call.arguments.end(), parameter.name) != call.arguments.end()) continue;
        (parameter.hasDefault ? fit.defaulted : fit.missing).push_back(parameter.name);
    }
    return fit;
}

}  // namespace pt2
