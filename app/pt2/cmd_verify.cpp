#include "app/pt2/command.h"
#include "app/pt2/issue_list.h"
#include "core/report/outcome_json.h"

namespace pt2 {
namespace {

struct VerifyArguments {
    std::string file;
    bool deep = false;
};

/// Reads every byte of every member, so that wrong CRCs are seen.
Status readEverything(const Document& document, Context& context, Issues& issues) {
    const Archive& archive = document.primary->archive();
    const auto& members = archive.members();
    for (MemberIndex i = 0; i < members.size(); ++i) {
        if (members[i].isDirectory) continue;
        context.out.progress({"reading " + members[i].name, i, members.size(), Progress::Unit::Steps, {}});
        const Status status = archive.stream(
            i, [](Bytes) -> Status { return {}; }, context.cancel);
        if (status) continue;
        if (status.error().kind == ErrorKind::Cancelled) return status;
        issues.push_back({Severity::Error, status.error().code, "file/" + std::string(archive.nameBelowRoot(i)),
                          status.error().what + (status.error().why.empty() ? "" : " " + status.error().why), status.error().help});
    }
    return {};
}

Result<int> verify(const VerifyArguments& arguments, Context& context) {
    auto document = context.open(arguments.file);
    if (!document) {
        const Error& error = document.error();
        if (error.kind != ErrorKind::Unreadable) return fail(error);
        const Issue issue{Severity::Error, error.code, error.where, error.what + (error.why.empty() ? "" : " " + error.why), error.help};
        Json json = {{"format", 1}, {"ok", false}, {"issues", issuesJson({issue})}, {"error", errorJson(error)}};
        return context.out.fail(error, std::move(json));
    }
    Issues issues = document->issues();
    if (arguments.deep) {
        if (const Status status = readEverything(*document, context, issues); !status) return fail(status.error());
    }
    bool ok = true;
    for (const Issue& issue : issues) ok = ok && issue.severity != Severity::Error;
    if (context.out.json()) {
        context.out.document({{"format", 1}, {"ok", ok}, {"issues", issuesJson(issues)}});
    } else {
        context.out.line(issues.empty() ? "No problems found." : ok ? "The file is sound, with remarks:" : "The file has errors:");
        printIssues(context.out, issues, "  ");
        if (!arguments.deep) context.out.note("--deep reads every byte, too.");
    }
    return ok ? 0 : 1;
}

}  // namespace

void addVerifyCommand(CommandRegistry& registry) {
    auto arguments = std::make_shared<VerifyArguments>();
    CLI::App* command = registry.add("verify", "Whether the file is sound", [arguments](Context& context) { return verify(*arguments, context); });
    command->add_option("FILE", arguments->file, "The file to check")->required();
    command->add_flag("--deep", arguments->deep, "Read every byte (CRC)");
}

}  // namespace pt2
