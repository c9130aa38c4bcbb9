#include "app/pt2/command_table.h"

#include <algorithm>
#include <charconv>
#include <exception>
#include <system_error>

#include "app/pt2/command.h"
#include "app/pt2/generated_docs.h"
#include "app/pt2/interrupt.h"
#include "app/pt2/later_words.h"
#include "core/base/text.h"

#ifndef PT2SCOPE_VERSION
#define PT2SCOPE_VERSION "0"
#endif

namespace pt2 {
namespace {

constexpr const char* kFooter =
    "FILE is a .pt2 of any age, an unpacked folder, a bare compiled .so, or - for standard input.\n"
    "Exit: 0 holds, 1 does not hold, 2 wrong command line, 3 unreadable file, 4 cannot run here, 5 the model failed,\n"
    "6 pt2 or the system failed, 130 cancelled.\n";

/// The first word that is no option and no value of a global one.
std::string commandWord(const std::vector<std::string>& arguments) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string& a = arguments[i];
        if (a == "--color" || a == "--with" || a == "--completion") {
            ++i;
        } else if (a.empty() || a[0] != '-') {
            return a;
        }
    }
    return {};
}

bool contains(const std::vector<std::string>& arguments, const char* word) {
    return std::find(arguments.begin(), std::find(arguments.begin(), arguments.end(), "--"), word) !=
           std::find(arguments.begin(), arguments.end(), "--");
}

std::string askedColor(const std::vector<std::string>& arguments) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i] == "--color" && i + 1 < arguments.size()) return arguments[i + 1];
        if (arguments[i].starts_with("--color=")) return arguments[i].substr(8);
    }
    return "auto";
}

std::vector<std::string> commandNames(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
    return names;
}

std::vector<std::string> optionNames(const CLI::App& app, const CLI::App* command) {
    std::vector<std::string> names;
    for (const CLI::App* a : {&app, command}) {
        if (a == nullptr) continue;
        for (const CLI::Option* option : a->get_options()) {
            for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
            for (const std::string& name : option->get_snames()) names.push_back("-" + name);
        }
    }
    return names;
}

std::string didYouMean(const std::string& word, const std::vector<std::string>& known) {
    const std::string near = nearestName(word, known);
    return near.empty() ? std::string() : "Did you mean " + near + "?";
}

const CLI::App* chosenCommand(const CLI::App& app) {
    const auto commands = app.get_subcommands();
    return commands.empty() ? nullptr : commands.front();
}

/// What CLI11 found wrong with the line, as an Error in our words.
Error lineError(CLI::App& app, const CLI::ParseError& error, const std::string& word) {
    const CLI::App* command = chosenCommand(app);
    const std::string name = command == nullptr ? std::string("pt2") : "pt2 " + command->get_name();
    const std::string seeHelp = name + " --help tells how it is used.";
    if (command == nullptr && !word.empty()) {
        const std::string hint = didYouMean(word, commandNames(app));
        return usageError("command.unknown", "\"" + word + "\" is not a command of pt2.", {}, hint.empty() ? "pt2 --help lists the commands." : hint);
    }
    if (command == nullptr && dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr) {
        if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
            return usageError("command.missing", "No command was given.", {}, "pt2 --help lists the commands; pt2 inspect FILE is a good first one.");
        }
    }
    if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
        const auto remaining = app.remaining(true);
        const std::string extra = remaining.empty() ? std::string() : remaining.front();
        const bool isOption = extra.size() > 1 && extra[0] == '-';
        const std::string hint = isOption ? didYouMean(extra.substr(0, extra.find('=')), optionNames(app, command)) : std::string();
        return usageError(isOption ? "option.unknown" : "argument.unexpected",
                          isOption ? "\"" + name + "\" has no option " + extra + "." : "\"" + name + "\" does not expect \"" + extra + "\".", {},
                          hint.empty() ? seeHelp : hint);
    }
    if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
        return usageError("argument.missing", "\"" + name + "\" is not complete: " + error.what() + ".", {}, seeHelp);
    }
    return usageError("option.value", "\"" + name + "\" was not understood: " + error.what() + ".", {}, seeHelp);
}

