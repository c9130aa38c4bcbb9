#pragma once

#include <string>
#include <vector>

namespace pt2 {

/// How much an Issue matters: an error means something asked of the file cannot be done, a warning that it can be
/// done but the reader should look first, a note is worth knowing.
enum class Severity { Error, Warning, Note };

/// What is odd about a file that still opens.
struct Issue {
    Severity severity = Severity::Note;
    std::string code;     ///< stable id, e.g. "archive.bad-crc"
    std::string where;    ///< an Address ("file/data/weights/weight_0") or a place in words
    std::string message;  ///< one full sentence
    std::string help;     ///< what the reader can do; may be empty
};

using Issues = std::vector<Issue>;

/// "error", "warning" or "note", as the command line and JSON write it.
const char* severityName(Severity severity);

}  // namespace pt2
