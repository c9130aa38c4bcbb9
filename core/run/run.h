#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/contract/inputs.h"
#include "core/package/package.h"
#include "core/tensor/npy.h"

namespace pt2 {

enum class RuntimeChecks { Off, On, Both };

struct RunRequest {
    std::string model;
    std::string device;  ///< "cpu", "cuda", "cuda:1"; empty: the one it was compiled for
    RuntimeChecks checks = RuntimeChecks::Off;
    int warmup = 0, repeat = 0, steps = 1;
    int threads = 0;                             ///< 0: LibTorch's default
    int runners = 1;                             ///< instances of the model; with several, as many of the `repeat` calls are made at once
    bool singleThreaded = false;                 ///< AOTInductor's mode without locks, which CUDA graphs need; one runner only
    bool boxed = false;                          ///< calls give their list of inputs away (boxed_run)
    int soakLoads = 0;                           ///< loads, runs and unloads it so many times more, and looks at memory
    std::vector<std::string> operatorLibraries;  ///< loaded before the model, in this order
    std::string constantsFile;                   ///< .npz, .safetensors or .pt: values by FQN that replace the library's
    bool allConstants = false;                   ///< the file must hold every constant that can be replaced
    double timeoutSeconds = 0;                   ///< 0: none
    double memoryGb = 0;                         ///< 0: none
};

struct RunSeconds {
    double extract = 0;           ///< unpacking the library; 0 when it was there already
    double start = 0;             ///< of the worker with LibTorch
    double load = 0;              ///< library and constants
    double constants = 0;         ///< the part of `load` that read weights beside the library
    double first = 0;             ///< the first call
    std::vector<double> samples;  ///< of --repeat, in order
    double median() const;
    double percentile(double p) const;  ///< p in [0, 1]
    double minimum() const;
};

/// A buffer, or an input that was written to, and what one call did to it.
struct StateChange {
    std::string name;             ///< FQN, or the input's name
    std::optional<bool> changed;  ///< nothing where it cannot be seen
    Tensor before, after;         ///< default ones where they cannot be seen
    bool isInput = false;
};

/// Memory of the worker while calls were repeated: seconds since the first of them, bytes.
struct MemoryCurve {
    std::vector<double> seconds, bytes;
};

/// Calls that several runners answered at once.
struct Throughput {
    int runners = 0;
    std::uint64_t calls = 0;
    double seconds = 0;  ///< of all together
    double perSecond() const { return seconds > 0 ? static_cast<double>(calls) / seconds : 0; }
};

/// Memory after each of many loads and unloads (users.md A53).
struct Soak {
    std::vector<double> bytes, mappings;
    /// Bytes a load adds, by the slope over the second half; nothing with fewer than eight loads.
    std::optional<double> bytesPerLoad() const;
    std::optional<double> mappingsPerLoad() const;
};

/// What became of a file of constants.
struct ConstantsUse {
    std::vector<std::string> replaced;     ///< FQNs
    std::vector<std::string> kept;         ///< of the library, not in the file
    std::vector<std::string> ineffective;  ///< in the file and in the program, but frozen or inlined: the library has no such constant
    std::vector<std::string> unknown;      ///< in the file alone
};

/// Resident memory of the worker, bytes; 0 where it is not told.
struct RunMemory {
    std::uint64_t started = 0;  ///< with LibTorch, before the library was loaded
    std::uint64_t loaded = 0;   ///< with the library and its constants
    std::uint64_t peak = 0;     ///< up to the end of the run
};

/// How the loaded library itself calls what it takes and gives, by tensor ("arg2_1", "output0"): through AOTInductor's C interface, so also where no
/// wrapper source lies beside it. Empty where it does not say.
struct LibraryNames {
    std::vector<std::string> inputs, outputs;
};

struct RunOutcome {
    NamedTensors outputs;                              ///< of the first call after load; contract order and names; a default Tensor stands for None
    std::vector<NamedTensors> steps;                   ///< with steps > 1, each call's
    std::vector<bool> inputsChanged;                   ///< by the first call, in the library's order
    std::vector<StateChange> state;                    ///< buffers, then the inputs that the first call wrote to
    std::vector<std::vector<StateChange>> stepStates;  ///< with steps > 1, the same of each call
    RunSeconds seconds;
    RunMemory memory;
    LibraryNames library;
    MemoryCurve curve;  ///< with --repeat
    std::optional<Throughput> throughput;
    std::optional<Soak> soak;
    std::optional<ConstantsUse> constants;
    std::string device;
    bool checksOn = false;
    std::string log;  ///< what model and library printed
    std::string torchVersion;
    bool contained = false;     ///< it ran in a sandbox (core/run/sandbox.h)
    bool pythonMapped = false;  ///< whether any libpython is mapped in the worker (story.md: must be false)
};

/// Outcomes with the runtime checks off and on. An Error of kind RunFailed is kept per side, so that "both" shows the two side by side.
struct RunReport {
    std::optional<Result<RunOutcome>> off, on;
    /// Both ran and every output is equal to the bit.
    bool same() const;
    /// The asked side; with Both, "off".
    const Result<RunOutcome>& primary() const { return off ? *off : *on; }
};

/// Runs a compiled model in a worker process (design.md 5). Errors: CannotRun (no compiled model, device, platform, weights absent, no engine),
/// RunFailed (model's own error word for word, signal, time-out, memory) stays inside the report; System otherwise. The caller has checked the
/// contract.
Result<RunReport> runCompiled(const Document& document, const Contract& contract, const RunRequest& request, const std::vector<Tensor>& inputs,
                              const CancelToken& cancel = {}, const ProgressSink& progress = {});

}  // namespace pt2
