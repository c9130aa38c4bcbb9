#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/contract/contract.h"

namespace pt2 {

// What a contract means, in sentences: for the Signature page, `pt2 signature` and the checks. Names are the caller's.

/// Inputs of equal dtype and shape: nothing notices when they are swapped (users.md A30).
std::vector<std::string> orderNotes(const Contract& contract);
/// Sizes that hang together: "a dimension 0, b dimension 0 and c dimension 0 must be equal (s20)."
std::vector<std::string> equalityNotes(const Contract& contract);
/// A guard of the program with the caller's names in place of L['x'].size()[0]: "x dimension 0 % 2 == 0".
std::string readableGuard(const Contract& contract, std::string_view guard);
/// A condition in Python's words as a sentence: "a % 2 == 0" → "a must be a multiple of 2."
std::string conditionSentence(std::string_view condition);
/// A guard as a sentence: "x dimension 0 must be a multiple of 2."
std::string guardSentence(const Contract& contract, std::string_view guard);
/// All conditions on the sizes of inputs, each once: the equalities, and the guards that say something else than those.
struct ConditionNote {
    std::string sentence;
    bool isGuard = false;
    std::vector<std::string> guards;  ///< as torch writes them: the guard, or those that an equality says already
};
std::vector<ConditionNote> conditionNotes(const Contract& contract);
/// Why dynamic sizes start at 2 where the file says no more (users.md A33), and what a first dimension fixed at 1 may come from (A31).
std::vector<std::string> sizeOneNotes(const Contract& contract);
/// Sizes whose range by the program and by the compiled code differ, with why torch asks for 2 where the program says 1 (users.md A33).
std::vector<std::string> boundNotes(const Contract& contract);
/// What the compiled code does not test of its inputs even with runtime checks on (users.md A25, A26). Empty where its source was not read.
std::vector<std::string> uncheckedNotes(const Contract& contract);
/// Sizes that were meant to be dynamic, as far as the file shows it, and that the program fixes (users.md A31): marks of mark_dynamic on the stored
/// sample inputs, and sizes equal to that of a dynamic one at the same dimension. Reads the stored samples, not their values.
std::vector<std::string> fixedSizeNotes(const Document& document, const Contract& contract);

}  // namespace pt2
