// x coordinates after Brandes and Köpf 2002 with the correction of 2020: every vertex is aligned with the median of its neighbours above or below,
// going left or right, four alignments in all, each compacted, and the mean of the middle two is taken. Long lines (dummies) win over short ones
// where they cross, so they stay straight. Ports are respected as in ELK: within a block of aligned vertices each has a shift such that the ends of
// the line have the same x. Compaction is a longest path over blocks, then a pull back towards the other side. Linear in vertices and segments, four
// times.

#include <algorithm>
#include <limits>
#include <numeric>
#include <unordered_set>

#include "core/layout/layered.h"

namespace pt2 {
namespace {

constexpr float kGap = 24, kDummyGap = 12;

struct Link {
    std::uint32_t neighbour = 0;
    float ownPort = 0, otherPort = 0;
};
using Links = std::vector<std::vector<Link>>;
using Ranks = std::vector<std::vector<std::uint32_t>>;

std::uint64_t pairKey(std::uint32_t a, std::uint32_t b) { return (static_cast<std::uint64_t>(a) << 32) | b; }

class Aligner {
public:
    Aligner(LayeredGraph& graph, const std::vector<LayeredSegment>& segments, const Ranks& ranks)
        : graph_(graph), ranks_(ranks), above_(graph.vertices.size()), below_(graph.vertices.size()) {
        for (const LayeredSegment& s : segments) {
            above_[s.lower].push_back({s.upper, s.lowerPort, s.upperPort});
            below_[s.upper].push_back({s.lower, s.upperPort, s.lowerPort});
        }
        const auto byOrder = [&](const Link& a, const Link& b) {
            return order(a.neighbour) != order(b.neighbour) ? order(a.neighbour) < order(b.neighbour) : a.otherPort < b.otherPort;
        };
        for (auto& links : above_) std::stable_sort(links.begin(), links.end(), byOrder);
        for (auto& links : below_) std::stable_sort(links.begin(), links.end(), byOrder);
        markConflicts();
    }

    void run(const CancelToken& cancel) {
        const std::size_t count = graph_.vertices.size();
        std::vector<std::vector<float>> xs;
        for (int direction = 0; direction < 4; ++direction) {
            if (cancel.requested()) return;
            xs.push_back(align(direction % 2 == 0, direction / 2 == 1));
        }
        // All four are moved to the narrowest, then averaged.
        std::vector<float> left(4, std::numeric_limits<float>::max()), right(4, std::numeric_limits<float>::lowest());
        for (std::size_t d = 0; d < 4; ++d) {
            for (std::size_t v = 0; v < count; ++v) {
                left[d] = std::min(left[d], xs[d][v]);
                right[d] = std::max(right[d], xs[d][v] + graph_.vertices[v].width);
            }
        }
        std::size_t narrow = 0;
        for (std::size_t d = 1; d < 4; ++d) {
            if (right[d] - left[d] < right[narrow] - left[narrow]) narrow = d;
        }
        for (std::size_t d = 0; d < 4; ++d) {
            const float shift = d < 2 ? left[narrow] - left[d] : right[narrow] - right[d];
            for (float& x : xs[d]) x += shift;
        }
        for (std::size_t v = 0; v < count; ++v) {
            float four[4] = {xs[0][v], xs[1][v], xs[2][v], xs[3][v]};
            std::sort(four, four + 4);
            graph_.vertices[v].x = (four[1] + four[2]) / 2;
        }
    }

private:
    std::uint32_t order(std::uint32_t v) const { return graph_.vertices[v].order; }
    bool isDummy(std::uint32_t v) const { return graph_.vertices[v].kind == LayeredVertex::Kind::Dummy; }

    /// Short lines that cross a line between two dummies are not aligned.
    void markConflicts() {
        for (std::size_t r = 0; r + 1 < ranks_.size(); ++r) {
            const auto& lower = ranks_[r + 1];
            std::uint32_t from = 0;
            std::size_t scanned = 0;
            for (std::size_t i = 0; i < lower.size(); ++i) {
                std::uint32_t inner = 0xFFFFFFFF;
                if (isDummy(lower[i])) {
                    for (const Link& link : above_[lower[i]]) {
                        if (isDummy(link.neighbour)) inner = order(link.neighbour);
                    }
                }
                const bool last = i + 1 == lower.size();
                if (inner == 0xFFFFFFFF && !last) continue;
                const std::uint32_t to = inner == 0xFFFFFFFF ? static_cast<std::uint32_t>(ranks_[r].size()) : inner;
                for (; scanned <= i; ++scanned) {
                    for (const Link& link : above_[lower[scanned]]) {
                        const std::uint32_t at = order(link.neighbour);
                        const bool innerLine = isDummy(lower[scanned]) && isDummy(link.neighbour);
                        if (!innerLine && (at < from || at > to)) conflicts_.insert(pairKey(link.neighbour, lower[scanned]));
                    }
                }
                from = to;
            }
        }
    }

