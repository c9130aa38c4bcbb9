// Order within ranks: the start is the order of the file, then sweeps down and up place each vertex at the mean of its neighbours (ports included),
// the best of all orders by crossings is kept, and neighbours are exchanged while that helps. Crossings are counted with an accumulator tree (Barth,
// Jünger, Mutzel 2002).

#include <algorithm>
#include <numeric>

#include "core/layout/layered.h"

namespace pt2 {
namespace {

struct Neighbours {
    std::vector<std::uint32_t> first;    // by vertex, into segment
    std::vector<std::uint32_t> segment;  // segment numbers
};

Neighbours collect(const LayeredGraph& graph, const std::vector<LayeredSegment>& segments, bool ofLower) {
    Neighbours n;
    n.first.assign(graph.vertices.size() + 1, 0);
    for (const LayeredSegment& s : segments) ++n.first[(ofLower ? s.lower : s.upper) + 1];
    std::partial_sum(n.first.begin(), n.first.end(), n.first.begin());
    n.segment.resize(segments.size());
    std::vector<std::uint32_t> at(n.first.begin(), n.first.end() - 1);
    for (std::uint32_t i = 0; i < segments.size(); ++i) n.segment[at[ofLower ? segments[i].lower : segments[i].upper]++] = i;
    return n;
}

/// Where on its vertex a segment ends, 0 … 1; the middle when that is free.
double fraction(const LayeredVertex& v, float port) {
    return port < 0 || v.width <= 0 ? 0.5 : std::clamp(static_cast<double>(port / v.width), 0.0, 1.0);
}

class Orderer {
public:
    Orderer(LayeredGraph& graph, const std::vector<LayeredSegment>& segments) : graph_(graph), segments_(segments) {
        above_ = collect(graph, segments, true);
        below_ = collect(graph, segments, false);
        ranks_.resize(graph.rankCount);
        for (std::uint32_t v = 0; v < graph.vertices.size(); ++v) ranks_[graph.vertices[v].rank].push_back(v);
        // Dummies were numbered last: they start beside what they come from.
        for (std::uint32_t r = 0; r < graph.rankCount; ++r) number(r);
        for (std::uint32_t r = 1; r < graph.rankCount; ++r) sweepRank(r, above_, true);
    }

    std::vector<std::vector<std::uint32_t>> run(const CancelToken& cancel) {
        const std::size_t size = graph_.vertices.size();
        const int sweeps = size < 400 ? 24 : size < 3000 ? 12 : size < 20000 ? 6 : 4;
        auto best = ranks_;
        std::uint64_t bestCrossings = crossings();
        int withoutGain = 0;
        for (int i = 0; i < sweeps && bestCrossings > 0 && withoutGain < 5 && !cancel.requested(); ++i) {
            if (i % 2 == 0) {
                for (std::uint32_t r = graph_.rankCount; r-- > 1;) sweepRank(r - 1, below_, false);
            } else {
                for (std::uint32_t r = 1; r < graph_.rankCount; ++r) sweepRank(r, above_, true);
            }
            const std::uint64_t now = crossings();
            ++withoutGain;
            if (now < bestCrossings) {
                bestCrossings = now;
                best = ranks_;
                withoutGain = 0;
            }
        }
        ranks_ = best;
        for (std::uint32_t r = 0; r < graph_.rankCount; ++r) number(r);
        if (bestCrossings > 0 && size < 1500) exchange(cancel);
        return ranks_;
    }

private:
    void number(std::uint32_t rank) {
        for (std::uint32_t i = 0; i < ranks_[rank].size(); ++i) graph_.vertices[ranks_[rank][i]].order = i;
    }
    double placeOf(std::uint32_t vertex, float port) const {
        const LayeredVertex& v = graph_.vertices[vertex];
        return v.order + fraction(v, port);
    }

