#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace pt2 {

/// The JSON documents of cli.md. Key order is that of cli.md.
using Json = nlohmann::ordered_json;

/// A number as JSON; NaN and infinities, which JSON lacks, as the strings "NaN", "Infinity", "-Infinity".
Json numberJson(double value);
/// The document as text; bytes that are no UTF-8 are replaced, so that a hostile name never breaks the output.
std::string jsonText(const Json& json, int indent = 2);
/// Appends a key that is known to be new, without the search over all keys that operator[] does.
void appendKey(Json& object, std::string key, Json value);

}  // namespace pt2
