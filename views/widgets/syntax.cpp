#include "views/widgets/syntax.h"

#include <QSet>
#include <QString>
#include <algorithm>

namespace pt2::views {

namespace {

const QSet<QString>& keywords(Language language) {
    static const QSet<QString> cpp = [] {
        QSet<QString> words;
        for (const char* w : {"alignas",
                              "alignof",
                              "auto",
                              "break",
                              "case",
                              "catch",
                              "class",
                              "const",
                              "const_cast",
                              "constexpr",
                              "continue",
                              "default",
                              "delete",
                              "do",
                              "dynamic_cast",
                              "else",
                              "enum",
                              "explicit",
                              "extern",
                              "false",
                              "final",
                              "for",
                              "friend",
                              "goto",
                              "if",
                              "inline",
                              "mutable",
                              "namespace",
                              "new",
                              "noexcept",
                              "nullptr",
                              "operator",
                              "override",
                              "private",
                              "protected",
                              "public",
                              "reinterpret_cast",
                              "return",
                              "sizeof",
                              "static",
                              "static_assert",
                              "static_cast",
                              "struct",
                              "switch",
                              "template",
                              "this",
                              "throw",
                              "true",
                              "try",
                              "typedef",
                              "typename",
                              "union",
                              "using",
                              "virtual",
                              "volatile",
                              "while"}) {
            words.insert(QString::fromLatin1(w));
        }
        return words;
    }();
    static const QSet<QString> python = [] {
        QSet<QString> words;
        for (const char* w : {"and",      "as",    "assert",  "async", "await", "break",  "class", "continue", "def",   "del",  "elif",   "else",
                              "except",   "False", "finally", "for",   "from",  "global", "if",    "import",   "in",    "is",   "lambda", "None",
                              "nonlocal", "not",   "or",      "pass",  "raise", "return", "True",  "try",      "while", "with", "yield"}) {
            words.insert(QString::fromLatin1(w));
        }
        return words;
    }();
    static const QSet<QString> json{QStringLiteral("true"), QStringLiteral("false"), QStringLiteral("null")};
    static const QSet<QString> none;
    switch (language) {
        case Language::Cpp: return cpp;
        case Language::Python: return python;
        case Language::Json: return json;
        case Language::Plain: break;
    }
    return none;
}

const QSet<QString>& types(Language language) {
    static const QSet<QString> cpp = [] {
        QSet<QString> words;
        for (const char* w : {"void", "bool", "char",  "short", "int", "long",       "unsigned", "signed", "float",  "double", "size_t",
                              "std",  "at",   "torch", "c10",   "vec", "Vectorized", "string",   "vector", "Tensor", "half",   "bfloat16"}) {
            words.insert(QString::fromLatin1(w));
        }
        return words;
    }();
    static const QSet<QString> python = [] {
        QSet<QString> words;
        for (const char* w : {"int", "float", "bool", "str", "list", "tuple", "dict", "self", "Sym", "f32", "f64",
                              "f16", "bf16",  "i64",  "i32", "i16",  "i8",    "u8",   "b8",   "c64", "c128"}) {
            words.insert(QString::fromLatin1(w));
        }
        return words;
    }();
    static const QSet<QString> none;
    return language == Language::Cpp ? cpp : language == Language::Python ? python : none;
}

bool isWord(QChar c) { return c.isLetterOrNumber() || c == u'_'; }

}  // namespace

Language languageOf(std::string_view name) {
    const auto ends = [name](std::string_view suffix) { return name.size() >= suffix.size() && name.substr(name.size() - suffix.size()) == suffix; };
    for (const char* suffix : {".cpp", ".h", ".hpp", ".cc", ".cu", ".c"}) {
        if (ends(suffix)) return Language::Cpp;
    }
    if (ends(".py")) return Language::Python;
    if (ends(".json")) return Language::Json;
    return Language::Plain;
}

std::vector<SyntaxToken> tokenize(Language language, QStringView line, LineState& state) {
    std::vector<SyntaxToken> tokens;
    if (language == Language::Plain) return tokens;
    qsizetype at = 0;
    const qsizetype end = line.size();
    const auto closeWith = [&](QStringView mark, Role role) {
        const qsizetype found = line.indexOf(mark, at);
        const qsizetype stop = found < 0 ? end : found + mark.size();
        tokens.push_back({at, stop - at, role});
        at = stop;
        if (found >= 0) state = LineState::Code;
    };
    if (state == LineState::BlockComment) closeWith(u"*/", Role::CodeComment);
    if (state == LineState::TripleDouble) closeWith(u"\"\"\"", Role::CodeString);
    if (state == LineState::TripleSingle) closeWith(u"'''", Role::CodeString);
    bool lineStart = true;
    while (at < end) {
        const QChar c = line[at];
        const QStringView rest = line.mid(at);
        if (c.isSpace()) {
            ++at;
            continue;
        }
        if ((language == Language::Cpp && rest.startsWith(u"//")) || (language == Language::Python && c == u'#')) {
            tokens.push_back({at, end - at, Role::CodeComment});
            return tokens;
        }
        if (language == Language::Cpp && rest.startsWith(u"/*")) {
            const qsizetype found = line.indexOf(u"*/", at + 2);
            const qsizetype stop = found < 0 ? end : found + 2;
            tokens.push_back({at, stop - at, Role::CodeComment});
            if (found < 0) state = LineState::BlockComment;
            at = stop;
            continue;
        }
        if (language == Language::Cpp && c == u'#' && lineStart) {
            qsizetype stop = at + 1;
            while (stop < end && (isWord(line[stop]) || line[stop].isSpace()) && !(line[stop].isSpace() && stop > at + 1 && isWord(line[stop - 1])))
                ++stop;
            tokens.push_back({at, stop - at, Role::CodeKeyword});
            at = stop;
            lineStart = false;
            continue;
        }
        lineStart = false;
        if (language == Language::Python && (rest.startsWith(u"\"\"\"") || rest.startsWith(u"'''"))) {
            const QStringView mark = line.mid(at, 3);
            const qsizetype found = line.indexOf(mark, at + 3);
            const qsizetype stop = found < 0 ? end : found + 3;
            tokens.push_back({at, stop - at, Role::CodeString});
            if (found < 0) state = c == u'"' ? LineState::TripleDouble : LineState::TripleSingle;
            at = stop;
            continue;
        }
        if (c == u'"' || (c == u'\'' && language != Language::Json)) {
            qsizetype stop = at + 1;
            while (stop < end && line[stop] != c) stop += line[stop] == u'\\' ? 2 : 1;
            stop = std::min(stop + 1, end);
            Role role = Role::CodeString;
            if (language == Language::Json) {
                qsizetype after = stop;
                while (after < end && line[after].isSpace()) ++after;
                if (after < end && line[after] == u':') role = Role::CodeFunction;  // a key
            }
            tokens.push_back({at, stop - at, role});
            at = stop;
            continue;
        }
        if (c.isDigit()) {
            qsizetype stop = at + 1;
            while (stop < end &&
                   (isWord(line[stop]) || line[stop] == u'.' || ((line[stop] == u'-' || line[stop] == u'+') && line[stop - 1].toLower() == u'e')))
                ++stop;
            tokens.push_back({at, stop - at, Role::CodeNumber});
            at = stop;
            continue;
        }
        if (isWord(c)) {
            qsizetype stop = at + 1;
            while (stop < end && isWord(line[stop])) ++stop;
            const QString word = line.mid(at, stop - at).toString();
            if (keywords(language).contains(word)) {
                tokens.push_back({at, stop - at, Role::CodeKeyword});
            } else if (types(language).contains(word) || (language == Language::Cpp && word.endsWith(QLatin1String("_t")))) {
                tokens.push_back({at, stop - at, Role::CodeType});
            } else if (stop < end && line[stop] == u'(') {
                tokens.push_back({at, stop - at, Role::CodeFunction});
            }
            at = stop;
            continue;
        }
        ++at;
    }
    return tokens;
}

std::string indentJson(std::string_view text, std::size_t limit) {
    std::string out;
    out.reserve(std::min(text.size() * 2, limit));
    constexpr std::size_t kDeepest = 64;  // deeper nesting is not indented further
    std::size_t depth = 0;
    bool inString = false;
    const auto newline = [&] {
        out += '\n';
        out.append(2 * std::min(depth, kDeepest), ' ');
    };
    for (std::size_t i = 0; i < text.size() && out.size() < limit; ++i) {
        const char c = text[i];
        if (inString) {
            out += c;
            if (c == '\\' && i + 1 < text.size())
                out += text[++i];
            else if (c == '"')
                inString = false;
            continue;
        }
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r') continue;
        if (c == '"') {
            inString = true;
            out += c;
        } else if (c == '{' || c == '[') {
            out += c;
            std::size_t next = i + 1;
            while (next < text.size() && (text[next] == ' ' || text[next] == '\n' || text[next] == '\r' || text[next] == '\t')) ++next;
            if (next < text.size() && (text[next] == '}' || text[next] == ']')) {
                out += text[next];
                i = next;
            } else {
                ++depth;
                newline();
            }
        } else if (c == '}' || c == ']') {
            if (depth > 0) --depth;
            newline();
            out += c;
        } else if (c == ',') {
            out += c;
            newline();
        } else if (c == ':') {
            out += ": ";
        } else {
            out += c;
        }
    }
    return out;
}

}  // namespace pt2::views
