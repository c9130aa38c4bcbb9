#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/base/progress.h"
#include "core/contract/inputs.h"
#include "core/package/package.h"
#include "core/run/job_folder.h"
#include "core/run/python_process.h"
#include "core/tensor/npy.h"

namespace pt2 {

struct EagerRequest {
    std::string model, python;
    bool trust = false;
    std::uint64_t seed = 0;
    int steps = 1;                   ///< calls in sequence on one module
    std::vector<std::string> watch;  ///< FQNs of buffers whose values are wanted after each call
    bool float64 = false;            ///< compute everything floating in float64, the judge of rounding; RunFailed "eager.float64" where that fails
};
/// What torch eager gave. Outputs are in flat order of user outputs; numbers come as tensors without dimensions and None as a default Tensor, as
/// compiled models return them; text does not come.
struct EagerRun {
    std::vector<NamedTensors> calls;
    std::vector<NamedTensors> states;                              ///< what is watched after each call, by FQN
    const NamedTensors& outputs() const { return calls.front(); }  ///< of the first call; there is one
};
/// Runs torch eager (ep.module()) in the helper on these inputs.
Result<EagerRun> runEager(const Document& document, const Contract& contract, const EagerRequest& request, const InputSet& inputs,
                          const CancelToken& cancel = {}, const ProgressSink& progress = {});

/// A helper that runs several programs one after the other, so that torch is imported once.
class EagerSession {
public:
    static Result<EagerSession> open(const std::string& python, const CancelToken& cancel = {}, const ProgressSink& progress = {});
    /// As runEager(); `request.python` is not looked at.
    Result<EagerRun> run(const Document& document, const Contract& contract, const EagerRequest& request, const InputSet& inputs,
                         const CancelToken& cancel = {}, const ProgressSink& progress = {});

private:
    EagerSession(JobFolder work, PythonProcess process) : work_(std::move(work)), process_(std::move(process)) {}
    JobFolder work_;  // before the process, so that it goes after it
    PythonProcess process_;
    int runs_ = 0;
};

}  // namespace pt2
