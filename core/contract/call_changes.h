#pragma once

#include <string>
#include <vector>

#include "core/contract/contract.h"
#include "core/program/program.h"

namespace pt2 {

/// Something that a call leaves changed: as the signature says (a new value among the graph's outputs), or as in-place operators do of which the
/// signature says nothing, which is how a training graph writes (users.md A20).
struct CallChange {
    enum class What { Buffer, Parameter, Constant, Input };
    What what = What::Buffer;
    std::string name;       ///< FQN of the buffer, or the input as the caller knows it
    std::string graphName;  ///< of the placeholder
    bool inPlace = false;
    bool certain = true;             ///< false: the file does not say whether the operator that is given it writes to it
    std::vector<std::string> nodes;  ///< addresses below the model of the nodes that write, or of the one that makes the new value
    std::string sentence;            ///< "Buffer "total" is changed in place by add__0 (aten.add_.Tensor)."
};
const char* callChangeName(CallChange::What what);  ///< "buffer", "parameter", "constant", "input"

/// In the order of the inputs; what the signature says comes first.
std::vector<CallChange> callChanges(const Program& program, const Contract& contract);

}  // namespace pt2
