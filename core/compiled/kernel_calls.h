#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/archive/archive.h"
#include "core/base/result.h"
#include "core/compiled/compiled_model.h"
#include "core/tensor/dtype.h"

namespace pt2 {

/// Lines of a source member, counted from 1, both included.
struct SourceLines {
    MemberIndex member = 0;
    std::uint32_t first = 0, last = 0;
};

/// One call in run_impl that computes, in text order (format.md 4.4 "Kernel order").
struct KernelCall {
    enum class Kind : std::uint8_t {
        Fused,   ///< C++ that Inductor generated
        Extern,  ///< an operator of LibTorch
        Proxy,   ///< an operator called through the proxy executor
        Gpu,     ///< a launcher of a GPU kernel
    };
    std::string name;  ///< the function; of a Proxy call the operator, "corpus::scale_shift"
    Kind kind = Kind::Fused;
    SourceLines call;
    std::optional<SourceLines> definition;   ///< of a generated function
    std::vector<std::string> sourceNodes;    ///< "Source Nodes: [linear]" of the comment before the call
    std::vector<std::string> aten;           ///< "aten.addmm", of that comment, or of the function's name
    std::string handle;                      ///< "cpp_fused_0:1": its name in kernel_information.json, with provenance tracking
    std::vector<std::string> reads, writes;  ///< buffers, inputs and constants by the names in run_impl; in place is both
};
const char* kernelKindName(KernelCall::Kind kind);  ///< "fused"

/// Memory that run_impl allocates.
struct KernelBuffer {
    std::string name;
    DType dtype = DType::Unknown;
    std::vector<std::string> sizes, strides;         ///< as the code has them; empty when not known
    std::string reuses;                              ///< the buffer whose memory it takes over; empty when it has its own
    std::optional<std::size_t> firstCall, lastCall;  ///< indices of calls that use it
    std::vector<std::size_t> outputs;                ///< the model's outputs that it becomes
};

/// What run_impl computes, call by call, as its text says; nothing is loaded or run.
struct KernelListing {
    std::vector<KernelCall> calls;
    std::vector<KernelBuffer> buffers;             ///< in the order in which they appear
    std::map<std::string, std::size_t> inputs;     ///< name in run_impl → index of the compiled input
    std::map<std::string, std::size_t> constants;  ///< name in run_impl → index of the compiled constant
    /// handle → nodes of the exported program ("pre_grad_nodes" of kernel_information.json); empty without provenance tracking.
    std::map<std::string, std::vector<std::string>> provenance;
};

/// The text of a source member.
struct SourceText {
    MemberIndex member = 0;
    std::string_view text;
};

/// The text's part: a wrapper source, the sources of the kernels (none where both are one file; of a function that several define the first
/// definition counts), and the operators of the proxy executor by index.
KernelListing listKernels(const SourceText& wrapper, const std::vector<SourceText>& kernels, const std::vector<std::string>& proxyOperators);

/// Reads the sources and kernel_information.json of a model. CannotRun-free: a model without sources is "compiled.no-source" (Usage).
Result<KernelListing> readKernels(const Archive& archive, const CompiledModel& model);

}  // namespace pt2
