#include "app/pt2/issue_list.h"

#include "core/base/advice.h"
#include "core/base/text.h"

namespace pt2 {

void printIssues(Output& out, const Issues& issues, std::string_view indent) {
    for (const Issue& issue : issues) {
        const Style style = issue.severity == Severity::Error ? Style::Bad : issue.severity == Severity::Warning ? Style::Warning : Style::Muted;
        std::string name = severityName(issue.severity);
        const std::string gap(name.size() < 9 ? 9 - name.size() : 1, ' ');
        std::string line = std::string(indent) + out.paint(style, name) + gap + oneLine(issue.message);
        if (!issue.where.empty()) line += out.paint(Style::Muted, "  (" + escapeForDisplay(issue.where) + ")");
        out.line(line);
        if (const std::string help = adviceOf(issue); !help.empty()) out.line(std::string(indent) + std::string(9, ' ') + oneLine(help));
    }
}

}  // namespace pt2
