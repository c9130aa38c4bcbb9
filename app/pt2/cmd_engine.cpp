#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/pt2/command.h"
#include "app/pt2/table.h"
#include "core/base/text.h"
#include "core/compiled/target.h"
#include "core/run/engine_discovery.h"

namespace pt2 {
namespace {

/// A target description is the same document with and without --json: it is made to be kept in a file.
Result<int> probe(Context& context) {
    const auto engine = describeEngine(context.cancel);
    if (context.cancel.requested()) return cancelled();
    if (!engine || !engine->problem.empty()) {
        context.out.note("There is no run engine here: " + oneLine(engine ? engine->problem : engine.error().what));
    }
    context.out.write(targetText(machineWith(engine)));
    return 0;
}

Result<int> list(Context& context) {
    const std::vector<FoundEngine> engines = listEngines(context.cancel);
    if (context.cancel.requested()) return cancelled();
    if (context.out.json()) {
        Json out = Json::array();
        for (const FoundEngine& engine : engines) {
            const EngineInfo& info = engine.info;
            out.push_back({{"worker", info.workerPath},
                           {"torch_version", info.torchVersion},
                           {"variant", info.variant},
                           {"libtorch", info.libtorchPath},
                           {"devices", info.devices},
                           {"usable", info.problem.empty()},
                           {"chosen", engine.chosen},
                           {"problem", info.problem}});
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
        const std::string torch = info.variant.empty() ? info.torchVersion : info.torchVersion + "+" + info.variant;
        table.row(
            {{engine.chosen ? "chosen" : "usable", Style::Good}, torch + " in " + info.libtorchPath, join(info.devices, ", "), info.workerPath});
    }
    table.print(context.out);
    return 0;
}

}  // namespace

void addProbeCommand(CommandRegistry& registry) {
    registry.add("probe", "This machine as a target description (JSON), for inspect --for", [](Context& context) { return probe(context); });
}

void addEngineCommand(CommandRegistry& registry) {
    auto action = std::make_shared<std::string>("list");
    CLI::App* command = registry.add("engine", "Which run engines were found, for which LibTorch, usable or not and why",
                                     [action](Context& context) { return list(context); });
    command->add_option("ACTION", *action, "list")->check(CLI::IsMember({"list"}))->type_name("ACTION");
}

}  // namespace pt2
