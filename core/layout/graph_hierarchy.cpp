// The module tree of a graph, top down. For one group and the nodes below it:
//   1. every node has the rest of its module path, and the part of it that names a child of the group (its key);
//   2. nodes of equal keys form a child group, nodes without one, or alone with theirs, stand directly in the group;
//   3. the children must be computable one after the other. Strongly connected children (Tarjan) are not: a container that is never called is
//      dissolved by making the keys of its nodes one part longer, a called module is cut into runs in the order of the file.
// Runs of consecutive nodes of a topologically sorted list never depend on each other in a circle, so the loop ends; files that are not sorted are
// left with what remains, and the layout turns such edges round. Work: nodes × depth.

#include "core/layout/graph_hierarchy.h"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "core/layout/strong_components.h"

namespace pt2 {
namespace {

constexpr std::uint32_t kMaxDepth = 64;  // of groups; the rest of a longer path stays in one title
constexpr std::string_view kNoModule = "_empty_nn_module_stack_from_metadata_hook";

void mix(std::uint64_t& hash, std::uint64_t value) {
    hash ^= value + 0x9E3779B97F4A7C15ULL + (hash << 6) + (hash >> 2);
    hash *= 0xFF51AFD7ED558CCDULL;
    hash ^= hash >> 33;
}
void mix(std::uint64_t& hash, std::string_view text) { mix(hash, std::hash<std::string_view>{}(text)); }

std::string lastPart(std::string_view dotted) {
    const auto dot = dotted.rfind('.');
    return std::string(dot == std::string_view::npos ? dotted : dotted.substr(dot + 1));
}

}  // namespace

class HierarchyBuilder {
public:
    HierarchyBuilder(const Program& program, GraphId graph, const CancelToken& cancel) : program_(program), cancel_(cancel) {
        result_ = std::make_shared<GraphHierarchy>();
        result_->program_ = &program;
        result_->graph_ = graph;
        const std::size_t n = program.nodes().size();
        result_->groupOfNode_.assign(n, kNone);
        result_->weightKind_.assign(program.values().size(), 0);
        keyBegin_.assign(n, 0);
        keyEnd_.assign(n, 0);
        run_.assign(n, 0);
        item_.assign(n, kNone);
        path_.assign(n, {});
        nodeHash_.assign(n, 0);
        position_.assign(n, kNone);
    }

    std::shared_ptr<const GraphHierarchy> build() {
        markWeights();
        for (GraphId g = 0; g < program_.graphs().size(); ++g) {
            if (program_.graph(g).parentNode != kNone) subgraphs_[program_.graph(g).parentNode].push_back(g);
        }
        HierarchyGroup root;
        root.kind = GroupKind::Root;
        root.graph = result_->graph_;
        root.path = result_->graph_ == 0 ? std::string() : "graph:" + program_.graph(result_->graph_).path;
        result_->groups_.push_back(std::move(root));
        scopes_.push_back({result_->groups_[0].path.empty() ? std::string() : result_->groups_[0].path + ":"});
        startScope(0, 0, "");
        while (!work_.empty() && !cancel_.requested()) {
            Work next = std::move(work_.back());
            work_.pop_back();
            split(next);
        }
        finish();
        return result_;
    }

private:
    struct Work {
        std::uint32_t group = 0;
        std::uint32_t scope = 0;
        std::vector<NodeId> nodes;
    };
    struct Scope {
        std::string prefix;  ///< before the paths of groups of one graph
    };
    struct Bucket {
        std::string_view key;
        std::uint32_t run = 0;
        std::vector<NodeId> nodes;
        bool called = false;  ///< some node's stack names the module, so it is more than a container
    };

