#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace pt2 {

/// A place in a document (design.md 3): "program/model/node/relu", "weights/fc.weight", "file/data/weights/weight_0",
/// "compiled/model/kernel/cpp_fused_0". Model names may hold '/', which is then written %2F (and % as %25).
struct Address {
    enum class Kind { None, Program, Graph, Node, Value, Weight, Member, Compiled, Kernel, Symbol, Page };
    Kind kind = Kind::None;
    std::string model;  ///< Program, Graph, Node, Value, Compiled, Kernel, Symbol
    std::string graph;  ///< path of the subgraph, "" for the root
    std::string name;   ///< node, value, weight, member, kernel, symbol or page name

    std::string text() const;
    static Result<Address> parse(std::string_view text);
    bool operator==(const Address&) const = default;
};

}  // namespace pt2
