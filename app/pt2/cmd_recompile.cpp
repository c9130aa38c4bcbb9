#include <algorithm>
#include <system_error>

#include "app/pt2/command.h"
#include "app/pt2/option_values.h"
#include "app/pt2/passport.h"
#include "app/pt2/table.h"
#include "core/base/text.h"
#include "core/report/outcome_json.h"
#include "core/run/recompile.h"
#include "core/run/recompile_check.h"

namespace pt2 {
namespace {

struct RecompileArguments {
    std::string file, output;
    RecompileRequest request;
    std::vector<std::string> config, environment;
    std::string constants = "library", keep;
    bool noCheck = false;
};

Result<std::vector<std::pair<std::string, std::string>>> splitAll(const std::vector<std::string>& texts, const std::string& option) {
    std::vector<std::pair<std::string, std::string>> out;
    for (const std::string& text : texts) {
        auto pair = splitAssignment(text, option);
        if (!pair) return fail(pair.error());
        out.push_back(std::move(*pair));
    }
    return out;
}

Json checksJson(const std::vector<CompiledCheck>& checks) {
    Json out = Json::array();
    for (const CompiledCheck& check : checks) {
        Json item = {{"model", check.model}, {"sizes", check.sizes}};
        if (check.comparison) {
            item["ok"] = check.comparison->ok();
            item["verdict"] = check.comparison->verdict();
            item["comparison"] = comparisonJson(*check.comparison, "torch eager");
        } else {
            item["ok"] = nullptr;
            item["error"] = errorJson(check.comparison.error());
        }
        out.push_back(std::move(item));
    }
    return out;
}

Json reportJson(const RecompileReport& report, const std::vector<CompiledCheck>& checks) {
    Json inherited = Json::object();
    for (const auto& [name, value] : report.inheritedEnvironment) inherited[name] = value;
    return {{"format", 1},
            {"output", report.output.string()},
            {"models", report.models},
            {"seconds", report.seconds},
            {"library_bytes", report.libraryBytes},
            {"inherited_environment", std::move(inherited)},
            {"checks", checksJson(checks)},
            {"log", report.log}};
}

void printChecks(const std::vector<CompiledCheck>& checks, Output& out) {
    Table table({{"MODEL"}, {"AT"}, {"AGAINST TORCH EAGER"}, {"MAX ABS", Table::Align::Right}, {"FIRST CALL", Table::Align::Right}});
    for (const CompiledCheck& check : checks) {
        const std::string sizes = check.sizes.empty() ? "its fixed sizes" : check.sizes;
        if (!check.comparison) {
            table.row({{check.model, Style::Bold}, sizes, {"not compared: " + oneLine(check.comparison.error().what), Style::Warning}});
            continue;
        }
        double worst = 0;
        for (const OutputComparison& output : check.comparison->outputs) worst = std::max(worst, output.maxAbs);
        table.row({{check.model, Style::Bold},
                   sizes,
                   {check.comparison->verdict(), check.comparison->ok() ? Style::Good : Style::Bad},
                   formatFloat(worst),
                   formatDuration(check.seconds)});
    }
    if (table.empty()) return;
    out.line("");
    table.print(out, "  ");
}

void printReport(const RecompileReport& report, const std::vector<CompiledCheck>& checks, Output& out) {
    std::error_code problem;
    const auto size = std::filesystem::file_size(report.output, problem);
    std::string line = "Wrote " + escapeForDisplay(report.output.string());
    if (!problem) line += ", " + formatBytes(size);
    line += ": " + std::string(report.models.size() == 1 ? "model " : "models ") + join(report.models, ", ") + ", library " +
            formatBytes(report.libraryBytes) + ", compiled in " + formatDuration(report.seconds) + ".";
    out.line(line);
    for (const auto& [name, value] : report.inheritedEnvironment) out.line("Inherited " + escapeForDisplay(name + "=" + value) + ".");
    printChecks(checks, out);
    out.line("");
    out.line(out.paint(Style::Bold, "Next"));
    const std::string file = shellWord(report.output.string());
    const std::string model = report.models.size() == 1 && report.models.front() == "model"
                                  ? std::string()
                                  : " --model " + (report.models.empty() ? std::string("NAME") : shellWord(report.models.front()));
    Table table({{""}, {""}});
    table.row({{"pt2 run " + file + model, Style::Accent}, {"run it on inputs made from the signature", Style::Muted}});
    table.row({{"pt2 compare " + file + " --reference torch" + model, Style::Accent}, {"is the output right", Style::Muted}});
    table.print(out, "  ");
}

Result<int> recompileCommand(RecompileArguments arguments, Context& context) {
    if (!arguments.output.ends_with(".pt2")) {
        return fail(usageError("recompile.output-name", "The output \"" + arguments.output + "\" does not end in .pt2.",
                               "torch takes packages of that ending only.", "Write -o NAME.pt2."));
    }
    auto config = splitAll(arguments.config, "--config");
    if (!config) return fail(config.error());
    auto environment = splitAll(arguments.environment, "--env");
    if (!environment) return fail(environment.error());
    arguments.request.constants = arguments.constants == "disk"   ? ConstantsPlace::Disk
                                  : arguments.constants == "none" ? ConstantsPlace::None
                                                                  : ConstantsPlace::Library;
    arguments.request.keepOnFailure = arguments.keep;
    arguments.request.config = std::move(*config);
    arguments.request.environment = std::move(*environment);
    auto document = context.open(arguments.file);
    if (!document) return fail(document.error());
    for (std::string& name : arguments.request.models) {
        auto model = document->resolveModel(name);
        if (!model) return fail(model.error());
        name = *model;
    }
    std::string stage;
    Json log = Json::array();
    const ProgressSink progress = [&](const Progress& p) {
        if (!p.stage.empty() && p.stage != stage) {
            stage = p.stage;
            context.out.log("step: " + stage);
        }
        if (!p.line.empty()) {
            log.push_back(p.line);
            context.out.log("  " + p.line);
        } else if (p.total > 0) {
            context.out.progress(p);
        }
    };
    auto report = recompile(*document, arguments.output, arguments.request, context.cancel, progress);
    if (!report) return context.out.fail(report.error(), {{"format", 1}, {"error", errorJson(report.error())}, {"log", std::move(log)}});
    std::vector<CompiledCheck> checks;
    if (!arguments.noCheck) {
        EagerRequest eager;
        eager.python = arguments.request.python;
        eager.trust = arguments.request.trust;
        auto checked = checkRecompiled(report->output, report->models, eager, context.cancel, progress);
        if (checked) {
            checks = std::move(*checked);
        } else if (checked.error().kind == ErrorKind::Cancelled) {
            return fail(checked.error());
        } else {
            context.out.note("The result was not run: " + checked.error().what);
        }
    }
    if (context.out.json()) {
        context.out.document(reportJson(*report, checks));
    } else {
        printReport(*report, checks, context.out);
    }
    return 0;
}

}  // namespace

void addRecompileCommand(CommandRegistry& registry) {
    auto arguments = std::make_shared<RecompileArguments>();
    CLI::App* command = registry.add("recompile", "Compiles the program for this machine with AOTInductor",
                                     [arguments](Context& context) { return recompileCommand(*arguments, context); });
    command->add_option("FILE", arguments->file, "The file with the exported program")->required();
    command->add_option("-o,--output", arguments->output, "The package to write; it holds program and compiled model")
        ->required()
        ->type_name("OUT.pt2");
    command->add_option("--model", arguments->request.models, "Which programs; all when none is named")->type_name("NAME...");
    command->add_option("--device", arguments->request.device, "By default as exported")->check(deviceName())->type_name("DEVICE");
    command->add_flag("--max-autotune", arguments->request.maxAutotune, "Try more kernels and keep the fastest; slower to compile");
    command->add_flag("--freezing", arguments->request.freezing, "Treat weights as constants");
    command->add_flag("--discard-parameters", arguments->request.discardParameters,
                      "With --freezing: let go of the program's own weights, to save memory");
    command->add_option("--constants-in", arguments->constants, "Where weights go: library, disk (beside it), or none (given when it is run)")
        ->check(CLI::IsMember({"library", "disk", "none"}))
        ->type_name("WHERE");
    command->add_flag("--cpp-only", arguments->request.cppOnly, "C++ sources and a CMake project instead of a library");
    command->add_option("--cpu-isa", arguments->request.cpuIsa, "Instruction set of the code; by default the best of this machine")
        ->check(CLI::IsMember(cpuIsaNames()))
        ->type_name("NAME");
    command->add_option("--keep-on-failure", arguments->keep, "A folder for log, settings, sources and a script that does it again, should it fail")
        ->type_name("DIR");
    command->add_flag("--minify", arguments->request.minify, "With --keep-on-failure: torch's minifier launcher too");
    command->add_flag("--compiled-only", arguments->request.compiledOnly, "Leave the program out of the result");
    command->add_option("--config", arguments->config, "Settings of torch._inductor.config")->type_name("KEY=VALUE...");
    command->add_option("--env", arguments->environment, "Environment variables for the compilation")->type_name("KEY=VALUE...");
    command->add_option("--python", arguments->request.python, "The Python that has torch")->type_name("EXE");
    command->add_flag("--trust", arguments->request.trust, "Let torch unpickle what is not known to be safe");
    command->add_flag("--no-check", arguments->noCheck, "Do not run the result and compare it with torch eager");
    command->add_flag("--force", arguments->request.force, "Replace a file that exists");
}

}  // namespace pt2
