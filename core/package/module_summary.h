#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/package/weight_table.h"
#include "core/program/operator_family.h"
#include "core/program/program.h"
#include "core/symbol/expression.h"

namespace pt2 {

/// Sums over a module and all below it. A storage that several weights share is counted once in each sum.
struct ModuleSums {
    std::uint64_t parameters = 0;  ///< elements of parameters
    std::uint64_t buffers = 0;     ///< elements of buffers and constants
    std::uint64_t bytes = 0;       ///< of all of them
    std::uint64_t nodes = 0;       ///< of all graphs
    std::uint64_t made = 0;        ///< bytes of the tensors that the nodes give out at the sizes asked for, each as if it were stored by itself
    std::uint64_t unsized = 0;     ///< tensors left out of `made`: a size depends on data
    std::array<std::uint64_t, kOperatorFamilyCount> families{};
    std::map<std::string, std::uint64_t> operators;  ///< "aten.linear" → nodes
};

/// The most frequent operators, at most so many: "linear 12, relu 6, add 6, …". The namespace is left out where it is aten.
std::string frequentOperators(const ModuleSums& sums, std::size_t most);

struct ModuleSummary {
    std::string path, name, type;  ///< "layers.0.attn", "attn", class as the nodes' stacks name it (empty when no node says it)
    std::size_t parent = 0;        ///< of the root: itself
    std::size_t depth = 0;
    std::vector<std::size_t> children;  ///< in order of first appearance
    ModuleSums sums;                    ///< with all below
    ModuleSums own;                     ///< directly in it
    std::uint64_t shared = 0;           ///< elements of its own weights that lie in a storage counted at another module before
};

struct ProgramSummary {
    std::vector<ModuleSummary> modules;  ///< parents before children; [0] is the root
    /// What the root's sums do not count again: "head.weight" is tied to "emb.weight".
    struct Shared {
        std::string name, with;
        bool tied = false;  ///< else a view of the same storage
        std::uint64_t elements = 0;
    };
    std::vector<Shared> shared;
    /// Indices of modules in the order of a tree that is printed, down to `depth` levels below the root.
    std::vector<std::size_t> treeOrder(std::size_t depth) const;
};

/// Modules as a tree with parameters, bytes, nodes and operators; nodes belong to their innermost module, weights to the module that their name
/// begins with. The table lists the weights of the same program.
ProgramSummary summariseModules(const Program& program, const WeightTable& table);
/// The same with `made` and `unsized`: symbols have the values that `sizes` gives them.
ProgramSummary summariseModules(const Program& program, const WeightTable& table, const SymExpr::Lookup& sizes);

}  // namespace pt2
