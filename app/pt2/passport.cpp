#include "app/pt2/passport.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>

#include "app/pt2/contract_table.h"
#include "app/pt2/issue_list.h"
#include "app/pt2/table.h"
#include "core/base/text.h"
#include "core/compiled/runnable.h"
#include "core/contract/call_changes.h"
#include "core/program/custom_operators.h"
#include "core/program/operator_family.h"

namespace pt2 {
namespace {

constexpr std::size_t kShownNames = 6;

std::string counted(std::uint64_t count, const std::string& one, const std::string& many) {
    return formatCount(count) + " " + (count == 1 ? one : many);
}

/// "a, b, c and 12 more" for long lists.
std::string shortList(const std::vector<std::string>& parts) {
    if (parts.size() <= kShownNames + 2) return join(parts, ", ");
    const std::vector<std::string> head(parts.begin(), parts.begin() + kShownNames);
    return join(head, ", ") + " and " + formatCount(parts.size() - kShownNames) + " more";
}

std::string operatorsText(const Program& program) {
    std::map<std::string, std::uint64_t> counts;
    for (const Node& node : program.nodes()) {
        const OperatorName name = splitOperatorName(node.target);
        ++counts[name.ns.empty() ? std::string(node.target) : std::string(name.ns) + "." + std::string(name.name)];
    }
    std::vector<std::pair<std::string, std::uint64_t>> sorted(counts.begin(), counts.end());
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    std::vector<std::string> parts;
    for (const auto& [name, count] : sorted) parts.push_back(count == 1 ? name : name + " ×" + formatCount(count));
    return shortList(parts);
}

std::string graphText(const Program& program) {
    std::string text = counted(program.rootGraph().nodes.size(), "node", "nodes");
    if (program.graphs().size() > 1) {
        text += fmt::format(", {} with {}", formatCount(program.nodes().size()), counted(program.graphs().size() - 1, "subgraph", "subgraphs"));
    }
    std::size_t modules = 0;
    for (const ModuleCallEntry& call : program.moduleCallGraph()) modules += call.fqn.empty() ? 0 : 1;
    return text + ", " + counted(modules, "module", "modules");
}

/// Elements and bytes of parameters and buffers; storages that several names share count once in bytes.
std::string weightsText(const Package& package, const ProgramEntry& entry) {
    std::uint64_t parameters = 0, elements = 0, others = 0, bytes = 0;
    std::set<MemberIndex> seen;
    for (const auto* list : {&entry.weights, &entry.constants}) {
        for (const WeightEntry& weight : *list) {
            if (weight.member && seen.insert(*weight.member).second) bytes += package.archive().members()[*weight.member].size;
            const auto count = weight.layout.elementCount();
            if (weight.isParameter) {
                ++parameters;
                elements += count && !weight.isObject ? *count : 0;
            }
        }
    }
    others = entry.weights.size() - std::min<std::uint64_t>(parameters, entry.weights.size());
    if (entry.weights.empty() && entry.constants.empty()) return "none";
    std::vector<std::string> parts;
    if (parameters > 0) {
        parts.push_back(counted(parameters, "parameter", "parameters") + " of " + counted(elements, "element", "elements"));
    }
    if (others > 0) parts.push_back(counted(others, "buffer", "buffers"));
    if (!entry.constants.empty()) parts.push_back(counted(entry.constants.size(), "constant", "constants"));
    return join(parts, ", ") + ", " + formatBytes(bytes);
}

/// By the signature, and by in-place operators of which the signature says nothing.
std::string changesText(const Program& program, const Contract& contract) {
    std::vector<std::string> certain, perhaps;
    for (const CallChange& change : callChanges(program, contract)) {
        const std::string name = std::string(callChangeName(change.what)) + " " + change.name;
        std::vector<std::string>& list = change.certain ? certain : perhaps;
        if (std::find(list.begin(), list.end(), name) == list.end()) list.push_back(name);
    }
    std::string text = certain.empty() ? std::string() : "changed by each call: " + shortList(certain);
    if (!perhaps.empty()) text += (text.empty() ? "perhaps changed by each call: " : "; perhaps too: ") + shortList(perhaps);
    return text;
}

std::string platformText(const CompiledModel& model) {
    std::vector<std::string> parts;
    for (const std::string& part : {model.platform, model.machine, model.cpuIsa}) {
        if (!part.empty()) parts.push_back(part);
    }
    const std::string device = model.device.empty() ? "an unknown device" : model.device;
    return "for " + device + (parts.empty() ? "" : " (" + join(parts, ", ") + ")");
}

std::string constantsText(const CompiledModel& model) {
    if (model.constants.empty()) return model.constantCount == 0 ? "none" : std::string();
    std::uint64_t bytes = 0;
    std::set<std::string> places;
    for (const CompiledConstant& c : model.constants) {
        bytes += c.dataSize;
        switch (c.where) {
            case CompiledConstant::Where::Library: places.insert("in the library"); break;
            case CompiledConstant::Where::Beside: places.insert("beside the library"); break;
            case CompiledConstant::Where::Absent: places.insert("absent from this file"); break;
            case CompiledConstant::Where::Unknown: places.insert("in an unknown place"); break;
        }
    }
    return fmt::format("{}, {}, {}", counted(model.constants.size(), "constant", "constants"), formatBytes(bytes),
                       join({places.begin(), places.end()}, " and "));
}

class Passport {
public:
    Passport(Context& context, const Document& document, const PassportOptions& options)
        : context_(context), out_(context.out), document_(document), options_(options), cancel_(context.cancel) {}

