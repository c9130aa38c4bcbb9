#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/run/child_process.h"
#include "core/run/descriptor.h"

namespace pt2 {

/// A Python child in a process group of its own, with compilers it starts; it ends with this process, and never outlives the object. JSON lines
/// travel over a socket that is its descriptors 0 and 1, and what it prints comes through a pipe as log.
class PythonProcess {
public:
    static Result<PythonProcess> start(const ChildStart& how);
    PythonProcess(PythonProcess&& other) noexcept;
    PythonProcess& operator=(PythonProcess&&) = delete;
    PythonProcess(const PythonProcess&) = delete;
    PythonProcess& operator=(const PythonProcess&) = delete;
    ~PythonProcess();  ///< ends the whole group

    /// Sends one request and waits for its answer; stages and log lines go to `progress` as they come. Cancel asks the group to end (SIGTERM), then
    /// kills it; the object is of no use afterwards. Errors: Cancelled, System "python.ended" with the last output and how it ended.
    /// An answer with "ok": false is a value too: the caller knows what it means.
    Result<nlohmann::json> request(nlohmann::json message, const CancelToken& cancel, const ProgressSink& progress);

    /// All that was printed so far, the beginning cut away beyond 1 MiB.
    const std::string& log() const { return log_; }
    int processId() const { return pid_; }

private:
    PythonProcess() = default;
    void readLog(const ProgressSink& progress);
    void flushLog(const ProgressSink& progress);
    void endGroup();
    Error ended();

    int pid_ = -1;
    bool reaped_ = false;
    Descriptor channel_, logPipe_;
    std::string log_, partialLine_, received_, stage_;
    std::int64_t nextId_ = 1;
};

/// Runs a program to its end and gives what it wrote to standard output; standard error is dropped. Errors: System "child.not-started",
/// "python.failed" (an exit other than 0), "python.timeout"; Cancelled.
Result<std::string> captureOutput(const ChildStart& how, double timeoutSeconds, const CancelToken& cancel);

}  // namespace pt2
