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
/// The same as a sentence: "x dimension 0 must be a multiple of 2."
std::string guardSentence(const Contract& contract, std::string_view guard);
/// Sizes whose range by the program and by the compiled code differ, with why torch asks for 2 where the program says 1 (users.md A33).
std::vector<std::string> boundNotes(const Contract& contract);
/// What the compiled code does not test of its inputs even with runtime checks on (users.md A25, A26). Empty where its source was not read.
std::vector<std::string> uncheckedNotes(const Contract& contract);
/// Sizes that were meant to be dynamic, as far as the file shows it, and that the program fixes (users.md A31): marks of mark_dynamic on the stored
/// sample inputs, and sizes equal to that of a dynamic one at the same dimension. Reads the stored samples, not their values.
std::vector<std::string> fixedSizeNotes(const Document& document, const Contract& contract);

}  // namespace pt2
