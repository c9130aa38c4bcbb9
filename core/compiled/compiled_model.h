#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/archive/archive.h"
#include "core/base/issue.h"
#include "core/base/result.h"
#include "core/compiled/elf_facts.h"
#include "core/compiled/fact.h"
#include "core/compiled/operator_schema.h"
#include "core/compiled/runtime_check.h"
#include "core/tensor/dtype.h"

namespace pt2 {

/// What is read of a model's text members at most: wrappers of 78,000 lines exist; beyond this it is no source.
inline constexpr std::uint64_t kMostSourceBytes = std::uint64_t{512} << 20;
inline constexpr std::uint64_t kMostModelJsonBytes = std::uint64_t{64} << 20;

/// One size of a compiled input: a number, or a symbol with the bounds the generated code tests.
struct CompiledDim {
    std::optional<std::int64_t> fixed;
    std::string symbol;                            ///< "s77" where run_impl binds it or assert_size_stride names it; may be an expression
    std::optional<std::int64_t> minimum, maximum;  ///< tested bounds; absent: not checked by the code
    bool tested = false;                           ///< a runtime check looks at this size
    std::uint32_t symbolLine = 0;                  ///< where run_impl binds `symbol`; 0: it does not
};

struct CompiledInput {
    std::string name;  ///< the graph's name in the library ("arg2_1"), not forward()'s
    std::uint32_t nameLine = 0;
    Fact<DType> dtype;
    Fact<std::vector<CompiledDim>> sizes;                    ///< known only when the rank is
    Fact<std::vector<std::optional<std::int64_t>>> strides;  ///< nullopt: symbolic or not tested
    Fact<std::vector<std::string>> strideTexts;              ///< as the code has them ("5*s77")
    Fact<std::string> device;                                ///< "cpu", "cuda"
    std::vector<bool> strideTested;                          ///< per dimension, whether a runtime check compares the stride, size 1 included
    bool checkedAtRuntime = false;                           ///< a check_input_K exists for it
    bool assertedAtRuntime = false;                          ///< 2.13: rank, sizes and strides are asserted at first use, gated like the checks
};

struct CompiledOutput {
    std::string name;
    std::uint32_t nameLine = 0;
    Fact<DType> dtype;
    Fact<std::vector<std::string>> sizes;
    Fact<std::vector<std::string>> strides;
};

struct CompiledConstant {
    enum class Where { Unknown, Library, Beside, Absent };
    std::string name, fqn;
    Fact<DType> dtype;
    std::vector<std::int64_t> shape, stride;
    std::string kind;                        ///< "Parameter", "Buffer", "TensorConstant", "FoldedConstant"; empty before 2.6
    std::uint64_t offset = 0, dataSize = 0;  ///< elements as the wrapper says; bytes
    bool fromFolded = false;
    std::uint32_t line = 0;  ///< of the wrapper source, where it is declared
    Where where = Where::Unknown;
};

/// One AOTInductor model of an archive (format.md 4), recovered statically: nothing is loaded. Immutable.
struct CompiledModel {
    std::string name;    ///< "model"
    std::string folder;  ///< member folder below the root, "data/aotinductor/model"
    std::vector<MemberIndex> members;
    std::optional<MemberIndex> library, wrapperSource, metadataMember, externNodes, blob, weightsConfig;
    std::vector<MemberIndex> kernelSources;  ///< beside the wrapper's; none where one file holds both
    /// Files of the folder that nothing refers to, ascending: GPU code that the wrapper does not load, sources that neither it calls nor its link
    /// command names, files of a sort that no torch writes. Judged only where the wrapper source is there.
    std::vector<MemberIndex> unused;
    std::map<std::string, std::string> metadata;
    std::string device, platform, machine, cpuIsa;  ///< from metadata; empty when not there
    std::string inSpec, outSpec;                    ///< call spec as the loader gives it; empty when not found
    std::optional<int> inputCount, outputCount, constantCount;
    std::vector<CompiledInput> inputs;
    std::vector<CompiledOutput> outputs;
    std::vector<CompiledConstant> constants;
    std::optional<std::uint32_t> kernelCalls;  ///< calls in run_impl
    std::string compileCommand, linkCommand;
    std::uint32_t inSpecLine = 0, outSpecLine = 0, countsLine = 0;  ///< of the wrapper source, from 1
    std::vector<RuntimeCheck> checks;                               ///< what the code tests of its inputs, in their order
    std::vector<CompiledAssert> asserts;                            ///< conditions of the program that the code tests while it runs
    bool checksSwitched = false;       ///< AOTI_RUNTIME_CHECK_INPUTS switches `checks`; else they always run (before torch 2.7)
    bool sourceRead = false;           ///< the wrapper source is there and was understood: what is not in these facts is not in it
    bool checksCompiledIn = false;     ///< any check_input_K in the source
    bool cppOnly = false;              ///< sources without a library
    bool weightsAbsent = false;        ///< a run would segfault: constants are not in the library, nor where the loader takes them (format.md 3.5)
    std::vector<std::string> kernels;  ///< names called in run_impl, in text order, repetitions included
    std::vector<std::string> proxyOperators;     ///< by their number in externNodes, "corpus::scale_shift"; empty where it cannot be read
    std::vector<std::string> externalOperators;  ///< called through the proxy executor, "corpus::scale_shift", once each
    std::vector<OperatorCall> externalCalls;     ///< the same with their arguments' names, each way of calling once
    bool constantsLocated = false;               ///< false: where the constants are is not known (stripped library)
    std::string libraryKind;                     ///< what the library is when it is no ELF file ("a Windows (PE) library")
    bool libraryHasRunPath = false;              ///< it names folders of its own to find libraries in
    ElfFacts elf;
    bool hasProgram = false;         ///< an exported program of the same name is in the same file (set by Package)
    Fact<std::string> torchVersion;  ///< that the file states: of the compiler, in the metadata, or of the exporter, in that program

    /// Reads what `folder` holds; oddities go to `issues`.
    static Result<CompiledModel> read(const Archive& archive, std::string name, std::string folder, Issues& issues);
};

}  // namespace pt2
