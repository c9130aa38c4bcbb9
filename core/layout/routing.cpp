// Lines: the space between two ranks (a gap) holds horizontal pieces in tracks, vertical pieces stand at ports, dummies and lanes. A piece is what
// one net does in one gap. Tracks are given greedily; where the line that comes down to one piece would cover the line that goes down from another at
// the same x, the first gets the higher track. Lanes stand left of the ranks they pass, short ones inside. With the tracks counted, heights of gaps
// and y follow.

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "core/layout/layered.h"

namespace pt2 {
namespace {

constexpr float kTrack = 8, kLayerGap = 28, kAboveTracks = 12, kBelowTracks = 14, kGutter = 10, kLaneFirst = 14;
constexpr std::uint32_t kNobody = 0xFFFFFFFF;

struct Lane {
    std::uint32_t net = 0, from = 0;
    std::int64_t first = 0, last = -1;  ///< ranks it passes
    float x = 0;
    std::vector<std::uint32_t> edges;
    bool dropped = false;
};

struct PieceEnd {
    std::uint32_t gap = 0, key = 0, net = 0;  ///< key: upper vertex, or the vertices' count plus the lane's number
    float x = 0;
    bool top = false;
};

struct Piece {
    std::uint32_t gap = 0, key = 0, net = 0;
    std::size_t firstEnd = 0, lastEnd = 0;
    float left = 0, right = 0;
    std::uint32_t track = kNobody;  ///< kNobody: a straight line
};

class Router {
public:
    Router(LayeredGraph& graph, std::vector<LayeredSegment>& segments, const std::vector<std::vector<std::uint32_t>>& ranks)
        : graph_(graph), segments_(segments), ranks_(ranks) {}

    void run() {
        straighten();
        findGutters();
        placeLanes();
        collectPieces();
        assignTracks();
        placeRanks();
        for (std::uint32_t e = 0; e < graph_.edges.size(); ++e) {
            if (graph_.edges[e].lane) continue;
            drawEdge(e);
        }
        for (std::uint32_t l = 0; l < lanes_.size(); ++l) drawLane(l);
        shiftToOrigin();
    }

private:
    LayeredVertex& vertex(std::uint32_t v) { return graph_.vertices[v]; }
    float upperX(const LayeredSegment& s) { return vertex(s.upper).x + s.upperPort; }
    float lowerX(const LayeredSegment& s) {
        if (s.edge != kNobody && graph_.edges[s.edge].sideY >= 0) return vertex(s.lower).x - gutter_[s.edge];
        return vertex(s.lower).x + s.lowerPort;
    }

    void straighten() {
        constexpr float kFromCorner = 14;
        for (LayeredSegment& s : segments_) {
            if (s.edge != kNobody && graph_.edges[s.edge].sideY >= 0) continue;
            const float up = vertex(s.upper).x + s.upperPort, low = vertex(s.lower).x + s.lowerPort;
            if (up == low) continue;
            const LayeredVertex &a = vertex(s.upper), &b = vertex(s.lower);
            const bool lowerFits = s.lowerMovable && up >= b.x + kFromCorner && up <= b.x + b.width - kFromCorner;
            const bool upperFits = s.upperMovable && low >= a.x + kFromCorner && low <= a.x + a.width - kFromCorner;
            if (lowerFits) {
                s.lowerPort = up - b.x;
            } else if (upperFits) {
                s.upperPort = low - a.x;
            }
        }
    }

