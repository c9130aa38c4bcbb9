#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace pt2 {

/// What an error means to whoever asked; the command line turns it into its exit code (cli.md, table of exits).
enum class ErrorKind {
    DoesNotHold = 1,  ///< done, and what was asked does not hold
    Usage = 2,        ///< unknown option, member, weight, model, input or symbol
    Unreadable = 3,   ///< the file cannot be read as what it should be
    CannotRun = 4,    ///< it cannot run here
    RunFailed = 5,    ///< the model failed while running
    System = 6,       ///< pt2scope or the system failed
    Cancelled = 130,  ///< the user asked to stop
};

/// What happened, where in which file, why, and what the reader can do. All texts are full sentences for people,
/// in plain English, without a final newline; `code` is a stable id for scripts such as "archive.truncated".
struct Error {
    ErrorKind kind = ErrorKind::System;
    std::string code;
    std::string what;
    std::string where;  ///< file, member, byte offset or JSON path; empty if there is none
    std::string why;
    std::string help;
};

/// A value or an Error. No exception crosses the public header of a folder of core.
template <typename T>
using Result = tl::expected<T, Error>;

/// Result of a function that returns nothing.
using Status = tl::expected<void, Error>;

/// `return fail({...});` in a function returning any Result.
inline tl::unexpected<Error> fail(Error error) { return tl::unexpected<Error>(std::move(error)); }

/// The error every function returns that found its cancel token set.
inline tl::unexpected<Error> cancelled(std::string what = "Cancelled.") {
    return fail({ErrorKind::Cancelled, "cancelled", std::move(what), {}, {}, {}});
}

}  // namespace pt2
