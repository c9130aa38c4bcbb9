#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/package/package.h"
#include "core/program/treespec.h"
#include "core/symbol/expression.h"

namespace pt2 {

/// Where one fact comes from: program, wrapper source (with the line, from 1; 0 where none can be named), metadata, or unknown.
struct FactSource {
    Origin origin = Origin::Unknown;
    std::uint32_t line = 0;
};
/// "program", "wrapper source, line 712", "inferred from the wrapper source, line 712", "metadata", "unknown".
std::string sourceText(const FactSource& source);

/// One size (or stride) of an input as the program and the compiled model know it.
struct ContractDim {
    std::optional<std::int64_t> fixed;
    std::string text;                   ///< "s77", "2*s0 + 1", "16"; "?" when nothing says
    std::optional<SymExpr> expression;  ///< when symbolic and understood
    SymRange program;                   ///< range by the program (of the whole expression); nothing beyond 64 bits counts as a bound
    SymRange compiled;                  ///< bounds tested by the generated code
    bool compiledKnown = false;
    FactSource compiledSource;     ///< where the code states or tests it
    bool testedAtRuntime = false;  ///< a check_input_K looks at it: a size against `fixed` or `compiled`, a stride even where the size is 1
};

/// One flat input. Constants (None, int, float, str, bool baked in) are leaves too; the library takes tensors only.
struct ContractInput {
    std::string name;                        ///< as the caller knows it ("x", "batch.b[0]"); else the graph's name
    std::string python;                      ///< the same as Python indexes it ("batch['b'][0]")
    std::string graphName;                   ///< placeholder of the program ("x"), empty without a program
    std::string compiledName;                ///< "arg2_1", empty without a compiled model
    std::size_t flatIndex = 0;               ///< among all leaves of the in_spec
    std::optional<std::size_t> tensorIndex;  ///< among the tensors the library takes
    bool isKeyword = false;
    bool isConstant = false;   ///< no tensor: baked in, a symbolic number, or an object
    std::string constantText;  ///< Python repr of a constant
    std::string constantJson;  ///< the same as a JSON literal
    std::string numberSymbol;  ///< a number that is an input of its own ("s3"), given by --size; torch cannot compile such programs
    DType dtype = DType::Unknown;
    bool rankKnown = false;
    std::vector<ContractDim> sizes;
    std::optional<std::vector<ContractDim>> strides;  ///< what the compiled code tests or assumes, else the program's
    std::string device;
    Origin origin = Origin::Unknown;                                               ///< where dtype and sizes come from
    FactSource dtypeSource, sizesSource, stridesSource, deviceSource, nameSource;  ///< nameSource: of `compiledName`
    bool checkedAtRuntime = false;
    bool assertedAtRuntime = false;  ///< 2.13: rank, sizes and strides are asserted at first use when runtime checks are on
    bool dtypeTestedAtRuntime = false, deviceTestedAtRuntime = false;
    std::optional<std::int64_t> indexBound;  ///< integers here index a table of this length (embedding, gather, index)
};

struct ContractSymbol {
    std::string name;
    SymRange program, compiled;
    bool compiledKnown = false;
    std::optional<std::int64_t> hint;  ///< size at export
    /// Every place a bare symbol stands at: (index of the ContractInput, dimension). The first one is shown.
    std::vector<std::pair<std::size_t, std::size_t>> places;
};

struct ContractOutput {
    std::string name;  ///< "result", "[0]", "a"
    std::string graphName;
    OutputKind kind = OutputKind::UserOutput;
    std::string target;
    bool isTensor = true;
    std::string constantText;
    DType dtype = DType::Unknown;
    std::vector<std::string> shape;
    Origin origin = Origin::Unknown;
    FactSource dtypeSource, sizesSource;
};

/// What pt2scope itself knows of a model's inputs and checks before a run (cli.md, "contract"), joined from program and compiled model.
struct Contract {
    std::string model;
    bool hasProgram = false, hasCompiled = false;
    bool checksCompiledIn = false;      ///< the compiled model has runtime checks of its own
    bool sourceRead = false;            ///< its wrapper source was read: what the code does not test is known
    bool inputsKnown = true;            ///< false: neither program nor wrapper source says what goes in; inputs are given by number
    std::string device;                 ///< of the compiled model ("cpu"), empty when not stated
    std::vector<ContractInput> inputs;  ///< user inputs in flat order
    std::vector<ContractSymbol> symbols;
    std::vector<ContractOutput> outputs;  ///< user outputs in flat order
    std::vector<std::string> guards;      ///< guards_code as stored
    TreeSpec inSpec;                      ///< empty when unknown
    std::vector<std::string> forwardArgNames;
    std::vector<std::string> notes;  ///< what is odd about the join, in sentences; a check repeats them

    /// Input by the caller's name, the graph's name, the library's name or the flat index; Usage error naming the candidates.
    Result<std::size_t> findInput(std::string_view nameOrIndex) const;
    const ContractSymbol* findSymbol(std::string_view name) const;
    std::size_t tensorCount() const;
};

Result<Contract> buildContract(const Document& document, std::string_view model);

/// "1 to 1024", "2 or more, no upper limit", "at most 64", "any size" (users.md A32).
std::string rangeText(const SymRange& range);
/// Both must hold.
SymRange intersectRanges(const SymRange& a, const SymRange& b);

}  // namespace pt2