    void findGutters() {
        gutter_.assign(graph_.edges.size(), 0);
        std::map<std::uint32_t, std::vector<std::uint32_t>> byTarget;
        for (std::uint32_t e = 0; e < graph_.edges.size(); ++e) {
            if (graph_.edges[e].sideY >= 0) byTarget[graph_.edges[e].to].push_back(e);
        }
        for (auto& [target, edges] : byTarget) {
            std::stable_sort(edges.begin(), edges.end(),
                             [&](std::uint32_t a, std::uint32_t b) { return graph_.edges[a].sideY < graph_.edges[b].sideY; });
            for (std::size_t i = 0; i < edges.size(); ++i) gutter_[edges[i]] = kGutter + kTrack * static_cast<float>(i);
            // Several lines into one row end a little below each other.
            for (std::size_t i = 0; i < edges.size();) {
                std::size_t end = i;
                const float y = graph_.edges[edges[i]].sideY;
                while (end < edges.size() && graph_.edges[edges[end]].sideY == y) ++end;
                const float step = std::min(5.0F, 20.0F / static_cast<float>(end - i));
                for (std::size_t k = i; k < end; ++k) {
                    graph_.edges[edges[k]].sideY = y + step * (static_cast<float>(k - i) - static_cast<float>(end - i - 1) / 2);
                }
                i = end;
            }
        }
        leftmost_.assign(graph_.rankCount, std::numeric_limits<float>::max());
        for (const LayeredVertex& v : graph_.vertices) leftmost_[v.rank] = std::min(leftmost_[v.rank], v.x - v.leftMargin);
        for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
            for (const std::uint32_t v : ranks_[r]) {
                if (vertex(v).kind == LayeredVertex::Kind::Dummy) continue;
                firstItem_.resize(ranks_.size(), kNobody);
                firstItem_[r] = v;
                break;
            }
        }
        firstItem_.resize(ranks_.size(), kNobody);
    }

    /// From the left straight into its row: nothing but lines stands between.
    bool direct(const LayeredEdge& e) { return e.sideY >= 0 && !backwards(e) && firstItem_[vertex(e.to).rank] == e.to; }
    bool backwards(const LayeredEdge& e) { return vertex(e.to).rank <= vertex(e.from).rank; }

    void placeLanes() {
        std::map<std::uint32_t, std::uint32_t> byNet;
        for (std::uint32_t e = 0; e < graph_.edges.size(); ++e) {
            LayeredEdge& edge = graph_.edges[e];
            if (!edge.lane) continue;
            const std::int64_t from = vertex(edge.from).rank, to = vertex(edge.to).rank;
            if ((backwards(edge) && to == 0) || from + 1 >= static_cast<std::int64_t>(graph_.rankCount)) {
                edge.dropped = true;
                continue;
            }
            const auto [it, fresh] = byNet.try_emplace(edge.net, static_cast<std::uint32_t>(lanes_.size()));
            if (fresh) {
                lanes_.push_back({edge.net, edge.from, from + 1, from, 0, {}, false});
            }
            Lane& lane = lanes_[it->second];
            lane.edges.push_back(e);
            if (backwards(edge)) {
                lane.first = std::min(lane.first, to);
                lane.last = std::max(lane.last, from);
            } else {
                lane.last = std::max(lane.last, direct(edge) ? to : to - 1);
            }
        }
        std::vector<std::uint32_t> byLength(lanes_.size());
        for (std::uint32_t i = 0; i < byLength.size(); ++i) byLength[i] = i;
        std::stable_sort(byLength.begin(), byLength.end(),
                         [&](std::uint32_t a, std::uint32_t b) { return lanes_[a].last - lanes_[a].first < lanes_[b].last - lanes_[b].first; });
        std::int64_t budget = 64 * static_cast<std::int64_t>(graph_.vertices.size()) + 100000;
        std::vector<bool> hasLane(graph_.rankCount, false);
        for (const std::uint32_t l : byLength) {
            Lane& lane = lanes_[l];
            budget -= lane.last - lane.first + 1;
            if (budget < 0) {
                lane.dropped = true;
                for (const std::uint32_t e : lane.edges) graph_.edges[e].dropped = true;
                continue;
            }
            float x = std::numeric_limits<float>::max();
            bool beside = false;
            for (std::int64_t r = lane.first; r <= lane.last; ++r) {
                x = std::min(x, leftmost_[static_cast<std::size_t>(r)]);
                beside = beside || hasLane[static_cast<std::size_t>(r)];
            }
            if (x == std::numeric_limits<float>::max()) x = vertex(lane.from).x;
            lane.x = x - (beside ? kTrack : kLaneFirst);
            for (std::int64_t r = lane.first; r <= lane.last; ++r) {
                leftmost_[static_cast<std::size_t>(r)] = lane.x;
                hasLane[static_cast<std::size_t>(r)] = true;
            }
        }
    }