    void markWeights() {
        const auto specs = program_.inputSpecs();
        for (const InputSpec& spec : specs) {
            if (spec.kind == InputKind::UserInput || spec.argument == kNone || spec.argument >= program_.arguments().size()) continue;
            const ValueId v = program_.argument(spec.argument).value;
            if (v != kNone) result_->weightKind_[v] = spec.kind == InputKind::Parameter ? 2 : 1;
        }
        // A control operator hands weights to its graphs under the names they have outside. Graphs come after their parents.
        for (GraphId g = 1; g < program_.graphs().size() && !cancel_.requested(); ++g) {
            const Graph& graph = program_.graph(g);
            if (graph.parentNode == kNone || graph.parent >= g) continue;
            std::unordered_map<std::string_view, ValueId> given;
            program_.forEachInputValue(program_.node(graph.parentNode), [&](ValueId v) {
                if (result_->isWeight(v)) given.emplace(program_.value(v).name, v);
            });
            if (given.empty()) continue;
            for (std::uint32_t i = graph.inputs.begin; i < graph.inputs.end; ++i) {
                const ValueId v = program_.argument(i).value;
                if (v == kNone) continue;
                const auto outer = given.find(program_.value(v).name);
                if (outer == given.end()) continue;
                result_->weightKind_[v] = result_->weightKind_[outer->second];
                captured_[v] = captured_.count(outer->second) != 0 ? captured_[outer->second] : outer->second;
            }
        }
    }

    /// The weight of the root graph that a value is or captures, so that totals count it once.
    ValueId source(ValueId weight) const {
        const auto it = captured_.find(weight);
        return it == captured_.end() ? weight : it->second;
    }

    /// All nodes of a graph under a group; `outer` is the module path of the operator that holds the graph.
    void startScope(std::uint32_t group, std::uint32_t scope, std::string_view outer) {
        const Graph& graph = program_.graph(result_->groups_[group].graph);
        Work work{group, scope, {}};
        work.nodes.reserve(graph.nodes.size());
        for (NodeId n = graph.nodes.begin; n < graph.nodes.end; ++n) {
            std::string_view path = program_.modulePath(n);
            if (path == kNoModule) path = {};
            if (!outer.empty() && path.substr(0, outer.size()) == outer) {
                if (path.size() == outer.size()) path = {};
                if (path.size() > outer.size() && path[outer.size()] == '.') path.remove_prefix(outer.size() + 1);
            }
            path_[n] = path;
            keyBegin_[n] = 0;
            nodeHash_[n] = hashNode(n);
            work.nodes.push_back(n);
        }
        work_.push_back(std::move(work));
    }

    std::string_view keyOf(NodeId n) const { return path_[n].substr(keyBegin_[n], keyEnd_[n] - keyBegin_[n]); }
    bool longerKey(NodeId n) const { return keyEnd_[n] < path_[n].size(); }
    void lengthenKey(NodeId n) {
        const auto from = keyEnd_[n] == keyBegin_[n] ? keyEnd_[n] : keyEnd_[n] + 1;
        const auto dot = from < path_[n].size() ? path_[n].find('.', from) : std::string_view::npos;
        keyEnd_[n] = static_cast<std::uint32_t>(dot == std::string_view::npos ? path_[n].size() : dot);
    }
    bool isCalled(const Bucket& bucket) const {
        const NodeId n = bucket.nodes.front();
        return keyEnd_[n] == path_[n].size() || !program_.moduleType(fullPath(n)).empty();
    }
    /// Module path up to the end of the key, as the program knows it (with the part that a subgraph's scope left out).
    std::string_view fullPath(NodeId n) const {
        std::string_view whole = program_.modulePath(n);
        if (whole == kNoModule) return {};
        return whole.substr(0, whole.size() - path_[n].size() + keyEnd_[n]);
    }

