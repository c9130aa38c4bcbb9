#include "core/package/unused_members.h"

#include <array>
#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "core/base/bytes.h"

namespace pt2 {
namespace {

constexpr std::array<std::string_view, 2> kRecordFolders{"data/weights/", "data/constants/"};

/// What the configurations in the folders of compiled models name: weights beside the library, and objects (format.md 3.5, 4.0). Every string of
/// theirs is taken for a name, so none is missed.
std::set<std::string, std::less<>> toldByCompiled(const Package& package) {
    std::set<std::string, std::less<>> names;
    const Archive& archive = package.archive();
    for (const CompiledModel& model : package.compiledModels()) {
        for (const MemberIndex member : model.members) {
            const std::string_view name = archive.nameBelowRoot(member);
            if (!name.ends_with("/weights_config.json") && !name.ends_with("/custom_objs_config.json")) continue;
            const Result<ByteBuffer> bytes = archive.read(member, kMostModelJsonBytes);
            if (!bytes) continue;
            const std::string_view text = asText(*bytes);
            for (std::size_t open = text.find('"'); open != std::string_view::npos;) {
                const std::size_t close = text.find('"', open + 1);
                if (close == std::string_view::npos) break;
                names.emplace(text.substr(open + 1, close - open - 1));
                open = text.find('"', close + 1);
            }
        }
    }
    return names;
}

void addUnusedRecords(const Package& package, std::set<MemberIndex>& unused) {
    const Archive& archive = package.archive();
    std::set<MemberIndex> named;
    for (const ProgramEntry& entry : package.programs()) {
        if (!entry.program) return;  // what it names is not known
        // One torch.save record for all, in torch 2.8 and before; it is there without a tensor, too (format.md 3.3).
        for (const std::string_view folder : kRecordFolders) {
            if (const auto record = archive.find(std::string(folder) + entry.name + ".pt")) named.insert(*record);
        }
        for (const auto* list : {&entry.weights, &entry.constants}) {
            for (const WeightEntry& weight : *list) {
                if (weight.member) named.insert(*weight.member);
            }
        }
    }
    const std::set<std::string, std::less<>> told = toldByCompiled(package);
    // A configuration that could not be read whole leaves open what it would have named.
    for (const Issue& issue : package.issues()) {
        if (issue.severity == Severity::Error && issue.code.starts_with("weights.")) return;
    }
    if (package.programs().empty()) return;
    for (const std::string_view folder : kRecordFolders) {
        for (MemberIndex i = 0; i < archive.members().size(); ++i) {
            const std::string_view name = archive.nameBelowRoot(i);
            if (!name.starts_with(folder) || archive.members()[i].isDirectory || name.ends_with("_config.json")) continue;
            if (named.count(i) == 0 && told.count(name.substr(name.rfind('/') + 1)) == 0) unused.insert(i);
        }
    }
}

}  // namespace

std::vector<MemberIndex> findUnusedMembers(const Package& package) {
    std::set<MemberIndex> unused;
    addUnusedRecords(package, unused);
    for (const CompiledModel& model : package.compiledModels()) unused.insert(model.unused.begin(), model.unused.end());
    return {unused.begin(), unused.end()};
}

}  // namespace pt2