    std::uint32_t laneKey(std::uint32_t lane) const { return static_cast<std::uint32_t>(graph_.vertices.size()) + lane; }

    void collectPieces() {
        for (const LayeredSegment& s : segments_) {
            const std::uint32_t gap = vertex(s.upper).rank;
            ends_.push_back({gap, s.upper, s.net, upperX(s), true});
            ends_.push_back({gap, s.upper, s.net, lowerX(s), false});
        }
        for (std::uint32_t l = 0; l < lanes_.size(); ++l) {
            const Lane& lane = lanes_[l];
            if (lane.dropped) continue;
            const std::uint32_t gap = vertex(lane.from).rank;
            const LayeredEdge& first = graph_.edges[lane.edges.front()];
            ends_.push_back({gap, lane.from, lane.net, vertex(lane.from).x + std::max(0.0F, first.fromPort), true});
            bool up = false, down = false;
            for (const std::uint32_t e : lane.edges) (backwards(graph_.edges[e]) ? up : down) = true;
            if (up) ends_.push_back({gap, lane.from, lane.net, lane.x, true});
            if (down) ends_.push_back({gap, lane.from, lane.net, lane.x, false});
            for (const std::uint32_t e : lane.edges) {
                const LayeredEdge& edge = graph_.edges[e];
                if (direct(edge)) continue;
                const std::uint32_t into = vertex(edge.to).rank - 1;
                ends_.push_back({into, laneKey(l), lane.net, lane.x, !backwards(edge)});
                ends_.push_back({into, laneKey(l), lane.net, laneTargetX(e), false});
            }
        }
        std::sort(ends_.begin(), ends_.end(), [](const PieceEnd& a, const PieceEnd& b) {
            if (a.gap != b.gap) return a.gap < b.gap;
            if (a.key != b.key) return a.key < b.key;
            if (a.net != b.net) return a.net < b.net;
            if (a.x != b.x) return a.x < b.x;
            return a.top && !b.top;
        });
        for (std::size_t i = 0; i < ends_.size();) {
            Piece piece{ends_[i].gap, ends_[i].key, ends_[i].net, i, i, ends_[i].x, ends_[i].x, kNobody};
            while (piece.lastEnd < ends_.size() && ends_[piece.lastEnd].gap == piece.gap && ends_[piece.lastEnd].key == piece.key &&
                   ends_[piece.lastEnd].net == piece.net) {
                piece.right = ends_[piece.lastEnd++].x;
            }
            i = piece.lastEnd;
            pieces_.push_back(piece);
        }
    }

    float laneTargetX(std::uint32_t e) {
        const LayeredEdge& edge = graph_.edges[e];
        return edge.sideY >= 0 ? vertex(edge.to).x - gutter_[e] : vertex(edge.to).x + std::max(0.0F, edge.toPort);
    }

    void assignTracks() {
        tracks_.assign(graph_.rankCount, 0);
        for (std::size_t i = 0; i < pieces_.size();) {
            std::size_t end = i;
            std::vector<std::uint32_t> bent;
            for (; end < pieces_.size() && pieces_[end].gap == pieces_[i].gap; ++end) {
                if (pieces_[end].right - pieces_[end].left > 0.5F) bent.push_back(static_cast<std::uint32_t>(end));
            }
            if (!bent.empty()) tracks_[pieces_[i].gap] = bent.size() > 200 ? packTracks(bent) : orderTracks(bent);
            i = end;
        }
    }

