// Ranks: circles are opened at edges that lead back in depth-first order, then the longest path from the top gives a first rank, and a few passes
// move vertices within their slack to where they make lines shorter (what network simplex does exactly, at a fraction of its time). Edges into later
// rows of a box, and very long ones, then take lanes, so that they neither bend the trunk nor cost a dummy per rank.

#include <algorithm>

#include "core/layout/layered.h"

namespace pt2 {
namespace {

constexpr std::uint32_t kLongestDummyChain = 8;

using Lists = std::vector<std::vector<std::uint32_t>>;  // by vertex: edge numbers

void openCircles(LayeredGraph& graph, const Lists& out) {
    enum : std::uint8_t { New, Open, Done };
    std::vector<std::uint8_t> state(graph.vertices.size(), New);
    std::vector<std::uint32_t> cursor(graph.vertices.size(), 0), path;
    for (std::uint32_t start = 0; start < graph.vertices.size(); ++start) {
        if (state[start] != New) continue;
        path.push_back(start);
        state[start] = Open;
        while (!path.empty()) {
            const std::uint32_t v = path.back();
            if (cursor[v] == out[v].size()) {
                state[v] = Done;
                path.pop_back();
                continue;
            }
            LayeredEdge& edge = graph.edges[out[v][cursor[v]++]];
            if (state[edge.to] == Open) edge.reversed = true;
            if (state[edge.to] == New) {
                state[edge.to] = Open;
                path.push_back(edge.to);
            }
        }
    }
}

}  // namespace

void assignRanks(LayeredGraph& graph, const CancelToken& cancel) {
    const auto count = static_cast<std::uint32_t>(graph.vertices.size());
    Lists out(count), in(count);
    for (std::uint32_t e = 0; e < graph.edges.size(); ++e) out[graph.edges[e].from].push_back(e);
    openCircles(graph, out);
    for (auto& list : out) list.clear();
    for (std::uint32_t e = 0; e < graph.edges.size(); ++e) {
        const LayeredEdge& edge = graph.edges[e];
        if (edge.from == edge.to) continue;
        out[edge.reversed ? edge.to : edge.from].push_back(e);
        in[edge.reversed ? edge.from : edge.to].push_back(e);
    }
    const auto head = [&](std::uint32_t e) { return graph.edges[e].reversed ? graph.edges[e].from : graph.edges[e].to; };
    const auto tail = [&](std::uint32_t e) { return graph.edges[e].reversed ? graph.edges[e].to : graph.edges[e].from; };

    bool entries = false;
    for (const LayeredVertex& v : graph.vertices) entries = entries || v.kind == LayeredVertex::Kind::Entry;
    const std::uint32_t firstItemRank = entries ? 1 : 0;
    std::vector<std::uint32_t> waiting(count), topological;
    topological.reserve(count);
    for (std::uint32_t v = 0; v < count; ++v) {
        waiting[v] = static_cast<std::uint32_t>(in[v].size());
        graph.vertices[v].rank = graph.vertices[v].kind == LayeredVertex::Kind::Entry ? 0 : firstItemRank;
        if (waiting[v] == 0) topological.push_back(v);
    }
    for (std::size_t i = 0; i < topological.size(); ++i) {
        const std::uint32_t v = topological[i];
        for (const std::uint32_t e : out[v]) {
            LayeredVertex& next = graph.vertices[head(e)];
            next.rank = std::max(next.rank, graph.vertices[v].rank + 1);
            if (--waiting[head(e)] == 0) topological.push_back(head(e));
        }
    }

    const auto movable = [&](std::uint32_t v) {
        return graph.vertices[v].kind == LayeredVertex::Kind::Item && graph.vertices[v].pin == LayeredVertex::Pin::None;
    };
    // Down towards the readers where more lines leave than come, or where nothing comes; entries are above in any case and do not pull.
    for (int pass = 0; pass < 6 && !cancel.requested(); ++pass) {
        bool moved = false;
        for (std::size_t i = topological.size(); i-- > 0;) {
            const std::uint32_t v = topological[i];
            if (!movable(v) || out[v].empty()) continue;
            std::uint32_t latest = 0xFFFFFFFF, earliest = firstItemRank;
            for (const std::uint32_t e : out[v]) latest = std::min(latest, graph.vertices[head(e)].rank - 1);
            std::size_t pull = 0;
            for (const std::uint32_t e : in[v]) {
                earliest = std::max(earliest, graph.vertices[tail(e)].rank + 1);
                ++pull;
            }
            std::uint32_t target = graph.vertices[v].rank;
            if (out[v].size() > pull) target = latest;
            if (out[v].size() < pull) target = earliest;
            if (target != graph.vertices[v].rank && target >= earliest && target <= latest) {
                graph.vertices[v].rank = target;
                moved = true;
            }
        }
        if (!moved) break;
    }

    // Exits and pinned vertices last; ranks that became empty are closed up.
    std::uint32_t last = firstItemRank;
    for (std::uint32_t v = 0; v < count; ++v) {
        if (graph.vertices[v].kind != LayeredVertex::Kind::Exit && graph.vertices[v].pin != LayeredVertex::Pin::Bottom)
            last = std::max(last, graph.vertices[v].rank);
    }
    const bool pinnedBelow =
        std::any_of(graph.vertices.begin(), graph.vertices.end(), [](const LayeredVertex& v) { return v.pin == LayeredVertex::Pin::Bottom; });
    for (LayeredVertex& v : graph.vertices) {
        if (v.pin == LayeredVertex::Pin::Bottom) v.rank = last + 1;
        if (v.kind == LayeredVertex::Kind::Exit) v.rank = last + (pinnedBelow ? 2 : 1);
        if (v.pin == LayeredVertex::Pin::Top) v.rank = firstItemRank;
    }
    std::vector<std::uint32_t> used(static_cast<std::size_t>(last) + 3, 0);
    for (const LayeredVertex& v : graph.vertices) used[v.rank] = 1;
    std::uint32_t next = 0;
    for (std::uint32_t& rank : used) rank = rank != 0 ? next++ : next;
    for (LayeredVertex& v : graph.vertices) v.rank = used[v.rank];
    graph.rankCount = next;
}

std::vector<LayeredSegment> splitLongEdges(LayeredGraph& graph) {
    std::vector<LayeredSegment> segments;
    segments.reserve(graph.edges.size());
    std::vector<std::uint32_t> byNet(graph.edges.size());
    for (std::uint32_t e = 0; e < byNet.size(); ++e) byNet[e] = e;
    const auto span = [&](const LayeredEdge& e) {
        return static_cast<std::int64_t>(graph.vertices[e.to].rank) - static_cast<std::int64_t>(graph.vertices[e.from].rank);
    };
    std::stable_sort(byNet.begin(), byNet.end(), [&](std::uint32_t a, std::uint32_t b) {
        const LayeredEdge &x = graph.edges[a], &y = graph.edges[b];
        return x.net != y.net ? x.net < y.net : span(x) < span(y);
    });
    std::uint32_t net = 0xFFFFFFFF;
    std::vector<std::uint32_t> dummies;  // of the present net, from the rank below its source on
    for (const std::uint32_t e : byNet) {
        LayeredEdge& edge = graph.edges[e];
        if (edge.net != net) dummies.clear();
        net = edge.net;
        const std::int64_t length = span(edge);
        edge.lane = length < 1 || length > kLongestDummyChain || (edge.sideY >= 0 && length > 1);
        if (edge.lane) continue;
        std::uint32_t upper = edge.from;
        float port = edge.fromPort;
        for (std::uint32_t k = 0; k + 1 < length; ++k) {
            if (k == dummies.size()) {
                LayeredVertex dummy;
                dummy.kind = LayeredVertex::Kind::Dummy;
                dummy.rank = graph.vertices[edge.from].rank + k + 1;
                dummies.push_back(static_cast<std::uint32_t>(graph.vertices.size()));
                segments.push_back({upper, dummies.back(), net, 0xFFFFFFFF, port, 0});
                graph.vertices.push_back(dummy);
            }
            upper = dummies[k];
            port = 0;
        }
        segments.push_back({upper, edge.to, net, e, port, edge.sideY >= 0 ? 0 : edge.toPort});
    }
    return segments;
}

}  // namespace pt2
