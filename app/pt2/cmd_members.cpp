#include <fmt/format.h>

#include <algorithm>

#include "app/pt2/command.h"
#include "app/pt2/table.h"
#include "core/archive/archive.h"
#include "core/base/text.h"
#include "core/package/package.h"
#include "core/report/inspect.h"
#include "core/report/member_kind.h"

namespace pt2 {
namespace {

struct MemberArguments {
    std::string file;
    bool longForm = false;
    bool force = false;
    std::vector<std::string> members;
    std::string directory;
};

Result<std::shared_ptr<const Archive>> openArchive(const MemberArguments& arguments, Context& context) {
    Issues issues;
    auto archive = Archive::open(arguments.file, issues, context.cancel);
    if (!archive) return archive;
    for (const Issue& issue : issues) {
        if (issue.severity != Severity::Note) context.out.note(issue.message);
    }
    return archive;
}

std::string methodName(std::uint16_t method) {
    switch (method) {
        case 0: return "stored";
        case 8: return "deflated";
        case 9: return "deflate64";
        case 12: return "bzip2";
        case 14: return "lzma";
        case 93: return "zstd";
        case 95: return "xz";
        default: return "method " + std::to_string(method);
    }
}

Result<int> list(const MemberArguments& arguments, Context& context) {
    auto archive = openArchive(arguments, context);
    if (!archive) return fail(archive.error());
    if (context.out.json()) {
        context.out.document(
            {{"format", 1}, {"container", containerName((*archive)->kind())}, {"root", (*archive)->root()}, {"members", membersJson(**archive)}});
        return 0;
    }
    if (!arguments.longForm) {
        for (const Member& member : (*archive)->members()) context.out.line(escapeForDisplay(member.name));
        return 0;
    }
    const bool isFolder = (*archive)->file() == nullptr;
    std::vector<MemberIndex> unused;
    // What refers to what is known only of a file that opens as a package; the list of members does without.
    if (const auto package = Package::read(*archive, {}, context.cancel)) unused = (*package)->unusedMembers();
    Table table({{"SIZE", Table::Align::Right}, {"OFFSET", Table::Align::Right}, {"METHOD"}, {"CRC32"}, {"KIND"}, {"NAME"}});
    for (MemberIndex i = 0; i < (*archive)->members().size(); ++i) {
        const Member& member = (*archive)->members()[i];
        const bool isUnused = std::binary_search(unused.begin(), unused.end(), i);
        table.row({std::to_string(member.size),
                   isFolder ? std::string() : std::to_string(member.dataOffset),
                   isFolder ? std::string() : methodName(member.method),
                   isFolder ? std::string() : fmt::format("{:08x}", member.crc32),
                   memberKind(**archive, i) + (isUnused ? ", not used" : ""),
                   {member.name, Style::Bold}});
    }
    table.print(context.out);
    if (!unused.empty()) context.out.note("Nothing in the archive refers to the members that are not used.");
    return 0;
}

Result<int> cat(const MemberArguments& arguments, Context& context) {
    auto archive = openArchive(arguments, context);
    if (!archive) return fail(archive.error());
    auto index = (*archive)->resolve(arguments.members.front());
    if (!index) return fail(index.error());
    if (context.out.json()) {
        auto bytes = (*archive)->read(*index);
        if (!bytes) return fail(bytes.error());
        Json json = {{"format", 1}, {"member", (*archive)->members()[*index].name}, {"size", bytes->size()}};
        if (isValidUtf8(asText(*bytes))) {
            json["text"] = asText(*bytes);
        } else {
            std::string hex;
            hex.reserve(bytes->size() * 2);
            for (const std::byte b : *bytes) hex += fmt::format("{:02x}", std::to_integer<unsigned>(b));
            json["hex"] = std::move(hex);
        }
        context.out.document(json);
        return 0;
    }
    const Status status = (*archive)->stream(
        *index,
        [&](Bytes chunk) -> Status {
            context.out.write(asText(chunk));
            return {};
        },
        context.cancel);
    if (!status) return fail(status.error());
    return 0;
}

Result<int> extract(const MemberArguments& arguments, Context& context) {
    auto archive = openArchive(arguments, context);
    if (!archive) return fail(archive.error());
    std::vector<MemberIndex> which;
    for (const std::string& name : arguments.members) {
        auto index = (*archive)->resolve(name);
        if (!index) return fail(index.error());
        which.push_back(*index);
    }
    const Status status = extractMembers(**archive, which, arguments.directory, arguments.force, context.cancel, context.out.progressSink());
    if (!status) return fail(status.error());
    if (which.empty()) {
        for (MemberIndex i = 0; i < (*archive)->members().size(); ++i) which.push_back(i);
    }
    std::uint64_t bytes = 0;
    Json names = Json::array();
    for (const MemberIndex i : which) {
        bytes += (*archive)->members()[i].size;
        names.push_back((*archive)->members()[i].name);
    }
    if (context.out.json()) {
        context.out.document({{"format", 1}, {"directory", arguments.directory}, {"members", std::move(names)}});
    } else {
        context.out.line(fmt::format("Wrote {} member{}, {}, to {}", formatCount(which.size()), which.size() == 1 ? "" : "s", formatBytes(bytes),
                                     escapeForDisplay(arguments.directory)));
    }
    return 0;
}

}  // namespace

void addMemberCommands(CommandRegistry& registry) {
    auto listed = std::make_shared<MemberArguments>();
    CLI::App* ls = registry.add("ls", "The members of the archive", [listed](Context& context) { return list(*listed, context); });
    ls->add_option("FILE", listed->file, "The file to look into")->required();
    ls->add_flag("-l", listed->longForm, "With size, offset, method, CRC and kind");

    auto shown = std::make_shared<MemberArguments>();
    CLI::App* catCommand = registry.add("cat", "The bytes of a member", [shown](Context& context) { return cat(*shown, context); });
    catCommand->add_option("FILE", shown->file, "The file to look into")->required();
    catCommand->add_option("MEMBER", shown->members, "Its name; a unique suffix will do")->required()->expected(1);

    auto taken = std::make_shared<MemberArguments>();
    CLI::App* extractCommand =
        registry.add("extract", "Writes members below a folder, never outside of it", [taken](Context& context) { return extract(*taken, context); });
    extractCommand->add_option("FILE", taken->file, "The file to look into")->required();
    extractCommand->add_option("MEMBER", taken->members, "Which ones; all when none is named")->allow_extra_args();
    extractCommand->add_option("-C,--directory", taken->directory, "The folder to write to")->required()->type_name("DIR");
    extractCommand->add_flag("--force", taken->force, "Replace files that exist");
}

}  // namespace pt2
