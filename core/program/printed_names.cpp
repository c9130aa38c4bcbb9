#include "core/program/printed_names.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace pt2 {

namespace {

constexpr std::array kKeywords = {
    std::string_view("False"),    std::string_view("None"),    std::string_view("True"),  std::string_view("and"),   std::string_view("as"),
    std::string_view("assert"),   std::string_view("async"),   std::string_view("await"), std::string_view("break"), std::string_view("class"),
    std::string_view("continue"), std::string_view("def"),     std::string_view("del"),   std::string_view("elif"),  std::string_view("else"),
    std::string_view("except"),   std::string_view("finally"), std::string_view("for"),   std::string_view("from"),  std::string_view("global"),
    std::string_view("if"),       std::string_view("import"),  std::string_view("in"),    std::string_view("is"),    std::string_view("lambda"),
    std::string_view("nonlocal"), std::string_view("not"),     std::string_view("or"),    std::string_view("pass"),  std::string_view("raise"),
    std::string_view("return"),   std::string_view("try"),     std::string_view("while"), std::string_view("with"),  std::string_view("yield"),
};

// Python 3.11's builtins module, and the names of torch.fx's own globals.
constexpr const char* kReserved =
    "ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup BlockingIOError BrokenPipeError BufferError BytesWarning "
    "ChildProcessError ConnectionAbortedError ConnectionError ConnectionRefusedError ConnectionResetError DeprecationWarning EOFError Ellipsis "
    "EncodingWarning EnvironmentError Exception ExceptionGroup FileExistsError FileNotFoundError FloatingPointError FutureWarning GeneratorExit "
    "IOError ImportError ImportWarning IndentationError IndexError InterruptedError IsADirectoryError KeyError KeyboardInterrupt LookupError "
    "MemoryError ModuleNotFoundError NameError NotADirectoryError NotImplemented NotImplementedError OSError OverflowError "
    "PendingDeprecationWarning PermissionError ProcessLookupError RecursionError ReferenceError ResourceWarning RuntimeError RuntimeWarning "
    "StopAsyncIteration StopIteration SyntaxError SyntaxWarning SystemError SystemExit TabError TimeoutError TypeError UnboundLocalError "
    "UnicodeDecodeError UnicodeEncodeError UnicodeError UnicodeTranslateError UnicodeWarning UserWarning ValueError Warning ZeroDivisionError "
    "__build_class__ __debug__ __doc__ __import__ __loader__ __name__ __package__ __spec__ abs aiter all anext any ascii bin bool breakpoint "
    "bytearray bytes callable chr classmethod compile complex copyright credits delattr dict dir divmod enumerate eval exec exit filter float "
    "format frozenset getattr globals hasattr hash help hex id input int isinstance issubclass iter len license list locals map max memoryview "
    "min next object oct open ord pow print property quit range repr reversed round set setattr slice sorted staticmethod str sum super tuple "
    "type vars zip inf nan NoneType torch device fx_pytree pytree";

const std::unordered_set<std::string_view>& reservedNames() {
    static const std::unordered_set<std::string_view> names = [] {
        std::unordered_set<std::string_view> all(kKeywords.begin(), kKeywords.end());
        std::string_view rest = kReserved;
        while (!rest.empty()) {
            const std::size_t space = std::min(rest.find(' '), rest.size());
            all.insert(rest.substr(0, space));
            rest.remove_prefix(std::min(space + 1, rest.size()));
        }
        return all;
    }();
    return names;
}

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isWord(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || isDigit(c) || c == '_'; }

}  // namespace

bool isPythonKeyword(std::string_view name) { return std::find(kKeywords.begin(), kKeywords.end(), name) != kKeywords.end(); }
bool isReservedName(std::string_view name) { return reservedNames().count(name) != 0; }

std::string NameTable::request(std::string_view wanted) {
    std::string name;
    bool gap = false;
    for (char c : wanted) {
        if (isWord(c)) {
            name += c;
            gap = false;
        } else if (!gap) {
            name += '_';
            gap = true;
        }
    }
    if (name.empty()) name = "_unnamed";
    if (isDigit(name[0])) name.insert(name.begin(), '_');

    // The shortest base such that the rest is nothing or an underscore and digits.
    std::size_t digits = name.size();
    while (digits > 0 && isDigit(name[digits - 1])) --digits;
    const bool numbered = digits < name.size() && digits > 1 && name[digits - 1] == '_';
    std::string base = numbered ? name.substr(0, digits - 1) : name;
    std::uint64_t number = 0;
    if (!numbered || used_.count(name) != 0) {
        const auto last = lastNumber_.find(base);
        if (last != lastNumber_.end()) number = last->second;
        if (isReservedName(name)) name = base + "_" + std::to_string(++number);
    } else {
        std::from_chars(name.data() + digits, name.data() + name.size(), number);
    }
    while (used_.count(name) != 0) name = base + "_" + std::to_string(++number);
    used_.insert(name);
    lastNumber_[std::move(base)] = number;
    return name;
}

}  // namespace pt2