    /// Left-edge packing for crowded gaps.
    std::uint32_t packTracks(std::vector<std::uint32_t>& bent) {
        std::stable_sort(bent.begin(), bent.end(), [&](std::uint32_t a, std::uint32_t b) { return pieces_[a].left < pieces_[b].left; });
        std::multimap<float, std::uint32_t> freeFrom;  // right end → track
        std::uint32_t count = 0;
        for (const std::uint32_t p : bent) {
            Piece& piece = pieces_[p];
            if (!freeFrom.empty() && freeFrom.begin()->first + kTrack < piece.left) {
                piece.track = freeFrom.begin()->second;
                freeFrom.erase(freeFrom.begin());
            } else {
                piece.track = count++;
            }
            freeFrom.emplace(piece.right, piece.track);
        }
        return count;
    }

    /// Tracks that respect which piece must be above which, as far as there is no circle.
    std::uint32_t orderTracks(std::vector<std::uint32_t>& bent) {
        std::stable_sort(bent.begin(), bent.end(),
                         [&](std::uint32_t a, std::uint32_t b) { return pieces_[a].right - pieces_[a].left < pieces_[b].right - pieces_[b].left; });
        std::vector<std::vector<std::uint32_t>> below(bent.size());
        std::vector<std::uint32_t> waiting(bent.size(), 0);
        for (std::uint32_t a = 0; a < bent.size(); ++a) {
            for (std::uint32_t b = 0; b < bent.size(); ++b) {
                if (a != b && mustBeAbove(pieces_[bent[a]], pieces_[bent[b]])) {
                    below[a].push_back(b);
                    ++waiting[b];
                }
            }
        }
        std::vector<std::vector<std::pair<float, float>>> taken;
        std::vector<std::uint32_t> lowest(bent.size(), 0);
        std::vector<bool> done(bent.size(), false);
        for (std::size_t placed = 0; placed < bent.size(); ++placed) {
            std::uint32_t pick = kNobody;
            for (std::uint32_t i = 0; i < bent.size() && pick == kNobody; ++i) {
                if (!done[i] && waiting[i] == 0) pick = i;
            }
            for (std::uint32_t i = 0; i < bent.size() && pick == kNobody; ++i) {
                if (!done[i]) pick = i;  // a circle: one line will cover a bit of another
            }
            Piece& piece = pieces_[bent[pick]];
            std::uint32_t track = lowest[pick];
            for (;; ++track) {
                if (track == taken.size()) taken.emplace_back();
                const bool free = std::none_of(taken[track].begin(), taken[track].end(), [&](const std::pair<float, float>& other) {
                    return piece.left <= other.second + kTrack && other.first <= piece.right + kTrack;
                });
                if (free) break;
            }
            taken[track].emplace_back(piece.left, piece.right);
            piece.track = track;
            done[pick] = true;
            for (const std::uint32_t b : below[pick]) {
                if (waiting[b] > 0) --waiting[b];
                lowest[b] = std::max(lowest[b], track + 1);
            }
        }
        return static_cast<std::uint32_t>(taken.size());
    }

    bool mustBeAbove(const Piece& a, const Piece& b) const {
        if (a.right < b.left - 4 || b.right < a.left - 4) return false;
        for (std::size_t i = a.firstEnd; i < a.lastEnd; ++i) {
            if (!ends_[i].top) continue;
            for (std::size_t k = b.firstEnd; k < b.lastEnd; ++k) {
                if (!ends_[k].top && std::abs(ends_[i].x - ends_[k].x) < 4) return true;
            }
        }
        return false;
    }

