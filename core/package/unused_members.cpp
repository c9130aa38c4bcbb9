#include "core/package/unused_members.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>

#include "core/base/bytes.h"

namespace pt2 {
namespace {

constexpr std::array<std::string_view, 2> kRecordFolders{"data/weights/", "data/constants/"};
constexpr std::array<std::string_view, 5> kGpuCode{".cubin", ".fatbin", ".hsaco", ".spv", ".ptx"};

bool isGpuCode(std::string_view name) {
    return std::any_of(kGpuCode.begin(), kGpuCode.end(), [&](std::string_view end) { return name.ends_with(end); });
}

std::string_view lastPart(std::string_view name) { return name.substr(name.rfind('/') + 1); }

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
    // A configuration that could not be read whole leaves open what it would have named.
    for (const Issue& issue : package.issues()) {
        if (issue.severity == Severity::Error && issue.code.starts_with("weights.")) return;
    }
    if (package.programs().empty()) return;
    for (const std::string_view folder : kRecordFolders) {
        for (MemberIndex i = 0; i < archive.members().size(); ++i) {
            const std::string_view name = archive.nameBelowRoot(i);
            if (!name.starts_with(folder) || archive.members()[i].isDirectory || name.ends_with("_config.json")) continue;
            if (named.count(i) == 0) unused.insert(i);
        }
    }
}

void addUnusedGpuCode(const Archive& archive, const CompiledModel& model, std::set<MemberIndex>& unused) {
    std::vector<MemberIndex> code;
    for (const MemberIndex member : model.members) {
        if (isGpuCode(archive.members()[member].name)) code.push_back(member);
    }
    if (code.empty() || !model.wrapperSource) return;
    const Result<ByteBuffer> bytes = archive.read(*model.wrapperSource, kMostSourceBytes);
    if (!bytes) return;
    const std::string_view source = asText(*bytes);
    for (const MemberIndex member : code) {
        // The wrapper has the path of the machine that built it; its last part is the name here.
        if (source.find(lastPart(archive.members()[member].name)) == std::string_view::npos) unused.insert(member);
    }
}

}  // namespace

std::vector<MemberIndex> unusedMembers(const Package& package) {
    std::set<MemberIndex> unused;
    addUnusedRecords(package, unused);
    for (const CompiledModel& model : package.compiledModels()) addUnusedGpuCode(package.archive(), model, unused);
    return {unused.begin(), unused.end()};
}

}  // namespace pt2
