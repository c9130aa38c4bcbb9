#include "app/pt2/output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/base/advice.h"
#include "core/base/text.h"
#include "core/report/outcome_json.h"

namespace pt2 {
namespace {

const char* styleCode(Style style) {
    switch (style) {
        case Style::Bold: return "\033[1m";
        case Style::Muted: return "\033[2m";
        case Style::Good: return "\033[32m";
        case Style::Warning: return "\033[33m";
        case Style::Bad: return "\033[31m";
        case Style::Accent: return "\033[36m";
        case Style::Plain: break;
    }
    return "";
}

bool terminalWithColor(int descriptor) {
    const char* term = std::getenv("TERM");
    return isatty(descriptor) == 1 && std::getenv("NO_COLOR") == nullptr && (term == nullptr || std::strcmp(term, "dumb") != 0);
}

std::string progressText(const Progress& progress) {
    if (progress.total == 0) return progress.stage;
    const double fraction = static_cast<double>(progress.done) / static_cast<double>(progress.total);
    return progress.stage + " " + formatPercent(std::min(fraction, 1.0));
}

}  // namespace

std::string oneLine(std::string_view text) {
    std::string out;
    for (const std::string_view line : splitView(text, '\n')) {
        const std::size_t begin = line.find_first_not_of(" \t\r");
        if (begin == std::string_view::npos) continue;
        const std::size_t end = line.find_last_not_of(" \t\r");
        if (!out.empty()) out += ' ';
        out += line.substr(begin, end - begin + 1);
    }
    return escapeForDisplay(out);
}

void Output::configure(bool json, ColorMode color, bool quiet) {
    json_ = json;
    quiet_ = quiet;
    terminal_ = isatty(STDOUT_FILENO) == 1;
    errorTerminal_ = isatty(STDERR_FILENO) == 1;
    colorOut_ = color == ColorMode::Always || (color == ColorMode::Auto && terminalWithColor(STDOUT_FILENO));
    colorError_ = color == ColorMode::Always || (color == ColorMode::Auto && terminalWithColor(STDERR_FILENO));
}

std::string Output::paint(Style style, std::string_view text) const {
    if (!colorOut_ || style == Style::Plain) return std::string(text);
    return styleCode(style) + std::string(text) + "\033[0m";
}

void Output::write(std::string_view bytes) {
    if (failed_ || pipeClosed_) return;
    clearProgress();
    if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size()) return;
    // A reader that has seen enough (head, grep -q) is no failure.
    (errno == EPIPE ? pipeClosed_ : failed_) = true;
}

void Output::line(std::string_view text) {
    write(text);
    write("\n");
}

void Output::exact(std::string_view text) {
    if (!terminal_) {
        write(text);
        return;
    }
    std::string shown;
    const auto lines = splitView(text, '\n');
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (i > 0) shown += '\n';
        shown += escapeForDisplay(lines[i]);
    }
    write(shown);
}

void Output::document(const Json& json) { line(jsonText(json)); }

void Output::standardError(std::string_view text) {
    clearProgress();
    std::fwrite(text.data(), 1, text.size(), stderr);
}

void Output::note(std::string_view sentence) {
    if (!quiet_) standardError("note: " + oneLine(sentence) + "\n");
}

void Output::log(std::string_view text) {
    if (!quiet_ && errorTerminal_) standardError(escapeForDisplay(text) + "\n");
}

void Output::clearProgress() {
    if (!progressShown_) return;
    progressShown_ = false;
    std::fputs("\r\033[K", stderr);
}

void Output::progress(const Progress& progress) {
    if (!errorTerminal_ || quiet_ || progress.stage.empty()) return;
    std::fflush(stdout);
    const std::string text = elideMiddle(escapeForDisplay(progressText(progress)), 78);
    std::fprintf(stderr, "\r\033[K%s", text.c_str());
    std::fflush(stderr);
    progressShown_ = true;
}

ProgressSink Output::progressSink() {
    if (!errorTerminal_ || quiet_) return {};
    return [this](const Progress& p) { progress(p); };
}

int Output::fail(const Error& error) { return fail(error, Json{{"format", 1}, {"error", errorJson(error)}}); }

int Output::fail(const Error& error, Json json) {
    std::string first = oneLine(error.what);
    if (!error.where.empty() && error.what.find(error.where) == std::string::npos) first += " (" + oneLine(error.where) + ")";
    const std::string head = colorError_ ? "\033[1;31mpt2:\033[0m " : "pt2: ";
    std::string text = head + first + "\n";
    if (!error.why.empty()) text += "  why: " + oneLine(error.why) + "\n";
    if (const std::string advice = adviceOf(error); !advice.empty()) text += "  do:  " + oneLine(advice) + "\n";
    standardError(text);
    if (json_) document(json);
    return static_cast<int>(error.kind);
}

int Output::finish(int code) {
    clearProgress();
    if (!failed_ && !pipeClosed_ && std::fflush(stdout) != 0 && errno != EPIPE) failed_ = true;
    if (!failed_) return code;
    standardError("pt2: Standard output could not be written.\n  do:  Check that the disk has room and that the target may be written.\n");
    return static_cast<int>(ErrorKind::System);
}

}  // namespace pt2
