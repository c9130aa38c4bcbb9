#include "app/pt2/later_words.h"

#include <algorithm>
#include <map>

namespace pt2 {
namespace {

const std::vector<std::string>& laterCommands() {
    static const std::vector<std::string> words = {"layout", "replay", "snippet", "edit", "pack", "diff", "leaks"};
    return words;
}

const std::map<std::string, std::vector<std::string>>& laterOptions() {
    static const std::map<std::string, std::vector<std::string>> options = {
        {"run", {"--worker", "--bundle"}},
        {"compare", {"--worker", "--bundle", "--cases", "--report"}},
    };
    return options;
}

Error notYet(const std::string& word) {
    return {ErrorKind::Usage,
            "command.not-yet",
            "\"" + word + "\" is not there yet.",
            {},
            "It comes with a later version of pt2.",
            "pt2 --help lists what this version can do."};
}

}  // namespace

bool isLaterCommand(const std::string& word) { return std::find(laterCommands().begin(), laterCommands().end(), word) != laterCommands().end(); }

std::optional<Error> refuseLaterWords(const std::string& command, const std::vector<std::string>& arguments) {
    if (isLaterCommand(command)) return notYet("pt2 " + command);
    const auto options = laterOptions().find(command);
    if (options == laterOptions().end()) return std::nullopt;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i] == "--") break;
        const std::string name = arguments[i].substr(0, arguments[i].find('='));
        if (std::find(options->second.begin(), options->second.end(), name) != options->second.end()) return notYet("pt2 " + command + " " + name);
        const bool isEager = (name == "--engine" && i + 1 < arguments.size() && arguments[i + 1] == "eager") || arguments[i] == "--engine=eager";
        if (isEager) return notYet("pt2 " + command + " --engine eager");
    }
    return std::nullopt;
}

}  // namespace pt2