    void print() {
        head();
        for (const std::string& name : document_.modelNames()) {
            if (options_.model.empty() || options_.model == name) model(name);
        }
        issues();
        next();
    }

private:
    void field(const char* name, const std::string& value, Style style = Style::Plain) {
        if (value.empty()) return;
        const std::string label = fmt::format("  {:<12}", name);
        out_.line(out_.paint(Style::Muted, label) + " " + out_.paint(style, escapeForDisplay(value)));
    }

    void head() {
        const Package& package = *document_.primary;
        const Archive& archive = package.archive();
        const std::string path = archive.path().string();
        const bool programs = !package.programs().empty(), compiled = !package.compiledModels().empty();
        const char* what = programs && compiled ? "exported program and compiled model"
                           : programs           ? "exported program, no compiled model"
                           : compiled           ? "compiled model, no exported program"
                                                : "neither an exported program nor a compiled model";
        out_.line(out_.paint(Style::Bold, escapeForDisplay(path == "-" ? "standard input" : path)) + ": " + what);
        std::string container = fmt::format("{}, {}, {}", containerName(archive.kind()), counted(archive.members().size(), "member", "members"),
                                            formatBytes(archive.fileSize()));
        if (!archive.root().empty()) container += ", root \"" + archive.root() + "\"";
        if (!package.byteorder().empty()) container += ", " + package.byteorder() + "-endian";
        field("container", container);
        if (options_.hashes.is_object() && options_.hashes["file"].contains("sha256") && options_.hashes["file"]["sha256"].is_string()) {
            field("sha256", options_.hashes["file"]["sha256"].get<std::string>());
        }
        if (document_.attached) field("joined with", document_.attached->archive().path().string());
        if (!package.extraFiles().empty()) {
            std::vector<std::string> names;
            for (const auto& [name, size] : package.extraFiles()) names.push_back(name + " (" + formatBytes(size) + ")");
            field("extra files", shortList(names));
        }
        unused(package);
    }

    void unused(const Package& package) {
        const std::vector<MemberIndex>& members = package.unusedMembers();
        if (members.empty()) return;
        std::uint64_t bytes = 0;
        std::vector<std::string> names;
        for (const MemberIndex member : members) {
            const std::string_view name = package.archive().nameBelowRoot(member);
            names.emplace_back(name.substr(name.rfind('/') + 1));
            if (!addSafe(bytes, package.archive().members()[member].size, bytes)) bytes = UINT64_MAX;
        }
        field("not used",
              fmt::format("{} that nothing refers to, {}: {}", counted(members.size(), "member", "members"), formatBytes(bytes), shortList(names)));
    }

