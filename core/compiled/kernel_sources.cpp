#include "core/compiled/kernel_sources.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>

#include "core/compiled/compiled_model.h"
#include "core/compiled/source_tokens.h"

namespace pt2 {
namespace {

constexpr std::uint64_t kMostRead = std::uint64_t{64} << 20;  // of sources, to see what they define

using Names = std::set<std::string, std::less<>>;

Names definedIn(std::string_view text) {
    const std::vector<SourceToken> tokens = tokenizeSource(text);
    Names names;
    for (const SourceFunction& function : findFunctions(tokens, matchBrackets(tokens))) {
        const std::size_t name = functionNameToken(tokens, function);
        if (name < tokens.size()) names.emplace(tokens[name].text);
    }
    return names;
}

bool isPartOfName(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-' || c == '.'; }

struct Candidate {
    SourceFile file;
    Names defined;
};

}  // namespace

std::string_view fileStem(std::string_view name) { return name.substr(0, name.rfind('.')); }

bool namesFile(std::string_view text, std::string_view stem) {
    if (stem.empty()) return false;
    for (std::size_t at = text.find(stem); at != std::string_view::npos; at = text.find(stem, at + 1)) {
        const std::size_t end = at + stem.size();
        const bool begins = at == 0 || !isPartOfName(text[at - 1]);
        const std::string_view rest = text.substr(end, 4);
        if (begins && (rest.starts_with(".o") || rest.starts_with(".cpp") || rest.starts_with(".h"))) return true;
    }
    return false;
}

std::vector<MemberIndex> chooseKernelSources(const Archive& archive, const std::vector<SourceFile>& files, std::string_view wrapper,
                                             const std::vector<std::string>& called) {
    std::vector<MemberIndex> chosen;
    std::vector<Candidate> rest;
    for (const SourceFile& file : files) {
        if (namesFile(wrapper, fileStem(file.name))) {
            chosen.push_back(file.member);
        } else {
            rest.push_back({file, {}});
        }
    }
    if (rest.empty()) return chosen;
    Names wanted;  // generated functions whose definition is not found yet
    for (const std::string& name : called) {
        if (!name.starts_with("aoti_torch_") && name != "launchKernel") wanted.insert(name);
    }
    const bool callsAny = !wanted.empty();
    const auto found = [&wanted](const Names& defined) {
        for (const std::string& name : defined) wanted.erase(name);
    };
    std::uint64_t left = kMostRead;
    const auto read = [&archive, &left](MemberIndex member) {
        const std::uint64_t size = archive.members()[member].size;
        if (size > left) return Names();
        left -= size;
        const Result<ByteBuffer> bytes = archive.read(member, kMostSourceBytes);
        return bytes ? definedIn(asText(*bytes)) : Names();
    };
    if (callsAny) found(definedIn(wrapper));
    for (const MemberIndex member : chosen) {
        if (!wanted.empty()) found(read(member));
    }
    if (callsAny && wanted.empty()) return chosen;
    for (Candidate& candidate : rest) {
        if (callsAny) candidate.defined = read(candidate.file.member);
    }
    while (!wanted.empty()) {
        const Candidate* best = nullptr;
        std::pair<std::ptrdiff_t, bool> most{0, false};
        for (const Candidate& candidate : rest) {
            const auto count = std::count_if(wanted.begin(), wanted.end(), [&](const std::string& name) { return candidate.defined.contains(name); });
            const std::pair<std::ptrdiff_t, bool> worth{count, candidate.file.hasMetadata};
            if (count > 0 && worth > most) {
                best = &candidate;
                most = worth;
            }
        }
        if (best == nullptr) break;
        chosen.push_back(best->file.member);
        found(best->defined);
    }
    if (!chosen.empty()) return chosen;
    const auto only = [&](auto&& fits) {
        const auto first = std::find_if(rest.begin(), rest.end(), fits);
        return first != rest.end() && std::none_of(first + 1, rest.end(), fits) ? first : rest.end();
    };
    const auto isKernel = [](const Candidate& candidate) { return candidate.file.name.ends_with(".kernel.cpp"); };
    auto one = only([&](const Candidate& candidate) { return isKernel(candidate) && candidate.file.hasMetadata; });
    if (one == rest.end()) one = only(isKernel);
    if (one != rest.end()) chosen.push_back(one->file.member);
    return chosen;
}

}  // namespace pt2