    std::vector<Bucket> makeBuckets(const std::vector<NodeId>& nodes) {
        std::vector<Bucket> buckets;
        std::unordered_map<std::string_view, std::vector<std::uint32_t>> byKey;
        for (const NodeId n : nodes) {
            item_[n] = kNone;
            const std::string_view key = keyOf(n);
            if (key.empty()) continue;
            auto& candidates = byKey[key];
            std::uint32_t found = kNone;
            for (auto it = candidates.rbegin(); it != candidates.rend() && found == kNone; ++it) {
                if (buckets[*it].run == run_[n]) found = *it;
            }
            if (found == kNone) {
                found = static_cast<std::uint32_t>(buckets.size());
                buckets.push_back({key, run_[n], {}, false});
                candidates.push_back(found);
            }
            buckets[found].nodes.push_back(n);
            item_[n] = found;
        }
        for (Bucket& bucket : buckets) {
            bucket.called = isCalled(bucket);
            // A container of one child is no level of its own.
            while (!bucket.called && bucket.nodes.size() > 1) {
                const NodeId first = bucket.nodes.front();
                for (const NodeId n : bucket.nodes) lengthenKey(n);
                const std::string_view key = keyOf(first);
                const bool same = std::all_of(bucket.nodes.begin(), bucket.nodes.end(), [&](NodeId n) { return keyOf(n) == key; });
                if (!same) {
                    for (const NodeId n : bucket.nodes) keyEnd_[n] = keyBegin_[n] + static_cast<std::uint32_t>(bucket.key.size());
                    break;
                }
                bucket.key = key;
                bucket.called = isCalled(bucket);
            }
        }
        return buckets;
    }

    /// Strongly connected components of the group's items: bucket i is item i, direct nodes follow. Returns the component of each item that shares
    /// it with others, kNone for the rest.
    std::vector<std::uint32_t> entangled(const std::vector<NodeId>& nodes, const std::vector<Bucket>& buckets) {
        std::uint32_t count = static_cast<std::uint32_t>(buckets.size());
        for (std::uint32_t i = 0; i < nodes.size(); ++i) {
            position_[nodes[i]] = i;
            if (item_[nodes[i]] == kNone) item_[nodes[i]] = count++;
        }
        std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
        for (const NodeId n : nodes) {
            program_.forEachInputValue(program_.node(n), [&](ValueId v) {
                const NodeId from = program_.value(v).producer;
                if (from == kNone || position_[from] == kNone || item_[from] == item_[n]) return;
                edges.emplace_back(item_[from], item_[n]);
            });
        }
        for (const NodeId n : nodes) position_[n] = kNone;
        std::sort(edges.begin(), edges.end());
        edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
        return strongComponents(count, edges);
    }

    void split(const Work& work) {
        const std::uint32_t depth = result_->groups_[work.group].depth;
        for (const NodeId n : work.nodes) {
            run_[n] = 0;
            keyEnd_[n] = keyBegin_[n];
            if (depth >= kMaxDepth) {
                keyBegin_[n] = keyEnd_[n] = static_cast<std::uint32_t>(path_[n].size());
            } else if (longerKey(n)) {
                lengthenKey(n);
            }
        }
        std::vector<Bucket> buckets;
        constexpr int kRounds = 12;
        for (int round = 0; round < kRounds; ++round) {
            buckets = makeBuckets(work.nodes);
            if (buckets.empty() || cancel_.requested()) break;
            const std::vector<std::uint32_t> component = entangled(work.nodes, buckets);
            bool changed = false;
            std::unordered_map<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>> last;  // component → item of its latest node, run
            std::vector<std::uint32_t> runOf(buckets.size(), kNone);
            std::vector<std::uint32_t> nextRun(buckets.size(), 0);
            for (const NodeId n : work.nodes) {
                const std::uint32_t item = item_[n];
                if (item >= component.size() || component[item] == kNone) continue;
                auto [it, fresh] = last.try_emplace(component[item], std::make_pair(kNone, 0U));
                const bool continues = !fresh && it->second.first == item;
                it->second.first = item;
                if (item >= buckets.size() || buckets[item].nodes.size() < 2) continue;
                if (!buckets[item].called && round + 2 < kRounds && longerKey(n)) {
                    lengthenKey(n);
                    changed = true;
                    continue;
                }
                if (!continues) runOf[item] = nextRun[item]++;
                const std::uint32_t run = buckets[item].run + runOf[item];
                if (run != run_[n]) changed = true;
                run_[n] = run;
            }
            if (!changed) break;
        }
        addItems(work, buckets);
    }

