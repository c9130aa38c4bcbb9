#include "core/layout/strong_components.h"

#include <algorithm>

namespace pt2 {

std::vector<std::uint32_t> strongComponents(std::uint32_t vertices, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges) {
    constexpr std::uint32_t kUnset = 0xFFFFFFFF;
    std::vector<std::uint32_t> firstEdge(vertices + 1, 0);
    for (const auto& edge : edges) ++firstEdge[edge.first + 1];
    for (std::uint32_t v = 0; v < vertices; ++v) firstEdge[v + 1] += firstEdge[v];

    std::vector<std::uint32_t> component(vertices, kUnset), index(vertices, kUnset), low(vertices, 0), cursor(vertices, 0);
    std::vector<bool> onStack(vertices, false);
    std::vector<std::uint32_t> stack, path;
    std::uint32_t nextIndex = 0, nextComponent = 0;
    for (std::uint32_t start = 0; start < vertices; ++start) {
        if (index[start] != kUnset) continue;
        path.push_back(start);
        while (!path.empty()) {
            const std::uint32_t v = path.back();
            if (index[v] == kUnset) {
                index[v] = low[v] = nextIndex++;
                cursor[v] = firstEdge[v];
                stack.push_back(v);
                onStack[v] = true;
            }
            bool descended = false;
            while (cursor[v] < firstEdge[v + 1]) {
                const std::uint32_t w = edges[cursor[v]++].second;
                if (index[w] == kUnset) {
                    path.push_back(w);
                    descended = true;
                    break;
                }
                if (onStack[w]) low[v] = std::min(low[v], index[w]);
            }
            if (descended) continue;
            path.pop_back();
            if (!path.empty()) low[path.back()] = std::min(low[path.back()], low[v]);
            if (low[v] != index[v]) continue;
            const bool alone = stack.back() == v;
            std::uint32_t w = kUnset;
            do {
                w = stack.back();
                stack.pop_back();
                onStack[w] = false;
                if (!alone) component[w] = nextComponent;
            } while (w != v);
            if (!alone) ++nextComponent;
        }
    }
    return component;
}

}  // namespace pt2
