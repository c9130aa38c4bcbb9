#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/compiled/compiled_model.h"

namespace pt2 {

/// What the text of a wrapper source says of the model (format.md 4.4), torch 2.4 to 2.14. What is not found stays Unknown.
struct WrapperFacts {
    bool isWrapper = false;  ///< the model's class is there
    std::optional<int> inputCount, outputCount, constantCount;
    std::vector<CompiledInput> inputs;
    std::vector<CompiledOutput> outputs;
    std::vector<CompiledConstant> constants;  ///< `where` is left Unknown: the text does not say
    std::string inSpec, outSpec;
    std::uint32_t inSpecLine = 0, outSpecLine = 0, countsLine = 0;  ///< from 1; 0: not there
    std::vector<RuntimeCheck> checks;                               ///< in the order of inputs, each input's in text order
    std::vector<CompiledAssert> asserts;                            ///< in text order
    bool checksSwitched = false;       ///< AOTI_RUNTIME_CHECK_INPUTS is asked; else checks, if any, always run (before 2.7)
    std::vector<std::string> kernels;  ///< called in run_impl, in text order, repetitions included
    bool foundRunImpl = false;
    bool checksCompiledIn = false;
    std::string compileCommand, linkCommand;
};

/// Reads a wrapper by what its statements do, not by the names of variables or the order of functions: input_handles[K] is followed through
/// handles, sizes and strides to the comparisons, and output_handles[K] back to the call that made its buffer.
WrapperFacts readWrapperSource(std::string_view source);

/// "// Compile cmd" and "// Link cmd" at the end of a source.
void readBuildCommands(std::string_view source, std::string& compileCommand, std::string& linkCommand);

}  // namespace pt2