    void model(const std::string& name) {
        const auto program = document_.program(name);
        const auto compiled = document_.compiled(name);
        out_.line("");
        out_.line(out_.paint(Style::Bold, "Model \"" + escapeForDisplay(name) + "\""));
        const auto contract = buildContract(document_, name);
        if (program) programFields(*program.package, *program.entry);
        if (program && program.entry->program) field("state", changesText(*program.entry->program, contract ? *contract : Contract()));
        if (compiled) compiledFields(*compiled.package, *compiled.model);
        if (contract) {
            if (!contract->inputs.empty()) {
                out_.line("");
                printContractInputs(out_, *contract, "  ");
            }
            if (!contract->outputs.empty()) {
                out_.line("");
                printContractOutputs(out_, *contract, "  ");
            }
            if (!contract->symbols.empty()) {
                out_.line("");
                printContractSymbols(out_, *contract, "  ");
            }
            for (const std::string& guard : contract->guards) field("guard", guard);
        }
        if (program && options_.hashes.is_object()) hashes(name);
        runsHere(compiled);
    }

    void programFields(const Package& package, const ProgramEntry& entry) {
        if (!entry.program) {
            field("program", "could not be read; see the issues below", Style::Bad);
            return;
        }
        const Program& program = *entry.program;
        std::string made = fmt::format("by torch {}, schema {}.{}", program.torchVersion(), program.schemaMajor(), program.schemaMinor());
        for (const std::string_view verifier : program.verifiers()) made += fmt::format(", {}", verifier);
        field("exported", made);
        field("graph", graphText(program));
        field("operators", operatorsText(program));
        if (const std::vector<std::string> custom = customOperators(program); !custom.empty()) {
            field(
                "needs",
                fmt::format("the operator library that has {}, to run it in torch eager or to compile it; name its Python module in PT2SCOPE_IMPORT",
                            shortList(custom)),
                Style::Warning);
        }
        field("weights", weightsText(package, entry));
        const bool samples = entry.sampleInputs && package.archive().members()[*entry.sampleInputs].size > 0;
        field("samples", samples ? "sample inputs are stored" : "no sample inputs are stored");
    }

    void compiledFields(const Package& package, const CompiledModel& model) {
        field("compiled", platformText(model));
        if (model.library) {
            std::string library = formatBytes(package.archive().members()[*model.library].size);
            if (model.kernelCalls) library += ", " + counted(*model.kernelCalls, "kernel call", "kernel calls");
            field("library", library);
        } else {
            field("library", model.cppOnly ? "none, C++ sources only" : "none");
        }
        field("constants", constantsText(model), model.weightsAbsent ? Style::Bad : Style::Plain);
        field("checks", model.checksCompiledIn ? "compiled in; AOTI_RUNTIME_CHECK_INPUTS=1 switches them on"
                        : model.wrapperSource  ? "none compiled in; pt2 checks inputs itself"
                                               : "unknown: the wrapper source is not there");
        std::vector<std::string> others;
        for (const auto& [key, value] : model.metadata) {
            if (!key.starts_with("AOTI_")) others.push_back(key + " = " + value);
        }
        field("metadata", shortList(others));
    }

    void hashes(const std::string& name) {
        const Json& programs = options_.hashes["programs"];
        if (!programs.contains(name)) return;
        Table table({{"WEIGHT"}, {"TYPE"}, {"SHA256"}});
        for (const char* list : {"weights", "constants"}) {
            for (const auto& [fqn, item] : programs[name][list].items()) {
                const std::string type = item.contains("dtype") ? item["dtype"].get<std::string>() + " " + item["shape"].dump() : "object";
                table.row({{fqn, Style::Bold}, type, item.contains("sha256") ? item["sha256"].get<std::string>() : "not a plain tensor"});
            }
        }
        if (table.empty()) return;
        out_.line("");
        table.print(out_, "  ");
    }

