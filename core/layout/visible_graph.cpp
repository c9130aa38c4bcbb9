#include "core/layout/visible_graph.h"

#include <algorithm>
#include <cmath>

#include "core/layout/chains.h"
#include "core/layout/node_labels.h"
#include "core/layout/text_widths.h"

namespace pt2 {
namespace {

using M = LayoutMetrics;

constexpr std::size_t kHubReaders = 24;  // more readers than these make a value a tunnel

float roundedUp(float value, float step) { return std::ceil(value / step) * step; }

}  // namespace

VisibleGraph::VisibleGraph(const GraphHierarchy& hierarchy, const LayoutOptions& options, const CancelToken& cancel)
    : hierarchy_(hierarchy), program_(hierarchy.program()), options_(options), cancel_(cancel) {
    layout.endOfNode.assign(program_.nodes().size(), kNone);
    layout.rowOfNode.assign(program_.nodes().size(), 0);
    decideOpen();
    addGroups();
    for (const GraphId graph : shownGraphs_) {
        if (cancel_.requested()) return;
        addEdges(graph);
    }
}

void VisibleGraph::decideOpen() {
    const auto& groups = hierarchy_.groups();
    askedOpen_.assign(groups.size(), 0);
    askedClosed_.assign(groups.size(), 0);
    for (const std::string& path : options_.closed) {
        if (const std::uint32_t g = hierarchy_.find(path); g != kNone) askedClosed_[g] = 1;
    }
    for (const std::string& path : options_.open) {
        std::uint32_t g = hierarchy_.find(path);
        while (g != kNone && g != 0 && askedOpen_[g] == 0 && askedClosed_[g] == 0) {
            askedOpen_[g] = 1;
            g = groups[g].parent;
        }
    }
}

bool VisibleGraph::opensByDefault(std::uint32_t g) const {
    if (askedClosed_[g] != 0) return false;
    if (askedOpen_[g] != 0 || options_.openAll) return true;
    const HierarchyGroup& group = hierarchy_.groups()[g];
    return static_cast<std::int64_t>(group.level) <= options_.depth;
}

/// Runs of equal neighbours that are drawn as one stack; the groups of other items are not in the result.
std::vector<std::vector<std::uint32_t>> VisibleGraph::foldRuns(const std::vector<HierarchyItem>& items) const {
    std::vector<std::vector<std::uint32_t>> stacks;
    const auto& groups = hierarchy_.groups();
    for (std::size_t i = 0; i < items.size();) {
        std::size_t end = i + 1;
        if (items[i].isGroup && groups[items[i].id].kind == GroupKind::Module) {
            while (end < items.size() && items[end].isGroup && groups[items[end].id].kind == GroupKind::Module &&
                   groups[items[end].id].structure == groups[items[i].id].structure &&
                   groups[items[end].id].firstNode > groups[items[end - 1].id].lastNode) {
                ++end;
            }
        }
        bool anyAsked = false;
        for (std::size_t k = i; k < end; ++k) anyAsked = anyAsked || (items[k].isGroup && askedOpen_[items[k].id] != 0);
        // Where the depth opens all of a run, the first is shown for the others.
        const bool leader = !anyAsked && end - i >= 3 && opensByDefault(items[i].id);
        std::vector<std::uint32_t> stack;
        for (std::size_t k = i + (leader ? 1 : 0); k <= end; ++k) {
            if (end - i >= 2 && k < end && askedOpen_[items[k].id] == 0) {
                stack.push_back(items[k].id);
                continue;
            }
            if (stack.size() >= (leader || anyAsked ? 2U : 3U) || (stack.size() == 2 && !opensByDefault(stack[0]) && !opensByDefault(stack[1]))) {
                stacks.push_back(stack);
            }
            stack.clear();
        }
        i = end;
    }
    return stacks;
}

std::uint32_t VisibleGraph::addGroup(std::uint32_t g, std::uint32_t parent, bool isOpen) {
    const HierarchyGroup& source = hierarchy_.groups()[g];
    const auto index = static_cast<std::uint32_t>(layout.groups.size());
    LayoutGroup group;
    group.kind = source.kind;
    group.path = source.path;
    group.title = source.title;
    group.type = source.type;
    group.open = isOpen;
    group.parent = parent;
    group.depth = layout.groups.empty() ? 0 : layout.groups[parent].depth + 1;
    group.nodeCount = source.nodeCount;
    group.parameters = source.parameters;
    group.weightBytes = source.weightBytes;
    group.node = source.kind == GroupKind::Control ? source.node : kNone;
    group.hierarchyGroup = g;
    layout.groups.push_back(std::move(group));
    open.emplace_back();
    groupVertex_.push_back(kNone);
    return index;
}

void VisibleGraph::addGroups() {
    addGroup(0, 0, true);
    for (std::uint32_t g = 0; g < layout.groups.size() && !cancel_.requested(); ++g) {
        if (layout.groups[g].open) addContents(g);
    }
}

void VisibleGraph::showBelow(std::uint32_t hierarchyGroup, std::uint32_t end) {
    std::vector<std::uint32_t> stack{hierarchyGroup};
    while (!stack.empty()) {
        const HierarchyGroup& group = hierarchy_.groups()[stack.back()];
        stack.pop_back();
        if (group.node != kNone) layout.endOfNode[group.node] = end;
        for (const HierarchyItem& item : group.items) {
            if (item.isGroup) {
                stack.push_back(item.id);
            } else {
                layout.endOfNode[item.id] = end;
            }
        }
    }
}

void VisibleGraph::addVertex(std::uint32_t layoutGroup, std::uint32_t end, float width, float height, LayeredVertex::Pin pin) {
    OpenGroup& in = open[layoutGroup];
    const auto vertex = static_cast<std::uint32_t>(in.drawing.vertices.size());
    LayeredVertex v;
    v.width = width;
    v.height = height;
    v.pin = pin;
    in.drawing.vertices.push_back(v);
    in.vertexEnd.push_back(end);
    if ((end & kGroupEnd) != 0) {
        groupVertex_[end & ~kGroupEnd] = vertex;
    } else {
        boxVertex_.resize(std::max<std::size_t>(boxVertex_.size(), end + 1), kNone);
        boxVertex_[end] = vertex;
    }
}

void VisibleGraph::addContents(std::uint32_t layoutGroup) {
    const std::uint32_t h = layout.groups[layoutGroup].hierarchyGroup;
    const HierarchyGroup& source = hierarchy_.groups()[h];
    if (source.kind == GroupKind::Control) layout.endOfNode[source.node] = kGroupEnd | layoutGroup;
    const bool isScope = source.kind == GroupKind::Root || source.kind == GroupKind::Subgraph;
    if (isScope) {
        shownGraphs_.push_back(source.graph);
        addPills(layoutGroup, source.graph);
    }
    if (options_.flat && h == 0) {
        const Graph& graph = program_.graph(source.graph);
        std::vector<NodeId> nodes(graph.nodes.size());
        for (std::uint32_t i = 0; i < nodes.size(); ++i) nodes[i] = graph.nodes.begin + i;
        addNodes(layoutGroup, nodes);
        return;
    }
    const auto stacks = options_.foldRepeats ? foldRuns(source.items) : std::vector<std::vector<std::uint32_t>>{};
    std::unordered_map<std::uint32_t, std::size_t> stackOf;
    for (std::size_t s = 0; s < stacks.size(); ++s) {
        for (const std::uint32_t member : stacks[s]) stackOf.emplace(member, s);
    }
    std::vector<std::uint32_t> stackGroup(stacks.size(), kNone);
    std::vector<NodeId> nodes;
    for (const HierarchyItem& item : source.items) {
        if (!item.isGroup) {
            nodes.push_back(item.id);
            continue;
        }
        const HierarchyGroup& child = hierarchy_.groups()[item.id];
        if (const auto it = stackOf.find(item.id); it != stackOf.end()) {
            std::uint32_t& stack = stackGroup[it->second];
            if (stack == kNone) {
                const auto& members = stacks[it->second];
                stack = addGroup(item.id, layoutGroup, false);
                LayoutGroup& group = layout.groups[stack];
                group.repeat = static_cast<std::uint32_t>(members.size());
                group.title = child.title + " … " + hierarchy_.groups()[members.back()].title;
                for (const std::uint32_t m : members) group.members.push_back(hierarchy_.groups()[m].path);
                const float first =
                    34 + textWidth(group.title, TextFace::SemiBold, 13) + 10 + textWidth("× 99 identical", TextFace::SemiBold, 11) + 24;
                const float second = 34 + textWidth(group.type + " · 9,999 nodes, 9.99 M params each", TextFace::Regular, 11);
                addVertex(layoutGroup, kGroupEnd | stack, std::max(M::kBoxMinWidth, roundedUp(std::max(first, second) + 12, 8)), M::kSeriesHeight);
            }
            showBelow(item.id, kGroupEnd | stack);
            continue;
        }
        if (child.kind == GroupKind::Control && !opensByDefault(item.id)) {
            nodes.push_back(child.node);  // closed, it is an operator like others
            continue;
        }
        const bool isOpen = opensByDefault(item.id);
        const std::uint32_t group = addGroup(item.id, layoutGroup, isOpen);
        float width = 0;
        if (!isOpen) {
            const float title = 34 + textWidth(child.title, TextFace::SemiBold, 13) + 12;
            width = std::max(M::kBoxMinWidth, roundedUp(title + textWidth("9,999 nodes · 9.99 M params", TextFace::Regular, 11) + 12, 8));
            showBelow(item.id, kGroupEnd | group);
        }
        addVertex(layoutGroup, kGroupEnd | group, width, isOpen ? 0 : M::kClosedHeight);
    }
    addNodes(layoutGroup, nodes);
}

void VisibleGraph::addNodes(std::uint32_t layoutGroup, const std::vector<NodeId>& nodes) {
    // Control operators come in among the others in order of the file, so that chains see them.
    for (std::vector<NodeId>& chain : joinChains(hierarchy_, nodes, options_.joinChains)) {
        const auto index = static_cast<std::uint32_t>(layout.boxes.size());
        LayoutBox box;
        box.group = layoutGroup;
        for (const NodeId n : chain) {
            LayoutRow row;
            row.node = n;
            program_.forEachInputValue(program_.node(n), [&](ValueId v) {
                if (hierarchy_.isWeight(v) && std::find(row.weights.begin(), row.weights.end(), v) == row.weights.end()) row.weights.push_back(v);
            });
            layout.rowOfNode[n] = static_cast<std::uint32_t>(box.rows.size());
            layout.endOfNode[n] = index;
            box.rows.push_back(std::move(row));
            const std::uint32_t g = options_.flat ? kNone : hierarchy_.groupOf(n);
            if (g != kNone && hierarchy_.groups()[g].kind == GroupKind::Control && hierarchy_.groups()[g].node == n) {
                box.opens = hierarchy_.groups()[g].path;
                showBelow(g, index);
            }
        }
        sizeBox(box);
        const float width = box.width, height = box.height;
        layout.boxes.push_back(std::move(box));
        addVertex(layoutGroup, index, width, height);
    }
}

void VisibleGraph::sizeBox(LayoutBox& box) {
    float width = 0, y = 0;
    for (LayoutRow& row : box.rows) {
        const NodeLabel label = nodeLabel(program_, row.node);
        float line = 34 + textWidth(label.name, TextFace::SemiBold, 13);
        const std::string_view local = hierarchy_.localName(row.node);
        if (!local.empty()) line += 6 + textWidth(local, TextFace::Regular, 11);
        if (!label.detail.empty()) line += 14 + textWidth(label.detail, TextFace::Code, 11);
        if (!box.opens.empty()) line += 16;
        width = std::max(width, line + 10);
        row.y = y;
        row.height = M::kRowHeight;
        if (!row.weights.empty()) {
            row.height += M::kChipLine;
            float chips = 14;
            for (std::size_t i = 0; i < row.weights.size() && i < 3; ++i)
                chips += 16 + textWidth(weightLabel(program_, row.weights[i]), TextFace::Code, 11);
            width = std::max(width, chips + 4);
        }
        y += row.height;
    }
    box.width = std::clamp(roundedUp(width, 20), M::kBoxMinWidth, M::kBoxMaxWidth);
    box.height = y;
}

void VisibleGraph::addPills(std::uint32_t layoutGroup, GraphId graphId) {
    const Graph& graph = program_.graph(graphId);
    const auto add = [&](LayoutBox::Kind kind, ValueId value, std::uint32_t position) {
        const auto index = static_cast<std::uint32_t>(layout.boxes.size());
        LayoutBox box;
        box.kind = kind;
        box.group = layoutGroup;
        box.value = value;
        box.index = position;
        const Value& v = program_.value(value);
        box.width =
            std::clamp(roundedUp(32 + textWidth(v.name, TextFace::Regular, 12) + 8 + textWidth(typeLabel(program_, v), TextFace::Code, 11), 8), 64.0F,
                       M::kBoxMaxWidth);
        box.height = M::kPillHeight;
        const float width = box.width;
        layout.boxes.push_back(std::move(box));
        if (kind == LayoutBox::Kind::Input) {
            inputBox_.emplace(value, index);
        } else {
            outputBox_.emplace(value, index);
        }
        addVertex(layoutGroup, index, width, M::kPillHeight, kind == LayoutBox::Kind::Input ? LayeredVertex::Pin::Top : LayeredVertex::Pin::Bottom);
    };
    const auto visit = [&](const IdRange& range, LayoutBox::Kind kind) {
        for (std::uint32_t i = range.begin; i < range.end; ++i) {
            std::vector<ArgumentId> stack{i};
            while (!stack.empty()) {
                const Argument& a = program_.argument(stack.back());
                stack.pop_back();
                const bool wanted =
                    a.value != kNone && !(kind == LayoutBox::Kind::Input && (hierarchy_.isWeight(a.value) || inputBox_.count(a.value) != 0));
                if (wanted) add(kind, a.value, i - range.begin);
                for (std::uint32_t c = a.children.end; c > a.children.begin; --c) stack.push_back(c - 1);
            }
        }
    };
    visit(graph.inputs, LayoutBox::Kind::Input);
    visit(graph.outputs, LayoutBox::Kind::Output);
}

std::uint32_t VisibleGraph::parentOf(std::uint32_t end) const {
    return (end & kGroupEnd) != 0 ? layout.groups[end & ~kGroupEnd].parent : layout.boxes[end].group;
}
std::uint32_t VisibleGraph::vertexOf(std::uint32_t end) const { return (end & kGroupEnd) != 0 ? groupVertex_[end & ~kGroupEnd] : boxVertex_[end]; }

void VisibleGraph::addEdges(GraphId graphId) {
    const Graph& graph = program_.graph(graphId);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> targets;  // end, row
    for (ValueId v = graph.values.begin; v < graph.values.end; ++v) {
        const Value& value = program_.value(v);
        if (hierarchy_.isWeight(v)) continue;
        std::uint32_t from = kNone;
        if (value.producer != kNone) {
            from = layout.endOfNode[value.producer];
        } else if (const auto it = inputBox_.find(v); it != inputBox_.end()) {
            from = it->second;
        }
        if (from == kNone) continue;
        targets.clear();
        for (const NodeId user : program_.users(value)) {
            const std::uint32_t end = layout.endOfNode[user];
            if (end == kNone) continue;
            const std::uint32_t row = (end & kGroupEnd) != 0 ? 0 : layout.rowOfNode[user];
            if (end == from && ((end & kGroupEnd) != 0 || value.producer == kNone || row == layout.rowOfNode[value.producer] + 1 ||
                                row == layout.rowOfNode[value.producer]))
                continue;
            targets.emplace_back(end, row);
        }
        const auto range = outputBox_.equal_range(v);
        for (auto it = range.first; it != range.second; ++it) targets.emplace_back(it->second, 0);
        std::sort(targets.begin(), targets.end());
        targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
        const bool tunnel = isSymbolic(value) || targets.size() > kHubReaders;
        for (const auto& [end, row] : targets) connect(v, from, end, row, tunnel);
    }
}

std::uint32_t VisibleGraph::borderVertex(std::uint32_t group, ValueId value, bool entry) {
    OpenGroup& in = open[group];
    auto& known = entry ? in.entries : in.exits;
    const auto [it, fresh] = known.try_emplace(value, static_cast<std::uint32_t>(in.drawing.vertices.size()));
    if (fresh) {
        LayeredVertex v;
        v.kind = entry ? LayeredVertex::Kind::Entry : LayeredVertex::Kind::Exit;
        in.drawing.vertices.push_back(v);
        in.vertexEnd.push_back(kNone);
    }
    return it->second;
}

std::uint32_t VisibleGraph::addStep(std::uint32_t group, ValueId value, std::uint32_t fromVertex, std::uint32_t toVertex,
                                    const OpenGroup::Attachment& attachment, std::uint32_t row, float sideY) {
    OpenGroup& in = open[group];
    const std::uint32_t net = in.nets.try_emplace(value, static_cast<std::uint32_t>(in.nets.size())).first->second;
    const std::uint64_t key = (static_cast<std::uint64_t>(net) << 40) ^ (static_cast<std::uint64_t>(toVertex) << 8) ^ (row & 0xFF);
    const auto [it, fresh] = in.knownEdges.try_emplace(key, static_cast<std::uint32_t>(in.drawing.edges.size()));
    if (fresh) {
        LayeredEdge edge;
        edge.from = fromVertex;
        edge.to = toVertex;
        edge.net = net;
        edge.sideY = sideY;
        in.drawing.edges.push_back(edge);
        in.attachments.push_back(attachment);
    }
    return it->second;
}

void VisibleGraph::connect(ValueId value, std::uint32_t from, std::uint32_t to, std::uint32_t row, bool tunnel) {
    LayoutEdge edge;
    edge.from = from;
    edge.to = to;
    edge.value = value;
    edge.toRow = row;
    edge.tunnel = tunnel;
    layout.edges.push_back(std::move(edge));
    steps.emplace_back();
    if (tunnel) return;

    std::uint32_t a = parentOf(from), b = parentOf(to);
    std::uint32_t vertexA = vertexOf(from), vertexB = vertexOf(to);
    OpenGroup::Attachment above;  // of the step at the level reached
    float sideY = -1;
    if ((to & kGroupEnd) == 0 && row > 0) sideY = layout.boxes[to].rows[row].y + M::kRowHeight / 2;
    std::vector<Step>& path = steps.back();
    std::vector<Step> down;  // collected from the target upwards
    while (a != b) {
        if (layout.groups[a].depth >= layout.groups[b].depth) {
            const std::uint32_t exit = borderVertex(a, value, false);
            path.push_back({a, addStep(a, value, vertexA, exit, {above.fromGroup, above.fromVertex, kNone, kNone}, 0, -1)});
            above.fromGroup = a;
            above.fromVertex = exit;
            vertexA = groupVertex_[a];
            a = layout.groups[a].parent;
        } else {
            const std::uint32_t entry = borderVertex(b, value, true);
            down.push_back({b, addStep(b, value, entry, vertexB, {kNone, kNone, above.toGroup, above.toVertex}, row, sideY)});
            sideY = -1;
            row = 0;
            above.toGroup = b;
            above.toVertex = entry;
            vertexB = groupVertex_[b];
            b = layout.groups[b].parent;
        }
    }
    path.push_back({a, addStep(a, value, vertexA, vertexB, above, row, sideY)});
    path.insert(path.end(), down.rbegin(), down.rend());
}

}  // namespace pt2
