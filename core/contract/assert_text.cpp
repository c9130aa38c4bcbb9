#include "core/contract/assert_text.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/contract/contract_notes.h"

namespace pt2 {
namespace {

using Kind = ProgramAssert::Kind;
using InCode = ProgramAssert::InCode;

constexpr std::size_t kMostRewrites = 256;
constexpr std::size_t kLongestCondition = 4096;

bool isWord(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.'; }

/// sympy writes functions where Python has operators.
struct Form {
    std::string_view function, infix;
    bool isComparison = false;
};
constexpr std::array<Form, 13> kForms = {{{"Eq", " == ", true},
                                          {"Ne", " != ", true},
                                          {"Gt", " > ", true},
                                          {"Ge", " >= ", true},
                                          {"Lt", " < ", true},
                                          {"Le", " <= ", true},
                                          {"And", " and "},
                                          {"Or", " or "},
                                          {"PythonMod", " % "},
                                          {"Mod", " % "},
                                          {"FloorDiv", " // "},
                                          {"CleanDiv", " // "},
                                          {"Not", ""}}};

/// Where the bracket that opens at `open` closes; npos where it does not. `commas`: of its own depth.
std::size_t closingBracket(std::string_view text, std::size_t open, std::vector<std::size_t>& commas) {
    std::size_t depth = 0;
    for (std::size_t i = open; i < text.size(); ++i) {
        if (text[i] == '(' || text[i] == '[') ++depth;
        if (text[i] == ')' || text[i] == ']') {
            if (--depth == 0) return i;
        }
        if (text[i] == ',' && depth == 1) commas.push_back(i);
    }
    return std::string_view::npos;
}

std::string trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return std::string(text);
}

/// In brackets, where it is more than one word and has none around it.
std::string asOne(const std::string& part) {
    if (part.find(' ') == std::string::npos) return part;
    std::vector<std::size_t> commas;
    return part.front() == '(' && closingBracket(part, 0, commas) + 1 == part.size() ? part : "(" + part + ")";
}

/// The last function of a known name is rewritten first: what it holds has none of them left.
bool rewriteOne(std::string& text) {
    for (std::size_t open = text.rfind('('); open != std::string::npos && open > 0; open = text.rfind('(', open - 1)) {
        std::size_t begin = open;
        while (begin > 0 && isWord(text[begin - 1])) --begin;
        const std::string_view name = std::string_view(text).substr(begin, open - begin);
        const auto form = std::find_if(kForms.begin(), kForms.end(), [&](const Form& f) { return f.function == name; });
        if (form == kForms.end()) continue;
        std::vector<std::size_t> commas;
        const std::size_t close = closingBracket(text, open, commas);
        if (close == std::string::npos || (form->infix.empty() ? !commas.empty() : commas.empty())) return false;
        std::string inside = form->infix.empty() ? "not " : "";
        std::size_t at = open + 1;
        commas.push_back(close);
        for (std::size_t k = 0; k < commas.size(); ++k) {
            const std::string part = trimmed(std::string_view(text).substr(at, commas[k] - at));
            // A comparison binds least of what numbers hold; of the others each side keeps to itself.
            inside += (k == 0 ? "" : std::string(form->infix)) + (form->isComparison ? part : asOne(part));
            at = commas[k] + 1;
        }
        text.replace(begin, close + 1 - begin, "(" + inside + ")");
        return true;
    }
    return false;
}

std::string withPlaces(const Contract& contract, std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
        std::size_t end = i;
        while (end < text.size() && isWord(text[end])) ++end;
        if (end == i) {
            out.push_back(text[i++]);
            continue;
        }
        const std::string_view word = text.substr(i, end - i);
        const ContractSymbol* symbol = contract.findSymbol(word);
        if (symbol != nullptr && !symbol->places.empty()) {
            out += contract.inputs[symbol->places[0].first].name + " dimension " + std::to_string(symbol->places[0].second);
        } else {
            out += word;
        }
        i = end;
    }
    return out;
}

void replaceAll(std::string& text, std::string_view what, std::string_view with) {
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size())) text.replace(at, what.size(), with);
}

}  // namespace

std::string assertSentence(const Contract& contract, std::string_view condition) {
    std::string text(condition);
    if (text.size() > kLongestCondition) return "It must hold that " + text + ".";
    for (std::size_t i = 0; i < kMostRewrites && rewriteOne(text); ++i) {
    }
    replaceAll(text, " & ", " and ");
    replaceAll(text, " | ", " or ");
    return conditionSentence(withPlaces(contract, text));
}

std::vector<AssertGroup> assertGroups(const std::vector<ProgramAssert>& asserts, bool hasCompiled) {
    std::vector<AssertGroup> groups;
    const auto collect = [&](std::string title, bool warns, InCode state) {
        AssertGroup group{std::move(title), warns, {}, 0, {}};
        for (const ProgramAssert& found : asserts) {
            if (hasCompiled ? found.inCode != state : found.kind == Kind::Guard || found.kind == Kind::Bound) continue;
            if (found.fixedByProgram) {
                ++group.leftOut;
                continue;
            }
            const bool said =
                std::any_of(group.lines.begin(), group.lines.end(), [&](const AssertGroup::Line& line) { return line.sentence == found.sentence; });
            if (!said)
                group.lines.push_back({found.sentence, found.source.line != 0 ? found.why + " (" + sourceText(found.source) + ")" : found.why});
        }
        if (group.leftOut > 0) {
            group.remark = std::to_string(group.leftOut) + (group.lines.empty() ? "" : " more") +
                           (group.leftOut == 1 ? " is about a type" : " are about types") + " that the program itself fixes.";
        }
        if (!group.lines.empty() || group.leftOut > 0) groups.push_back(std::move(group));
    };
    if (!hasCompiled) {
        collect("Asserted by the program", false, InCode::Unknown);
        return groups;
    }
    collect("Asserted by the program, not by the compiled code", true, InCode::Lost);
    collect("Asserted by the program and by the compiled code", false, InCode::Kept);
    collect("Asserted by the program; not known of the compiled code", false, InCode::Unknown);
    // Types that the program fixes are no loss to be warned of.
    for (AssertGroup& group : groups) group.warns = group.warns && !group.lines.empty();
    return groups;
}

}  // namespace pt2
