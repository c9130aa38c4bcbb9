#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace pt2 {

/// A pytree spec (format.md 2.6) as a flat list of nodes in depth-first order; leaves count in order of flat inputs. Unknown types are kept by name.
struct TreeSpecNode {
    std::string type;                 ///< "builtins.dict", ...; empty for a leaf
    std::vector<std::string> keys;    ///< one per child: dict keys, named-tuple or dataclass fields, "0", "1", ... for sequences
    std::vector<std::string> access;  ///< one per child, as Python writes it: "['k']", "[0]", ".field"
    bool keysAreIndices = true;       ///< keys print as [0] rather than ['k'] or .k
    std::vector<std::uint32_t> children;
    std::uint32_t leafIndex = 0;  ///< for leaves
    bool isLeaf() const { return type.empty(); }
};

struct TreeSpec {
    std::vector<TreeSpecNode> nodes;  ///< [0] is the root
    std::uint32_t leafCount = 0;

    /// Reads "[1, {...}]". Iterative; depth capped. `namedtupleFields`: registered name → fields.
    static Result<TreeSpec> parse(std::string_view json, const std::map<std::string, std::vector<std::string>>& namedtupleFields = {});
};

/// One flat input as the caller knows it.
struct InputPath {
    std::string name;    ///< "x", "batch.b[0]", "d['b']['c']" shortened to what cli.md takes: batch.b[0]
    std::string python;  ///< as Python indexes it: batch['b'][0]
    bool isKeyword = false;
    std::vector<std::string> parts;  ///< from the argument down: {"batch", "b", "[0]"}
};

/// Names of the flat inputs of an in_spec ((args), {kwargs}); `forwardArgNames` names the positional ones (else "arg0", "arg1", ...).
std::vector<InputPath> inputPaths(const TreeSpec& inSpec, const std::vector<std::string_view>& forwardArgNames);
/// Names of flat outputs: "result" for a bare leaf, else "[0]", "a", "b[1]".
std::vector<std::string> outputPaths(const TreeSpec& outSpec);

}  // namespace pt2
