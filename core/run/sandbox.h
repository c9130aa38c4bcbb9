#pragma once

#include <string>
#include <vector>

namespace pt2 {

/// Keeps a process that runs a stranger's code away from the rest of the machine (design.md 5): no network, no other processes to be seen or
/// signalled, every file read-only. Made by bubblewrap, where it is there and a probe of it starts.
struct Sandbox {
    std::string program;  ///< path of bwrap; empty: there is none that works
    std::string why;      ///< why there is none, in one sentence
    bool works() const { return !program.empty(); }
    /// The command line that runs this one inside; its first word is `program`. `writable` are folders that stay writable.
    std::vector<std::string> around(const std::vector<std::string>& command, const std::vector<std::string>& writable = {}) const;
};

/// Found out on first use, within some 50 ms, and kept. PT2SCOPE_SANDBOX=off is a reason for none.
const Sandbox& sandbox();

/// "Contained: no network, files read-only." or why it was not.
std::string containmentText(bool contained);

}  // namespace pt2
