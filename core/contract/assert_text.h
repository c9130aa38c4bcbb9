#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/contract.h"
#include "core/contract/program_asserts.h"

namespace pt2 {

/// A condition of torch's as a sentence, with the caller's names for the sizes that stand at an input: "Eq(s0, 2*s1)" → "x dimension 0 must equal
/// 2*y dimension 0." What is not understood stays as it is written.
std::string assertSentence(const Contract& contract, std::string_view condition);

/// The asserts of a program under titles by what the compiled code does with them, each sentence once. Asserts about types that the program itself
/// fixes say nothing to a caller and are only counted. Without a compiled model guards and bounds are left to where conditions and sizes are told.
struct AssertGroup {
    std::string title;
    bool warns = false;
    struct Line {
        std::string sentence, why;
    };
    std::vector<Line> lines;
    std::size_t leftOut = 0;  ///< asserts that say nothing
    std::string remark;       ///< about those; empty without any
};
std::vector<AssertGroup> assertGroups(const std::vector<ProgramAssert>& asserts, bool hasCompiled);

}  // namespace pt2
