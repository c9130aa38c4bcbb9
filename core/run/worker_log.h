#pragma once

#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/run/descriptor.h"

namespace pt2 {

/// What a worker and the code it runs print, read from the pipe that is its descriptors 1 and 2. Bounded: of a flood the end is kept.
class WorkerLog {
public:
    void open(Descriptor readEnd) { pipe_ = std::move(readEnd); }
    int descriptor() const { return pipe_.get(); }
    /// Reads what is there now, at most a few hundred kilobytes a call; each complete line goes to the sink.
    void drain(const ProgressSink& progress, const std::string& stage);
    /// All of it, without what the worker's crash handler wrote.
    std::string text() const;
    /// The last lines with something in them, for an error message, made safe to show.
    std::vector<std::string> lastLines(std::size_t count) const;
    /// Functions on the stack when the worker crashed, innermost first: "cpp_fused_add_0 (abc.wrapper.so)". Empty without a crash.
    std::vector<std::string> crashStack() const;
    /// The address the crash handler named, "0x0", or empty.
    std::string crashAddress() const;

private:
    Descriptor pipe_;
    std::string text_;
    std::size_t lineStart_ = 0;
};

}  // namespace pt2
