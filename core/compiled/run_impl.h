#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/compiled/runtime_check.h"
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
    std::vector<RuntimeCheck> checks;                  ///< the same in text order, each with its line
    std::map<std::size_t, std::uint32_t> symbolLines;  ///< of sizeSymbols
    std::string variable;                              ///< the name it has in the body
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
    std::uint32_t line = 0;            ///< of the call that made it
};

struct BodyEvidence {
    std::map<std::size_t, InputEvidence> inputs;
    std::map<std::size_t, BufferEvidence> outputs;
    std::vector<std::string> kernels;
    std::vector<CompiledAssert> asserts;
    std::map<std::string, BufferEvidence, std::less<>> buffers;  ///< by the names the body gives them, inputs among them
};

/// A source in tokens, with what is looked up in all of it.
struct TokenizedSource {
    std::vector<SourceToken> tokens;
    std::vector<std::uint32_t> matches;             ///< of matchBrackets
    std::set<std::string_view> kernelNames;         ///< functions declared extern "C"
    std::string_view text;                          ///< the source, which must outlive this
    std::vector<std::size_t> lineStarts;            ///< offset of each line in it
    std::uint32_t lineOf(std::size_t token) const;  ///< from 1
};

TokenizedSource tokenizeGenerated(std::string_view source);

/// Follows the statements of one body in text order. A body that would take more than a few looks at each token is left unread from there on.
BodyEvidence followBody(const TokenizedSource& source, const SourceFunction& function);

}  // namespace pt2