    void runsHere(const Document::CompiledRef& compiled) {
        out_.line("");
        const bool here = options_.target.here;
        if (!compiled) {
            field(here ? "runs here" : "runs there",
                  here ? "not yet: it has to be compiled for this machine first" : "not yet: it has to be compiled for that machine first",
                  Style::Warning);
            return;
        }
        const std::string there = here || options_.target.name.empty() ? std::string() : " (" + options_.target.name + ")";
        const Runnable runnable = judgeRunnable(compiled.package->archive(), *compiled.model, options_.target, cancel_);
        verdicts_[compiled.model->name] = runnable.verdict;
        switch (runnable.verdict) {
            case Runnable::Verdict::Yes: field(here ? "runs here" : "runs there", "yes" + there, Style::Good); break;
            case Runnable::Verdict::No: field(here ? "runs here" : "runs there", "no" + there, Style::Bad); break;
            case Runnable::Verdict::Unknown: field(here ? "runs here" : "runs there", "not known" + there, Style::Warning); break;
        }
        for (const RunReason& reason : runnable.reasons) {
            if (reason.ok && *reason.ok && !reason.warning) continue;
            std::string text = reasonLine(reason);
            if (!reason.help.empty()) text += ". " + reason.help;
            field("", text, reason.warning ? Style::Warning : reason.ok ? Style::Bad : Style::Muted);
        }
        if (!options_.enginePrompt.empty()) field("", options_.enginePrompt, Style::Muted);
    }

    void issues() {
        const Issues all = document_.issues();
        out_.line("");
        if (all.empty()) {
            field("issues", "none");
            return;
        }
        out_.line(out_.paint(Style::Bold, "Issues"));
        printIssues(out_, all, "  ");
    }

    void next() {
        const std::string path = document_.primary->archive().path().string();
        if (path == "-") return;
        const std::string file = shellWord(path);
        const std::string name = options_.model.empty() ? document_.defaultModel() : options_.model;
        const std::string model = options_.model.empty() || name == "model" ? std::string() : " --model " + shellWord(name);
        const bool hasProgram = static_cast<bool>(document_.program(name)), hasCompiled = static_cast<bool>(document_.compiled(name));
        if (!hasProgram && !hasCompiled) return;
        out_.line("");
        out_.line(out_.paint(Style::Bold, "Next"));
        Table table({{""}, {""}});
        const auto add = [&](const std::string& command, const char* why) { table.row({{command, Style::Accent}, {why, Style::Muted}}); };
        const auto verdict = verdicts_.find(name);
        const bool refused = verdict != verdicts_.end() && verdict->second == Runnable::Verdict::No;
        if (hasProgram && (!hasCompiled || refused)) {
            std::string stem = document_.primary->archive().path().stem().string();
            if (stem.empty()) stem = "model";
            const std::string compiled = shellWord(stem + "_compiled.pt2");
            add("pt2 recompile " + file + " -o " + compiled + model,
                options_.target.here ? "compile it for this machine" : "compile it, on that machine");
            add("pt2 run " + compiled + model, "then run it");
        } else if (!refused) {
            add("pt2 run " + file + model, "run it on inputs made from the signature");
            if (hasProgram) add("pt2 compare " + file + " --reference torch" + model, "is the output right");
        }
        if (hasProgram) add("pt2 nodes " + file + model, "what it computes");
        add("pt2 ls -l " + file, "every member");
        table.print(out_, "  ");
    }

    Context& context_;
    Output& out_;
    const Document& document_;
    const PassportOptions& options_;
    const CancelToken cancel_;
    std::map<std::string, Runnable::Verdict> verdicts_;  ///< by model, of those that were judged
};

}  // namespace

void printPassport(Context& context, const Document& document, const PassportOptions& options) { Passport(context, document, options).print(); }

std::string shellWord(const std::string& text) {
    const auto isPlain = [](unsigned char c) {
        return std::isalnum(c) != 0 || c >= 0x80 || std::string_view("-_./+:@%,=").find(static_cast<char>(c)) != std::string_view::npos;
    };
    if (!text.empty() && std::all_of(text.begin(), text.end(), [&](char c) { return isPlain(static_cast<unsigned char>(c)); })) return text;
    std::string out = "'";
    for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

}  // namespace pt2
