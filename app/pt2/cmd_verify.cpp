#include "app/pt2/command.h"
#include "app/pt2/issue_list.h"
#include "core/archive/byte_check.h"
#include "core/report/outcome_json.h"

namespace pt2 {
namespace {

struct VerifyArguments {
    std::string file;
    bool deep = false;
};

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
        const auto read = readEveryByte(document->primary->archive(), issues, context.cancel,
                                        [&context](const Progress& progress) { context.out.progress(progress); });
        if (!read) return fail(read.error());
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