/// An empty value is a variable that was not set, not an option that was not given.
std::optional<Error> emptyValue(const CLI::App& app) {
    for (const CLI::App* a : {&app, chosenCommand(app)}) {
        if (a == nullptr) continue;
        for (const CLI::Option* option : a->get_options()) {
            if (option->count() == 0 || option->get_items_expected_max() == 0) continue;
            const auto& values = option->results();
            if (std::find(values.begin(), values.end(), std::string()) == values.end()) continue;
            return usageError("option.empty", option->get_name() + " was given an empty value.", {}, "Leave it out, or give it a value.");
        }
    }
    return std::nullopt;
}

ColorMode colorMode(const std::string& word) { return word == "always" ? ColorMode::Always : word == "never" ? ColorMode::Never : ColorMode::Auto; }

void addGlobalOptions(CLI::App& app, GlobalOptions& global) {
    app.add_flag("--json", global.json, "Print one JSON document and nothing else");
    app.add_option("--color", global.color, "Colour: auto, always or never")->check(CLI::IsMember({"auto", "always", "never"}))->type_name("WHEN");
    app.add_flag("-q,--quiet", global.quiet, "No notes and no progress");
    app.add_option("--with", global.with, "Join a second file: program here, compiled model there")->type_name("OTHER.pt2");
}

void addCommands(CommandRegistry& registry) {
    addInspectCommand(registry);
    addPrintCommand(registry);
    addNodesCommand(registry);
    addSignatureCommand(registry);
    addMemberCommands(registry);
    addWeightsCommand(registry);
    addSummaryCommand(registry);
    addKernelsCommand(registry);
    addFindCommand(registry);
    addVerifyCommand(registry);
    addRepairCommand(registry);
    addCheckCommand(registry);
    addRunCommand(registry);
    addCompareCommand(registry);
    addRecompileCommand(registry);
    addDoctorCommand(registry);
    addProbeCommand(registry);
    addEngineCommand(registry);
}

int parseAndRun(const std::vector<std::string>& arguments, Output& out) {
    CLI::App app("Looks into PyTorch .pt2 files, runs them, compares and recompiles them.", "pt2");
    app.fallthrough();
    app.get_formatter()->column_width(36);
    app.footer(kFooter);
    GlobalOptions global;
    addGlobalOptions(app, global);
    app.set_version_flag("--version", "pt2 " PT2SCOPE_VERSION);
    std::string shell;
    bool man = false;
    app.add_option("--completion", shell, "Print the completion script of a shell")
        ->check(CLI::IsMember({"bash", "zsh", "fish"}))
        ->type_name("SHELL");
    app.add_flag("--man", man, "Print the man page");
    app.require_subcommand(1);
    CommandBody body;
    CommandRegistry registry{app, body};
    addCommands(registry);

    if (arguments.size() == 1 && arguments[0] == "--man") {
        out.write(manPage(app, PT2SCOPE_VERSION));
        return 0;
    }
    if (arguments.size() == 2 && arguments[0] == "--completion" && !completionScript(app, arguments[1]).empty()) {
        out.write(completionScript(app, arguments[1]));
        return 0;
    }
    const std::string word = commandWord(arguments);
    if (const auto refusal = refuseLaterWords(word, arguments)) return out.fail(*refusal);
    try {
        std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
        app.parse(reversed);
    } catch (const CLI::CallForVersion&) {
        if (out.json()) {
            out.document({{"format", 1}, {"version", PT2SCOPE_VERSION}});
        } else {
            out.line("pt2 " PT2SCOPE_VERSION);
        }
        return 0;
    } catch (const CLI::Success&) {  // help
        const CLI::App* command = chosenCommand(app);
        out.write((command == nullptr ? &app : command)->help());
        return 0;
    } catch (const CLI::ParseError& error) {
        return out.fail(lineError(app, error, word));
    }
    if (const auto empty = emptyValue(app)) return out.fail(*empty);
    out.configure(global.json, colorMode(global.color), global.quiet);
    Context context{global, out, CancelToken{}};
    installInterrupt(context.cancel);
    const Result<int> result = body(context);
    return result ? *result : out.fail(result.error());
}

}  // namespace

