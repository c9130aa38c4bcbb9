#include "core/base/demangle.h"

#include <cxxabi.h>

#include <cctype>
#include <cstddef>
#include <cstdlib>
#include <memory>

namespace pt2 {
namespace {

constexpr std::size_t kLongestSymbol = 1024, kLongestWithPack = 512, kLongestReadable = 4096;
constexpr std::size_t kMostReferences = 20, kMostReferencesWithPack = 10;

/// "S_", "S0_", "T_", "T12_" in a mangled name repeat an earlier part, and each two of them may double its length; a pack ("Dp", "sp") repeats its
/// pattern for each of its types. Counted without parsing, so letters of names may count too.
bool staysShort(std::string_view symbol) {
    if (symbol.size() > kLongestSymbol) return false;
    std::size_t references = 0, packs = 0;
    for (std::size_t i = 0; i + 1 < symbol.size(); ++i) {
        if ((symbol[i] == 'D' || symbol[i] == 's') && symbol[i + 1] == 'p') ++packs;
        if (symbol[i] != 'S' && symbol[i] != 'T') continue;
        std::size_t end = i + 1;
        while (end < symbol.size() && (std::isdigit(static_cast<unsigned char>(symbol[end])) != 0 || (symbol[end] >= 'A' && symbol[end] <= 'Z')))
            ++end;
        if (end < symbol.size() && symbol[end] == '_') ++references;
    }
    if (references > kMostReferences || packs > 1) return false;
    return packs == 0 || (symbol.size() <= kLongestWithPack && references <= kMostReferencesWithPack);
}

struct Free {
    void operator()(char* text) const { std::free(text); }
};

}  // namespace

std::string demangled(std::string_view symbol) {
    std::string name(symbol);
    if (!symbol.starts_with("_Z") || !staysShort(symbol)) return name;
    int status = 0;
    const std::unique_ptr<char, Free> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status));
    if (status != 0 || !text) return name;
    const std::string_view readable(text.get());
    return readable.size() > kLongestReadable ? name : std::string(readable);
}

}  // namespace pt2
