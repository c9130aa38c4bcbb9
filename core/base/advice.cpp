#include "core/base/advice.h"

namespace pt2 {

std::string adviceOf(const Error& error) {
    if (!error.help.empty()) return error.help;
    switch (error.kind) {
        case ErrorKind::Usage: return "Check the name against what the file holds.";
        case ErrorKind::Unreadable: return "Get the file again from where it was made; what is sound in it can still be looked at.";
        case ErrorKind::CannotRun: return "Compile the program anew for this machine.";
        case ErrorKind::RunFailed: return "Check that the inputs fit, or compile the program anew for this machine.";
        case ErrorKind::System: return "Try again; if it stays, \"pt2 doctor\" says what is missing on this machine.";
        case ErrorKind::DoesNotHold:
        case ErrorKind::Cancelled: break;
    }
    return {};
}

std::string adviceOf(const Issue& issue) {
    if (!issue.help.empty() || issue.severity == Severity::Note) return issue.help;
    return adviceOf(Error{ErrorKind::Unreadable, issue.code, {}, {}, {}, {}});
}

}  // namespace pt2
