#include <filesystem>
#include <utility>

#include "app/pt2/command.h"
#include "app/pt2/passport.h"
#include "core/base/text.h"
#include "core/compiled/target.h"
#include "core/compiled/this_machine.h"
#include "core/report/inspect.h"
#include "core/run/engine_discovery.h"

namespace pt2 {
namespace {

struct InspectArguments {
    std::string file, model, target;
    bool hash = false;
};

Result<int> inspect(const InspectArguments& arguments, Context& context) {
    auto document = context.open(arguments.file);
    if (!document) return fail(document.error());
    InspectOptions options;
    options.target = thisMachine();
    options.hash = arguments.hash;
    PassportOptions passport;
    if (!arguments.model.empty()) {
        auto model = document->resolveModel(arguments.model);
        if (!model) return fail(model.error());
        options.model = passport.model = *model;
    }
    const bool hasCompiled = !document->primary->compiledModels().empty() || (document->attached && !document->attached->compiledModels().empty());
    if (!arguments.target.empty()) {
        auto target = readTargetFile(arguments.target);
        if (!target) return fail(target.error());
        if (!target->ignored.empty()) context.out.note("The target says what this version does not know: " + join(target->ignored, ", ") + ".");
        if (target->name.empty()) target->name = std::filesystem::path(arguments.target).filename().string();
        options.target = std::move(*target);
    } else if (hasCompiled) {
        // Only a compiled model asks for the run engine; without one nothing of LibTorch is started.
        const auto engine = describeEngine(context.cancel);
        if (context.cancel.requested()) return cancelled();
        options.target = machineWith(engine);
        if (!engine || !engine->problem.empty()) {
            passport.enginePrompt = engine ? engine->problem : engine.error().what + " pt2 doctor tells more.";
        }
    }
    passport.target = options.target;
    if (context.out.json() || arguments.hash) {
        auto json = inspectJson(*document, options, context.cancel, context.out.progressSink());
        if (!json) return fail(json.error());
        if (context.out.json()) {
            context.out.document(*json);
            return 0;
        }
        passport.hashes = std::move(*json);
    }
    printPassport(context, *document, passport);
    return 0;
}

}  // namespace

void addInspectCommand(CommandRegistry& registry) {
    auto arguments = std::make_shared<InspectArguments>();
    CLI::App* command =
        registry.add("inspect", "All there is to know about a file", [arguments](Context& context) { return inspect(*arguments, context); });
    command->add_option("FILE", arguments->file, "The file to look into")->required();
    command->add_flag("--hash", arguments->hash, "Add sha256 of file, weights and constants");
    command->add_option("--for", arguments->target, "Judge for the machine that this file describes (pt2 probe writes one), not for this one")
        ->type_name("TARGET.json");
    command->add_option("--model", arguments->model, "Only this model")->type_name("NAME");
}

}  // namespace pt2