    void addItems(const Work& work, const std::vector<Bucket>& buckets) {
        std::vector<std::uint32_t> groupOfBucket(buckets.size(), kNone);
        std::vector<HierarchyItem> items;
        std::uint32_t bucketIndex = 0;
        // item_ holds bucket numbers for nodes in buckets and larger ones for the rest.
        for (const NodeId n : work.nodes) {
            bucketIndex = item_[n];
            const bool direct = bucketIndex >= buckets.size() || buckets[bucketIndex].nodes.size() < 2;
            if (direct) {
                const std::string_view rest = path_[n].substr(std::min<std::size_t>(keyBegin_[n], path_[n].size()));
                if (!rest.empty() && bucketIndex < buckets.size()) result_->localNames_[n] = std::string(rest);
                if (const auto holds = subgraphs_.find(n); holds != subgraphs_.end()) {
                    items.push_back({true, addControl(work, n, holds->second)});
                } else {
                    result_->groupOfNode_[n] = work.group;
                    items.push_back({false, n});
                }
                continue;
            }
            if (groupOfBucket[bucketIndex] != kNone) continue;
            groupOfBucket[bucketIndex] = addModule(work, buckets[bucketIndex]);
            items.push_back({true, groupOfBucket[bucketIndex]});
        }
        result_->groups_[work.group].items = std::move(items);
    }

    std::uint32_t addModule(const Work& work, const Bucket& bucket) {
        const HierarchyGroup& parent = result_->groups_[work.group];
        const NodeId first = bucket.nodes.front();
        HierarchyGroup group;
        group.kind = GroupKind::Module;
        group.graph = parent.graph;
        group.title = std::string(bucket.key);
        group.type = lastPart(program_.moduleType(fullPath(first)));
        group.path = scopes_[work.scope].prefix + std::string(path_[first].substr(0, keyEnd_[first]));
        group.parent = work.group;
        group.depth = parent.depth + 1;
        if (bucket.run > 0) group.title += " (call " + std::to_string(bucket.run + 1) + ")";
        // The same module in several runs or, once in a file that is not sorted, under two parents: paths stay unique.
        const std::string base = group.path;
        for (std::uint32_t k = bucket.run; result_->byPath_.count(group.path) != 0 || (k > 0 && group.path == base); ++k) {
            group.path = base + "@" + std::to_string(std::max(1U, k));
        }
        Work below{static_cast<std::uint32_t>(result_->groups_.size()), work.scope, bucket.nodes};
        group.structure = hashGroup(bucket.nodes, keyEnd_[first]);
        for (const NodeId n : bucket.nodes) {
            keyBegin_[n] = std::min<std::uint32_t>(keyEnd_[n] + 1, static_cast<std::uint32_t>(path_[n].size()));
        }
        result_->byPath_.emplace(group.path, below.group);
        result_->groups_.push_back(std::move(group));
        const std::uint32_t index = below.group;
        work_.push_back(std::move(below));
        return index;
    }