    void placeRanks() {
        const std::uint32_t count = graph_.rankCount;
        top_.assign(count, 0);
        bottom_.assign(count, 0);
        std::vector<float> height(count, 0);
        std::vector<bool> entry(count, false), exit(count, false);
        for (const LayeredVertex& v : graph_.vertices) {
            height[v.rank] = std::max(height[v.rank], v.height);
            if (v.kind == LayeredVertex::Kind::Entry) entry[v.rank] = true;
            if (v.kind == LayeredVertex::Kind::Exit) exit[v.rank] = true;
        }
        float y = 0;
        trackTop_.assign(count, 0);
        for (std::uint32_t r = 0; r < count; ++r) {
            if (r == 0 && !entry[0]) y = graph_.titleHeight + (graph_.titleHeight > 0 ? 10.0F : graph_.padding);
            top_[r] = y;
            bottom_[r] = y + height[r];
            y = bottom_[r];
            if (r + 1 == count) break;
            const float between = tracks_[r] == 0 ? 0 : kTrack * static_cast<float>(tracks_[r] - 1);
            if (r == 0 && entry[0]) {
                y = graph_.titleHeight;
                trackTop_[r] = y + 7;
                y += tracks_[r] == 0 ? 10 : 7 + between + kBelowTracks;
            } else if (exit[r + 1]) {
                trackTop_[r] = y + 9;
                y += tracks_[r] == 0 ? graph_.padding : std::max(graph_.padding, 9 + between + 9);
            } else {
                trackTop_[r] = y + kAboveTracks;
                y += tracks_[r] == 0 ? kLayerGap : std::max(kLayerGap, kAboveTracks + between + kBelowTracks);
            }
        }
        if (count == 0) y = graph_.titleHeight;
        const bool exits = count > 0 && exit[count - 1];
        graph_.height = std::ceil(exits ? y : y + graph_.padding);
        for (LayeredVertex& v : graph_.vertices) v.y = v.kind == LayeredVertex::Kind::Exit ? graph_.height : top_[v.rank];
    }

    const Piece& pieceOf(std::uint32_t gap, std::uint32_t key, std::uint32_t net) const {
        const auto it = std::lower_bound(pieces_.begin(), pieces_.end(), std::make_tuple(gap, key, net),
                                         [](const Piece& p, const auto& wanted) { return std::make_tuple(p.gap, p.key, p.net) < wanted; });
        return *it;
    }
    float trackY(const Piece& piece) const { return trackTop_[piece.gap] + kTrack * static_cast<float>(piece.track); }

    static void addPoint(std::vector<std::pair<float, float>>& points, float x, float y) {
        if (!points.empty() && points.back() == std::make_pair(x, y)) return;
        if (points.size() >= 2) {
            const auto &a = points[points.size() - 2], &b = points.back();
            if ((a.first == b.first && b.first == x) || (a.second == b.second && b.second == y)) points.pop_back();
        }
        points.emplace_back(x, y);
    }

    /// One piece from `from` to `to`, both x; the y of the ends are given by what is before and after.
    void addPiece(std::vector<std::pair<float, float>>& points, const Piece& piece, float from, float& to) const {
        if (piece.track == kNobody) {
            to = from;  // at most half a pixel apart
            return;
        }
        addPoint(points, from, trackY(piece));
        addPoint(points, to, trackY(piece));
    }

    void finish(LayeredEdge& edge, float x) {
        const LayeredVertex& target = vertex(edge.to);
        if (edge.sideY >= 0) {
            addPoint(edge.points, x, target.y + edge.sideY);
            addPoint(edge.points, target.x, target.y + edge.sideY);
        } else {
            addPoint(edge.points, x, target.y);
        }
    }

    void drawEdge(std::uint32_t e) {
        if (segmentOf_.empty()) {
            segmentOf_.assign(graph_.edges.size(), kNobody);
            into_.assign(graph_.vertices.size(), kNobody);
            for (std::uint32_t s = 0; s < segments_.size(); ++s) {
                if (segments_[s].edge != kNobody) segmentOf_[segments_[s].edge] = s;
                if (vertex(segments_[s].lower).kind == LayeredVertex::Kind::Dummy) into_[segments_[s].lower] = s;
            }
        }
        if (segmentOf_[e] == kNobody) return;
        std::vector<std::uint32_t> chain{segmentOf_[e]};
        while (vertex(segments_[chain.back()].upper).kind == LayeredVertex::Kind::Dummy) chain.push_back(into_[segments_[chain.back()].upper]);
        std::reverse(chain.begin(), chain.end());
        LayeredEdge& edge = graph_.edges[e];
        float x = upperX(segments_[chain.front()]);
        addPoint(edge.points, x, vertex(edge.from).y + vertex(edge.from).height);
        for (const std::uint32_t s : chain) {
            float to = lowerX(segments_[s]);
            addPiece(edge.points, pieceOf(vertex(segments_[s].upper).rank, segments_[s].upper, segments_[s].net), x, to);
            x = to;
        }
        finish(edge, x);
    }

