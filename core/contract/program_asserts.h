#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/compiled/compiled_model.h"
#include "core/contract/contract.h"
#include "core/program/program.h"

namespace pt2 {

/// Something the program asserts, and whether the compiled code still tests it (users.md A27).
struct ProgramAssert {
    enum class Kind { Scalar, Metadata, Range, Async, Guard, Bound };
    enum class InCode {
        Unknown,  ///< there is no wrapper source to look in, or what it holds decides nothing
        Kept,     ///< the code tests it, or its tests of sizes leave no other case
        Lost      ///< the code does not hold it
    };
    Kind kind = Kind::Scalar;
    std::string condition;  ///< "u0 >= 2", "a dimension 0 == b dimension 0", "s77 <= 1024"
    std::string node;       ///< address below the model ("node/_assert_scalar_default"); empty for guards and bounds
    InCode inCode = InCode::Unknown;
    FactSource source;            ///< the line that tests it
    std::string why;              ///< a sentence: how that is known
    std::string sentence;         ///< the condition in words, with the caller's names: "x dimension 0 must be at least 2."
    bool fixedByProgram = false;  ///< it is about a type that the program itself fixes, so it cannot fail: nothing to tell a caller
};
const char* assertKindName(ProgramAssert::Kind kind);       ///< "assert", "metadata", "range", "async", "guard", "bound"
const char* assertStateName(ProgramAssert::InCode inCode);  ///< "unknown", "kept", "lost"

/// Asserts among the nodes (all graphs), guards, and bounds of the sizes of inputs, in this order. `compiled` null: all states are unknown.
/// A guard is kept when it holds for every combination of sizes that the code's own tests admit (at most some thousands are tried); one
/// combination for which it does not hold is the proof that it is lost.
std::vector<ProgramAssert> programAsserts(const Program& program, const Contract& contract, const CompiledModel* compiled);

}  // namespace pt2
