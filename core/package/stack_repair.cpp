#include "core/package/stack_repair.h"

#include <array>
#include <set>
#include <string_view>

#include "core/archive/patched_copy.h"
#include "core/compiled/elf.h"

namespace pt2 {

namespace {

/// The models' own libraries and whatever else the file carries as one: a loader of the user's may load these too.
std::set<MemberIndex> libraries(const Package& package) {
    std::set<MemberIndex> found;
    for (const CompiledModel& model : package.compiledModels()) {
        if (model.library) found.insert(*model.library);
    }
    const std::vector<Member>& members = package.archive().members();
    for (MemberIndex i = 0; i < members.size(); ++i) {
        if (!members[i].isDirectory && !members[i].isLink && std::string_view(members[i].name).ends_with(".so")) found.insert(i);
    }
    return found;
}

}  // namespace

Result<std::vector<std::string>> writeWithoutExecutableStacks(const Package& package, const std::filesystem::path& target, bool force,
                                                              const CancelToken& cancel, const ProgressSink& progress) {
    const Archive& archive = package.archive();
    std::vector<BytePatch> patches;
    std::vector<std::string> names;
    for (const MemberIndex member : libraries(package)) {
        if (cancel.requested()) return cancelled();
        const ByteSource source{archive.members()[member].size,
                                [&archive, member](std::uint64_t offset, MutableBytes out) { return archive.readAt(member, offset, out); }};
        const auto reading = readElf(source);
        // A library that cannot be read is not made worse by a copy.
        if (!reading || !reading->facts.executableStack || !reading->facts.gnuStackFlagsOffset) continue;
        std::array<std::byte, 1> flags{};
        if (const Status read = archive.readAt(member, *reading->facts.gnuStackFlagsOffset, flags); !read) return fail(read.error());
        patches.push_back({member, *reading->facts.gnuStackFlagsOffset, flags[0] & std::byte{0xfe}});
        names.push_back(archive.members()[member].name);
    }
    if (patches.empty()) {
        return fail({ErrorKind::DoesNotHold,
                     "repair.nothing",
                     "Nothing in this file needs the repair.",
                     {},
                     package.compiledModels().empty() ? "It has no compiled model." : "No library in it asks for an executable stack.",
                     {}});
    }
    if (const Status written = writePatchedCopy(archive, patches, target, force, cancel, progress); !written) return fail(written.error());
    return names;
}

}  // namespace pt2