    /// Sorts a rank by the mean place of its neighbours; vertices without any keep theirs.
    void sweepRank(std::uint32_t rank, const Neighbours& neighbours, bool upper) {
        auto& line = ranks_[rank];
        if (line.size() < 2) return;
        keys_.clear();
        std::vector<std::size_t> slots;
        for (std::size_t i = 0; i < line.size(); ++i) {
            const std::uint32_t v = line[i];
            const std::uint32_t begin = neighbours.first[v], end = neighbours.first[v + 1];
            if (begin == end) continue;
            double sum = 0;
            for (std::uint32_t k = begin; k < end; ++k) {
                const LayeredSegment& s = segments_[neighbours.segment[k]];
                // The own port matters too: a wide group should not be pulled by its middle.
                const LayeredVertex& own = graph_.vertices[v];
                sum += upper ? placeOf(s.upper, s.upperPort) - 0.01 * fraction(own, s.lowerPort)
                             : placeOf(s.lower, s.lowerPort) - 0.01 * fraction(own, s.upperPort);
            }
            keys_.push_back({sum / (end - begin), v});
            slots.push_back(i);
        }
        std::stable_sort(keys_.begin(), keys_.end(), [](const Key& a, const Key& b) { return a.place < b.place; });
        for (std::size_t i = 0; i < slots.size(); ++i) line[slots[i]] = keys_[i].vertex;
        number(rank);
    }

    std::uint64_t crossings() {
        std::uint64_t sum = 0;
        for (std::uint32_t r = 0; r + 1 < graph_.rankCount; ++r) sum += crossingsBelow(r);
        return sum;
    }

    std::uint64_t crossingsBelow(std::uint32_t rank) {
        ends_.clear();
        const auto lowerCount = static_cast<std::uint32_t>(ranks_[rank + 1].size());
        for (const std::uint32_t v : ranks_[rank]) {
            for (std::uint32_t k = below_.first[v]; k < below_.first[v + 1]; ++k) {
                const LayeredSegment& s = segments_[below_.segment[k]];
                ends_.push_back({placeOf(v, s.upperPort), placeOf(s.lower, s.lowerPort)});
            }
        }
        std::sort(ends_.begin(), ends_.end());
        // Leaves of the tree: four places a vertex, which is as fine as ports need to be told apart here.
        std::uint32_t leaves = 1;
        while (leaves < lowerCount * 4) leaves *= 2;
        tree_.assign(static_cast<std::size_t>(leaves) * 2, 0);
        std::uint64_t sum = 0;
        for (const auto& end : ends_) {
            std::uint32_t at = leaves + std::min(leaves - 1, static_cast<std::uint32_t>(end.second * 4));
            ++tree_[at];
            while (at > 1) {
                if (at % 2 == 0) sum += tree_[at + 1];
                at /= 2;
                ++tree_[at];
            }
        }
        return sum;
    }

    std::uint64_t pairCrossings(std::uint32_t left, std::uint32_t right, const Neighbours& neighbours, bool upper) const {
        std::uint64_t sum = 0;
        for (std::uint32_t a = neighbours.first[left]; a < neighbours.first[left + 1]; ++a) {
            const LayeredSegment& s = segments_[neighbours.segment[a]];
            const double mine = upper ? placeOf(s.upper, s.upperPort) : placeOf(s.lower, s.lowerPort);
            for (std::uint32_t b = neighbours.first[right]; b < neighbours.first[right + 1]; ++b) {
                const LayeredSegment& t = segments_[neighbours.segment[b]];
                if ((upper ? placeOf(t.upper, t.upperPort) : placeOf(t.lower, t.lowerPort)) < mine) ++sum;
            }
        }
        return sum;
    }

    void exchange(const CancelToken& cancel) {
        for (int pass = 0; pass < 6 && !cancel.requested(); ++pass) {
            bool better = false;
            for (std::uint32_t r = 0; r < graph_.rankCount; ++r) {
                auto& line = ranks_[r];
                for (std::size_t i = 0; i + 1 < line.size(); ++i) {
                    const std::uint32_t a = line[i], b = line[i + 1];
                    const std::uint64_t now = pairCrossings(a, b, above_, true) + pairCrossings(a, b, below_, false);
                    if (now == 0) continue;
                    const std::uint64_t then = pairCrossings(b, a, above_, true) + pairCrossings(b, a, below_, false);
                    if (then >= now) continue;
                    std::swap(line[i], line[i + 1]);
                    number(r);
                    better = true;
                }
            }
            if (!better) break;
        }
    }

