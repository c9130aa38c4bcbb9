#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/pt2/command.h"
#include "core/contract/check.h"
#include "core/contract/inputs.h"
#include "core/run/run.h"

namespace pt2 {

/// INPUTS of cli.md, the same for `check`, `run` and `compare`.
struct InputOptions {
    bool sample = false;
    std::string inputsFile, model, device;
    std::vector<std::string> inputs, sizes;
    std::uint64_t seed = 0;
    bool mend = false;

    void addTo(CLI::App* command);
    Result<InputRequest> request() const;
};

/// Options of a run, the same for `run` and `compare`.
struct RunOptions {
    std::string checks = "off", engine = "aoti";
    bool skipContract = false;
    int warmup = 0, repeat = 0, steps = 1, threads = 0, runners = 1, soak = 0;
    bool singleThreaded = false, boxed = false, allConstants = false;
    std::string constants;
    std::vector<std::string> operatorLibraries;
    double timeout = 0, memory = 0;

    void addTo(CLI::App* command);
};

/// A document with a model, its contract, and inputs held against it.
struct RunPlan {
    Document document;
    std::string model, device;
    Contract contract;
    InputSet inputs;
    std::vector<Tensor> tensors;  ///< in the order the library takes them; there after fillPlan
    CheckReport report;
};

/// Opens the file, plans the inputs and checks them before any value is made; breaches are in the report. With `needCompiled` a missing compiled
/// model is CannotRun.
Result<RunPlan> makePlan(const std::string& file, const InputOptions& options, bool needCompiled, Context& context);
/// Makes the values of the inputs.
Status fillPlan(RunPlan& plan, Context& context);
/// Says the breaches as an error of kind DoesNotHold (the exit code), with the mend offered.
int failContract(const RunPlan& plan, Context& context);
RunRequest runRequest(const RunPlan& plan, const RunOptions& options);

}  // namespace pt2
