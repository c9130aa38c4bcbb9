#pragma once

#include <filesystem>
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

/// An AOTInductor model loaded through LibTorch's own runner (format.md 4.1). Not thread-safe. Loading executes code of the library.
class CompiledRunner {
public:
    struct Request {
        std::filesystem::path library;  ///< extracted; its JSON companions lie beside it
        std::filesystem::path blob;     ///< weights beside the library (format.md 3.5), or empty
        std::string device = "cpu";     ///< "cpu", "cuda", "cuda:1"
        bool singleThreaded = false;
        int threads = 0;  ///< of LibTorch; 0 leaves its default
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
    /// One call; waits for the device. Seconds of the call alone.
    Result<double> call();
    /// Results of the last call as contiguous tensors in main memory. A result the model left undefined has DType::Unknown.
    Result<std::vector<Tensor>> outputs() const;
    /// Bytes of weights and buffers as they are now, by FQN; nothing for what the library does not hand out and for
    /// what lies beyond the first GiB.
    std::vector<std::optional<ByteBuffer>> constants(const std::vector<std::string>& names) const;

private:
    struct State;
    explicit CompiledRunner(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace pt2
