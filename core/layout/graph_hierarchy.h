#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/progress.h"
#include "core/program/program.h"

namespace pt2 {

enum class GroupKind : std::uint8_t {
    Root,
    Module,    ///< nodes of one module call
    Control,   ///< an operator that holds subgraphs, such as cond
    Subgraph,  ///< one of its graphs
};

struct HierarchyItem {
    bool isGroup = false;
    std::uint32_t id = 0;  ///< NodeId or group index
};

struct HierarchyGroup {
    GroupKind kind = GroupKind::Module;
    std::string path;                  ///< unique; see GraphHierarchy
    std::string title;                 ///< path below the parent group: "0", "attn", "out.proj"
    std::string type;                  ///< class, last part; empty for containers that are never called
    std::uint32_t parent = 0;          ///< itself for the root
    std::uint32_t depth = 0;           ///< 0 for the root
    std::uint32_t level = 0;           ///< depth as the Depth switch counts: a group that is all its parent holds has its parent's level
    GraphId graph = 0;                 ///< graph its nodes belong to; for Control that of the operator
    NodeId node = kNone;               ///< Control: the operator
    std::vector<HierarchyItem> items;  ///< in order of their first node
    NodeId firstNode = kNone, lastNode = kNone;
    std::uint32_t nodeCount = 0;  ///< with everything below, subgraphs included
    std::uint64_t parameters = 0, weightBytes = 0;
    std::uint64_t structure = 0;  ///< equal for groups that compute the same on weights of the same shapes
};

/// The modules of one graph as a tree of groups, read from nn_module_stack (format.md 2.7) by Program::modulePath.
/// A module of one node is no group: the node carries its name (localName). A container that is never called (ModuleList) is a group when its nodes
/// can be computed in one go, else its children stand in its parent. A module called again, with other nodes between that depend on its first call,
/// is one group per call: "shared", "shared@1". Operators with subgraphs are Control groups that hold Subgraph groups.
/// Paths: the module's own, "shared@1"; inside a subgraph "graph:true_graph_0:layers.0"; "graph:true_graph_0"; "node:cond" for Control.
/// Immutable after build; keeps a reference to the program, which must outlive it.
class GraphHierarchy {
public:
    static std::shared_ptr<const GraphHierarchy> build(const Program& program, GraphId graph, const CancelToken& cancel = {});

    const Program& program() const { return *program_; }
    GraphId graph() const { return graph_; }
    const std::vector<HierarchyGroup>& groups() const { return groups_; }  ///< [0] is the root, parents before children
    /// Innermost group of a node; kNone for nodes that are not below this graph. A Control operator belongs to its own group.
    std::uint32_t groupOf(NodeId node) const { return node < groupOfNode_.size() ? groupOfNode_[node] : kNone; }
    /// Name of the module of one node that the node stands for, relative to its group: "q_proj"; mostly empty.
    std::string_view localName(NodeId node) const;
    std::uint32_t find(std::string_view path) const;  ///< group index or kNone
    /// Whether the value is a parameter, buffer, constant or object of the root graph, or the input by which a subgraph captures one:
    /// drawn as a chip, not as a box.
    bool isWeight(ValueId value) const { return value < weightKind_.size() && weightKind_[value] != 0; }
    bool isParameter(ValueId value) const { return value < weightKind_.size() && weightKind_[value] == 2; }
    std::uint64_t elementCount(ValueId value) const;  ///< of a tensor of fixed size; 0 when it is not fixed

private:
    friend class HierarchyBuilder;
    const Program* program_ = nullptr;
    GraphId graph_ = 0;
    std::vector<HierarchyGroup> groups_;
    std::vector<std::uint32_t> groupOfNode_;
    std::unordered_map<NodeId, std::string> localNames_;
    std::unordered_map<std::string, std::uint32_t> byPath_;
    std::vector<std::uint8_t> weightKind_;
};

}  // namespace pt2
