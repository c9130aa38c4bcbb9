#include "core/report/summary_json.h"

#include <utility>

namespace pt2 {
namespace {

Json sumsJson(const ModuleSums& sums, bool sized) {
    Json families = Json::object(), operators = Json::object();
    for (std::size_t i = 0; i < sums.families.size(); ++i) {
        if (sums.families[i] > 0) families[operatorFamilyTag(static_cast<OperatorFamily>(i))] = sums.families[i];
    }
    for (const auto& [name, count] : sums.operators) operators[name] = count;
    Json out = {{"parameters", sums.parameters}, {"buffers", sums.buffers},         {"bytes", sums.bytes},
                {"nodes", sums.nodes},           {"families", std::move(families)}, {"operators", std::move(operators)}};
    if (sized) {
        out["made_bytes"] = sums.made;
        out["unsized"] = sums.unsized;
    }
    return out;
}

}  // namespace

Json summaryJson(const ProgramSummary& summary, const std::string& model, std::size_t depth,
                 const std::map<std::string, std::int64_t, std::less<>>* sizes) {
    const bool sized = sizes != nullptr;
    Json modules = Json::array();
    for (const std::size_t index : summary.treeOrder(depth)) {
        const ModuleSummary& module = summary.modules[index];
        Json out = {{"path", module.path}, {"type", module.type}, {"depth", module.depth}};
        out.update(sumsJson(module.sums, sized));
        out["own"] = sumsJson(module.own, sized);
        out["shared"] = module.shared;
        modules.push_back(std::move(out));
    }
    Json shared = Json::array();
    for (const ProgramSummary::Shared& one : summary.shared) {
        shared.push_back({{"name", one.name}, {"with", one.with}, {"as", one.tied ? "tied" : "view"}, {"elements", one.elements}});
    }
    Json out = {{"format", 1},
                {"model", model},
                {"modules", std::move(modules)},
                {"total", sumsJson(summary.modules.front().sums, sized)},
                {"shared", std::move(shared)}};
    if (sized) {
        out["sizes"] = Json::object();
        for (const auto& [symbol, value] : *sizes) out["sizes"][symbol] = value;
    }
    return out;
}

}  // namespace pt2