    void drawLane(std::uint32_t l) {
        Lane& lane = lanes_[l];
        if (lane.dropped) return;
        for (const std::uint32_t e : lane.edges) {
            LayeredEdge& edge = graph_.edges[e];
            const LayeredVertex& from = vertex(edge.from);
            const float start = from.x + std::max(0.0F, edge.fromPort);
            addPoint(edge.points, start, from.y + from.height);
            float x = lane.x;
            addPiece(edge.points, pieceOf(from.rank, edge.from, edge.net), start, x);
            if (!direct(edge)) {
                float to = laneTargetX(e);
                addPiece(edge.points, pieceOf(vertex(edge.to).rank - 1, laneKey(l), edge.net), x, to);
                x = to;
            }
            finish(edge, x);
        }
    }

    void shiftToOrigin() {
        float left = std::numeric_limits<float>::max(), right = std::numeric_limits<float>::lowest();
        for (const LayeredVertex& v : graph_.vertices) {
            const float slack = v.width <= 0 ? 0 : graph_.padding;
            left = std::min(left, v.x - slack);
            right = std::max(right, v.x + v.width + slack);
        }
        for (const Lane& lane : lanes_) {
            if (!lane.dropped) left = std::min(left, lane.x - 10);
        }
        for (const LayeredEdge& e : graph_.edges) {
            for (const auto& p : e.points) {
                left = std::min(left, p.first - 8);
                right = std::max(right, p.first + 8);
            }
        }
        if (left > right) left = right = 0;
        float width = right - left;
        float shift = -left;
        if (width < graph_.minWidth) {
            shift += (graph_.minWidth - width) / 2;
            width = graph_.minWidth;
        }
        graph_.width = std::ceil(width);
        for (LayeredVertex& v : graph_.vertices) v.x += shift;
        for (LayeredEdge& e : graph_.edges) {
            for (auto& p : e.points) p.first += shift;
        }
    }

    LayeredGraph& graph_;
    std::vector<LayeredSegment>& segments_;
    const std::vector<std::vector<std::uint32_t>>& ranks_;
    std::vector<float> gutter_;             // by edge with a side entry: distance of its last vertical from the box
    std::vector<float> leftmost_;           // by rank, lanes included
    std::vector<std::uint32_t> firstItem_;  // by rank
    std::vector<Lane> lanes_;
    std::vector<PieceEnd> ends_;
    std::vector<Piece> pieces_;
    std::vector<std::uint32_t> tracks_;           // by gap
    std::vector<float> top_, bottom_, trackTop_;  // by rank, by gap
    std::vector<std::uint32_t> segmentOf_, into_;
};

}  // namespace

void routeEdges(LayeredGraph& graph, std::vector<LayeredSegment>& segments, const std::vector<std::vector<std::uint32_t>>& ranks) {
    Router(graph, segments, ranks).run();
}

void layoutLayered(LayeredGraph& graph, const CancelToken& cancel) {
    assignRanks(graph, cancel);
    std::vector<LayeredSegment> segments = splitLongEdges(graph);
    if (cancel.requested()) return;
    std::vector<std::uint32_t> side(graph.vertices.size(), 0);
    for (const LayeredEdge& e : graph.edges) {
        if (e.sideY >= 0) ++side[e.to];
    }
    for (std::size_t v = 0; v < side.size(); ++v) {
        if (side[v] > 0) graph.vertices[v].leftMargin = kTrack * static_cast<float>(side[v]) + 4;
    }
    const auto ranks = orderRanks(graph, segments, cancel);
    if (cancel.requested()) return;
    assignPorts(graph, segments, ranks);
    assignX(graph, segments, ranks, cancel);
    if (cancel.requested()) return;
    routeEdges(graph, segments, ranks);
}

}  // namespace pt2
