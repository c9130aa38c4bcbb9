#include "app/pt2/generated_docs.h"

#include <vector>

namespace pt2 {
namespace {

/// "-q" and "--quiet" of an option; none for a positional one.
std::vector<std::string> spellings(const CLI::Option& option) {
    std::vector<std::string> out;
    for (const std::string& name : option.get_snames()) out.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) out.push_back("--" + name);
    return out;
}

std::string optionWords(const CLI::App& app) {
    std::string out;
    for (const CLI::Option* option : app.get_options()) {
        for (const std::string& word : spellings(*option)) out += (out.empty() ? "" : " ") + word;
    }
    return out;
}

std::string bashScript(const CLI::App& app) {
    const std::string global = optionWords(app);
    std::string names, cases;
    for (const CLI::App* command : app.get_subcommands({})) {
        names += " " + command->get_name();
        cases += "        " + command->get_name() + ") words='" + optionWords(*command) + " " + global + "' ;;\n";
    }
    return "_pt2() {\n"
           "    local cur=${COMP_WORDS[COMP_CWORD]} command= words i\n"
           "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
           "        case ${COMP_WORDS[i]} in\n"
           "            --color | --with) ((i++)) ;;\n"
           "            -*) ;;\n"
           "            *) command=${COMP_WORDS[i]}; break ;;\n"
           "        esac\n"
           "    done\n"
           "    case $command in\n"
           "        '') words='" +
           global + names + "' ;;\n" + cases +
           "    esac\n"
           "    if [[ -z $command || $cur == -* ]]; then\n"
           "        COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
           "    fi\n"
           "}\n"
           "complete -o default -F _pt2 pt2\n";
}

std::string singleQuoted(const std::string& text) {
    std::string out = "'";
    for (const char c : text) out += c == '\'' ? std::string("\\'") : std::string(1, c);
    return out + "'";
}

std::string fishOption(const CLI::Option& option, const std::string& condition) {
    if (option.get_snames().empty() && option.get_lnames().empty()) return {};
    std::string line = "complete -c pt2 -n " + singleQuoted(condition);
    for (const std::string& name : option.get_snames()) line += " -s " + name;
    for (const std::string& name : option.get_lnames()) line += " -l " + name;
    if (option.get_items_expected_max() > 0) line += " -r";
    return line + " -d " + singleQuoted(option.get_description()) + "\n";
}

std::string fishScript(const CLI::App& app) {
    std::string out;
    for (const CLI::Option* option : app.get_options()) out += fishOption(*option, "true");
    for (const CLI::App* command : app.get_subcommands({})) {
        out += "complete -c pt2 -n __fish_use_subcommand -a " + command->get_name() + " -d " + singleQuoted(command->get_description()) + "\n";
        for (const CLI::Option* option : command->get_options()) out += fishOption(*option, "__fish_seen_subcommand_from " + command->get_name());
    }
    return out;
}

std::string roff(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (c == '\\') {
            out += "\\e";
        } else if (c == '-') {
            out += "\\-";
        } else {
            if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) out += "\\&";
            out += c;
        }
    }
    return out;
}

std::string manOptions(const CLI::App& app) {
    std::string out;
    for (const CLI::Option* option : app.get_options()) {
        std::string names;
        for (const std::string& word : spellings(*option)) names += (names.empty() ? "" : ", ") + std::string("\\fB") + roff(word) + "\\fR";
        if (names.empty()) names = "\\fI" + roff(option->get_name(true)) + "\\fR";
        const bool hasValue = option->get_items_expected_max() > 0 && !spellings(*option).empty();
        if (hasValue && !option->get_type_name().empty()) names += " \\fI" + roff(option->get_type_name()) + "\\fR";
        out += ".TP\n" + names + "\n" + roff(option->get_description()) + "\n";
    }
    return out;
}

}  // namespace

std::string completionScript(const CLI::App& app, const std::string& shell) {
    if (shell == "bash") return bashScript(app);
    if (shell == "zsh") return "autoload -U +X compinit bashcompinit && compinit && bashcompinit\n" + bashScript(app);
    if (shell == "fish") return fishScript(app);
    return {};
}

std::string manPage(const CLI::App& app, const std::string& version) {
    std::string out =
        ".TH PT2 1 \"\" \"pt2 " + roff(version) + "\"\n.SH NAME\npt2 \\- " + roff(app.get_description()) +
        "\n.SH SYNOPSIS\n.B pt2\n[\\fIOPTIONS\\fR] \\fICOMMAND\\fR \\fIFILE\\fR ...\n.SH OPTIONS\nThese stand before or after the command.\n" +
        manOptions(app) + ".SH COMMANDS\n";
    for (const CLI::App* command : app.get_subcommands({})) {
        out += ".SS " + command->get_name() + "\n" + roff(command->get_description()) + ".\n" + manOptions(*command);
    }
    return out + ".SH NOTES\n" + roff(app.get_footer()) + "\n";
}

}  // namespace pt2
