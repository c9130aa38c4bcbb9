#pragma once

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/compiled/source_tokens.h"

namespace pt2::tests {

// Real wrapper sources made over into others that mean the same, or less.

using Random = std::function<std::size_t(std::size_t below)>;

inline std::vector<std::string> linesOf(const std::string& text) {
    std::vector<std::string> lines;
    std::size_t begin = 0;
    for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
        lines.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    lines.push_back(text.substr(begin));
    return lines;
}

inline bool startsWith(std::string_view text, std::string_view start) { return text.substr(0, start.size()) == start; }

/// A name that the generator made up for this one source, and that could be any other.
inline bool isOwnName(std::string_view name) {
    static const std::vector<std::string_view> kWhole = {
        "input_handles", "output_handles", "inputs", "__check_inputs_outputs", "_check_aoti_runtime_check_inputs_env", "env_var_value"};
    if (std::find(kWhole.begin(), kWhole.end(), name) != kWhole.end()) return true;
    for (const std::string_view start : {"arg", "buf", "int_array_", "var_", "check_input_", "tmp_tensor_handle_"}) {
        if (startsWith(name, start) && name.size() > start.size() && std::isdigit(static_cast<unsigned char>(name[start.size()])) != 0) return true;
    }
    return false;
}

/// Every own name replaced by a random one, outside of texts; helpers of composite sizes keep the form they have.
inline std::string renamedWrapper(const std::string& source, const Random& random) {
    std::map<std::string, std::string, std::less<>> names;
    std::string made;
    std::size_t done = 0;
    for (const SourceToken& token : tokenizeSource(source)) {
        if (!token.isIdentifier() || !isOwnName(token.text)) continue;
        std::string whole(token.text), tail;
        const std::size_t helper = whole.find("_size_");
        if (helper != std::string::npos) {
            tail = whole.substr(helper + 5);
            whole.resize(helper + 5);
        }
        auto found = names.find(whole);
        if (found == names.end()) {
            static constexpr std::string_view kLetters = "abcdefghijklmnopqrstvwxyz";
            std::string name;
            for (int k = 0; k < 6; ++k) name.push_back(kLetters[random(kLetters.size())]);
            found = names.emplace(whole, "the" + name + std::to_string(names.size())).first;
        }
        const auto at = static_cast<std::size_t>(token.text.data() - source.data());
        made += source.substr(done, at - done) + found->second + tail;
        done = at + token.text.size();
    }
    return made + source.substr(done);
}

/// The function bodies change places at random.
inline std::string shuffledFunctions(const std::string& source, const Random& random) {
    const std::vector<SourceToken> tokens = tokenizeSource(source);
    const auto offset = [&](std::size_t token) { return static_cast<std::size_t>(tokens[token].text.data() - source.data()); };
    std::vector<std::pair<std::size_t, std::size_t>> places;
    for (const SourceFunction& function : findFunctions(tokens, matchBrackets(tokens))) {
        if (function.bodyEnd < tokens.size()) places.emplace_back(offset(function.headerBegin), offset(function.bodyEnd) + 1);
    }
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < places.size(); ++i) order.push_back(places.size() - 1 - i);
    for (std::size_t i = order.size(); i > 2; --i) std::swap(order[i - 1], order[random(i - 1)]);
    std::string made;
    std::size_t done = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
        made += source.substr(done, places[i].first - done);
        const auto& [begin, end] = places[order[i]];
        made += source.substr(begin, end - begin);
        done = places[i].second;
    }
    return made + source.substr(done);
}

/// One statement of a line of its own, or one "if" with its block, is taken away.
inline std::string withoutOneStatement(const std::string& source, const Random& random) {
    std::vector<std::string> lines = linesOf(source);
    const auto depthOf = [](const std::string& line) {
        return std::count(line.begin(), line.end(), '{') - std::count(line.begin(), line.end(), '}') + std::count(line.begin(), line.end(), '(') -
               std::count(line.begin(), line.end(), ')');
    };
    for (int tries = 0; tries < 200; ++tries) {
        const std::size_t at = random(lines.size());
        const std::string& line = lines[at];
        if (line.empty() || line.front() != ' ') continue;
        std::size_t end = at + 1;
        auto depth = depthOf(line);
        const bool isBlock = line.find(" if (") != std::string::npos && line.back() == '{';
        if (!isBlock && (depth != 0 || line.back() != ';')) continue;
        while (depth > 0 && end < lines.size()) depth += depthOf(lines[end++]);
        lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(at), lines.begin() + static_cast<std::ptrdiff_t>(end));
        break;
    }
    std::string made;
    for (const std::string& line : lines) made += line + "\n";
    return made;
}

}  // namespace pt2::tests
