#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/compiled/source_tokens.h"
#include "core/tensor/dtype.h"

namespace pt2 {

/// What the body of run_impl or of a check function says of one input.
struct InputEvidence {
    std::optional<DType> testedDtype;      ///< compared with aoti_torch_get_dtype
    std::optional<DType> reinterpretedAs;  ///< data_ptr() cast to this for a kernel
    std::optional<int> deviceType;         ///< 0 cpu, 1 cuda
    std::map<std::size_t, std::int64_t> fixedSizes, minimumSizes, maximumSizes, fixedStrides;
    std::map<std::size_t, std::string> sizeSymbols, strideSymbols;  ///< int64_t s77 = sizes[0];
    std::optional<std::vector<std::string>> assertedSizes, assertedStrides;
    std::string variable;  ///< the name it has in the body
    bool tested() const {
        return testedDtype || deviceType || !fixedSizes.empty() || !minimumSizes.empty() || !maximumSizes.empty() || !fixedStrides.empty();
    }
};

/// A buffer as the calls that made it describe it.
struct BufferEvidence {
    std::optional<DType> dtype;
    bool dtypeIsInferred = false;  ///< from the pointer type a kernel gets
    std::optional<std::vector<std::string>> sizes, strides;
    std::optional<std::size_t> input;  ///< it is an input handed through
};

struct BodyEvidence {
    std::map<std::size_t, InputEvidence> inputs;
    std::map<std::size_t, BufferEvidence> outputs;
    std::vector<std::string> kernels;
};

/// Follows the statements of one body in text order. `kernelNames`: functions declared extern "C" in the file.
BodyEvidence followBody(const std::vector<SourceToken>& tokens, const SourceFunction& function, const std::set<std::string_view>& kernelNames);

/// A dimension as generated C++ writes it ("32L*s27"), in torch's form ("32*s27").
std::string dimensionText(const std::vector<SourceToken>& tokens, std::size_t begin, std::size_t end);

}  // namespace pt2
