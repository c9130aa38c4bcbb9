#pragma once

#include <QStringView>
#include <string>
#include <string_view>
#include <vector>

#include "views/theme/roles.h"

namespace pt2::views {

enum class Language { Plain, Cpp, Python, Json };
Language languageOf(std::string_view memberName);

/// A coloured piece of one line.
struct SyntaxToken {
    qsizetype start = 0, length = 0;
    Role role = Role::Text;
};
/// What a line begins inside of.
enum class LineState : std::uint8_t { Code, BlockComment, TripleDouble, TripleSingle };

/// Tokens of one line and the state of the next; a scan, no grammar.
std::vector<SyntaxToken> tokenize(Language language, QStringView line, LineState& state);
/// JSON text with line breaks and indentation of two; not checked, so that a broken file still shows. Stops after `limit` bytes of output.
std::string indentJson(std::string_view text, std::size_t limit);

}  // namespace pt2::views
