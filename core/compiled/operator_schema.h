#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pt2 {

/// One way in which a model calls an operator by its name: with arguments that are named in the file.
struct OperatorCall {
    std::string target;                  ///< "corpus::scale_shift", "aten::sort.stable"
    std::vector<std::string> arguments;  ///< names, in the file's order
    bool operator==(const OperatorCall&) const = default;
    /// "corpus::scale_shift(x, scale, shift)".
    std::string text() const;
};

/// What a LibTorch has registered for an operator, as it prints it: "corpus::scale_shift(Tensor x, float scale, *, bool fast=False) -> Tensor".
struct OperatorSchema {
    struct Parameter {
        std::string name;
        bool hasDefault = false;
    };
    std::string text;
    std::vector<Parameter> parameters;
    bool variadic = false;  ///< "...": it takes whatever else it is given
};
/// Nothing where the text is no schema.
std::optional<OperatorSchema> parseOperatorSchema(std::string_view text);

/// A call held against a schema. Arguments are found by name, as LibTorch finds those of a compiled model's calls (proxy executor).
struct SchemaFit {
    std::vector<std::string> unknown;    ///< given, and the schema has no such parameter
    std::vector<std::string> missing;    ///< not given, and without a default
    std::vector<std::string> defaulted;  ///< not given; the default is taken
    bool fits() const { return unknown.empty() && missing.empty(); }
};
SchemaFit fitSchema(const OperatorCall& call, const OperatorSchema& schema);

/// Asks a LibTorch which of these operators it has: their schemas by name. Absent: it cannot be asked.
using SchemaSource = std::function<std::optional<std::map<std::string, std::string>>(const std::vector<std::string>& targets)>;

}  // namespace pt2
