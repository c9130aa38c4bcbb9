#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/pt2/command.h"
#include "app/pt2/table.h"
#include "core/base/text.h"
#include "core/compiled/target.h"
#include "core/run/engine_discovery.h"
#include "core/run/engine_install.h"
#include "core/run/libtorch_folder.h"

namespace pt2 {
namespace {

/// A target description is the same document with and without --json: it is made to be kept in a file.
Result<int> probe(Context& context) {
    const auto engine = describeEngine(context.cancel);
    if (context.cancel.requested()) return cancelled();
    if (!engine || !engine->problem.empty()) {
        context.out.note("There is no run engine here: " + oneLine(engine ? engine->problem : engine.error().what));
    }
    Target machine = machineWith(engine);
    if (engine && engine->problem.empty()) {
        if (auto schemas = askAllSchemas(engine->workerPath, context.cancel)) machine.torch.operators = std::move(*schemas);
        if (context.cancel.requested()) return cancelled();
    }
    context.out.write(targetText(machine));
    return 0;
}

Json engineJson(const EngineInfo& info) {
    return {{"worker", info.workerPath}, {"torch_version", info.torchVersion}, {"variant", info.variant}, {"libtorch", info.libtorchPath},
            {"devices", info.devices},   {"usable", info.problem.empty()},     {"problem", info.problem}};
}

std::string torchOf(const EngineInfo& info) {
    return (info.variant.empty() ? info.torchVersion : info.torchVersion + "+" + info.variant) + " in " + info.libtorchPath;
}

Result<int> list(Context& context) {
    const std::vector<FoundEngine> engines = listEngines(context.cancel);
    if (context.cancel.requested()) return cancelled();
    if (context.out.json()) {
        Json out = Json::array();
        for (const FoundEngine& engine : engines) {
            Json entry = engineJson(engine.info);
            entry["chosen"] = engine.chosen;
            out.push_back(std::move(entry));
        }
        context.out.document({{"format", 1}, {"engines", std::move(out)}});
        return 0;
    }
    if (engines.empty()) {
        const auto missing = findWorker();
        if (!missing) return fail(missing.error());
    }
    Table table({{""}, {"LIBTORCH"}, {"DEVICES"}, {"WORKER"}});
    for (const FoundEngine& engine : engines) {
        const EngineInfo& info = engine.info;
        if (!info.problem.empty()) {
            table.row({{"not usable", Style::Warning}, oneLine(info.problem), "", info.workerPath});
            continue;
        }
        table.row({{engine.chosen ? "chosen" : "usable", Style::Good}, torchOf(info), join(info.devices, ", "), info.workerPath});
    }
    table.print(context.out);
    return 0;
}

struct EngineOptions {
    std::string action = "list";
    LibTorchWish wish;
};

Result<int> install(Context& context, const LibTorchWish& wish) {
    const auto installed = installEngine(wish, context.cancel, context.out.progressSink());
    if (!installed) return fail(installed.error());
    // Another one may be preferred, for instance that of PT2SCOPE_WORKER.
    const auto chosen = findWorker();
    const bool isChosen = chosen && *chosen == installed->workerPath;
    if (context.out.json()) {
        Json document = engineJson(*installed);
        document["chosen"] = isChosen;
        context.out.document({{"format", 1}, {"engine", std::move(document)}});
        return 0;
    }
    context.out.line(context.out.paint(Style::Good, "Installed") + ": the run engine for LibTorch " + torchOf(*installed) + ", devices " +
                     join(installed->devices, ", "));
    context.out.line(installed->workerPath);
    if (!isChosen && chosen) context.out.note("Another run engine is taken before it: " + *chosen);
    return 0;
}

Result<int> engine(Context& context, const EngineOptions& options) {
    if (options.action == "install") return install(context, options.wish);
    if (!options.wish.folder.empty() || !options.wish.python.empty()) {
        return fail(usageError("engine.list-options", "\"pt2 engine list\" takes neither --libtorch nor --python.", {},
                               "They belong to \"pt2 engine install\"."));
    }
    return list(context);
}

}  // namespace

void addProbeCommand(CommandRegistry& registry) {
    registry.add("probe", "This machine as a target description (JSON), for inspect --for", [](Context& context) { return probe(context); });
}

void addEngineCommand(CommandRegistry& registry) {
    auto options = std::make_shared<EngineOptions>();
    CLI::App* command =
        registry.add("engine", "Which run engines were found and which one is used; install builds one for a LibTorch of this machine",
                     [options](Context& context) { return engine(context, *options); });
    command->add_option("ACTION", options->action, "list, or install")->check(CLI::IsMember({"list", "install"}))->type_name("ACTION");
    CLI::Option* folder =
        command->add_option("--libtorch", options->wish.folder, "install: for the LibTorch in this folder, the one with include/ and lib/")
            ->type_name("DIR");
    command->add_option("--python", options->wish.python, "install: for the torch of this Python; default: the Python that recompile uses")
        ->type_name("EXE")
        ->excludes(folder);
}

}  // namespace pt2