    std::uint32_t addControl(const Work& work, NodeId node, const std::vector<GraphId>& graphs) {
        const auto index = static_cast<std::uint32_t>(result_->groups_.size());
        HierarchyGroup control;
        control.kind = GroupKind::Control;
        control.path = "node:" + program_.nodeAddress(node);
        control.title = std::string(program_.displayName(node));
        control.parent = work.group;
        control.depth = result_->groups_[work.group].depth + 1;
        control.graph = result_->groups_[work.group].graph;
        control.node = node;
        result_->groupOfNode_[node] = index;
        result_->byPath_.emplace(control.path, index);
        result_->groups_.push_back(std::move(control));
        std::string_view outer = program_.modulePath(node);
        if (outer == kNoModule) outer = {};
        for (const GraphId g : graphs) {
            const auto child = static_cast<std::uint32_t>(result_->groups_.size());
            HierarchyGroup sub;
            sub.kind = GroupKind::Subgraph;
            sub.graph = g;
            sub.path = "graph:" + program_.graph(g).path;
            sub.title = std::string(program_.graph(g).name);
            sub.parent = index;
            sub.depth = result_->groups_[index].depth + 1;
            result_->byPath_.emplace(sub.path, child);
            scopes_.push_back({sub.path + ":"});
            result_->groups_.push_back(std::move(sub));
            result_->groups_[index].items.push_back({true, child});
            if (result_->groups_[child].depth < kMaxDepth) {
                startScope(child, static_cast<std::uint32_t>(scopes_.size() - 1), outer);
            }
        }
        return index;
    }

    void hashArgument(std::uint64_t& hash, const Argument& argument) const {  // lists nest at most three deep (program.h)
        mix(hash, static_cast<std::uint64_t>(argument.kind));
        mix(hash, static_cast<std::uint64_t>(argument.integer));
        mix(hash, std::hash<double>{}(argument.real));
        if (argument.kind == ArgumentKind::String || argument.kind == ArgumentKind::Device) mix(hash, argument.text);
        for (std::uint32_t i = argument.children.begin; i < argument.children.end; ++i) hashArgument(hash, program_.argument(i));
    }

    /// What a node does, without the names of its values.
    std::uint64_t hashNode(NodeId id) const {
        const Node& node = program_.node(id);
        std::uint64_t hash = 1;
        mix(hash, node.target);
        for (std::uint32_t i = node.inputs.begin; i < node.inputs.end; ++i)
            hashArgument(hash, program_.argument(program_.namedArguments()[i].argument));
        program_.forEachOutputValue(node, [&](ValueId v) { mix(hash, hashType(v)); });
        if (subgraphs_.count(id) != 0) mix(hash, id);
        return hash;
    }
    std::uint64_t hashType(ValueId v) const {
        const Value& value = program_.value(v);
        std::uint64_t hash = static_cast<std::uint64_t>(value.kind);
        mix(hash, static_cast<std::uint64_t>(value.dtype));
        for (const SymInt& dim : program_.sizes(value)) {
            mix(hash, static_cast<std::uint64_t>(dim.integer));
            mix(hash, dim.expr);
        }
        return hash;
    }

    std::uint64_t hashGroup(const std::vector<NodeId>& nodes, std::uint32_t prefix) {
        std::uint64_t hash = nodes.size();
        for (std::uint32_t i = 0; i < nodes.size(); ++i) position_[nodes[i]] = i;
        std::unordered_map<ValueId, std::uint32_t> outside;
        for (const NodeId n : nodes) {
            mix(hash, nodeHash_[n]);
            if (path_[n].size() > prefix) mix(hash, path_[n].substr(prefix));
            program_.forEachInputValue(program_.node(n), [&](ValueId v) {
                const NodeId from = program_.value(v).producer;
                if (from != kNone && position_[from] != kNone) {
                    mix(hash, position_[from]);
                    return;
                }
                const auto [it, fresh] = outside.try_emplace(v, static_cast<std::uint32_t>(outside.size()));
                mix(hash, 0x10000000ULL + it->second);
                if (fresh && result_->isWeight(v)) mix(hash, hashType(v));
            });
        }
        for (const NodeId n : nodes) position_[n] = kNone;
        return hash;
    }

