#pragma once

#include <string>
#include <string_view>

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/report/json_text.h"

namespace pt2 {

enum class ColorMode { Auto, Always, Never };
enum class Style { Plain, Bold, Muted, Good, Warning, Bad, Accent };

/// Where a command's words go: results on standard output, everything else on standard error. With JSON one document is all that standard output
/// gets. Colour only on a terminal (or when asked for); a closed pipe ends the output quietly.
class Output {
public:
    void configure(bool json, ColorMode color, bool quiet);
    bool json() const { return json_; }
    bool quiet() const { return quiet_; }
    bool terminal() const { return terminal_; }

    /// The text in a style, for standard output; as it stands where there is no colour.
    std::string paint(Style style, std::string_view text) const;
    /// Bytes as they are.
    void write(std::string_view bytes);
    void line(std::string_view text);
    /// A text of torch's or of the file's, many lines: bytes as they are into a pipe, control characters made visible on a terminal.
    void exact(std::string_view text);
    void document(const Json& json);

    /// "note: ..." on standard error, unless quiet.
    void note(std::string_view sentence);
    /// A line of a running task on standard error, on a terminal only and unless quiet.
    void log(std::string_view text);
    /// The progress line, on a terminal only; it is taken away before anything else is written.
    void progress(const Progress& progress);
    ProgressSink progressSink();

    /// Says an error (three lines at most, with JSON also as document) and gives the exit code of its kind.
    int fail(const Error& error);
    /// Errors whose JSON document holds more than the error.
    int fail(const Error& error, Json document);
    /// Flushes; the exit code to use, which is 6 when standard output could not be written.
    int finish(int code);

private:
    void clearProgress();
    void standardError(std::string_view text);

    bool json_ = false, quiet_ = false;
    bool colorOut_ = false, colorError_ = false, terminal_ = false, errorTerminal_ = false;
    bool progressShown_ = false;
    bool failed_ = false, pipeClosed_ = false;
};

/// Several lines as one, so that an error keeps to its three.
std::string oneLine(std::string_view text);

}  // namespace pt2
