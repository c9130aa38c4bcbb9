#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pt2 {

/// One token of generated C++ source. Comments and preprocessor lines are no tokens.
struct SourceToken {
    enum class Kind : std::uint8_t { Identifier, Number, String, Punctuation };
    Kind kind = Kind::Punctuation;
    std::string_view text;  ///< as it stands in the source, which must outlive the token; strings with their quotes
    bool is(std::string_view punctuationOrName) const { return kind != Kind::String && text == punctuationOrName; }
    bool isIdentifier() const { return kind == Kind::Identifier; }
};

/// Splits C++ source into tokens. Never fails: what is cut or malformed ends the token there. Two-character operators that matter here
/// (:: -> == != <= >= && ||) are one token each, so that a comparison is told from a template bracket by what stands around it.
std::vector<SourceToken> tokenizeSource(std::string_view source);

/// The text of a string literal, plain with escapes or raw (R"tag(...)tag").
std::string decodeStringToken(const SourceToken& token);
/// The value of an integer literal with its suffixes ("8L", "0x10", "9223372036854775807LL"); nullopt for others and for what does not fit.
std::optional<std::int64_t> integerOfToken(const SourceToken& token);

/// A function (or constructor) with a body: half-open ranges of tokens.
struct SourceFunction {
    std::size_t headerBegin = 0, bodyBegin = 0, bodyEnd = 0;  ///< bodyBegin is the token after '{', bodyEnd that of '}'
};
/// For every bracket ( [ { the index of the one that closes it, for all other tokens and unclosed ones the number of tokens. One pass.
std::vector<std::uint32_t> matchBrackets(const std::vector<SourceToken>& tokens);
/// Every function body outside of other bodies; namespaces, classes and extern blocks are entered.
std::vector<SourceFunction> findFunctions(const std::vector<SourceToken>& tokens, const std::vector<std::uint32_t>& matches);
/// The token with a function's name; the number of tokens where its header has none.
std::size_t functionNameToken(const std::vector<SourceToken>& tokens, const SourceFunction& function);

}  // namespace pt2
