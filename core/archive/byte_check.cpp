#include "core/archive/byte_check.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "core/archive/limited_issues.h"

namespace pt2 {

Result<std::uint64_t> readEveryByte(const Archive& archive, Issues& issues, const CancelToken& cancel, const ProgressSink& progress) {
    const std::vector<Member>& members = archive.members();
    std::set<std::pair<std::string, std::string>> known;  // code, where
    for (const Issue& issue : issues) known.emplace(issue.code, issue.where);
    LimitedIssues found(issues);
    std::uint64_t total = 0, read = 0;
    for (const Member& member : members) total += member.size;
    for (MemberIndex i = 0; i < members.size(); ++i) {
        if (members[i].isDirectory) continue;
        const std::uint64_t before = read;
        const Status status = archive.stream(
            i,
            [&](Bytes bytes) -> Status {
                read += bytes.size();
                report(progress, {"reading " + members[i].name, read, total, Progress::Unit::Bytes, {}});
                return {};
            },
            cancel);
        if (status) continue;
        const Error& error = status.error();
        if (error.kind == ErrorKind::Cancelled) return fail(error);
        // What is left of this member will not be read.
        total -= std::min(total, members[i].size - std::min(members[i].size, read - before));
        std::string where = "file/" + std::string(archive.nameBelowRoot(i));
        if (!known.emplace(error.code, where).second) continue;
        found.add(Severity::Error, error.code, std::move(where), error.what + (error.why.empty() ? "" : " " + error.why), error.help);
    }
    found.finish();
    return read;
}

}  // namespace pt2
