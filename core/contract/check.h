#pragma once

#include <string>
#include <vector>

#include "core/contract/inputs.h"

namespace pt2 {

/// One way in which inputs break the contract.
struct Breach {
    enum class What { Rank, Size, DType, Stride, Device, Range, Guard, Missing, Unknown };
    What what = What::Unknown;
    std::size_t contractIndex = 0;
    std::string input;  ///< the caller's name
    std::optional<std::size_t> dimension;
    std::string found, allowed;          ///< for people: "2000", "1 to 1024"
    bool caughtByRuntimeChecks = false;  ///< would AOTI_RUNTIME_CHECK_INPUTS=1 have said so (format.md 4.3)
    std::string sentence;                ///< "Input "x", dimension 0 (s77) is 2000; the program allows 1 to 1024."
    /// The mend we can offer, "" if none: "contiguous" (a copy in the expected strides), "cast", "move", "size", with what it does in `fixSentence`.
    std::string fix, fixSentence;
};
const char* breachName(Breach::What what);  ///< "rank", "size", ...

struct CheckReport {
    std::vector<Breach> breaches;
    std::vector<std::string> notes;  ///< batch 1 below the compiled bound; inputs of equal shape and dtype; checks not compiled in
    bool ok() const { return breaches.empty(); }
};

/// Joins all that is known. Needs neither LibTorch nor a run. `device` is where the model is to run ("cpu", "cuda:1").
CheckReport checkInputs(const Contract& contract, const InputSet& inputs, std::string_view device = "cpu");
/// The inputs with one breach mended (contiguous copy in the expected strides, cast, made anew in a legal size); never done silently. What has no
/// values yet, or must be made anew, is left to fillInputs. Usage error when there is no mend: "move" is done by choosing another device, and
/// values of the user's are not replaced by generated ones.
Result<InputSet> mend(const Contract& contract, const InputSet& inputs, const Breach& breach);

}  // namespace pt2