    /// Totals from the leaves up (a parent has a smaller index than its children), and levels down.
    void finish() {
        auto& groups = result_->groups_;
        std::vector<std::set<ValueId>> weights(groups.size());
        const auto addNode = [&](std::uint32_t g, NodeId n) {
            ++groups[g].nodeCount;
            program_.forEachInputValue(program_.node(n), [&](ValueId v) {
                if (result_->isWeight(v)) weights[g].insert(source(v));
            });
        };
        for (std::size_t i = groups.size(); i-- > 0;) {
            HierarchyGroup& group = groups[i];
            const auto index = static_cast<std::uint32_t>(i);
            if (group.kind == GroupKind::Control) addNode(index, group.node);
            for (const HierarchyItem& item : group.items) {
                if (!item.isGroup) {
                    addNode(index, item.id);
                    continue;
                }
                group.nodeCount += groups[item.id].nodeCount;
                if (weights[i].size() < weights[item.id].size()) weights[i].swap(weights[item.id]);
                weights[i].insert(weights[item.id].begin(), weights[item.id].end());
                weights[item.id].clear();
            }
            for (const ValueId v : weights[i]) {
                const std::uint64_t count = result_->elementCount(v);
                if (result_->isParameter(v)) group.parameters += count;
                group.weightBytes += count * dtypeSize(program_.value(v).dtype);
            }
            if (!group.items.empty()) {
                const HierarchyItem& first = group.items.front();
                group.firstNode = first.isGroup ? groups[first.id].firstNode : first.id;
                for (const HierarchyItem& item : group.items) {
                    const NodeId last = item.isGroup ? groups[item.id].lastNode : item.id;
                    if (last != kNone && (group.lastNode == kNone || last > group.lastNode)) group.lastNode = last;
                }
            }
            if (group.kind == GroupKind::Control) group.firstNode = group.lastNode = group.node;
        }
        for (std::size_t i = 1; i < groups.size(); ++i) {
            const HierarchyGroup& parent = groups[groups[i].parent];
            // Size reads stand beside a wrapper without making it one of two.
            const bool all =
                groups[i].kind == GroupKind::Module && std::all_of(parent.items.begin(), parent.items.end(), [&](const HierarchyItem& item) {
                    return item.isGroup ? item.id == i : program_.node(item.id).target.find(".sym_size.") != std::string_view::npos;
                });
            groups[i].level = parent.level + (all ? 0 : 1);
        }
    }

    const Program& program_;
    const CancelToken& cancel_;
    std::shared_ptr<GraphHierarchy> result_;
    std::vector<Work> work_;
    std::vector<Scope> scopes_;
    std::unordered_map<NodeId, std::vector<GraphId>> subgraphs_;
    std::unordered_map<ValueId, ValueId> captured_;  ///< input of a subgraph → weight of the root graph
    // By node: rest of the module path below its scope, and the key within it as [keyBegin, keyEnd); which call of a module; item in the group at
    // work.
    std::vector<std::string_view> path_;
    std::vector<std::uint32_t> keyBegin_, keyEnd_, run_, item_, position_;
    std::vector<std::uint64_t> nodeHash_;
};

std::shared_ptr<const GraphHierarchy> GraphHierarchy::build(const Program& program, GraphId graph, const CancelToken& cancel) {
    return HierarchyBuilder(program, graph, cancel).build();
}

std::string_view GraphHierarchy::localName(NodeId node) const {
    const auto it = localNames_.find(node);
    return it == localNames_.end() ? std::string_view() : std::string_view(it->second);
}

std::uint32_t GraphHierarchy::find(std::string_view path) const {
    if (!groups_.empty() && path == groups_[0].path) return 0;
    const auto it = byPath_.find(std::string(path));
    return it == byPath_.end() ? kNone : it->second;
}

std::uint64_t GraphHierarchy::elementCount(ValueId id) const {
    const Value& value = program_->value(id);
    if (value.kind != ValueKind::Tensor) return 0;
    std::uint64_t count = 1;
    for (const SymInt& dim : program_->sizes(value)) {
        if (dim.isSymbolic() || dim.integer < 0 || !multiplySafe(count, static_cast<std::uint64_t>(dim.integer), count)) return 0;
    }
    return count;
}

}  // namespace pt2
