#include "app/pt2/command.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/package/stack_repair.h"

namespace pt2 {
namespace {

struct RepairArguments {
    std::string file, output;
    bool force = false;
};

Result<int> repair(const RepairArguments& arguments, Context& context) {
    const auto document = context.open(arguments.file);
    if (!document) return fail(document.error());
    if (const Status place = checkOutputPlace(arguments.output, arguments.force); !place) return fail(place.error());
    const auto members =
        writeWithoutExecutableStacks(*document->primary, arguments.output, arguments.force, context.cancel, context.out.progressSink());
    if (!members) return fail(members.error());
    if (context.out.json()) {
        Json cleared = Json::array();
        for (const std::string& name : *members) cleared.push_back({{"member", name}, {"repair", "executable stack"}});
        context.out.document({{"format", 1}, {"output", arguments.output}, {"repairs", cleared}});
        return 0;
    }
    for (const std::string& name : *members) context.out.line(escapeForDisplay(name) + ": no longer asks for an executable stack.");
    context.out.line("Wrote " + escapeForDisplay(arguments.output) + "; all else is as it was.");
    return 0;
}

}  // namespace

void addRepairCommand(CommandRegistry& registry) {
    auto arguments = std::make_shared<RepairArguments>();
    CLI::App* command = registry.add("repair", "A copy whose libraries load under glibc 2.41 and later (no executable stack)",
                                     [arguments](Context& context) { return repair(*arguments, context); });
    command->add_option("FILE", arguments->file, "The file with the compiled model")->required();
    command->add_option("-o,--output", arguments->output, "The copy to write; the file itself is left as it is")->required()->type_name("OUT");
    command->add_flag("--force", arguments->force, "Replace a file that exists");
}

}  // namespace pt2
