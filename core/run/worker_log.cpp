#include "core/run/worker_log.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <string_view>

#include "core/base/demangle.h"
#include "core/base/text.h"

namespace pt2 {

namespace {

constexpr std::size_t kKept = std::size_t{1} << 20;
constexpr std::string_view kCrashBegin = "\npt2-worker: crash at ";
constexpr std::string_view kCrashEnd = "pt2-worker: end of crash\n";

/// What stands between the marks of the crash handler; `begin` npos when there is none.
struct CrashRange {
    std::size_t begin = std::string::npos, end = 0;
};
CrashRange crashRange(std::string_view text) {
    CrashRange range;
    range.begin = text.rfind(kCrashBegin);
    if (range.begin == std::string_view::npos) return range;
    const std::size_t end = text.find(kCrashEnd, range.begin);
    range.end = end == std::string_view::npos ? text.size() : end + kCrashEnd.size();
    return range;
}

/// "/dir/abc.wrapper.so(cpp_fused_add_0+0x12) [0x7f…]" as backtrace_symbols_fd writes it → "cpp_fused_add_0 (abc.wrapper.so)".
std::string frameName(std::string_view line) {
    const std::size_t open = line.find('(');
    if (open == std::string_view::npos) return {};
    const std::string file = std::filesystem::path(line.substr(0, open)).filename().string();
    const std::size_t close = line.find(')', open);
    std::string_view symbol = line.substr(open + 1, close == std::string_view::npos ? std::string_view::npos : close - open - 1);
    symbol = symbol.substr(0, symbol.find('+'));
    return escapeForDisplay(symbol.empty() ? file : demangled(symbol) + " (" + file + ")");
}

}  // namespace

void WorkerLog::drain(const ProgressSink& progress, const std::string& stage) {
    std::array<char, 16384> buffer{};
    for (int round = 0; round < 32 && pipe_; ++round) {
        const ssize_t count = ::read(pipe_.get(), buffer.data(), buffer.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
        if (count <= 0) {
            pipe_.reset();
            return;
        }
        text_.append(buffer.data(), static_cast<std::size_t>(count));
        for (std::size_t end = text_.find('\n', lineStart_); end != std::string::npos; end = text_.find('\n', lineStart_)) {
            if (progress) report(progress, {stage, 0, 0, Progress::Unit::None, text_.substr(lineStart_, end - lineStart_)});
            lineStart_ = end + 1;
        }
        if (text_.size() > 2 * kKept) {
            const std::size_t dropped = text_.size() - kKept;
            text_.erase(0, dropped);
            lineStart_ -= std::min(lineStart_, dropped);
        }
    }
}

std::string WorkerLog::text() const {
    const CrashRange crash = crashRange(text_);
    if (crash.begin == std::string::npos) return text_;
    return text_.substr(0, crash.begin + 1) + text_.substr(crash.end);
}

std::vector<std::string> WorkerLog::lastLines(std::size_t count) const {
    const std::string all = text();
    std::vector<std::string> lines;
    for (const std::string_view line : splitView(all, '\n')) {
        if (line.find_first_not_of(" \t\r") != std::string_view::npos) lines.push_back(elideMiddle(escapeForDisplay(line), 300));
    }
    if (lines.size() > count) lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(count));
    return lines;
}

std::vector<std::string> WorkerLog::crashStack() const {
    const CrashRange crash = crashRange(text_);
    if (crash.begin == std::string::npos) return {};
    std::vector<std::string> frames;
    for (const std::string_view line : splitView(std::string_view(text_).substr(crash.begin + 1, crash.end - crash.begin - 1), '\n')) {
        if (line.substr(0, 11) == "pt2-worker:") continue;
        if (std::string name = frameName(line); !name.empty()) frames.push_back(std::move(name));
    }
    return frames;
}

std::string WorkerLog::crashAddress() const {
    const CrashRange crash = crashRange(text_);
    if (crash.begin == std::string::npos) return {};
    const std::size_t start = crash.begin + kCrashBegin.size();
    return text_.substr(start, text_.find('\n', start) - start);
}

}  // namespace pt2
