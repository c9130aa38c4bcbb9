#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace pt2 {

/// A request to stop, shared between whoever started a task and the task. Copies share the same flag; safe from any thread.
/// Core never blocks on it: a long function looks at `requested()` between pieces of work and returns `cancelled()`.
class CancelToken {
public:
    CancelToken() : flag_(std::make_shared<std::atomic<bool>>(false)) {}
    void request() const { flag_->store(true, std::memory_order_relaxed); }
    bool requested() const { return flag_->load(std::memory_order_relaxed); }

private:
    std::shared_ptr<std::atomic<bool>> flag_;
};

/// One step of a long task. `total` 0 means the amount is unknown; `line` is set for streamed log output only.
struct Progress {
    enum class Unit { None, Bytes, Steps };
    std::string stage;  ///< what is being done, in words: "compiling kernels"
    std::uint64_t done = 0;
    std::uint64_t total = 0;
    Unit unit = Unit::None;
    std::string line;  ///< a line of log output, without newline
};

/// Receives progress on the thread that does the work; an empty sink is fine everywhere.
using ProgressSink = std::function<void(const Progress&)>;

inline void report(const ProgressSink& sink, const Progress& progress) {
    if (sink) sink(progress);
}

}  // namespace pt2