    /// One of the four: aligned with ranks above (or below), from the left (or, mirrored, from the right). Returns left edges.
    std::vector<float> align(bool fromAbove, bool mirrored) const {
        const auto count = static_cast<std::uint32_t>(graph_.vertices.size());
        std::vector<std::uint32_t> root(count), next(count);
        std::iota(root.begin(), root.end(), 0);
        std::iota(next.begin(), next.end(), 0);
        std::vector<float> shift(count, 0);  // of the left edge (mirrored: of the mirrored left edge) against the root's
        const Links& links = fromAbove ? above_ : below_;
        const auto port = [&](std::uint32_t v, float at) { return mirrored ? graph_.vertices[v].width - at : at; };
        const std::size_t rankCount = ranks_.size();
        for (std::size_t step = 1; step < rankCount; ++step) {
            const auto& line = ranks_[fromAbove ? step : rankCount - 1 - step];
            std::int64_t reached = -1;
            const std::size_t otherSize = ranks_[fromAbove ? step - 1 : rankCount - step].size();
            for (std::size_t i = 0; i < line.size(); ++i) {
                const std::uint32_t v = line[mirrored ? line.size() - 1 - i : i];
                const auto& mine = links[v];
                if (mine.empty()) continue;
                const std::size_t low = (mine.size() - 1) / 2, high = mine.size() / 2;
                for (int turn = 0; turn < 2 && next[v] == v; ++turn) {
                    if (turn == 1 && low == high) break;
                    const Link& link = mine[(turn == 0) != mirrored ? low : high];
                    const std::uint32_t u = link.neighbour;
                    const bool conflict = conflicts_.count(fromAbove ? pairKey(u, v) : pairKey(v, u)) != 0;
                    const auto place = static_cast<std::int64_t>(mirrored ? otherSize - 1 - order(u) : order(u));
                    if (conflict || place <= reached) continue;
                    next[u] = v;
                    root[v] = root[u];
                    next[v] = root[v];
                    shift[v] = shift[u] + port(u, link.otherPort) - port(v, link.ownPort);
                    reached = place;
                }
            }
        }
        return compact(root, shift, mirrored);
    }

    std::vector<float> compact(const std::vector<std::uint32_t>& root, const std::vector<float>& shift, bool mirrored) const {
        const auto count = static_cast<std::uint32_t>(graph_.vertices.size());
        struct Constraint {
            std::uint32_t from, to;
            float distance;
        };
        std::vector<Constraint> constraints;
        for (const auto& line : ranks_) {
            for (std::size_t i = 0; i + 1 < line.size(); ++i) {
                const std::uint32_t a = mirrored ? line[line.size() - 1 - i] : line[i];
                const std::uint32_t b = mirrored ? line[line.size() - 2 - i] : line[i + 1];
                const LayeredVertex &u = graph_.vertices[a], &v = graph_.vertices[b];
                const bool thin = u.width <= 0 || v.width <= 0;
                const float gap = (thin ? kDummyGap : kGap) + (mirrored ? u.leftMargin : v.leftMargin);
                constraints.push_back({root[a], root[b], shift[a] + u.width + gap - shift[b]});
            }
        }
        std::vector<std::uint32_t> first(count + 1, 0), waiting(count, 0);
        for (const Constraint& c : constraints) {
            ++first[c.from + 1];
            ++waiting[c.to];
        }
        std::partial_sum(first.begin(), first.end(), first.begin());
        std::vector<std::uint32_t> sorted(constraints.size()), at(first.begin(), first.end() - 1);
        for (std::uint32_t i = 0; i < constraints.size(); ++i) sorted[at[constraints[i].from]++] = i;

        std::vector<std::uint32_t> queue;
        std::vector<float> x(count, 0);
        for (std::uint32_t v = 0; v < count; ++v) {
            if (root[v] == v && waiting[v] == 0) queue.push_back(v);
        }
        for (std::size_t i = 0; i < queue.size(); ++i) {
            const std::uint32_t block = queue[i];
            for (std::uint32_t k = first[block]; k < first[block + 1]; ++k) {
                const Constraint& c = constraints[sorted[k]];
                x[c.to] = std::max(x[c.to], x[block] + c.distance);
                if (--waiting[c.to] == 0) queue.push_back(c.to);
            }
        }
        for (std::size_t i = queue.size(); i-- > 0;) {  // pulled to what holds them
            const std::uint32_t block = queue[i];
            float limit = std::numeric_limits<float>::max();
            for (std::uint32_t k = first[block]; k < first[block + 1]; ++k) {
                const Constraint& c = constraints[sorted[k]];
                limit = std::min(limit, x[c.to] - c.distance);
            }
            if (limit < std::numeric_limits<float>::max()) x[block] = std::max(x[block], limit);
        }
        std::vector<float> result(count);
        for (std::uint32_t v = 0; v < count; ++v) {
            const float edge = x[root[v]] + shift[v];
            result[v] = mirrored ? -(edge + graph_.vertices[v].width) : edge;
        }
        return result;
    }

    LayeredGraph& graph_;
    const Ranks& ranks_;
    Links above_, below_;
    std::unordered_set<std::uint64_t> conflicts_;
};

}  // namespace

void assignX(LayeredGraph& graph, const std::vector<LayeredSegment>& segments, const Ranks& ranks, const CancelToken& cancel) {
    if (graph.vertices.empty()) return;
    Aligner(graph, segments, ranks).run(cancel);
}

}  // namespace pt2