int runCommandLine(const std::vector<std::string>& arguments) {
    Output out;
    // Before the line is understood, its errors already go where it asks.
    out.configure(contains(arguments, "--json"), colorMode(askedColor(arguments)), contains(arguments, "-q") || contains(arguments, "--quiet"));
    int code = 0;
    try {
        code = parseAndRun(arguments, out);
    } catch (const std::bad_alloc&) {
        code =
            out.fail({ErrorKind::System, "memory", "There is not enough memory for this.", {}, {}, "Close other programs, or ask for less at once."});
    } catch (const std::exception& error) {
        code = out.fail({ErrorKind::System,
                         "internal",
                         "pt2 failed: an internal error.",
                         {},
                         error.what(),
                         "This is a defect of pt2; a report with the file helps."});
    }
    return out.finish(code);
}

CLI::App* CommandRegistry::add(const std::string& name, const std::string& description, CommandBody body) {
    CLI::App* command = app.add_subcommand(name, description);
    command->callback([this, body = std::move(body)] { chosen = body; });
    return command;
}

CLI::Option* addRepeated(CLI::App* command, const std::string& name, std::vector<std::string>& target, const std::string& description) {
    return command->add_option(name, target, description)->allow_extra_args(false);
}

Error usageError(std::string code, std::string what, std::string why, std::string help) {
    return {ErrorKind::Usage, std::move(code), std::move(what), {}, std::move(why), std::move(help)};
}

Result<std::pair<std::string, std::string>> splitAssignment(const std::string& text, const std::string& option) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
        return fail(usageError("option.assignment", "\"" + text + "\" is not of the form KEY=VALUE.", option + " takes a name, = and a value.",
                               "Write " + option + " KEY=VALUE."));
    }
    return std::pair(text.substr(0, equals), text.substr(equals + 1));
}

Result<std::vector<std::pair<std::string, std::int64_t>>> splitSizes(const std::vector<std::string>& texts) {
    std::vector<std::pair<std::string, std::int64_t>> sizes;
    for (const std::string& text : texts) {
        auto pair = splitAssignment(text, "--size");
        if (!pair) return fail(pair.error());
        const std::string& digits = pair->second;
        std::int64_t value = 0;
        const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (problem != std::errc() || end != digits.data() + digits.size()) {
            return fail(usageError("option.integer", "\"" + digits + "\" in --size is not a whole number.", {}, "Write for example --size s77=512."));
        }
        sizes.emplace_back(std::move(pair->first), value);
    }
    return sizes;
}

Result<Document> Context::open(const std::string& file) const { return Document::open(file, global.with, cancel, out.progressSink()); }

Result<ChosenProgram> chooseProgram(Context& context, const Document& document, const std::string& model) {
    auto name = document.resolveModel(model);
    if (!name) return fail(name.error());
    ChosenProgram chosen{*name, document.program(*name)};
    const std::string path = document.primary->archive().path().string();
    if (!chosen.ref) {
        std::string holds = "\"" + *name + "\" is a compiled model only: the exported program was not saved with it.";
        for (const std::string& other : document.modelNames()) {
            if (model.empty() && document.program(other)) {
                chosen = {other, document.program(other)};
                break;
            }
        }
        if (!chosen.ref) {
            return fail({ErrorKind::Usage, "program.none", "There is no exported program in this file.", path, std::move(holds),
                         "Join the file of the program with --with OTHER.pt2, or see pt2 inspect for what is here."});
        }
    }
    if (!chosen.ref.entry->program) {
        std::string why = "The issues of the file say why.";
        for (const Issue& issue : document.issues()) {
            if (issue.severity == Severity::Error) {
                why = issue.message;
                break;
            }
        }
        return fail({ErrorKind::Unreadable, "program.unreadable", "The program \"" + chosen.model + "\" cannot be read.", path, why,
                     "pt2 inspect shows what else the file holds."});
    }
    std::vector<std::string> others;
    for (const std::string& other : document.modelNames()) {
        if (other != chosen.model && document.program(other)) others.push_back(other);
    }
    if (model.empty() && !others.empty()) {
        context.out.note("This is \"" + chosen.model + "\"; --model names another: " + join(others, ", ") + ".");
    }
    return chosen;
}

}  // namespace pt2