    struct Key {
        double place = 0;
        std::uint32_t vertex = 0;
    };
    LayeredGraph& graph_;
    const std::vector<LayeredSegment>& segments_;
    Neighbours above_, below_;
    std::vector<std::vector<std::uint32_t>> ranks_;
    std::vector<Key> keys_;
    std::vector<std::pair<double, double>> ends_;
    std::vector<std::uint32_t> tree_;
};

}  // namespace

std::vector<std::vector<std::uint32_t>> orderRanks(LayeredGraph& graph, const std::vector<LayeredSegment>& segments, const CancelToken& cancel) {
    return Orderer(graph, segments).run(cancel);
}

void assignPorts(LayeredGraph& graph, std::vector<LayeredSegment>& segments, const std::vector<std::vector<std::uint32_t>>& ranks) {
    constexpr float kWidestPitch = 64;
    struct End {
        double place = 0;
        std::uint32_t net = 0;
        float* port = nullptr;
        bool* movable = nullptr;
    };
    std::vector<std::vector<End>> upperEnds(graph.vertices.size()), lowerEnds(graph.vertices.size());
    const auto place = [&](std::uint32_t v, float port) { return graph.vertices[v].order + fraction(graph.vertices[v], port); };
    for (LayeredSegment& s : segments) {
        if (s.upperPort < 0) lowerEnds[s.upper].push_back({place(s.lower, s.lowerPort), s.net, &s.upperPort, &s.upperMovable});
        if (s.lowerPort < 0) upperEnds[s.lower].push_back({place(s.upper, s.upperPort), s.net, &s.lowerPort, &s.lowerMovable});
    }
    // Lanes come from the left and go there.
    for (LayeredEdge& e : graph.edges) {
        if (!e.lane) continue;
        if (e.fromPort < 0) lowerEnds[e.from].push_back({-1, e.net, &e.fromPort, nullptr});
        if (e.toPort < 0 && e.sideY < 0) upperEnds[e.to].push_back({-1, e.net, &e.toPort, nullptr});
    }
    struct Net {
        double place = 0;
        std::size_t begin = 0, end = 0;
    };
    std::vector<Net> nets;
    const auto spread = [&](std::uint32_t v, std::vector<End>& ends) {
        // One port a net, at the mean place of where its lines go.
        std::stable_sort(ends.begin(), ends.end(), [](const End& a, const End& b) { return a.net < b.net; });
        nets.clear();
        for (std::size_t i = 0; i < ends.size();) {
            Net net{0, i, i};
            for (; net.end < ends.size() && ends[net.end].net == ends[i].net; ++net.end) net.place += ends[net.end].place;
            net.place /= static_cast<double>(net.end - net.begin);
            nets.push_back(net);
            i = net.end;
        }
        std::stable_sort(nets.begin(), nets.end(), [](const Net& a, const Net& b) { return a.place < b.place; });
        const float width = graph.vertices[v].width;
        if (ends.size() == 1 && ends[0].movable != nullptr) *ends[0].movable = graph.vertices[v].kind == LayeredVertex::Kind::Item;
        const float pitch = std::min(kWidestPitch, width / static_cast<float>(nets.size() + 1));
        float at = width / 2 - pitch * static_cast<float>(nets.size() - 1) / 2;
        for (const Net& net : nets) {
            for (std::size_t i = net.begin; i < net.end; ++i) *ends[i].port = at;
            at += pitch;
        }
    };
    for (const auto& line : ranks) {
        for (const std::uint32_t v : line) {
            if (!lowerEnds[v].empty()) spread(v, lowerEnds[v]);
            if (!upperEnds[v].empty()) spread(v, upperEnds[v]);
        }
    }
}

}  // namespace pt2
