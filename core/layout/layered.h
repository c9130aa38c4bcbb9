#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/progress.h"

namespace pt2 {

// The layered drawing of one group: vertices in ranks from top to bottom, orthogonal lines between them. After Sugiyama, Tagawa, Toda 1981 in four
// steps, each a file: ranks.cpp, ordering.cpp, coordinates.cpp, routing.cpp. The group is alone: lines from outside start at Entry vertices on its
// upper edge, lines to the outside end at Exit vertices on the lower one. Everything is deterministic; ties are broken by vertex number, which is the
// order of the file.

struct LayeredVertex {
    enum class Kind : std::uint8_t { Item, Entry, Exit, Dummy };
    enum class Pin : std::uint8_t { None, Top, Bottom };
    Kind kind = Kind::Item;
    Pin pin = Pin::None;  ///< inputs and outputs of the program stay in the first and last rank
    float width = 0, height = 0;
    float leftMargin = 0;  ///< room for lines that enter from the left
    // results
    std::uint32_t rank = 0, order = 0;
    float x = 0, y = 0;
};

struct LayeredEdge {
    std::uint32_t from = 0, to = 0;
    std::uint32_t net = 0;  ///< edges of one net carry the same value from the same vertex and share their line as far as they can
    float fromPort = -1;    ///< x within `from`; negative: free, chosen on its lower side
    float toPort = -1;      ///< x within `to`; negative: free, chosen on its upper side
    float sideY = -1;       ///< not negative: enters `to` from the left at this y within it
    // results
    bool reversed = false;  ///< closes a circle: drawn upwards in a lane
    bool lane = false;      ///< runs beside the ranks it passes, at the left, instead of between their vertices
    bool dropped = false;   ///< too many long lines: drawn as a tunnel
    std::vector<std::pair<float, float>> points;
};

struct LayeredGraph {
    std::vector<LayeredVertex> vertices;
    std::vector<LayeredEdge> edges;
    float titleHeight = 0;  ///< room at the top that lines cross straight
    float padding = 16;
    float minWidth = 0;  ///< of the whole, for the title
    // results
    std::uint32_t rankCount = 0;
    float width = 0, height = 0;
};

/// One line between neighbouring ranks: an edge, or a part of one between dummies. Made by splitLongEdges, used by the steps after it.
struct LayeredSegment {
    std::uint32_t upper = 0, lower = 0;  ///< vertices
    std::uint32_t net = 0;
    std::uint32_t edge = 0xFFFFFFFF;  ///< edge that ends with this segment; none for a segment that ends in a dummy
    float upperPort = -1, lowerPort = -1;
    bool upperMovable = false, lowerMovable = false;  ///< the only line at this side of a box: its port may slide to make the line straight
};

void assignRanks(LayeredGraph& graph, const CancelToken& cancel);
/// Adds dummy vertices and returns all segments; decides which edges take a lane.
std::vector<LayeredSegment> splitLongEdges(LayeredGraph& graph);
/// Vertices of each rank from left to right.
std::vector<std::vector<std::uint32_t>> orderRanks(LayeredGraph& graph, const std::vector<LayeredSegment>& segments, const CancelToken& cancel);
/// Ports of edges that may choose theirs: spread over the side in the order of the other ends.
void assignPorts(LayeredGraph& graph, std::vector<LayeredSegment>& segments, const std::vector<std::vector<std::uint32_t>>& ranks);
/// x of all vertices (Brandes and Köpf 2002, with ports as in ELK).
void assignX(LayeredGraph& graph, const std::vector<LayeredSegment>& segments, const std::vector<std::vector<std::uint32_t>>& ranks,
             const CancelToken& cancel);
/// y of all vertices, the points of all edges, and the size of the whole.
void routeEdges(LayeredGraph& graph, std::vector<LayeredSegment>& segments, const std::vector<std::vector<std::uint32_t>>& ranks);

/// All steps. On cancel it returns early with what there is.
void layoutLayered(LayeredGraph& graph, const CancelToken& cancel);

}  // namespace pt2
