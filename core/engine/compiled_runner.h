#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/engine/interface_names.h"
#include "core/tensor/tensor.h"

namespace pt2 {

/// Which LibTorch this process was built for, and which one it found.
struct LibTorchFacts {
    std::string builtVersion;    ///< "2.13.0"
    std::string runtimeVersion;  ///< of the libraries in the process; empty when they do not tell
    bool cxx11Abi = true;
    std::string folder;                ///< LibTorch's folder, the one with lib/
    std::vector<std::string> devices;  ///< usable now: "cpu", "cuda:0", ...
};
LibTorchFacts libTorchFacts();
/// LibTorch has no stable C++ interface across versions: CannotRun "engine.version" when the two differ.
Status checkLibTorch(const LibTorchFacts& facts);

/// Bytes of one input: element [0, …, 0] is at `data`, and every element lies inside what `data` points to. Not owned.
struct InputMemory {
    TensorLayout layout;
    std::byte* data = nullptr;
};

/// Calls made by several threads at once.
struct CallsAtOnce {
    std::vector<double> seconds;  ///< of each call, in no order
    double wallSeconds = 0;       ///< of all together
};

/// What became of constants that were given by FQN.
struct ReplacedConstants {
    std::vector<std::string> replaced, kept, unknown;  ///< given and taken; not given; given, and the library has none of that name
};

/// An AOTInductor model loaded through LibTorch's own runner (format.md 4.1). Not thread-safe. Loading executes code of the library.
class CompiledRunner {
public:
    struct Request {
        std::filesystem::path library;  ///< extracted; its JSON companions lie beside it
        std::filesystem::path blob;     ///< weights beside the library (format.md 3.5), or empty
        std::string device = "cpu";     ///< "cpu", "cuda", "cuda:1"
        bool singleThreaded = false;
        int threads = 0;  ///< of LibTorch; 0 leaves its default
        int runners = 1;  ///< instances of the model; a call waits for a free one
    };
    struct LoadSeconds {
        double library = 0, constants = 0;
    };
    /// CannotRun: device, library refused by the dynamic linker, operator missing. RunFailed: the model's own error.
    static Result<CompiledRunner> load(const Request& request);

    CompiledRunner(CompiledRunner&&) noexcept;
    CompiledRunner& operator=(CompiledRunner&&) noexcept;
    CompiledRunner(const CompiledRunner&) = delete;
    CompiledRunner& operator=(const CompiledRunner&) = delete;
    ~CompiledRunner();

    const LoadSeconds& loadSeconds() const;
    /// What the library calls its inputs and outputs.
    const InterfaceNames& names() const;
    /// Sets what the next calls take. On the CPU the memory is used in place and must stay until others are set; elsewhere it is copied to the
    /// device.
    Status setInputs(const std::vector<InputMemory>& inputs);
    /// One call; waits for the device. Seconds of the call alone. A boxed call gives its list of inputs away (boxed_run).
    Result<double> call(bool boxed = false);
    /// So many threads at once, which make so many calls together, until `stop` is set; their outputs are dropped. `told` hears from this thread how
    /// many are done.
    Result<CallsAtOnce> callAtOnce(int callers, std::int64_t calls, bool boxed, const std::atomic<bool>& stop,
                                   const std::function<void(std::int64_t done)>& told);
    /// Results of the last call as contiguous tensors in main memory. A result the model left undefined has DType::Unknown.
    Result<std::vector<Tensor>> outputs() const;
    /// Weights and buffers as they are now, copied, by FQN; nothing for what the library does not hand out and for what lies beyond the first GiB.
    std::vector<std::optional<Tensor>> constants(const std::vector<std::string>& names) const;

    /// Sets constants by FQN, and names the others. The values are copied. `shapesKnown`: the caller has held dtypes and shapes against the wrapper
    /// source; else those that the library has no values of are not replaced. Errors: DoesNotHold "run.constant-shape" where dtype or shape differ
    /// (nothing is replaced then), RunFailed.
    Result<ReplacedConstants> replaceConstants(const std::vector<std::string>& names, const std::vector<InputMemory>& values, bool shapesKnown);

private:
    struct State;
    explicit CompiledRunner(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace pt2
