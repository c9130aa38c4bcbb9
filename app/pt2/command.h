#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "app/pt2/output.h"
#include "core/package/package.h"

namespace pt2 {

/// Options that every command takes, before and after its name.
struct GlobalOptions {
    bool json = false;
    bool quiet = false;
    std::string color = "auto";
    std::string with;  ///< a second file joined to the document
};

/// What a command works with.
struct Context {
    const GlobalOptions& global;
    Output& out;
    CancelToken cancel;
    Result<Document> open(const std::string& file) const;
};

/// A command's work once its line was understood: an exit code, or the error to say.
using CommandBody = std::function<Result<int>(Context&)>;

/// Where a command puts itself: its options into `app`, its body into `chosen` when the line names it.
struct CommandRegistry {
    CLI::App& app;
    CommandBody& chosen;
    CLI::App* add(const std::string& name, const std::string& description, CommandBody body);
};

/// Adds an option that may be repeated and takes exactly one value each time.
CLI::Option* addRepeated(CLI::App* command, const std::string& name, std::vector<std::string>& target, const std::string& description);
Error usageError(std::string code, std::string what, std::string why, std::string help);
/// "KEY=VALUE" at the first '='.
Result<std::pair<std::string, std::string>> splitAssignment(const std::string& text, const std::string& option);
/// Values of --size: "s77=512", "x:0=512", "batch=512".
Result<std::vector<std::pair<std::string, std::int64_t>>> splitSizes(const std::vector<std::string>& texts);

/// A program of the document by name ("" for the default one), or the error that says what the file holds instead. A note tells of others.
struct ChosenProgram {
    std::string model;
    Document::ProgramRef ref;
    const Program& program() const { return *ref.entry->program; }
};
Result<ChosenProgram> chooseProgram(Context& context, const Document& document, const std::string& model);

void addInspectCommand(CommandRegistry& registry);
void addPrintCommand(CommandRegistry& registry);
void addNodesCommand(CommandRegistry& registry);
void addSignatureCommand(CommandRegistry& registry);
void addMemberCommands(CommandRegistry& registry);  ///< ls, cat, extract
void addWeightsCommand(CommandRegistry& registry);
void addSummaryCommand(CommandRegistry& registry);
void addFindCommand(CommandRegistry& registry);
void addKernelsCommand(CommandRegistry& registry);
void addVerifyCommand(CommandRegistry& registry);
void addRepairCommand(CommandRegistry& registry);
void addCheckCommand(CommandRegistry& registry);
void addRunCommand(CommandRegistry& registry);
void addCompareCommand(CommandRegistry& registry);
void addRecompileCommand(CommandRegistry& registry);
void addDoctorCommand(CommandRegistry& registry);
void addProbeCommand(CommandRegistry& registry);
void addEngineCommand(CommandRegistry& registry);

}  // namespace pt2
