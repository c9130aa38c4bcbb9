#include "core/report/tensor_json.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace pt2 {

Json statisticsJson(const TensorStatistics& s) {
    const auto finite = [&](double value) { return s.hasFinite ? numberJson(value) : Json(); };
    return {{"min", finite(s.minimum)},
            {"max", finite(s.maximum)},
            {"mean", finite(s.mean)},
            {"std", finite(s.standardDeviation)},
            {"count", s.count},
            {"nan", s.nan},
            {"inf", s.positiveInfinity + s.negativeInfinity},
            {"positive_inf", s.positiveInfinity},
            {"negative_inf", s.negativeInfinity},
            {"zeros", s.zeros}};
}

Json elementJson(const TensorView& view, std::uint64_t i) {
    const DType dtype = view.layout.dtype;
    if (dtype == DType::Bool) return elementAsDouble(view, i) != 0;
    if (isFloating(dtype)) return numberJson(elementAsDouble(view, i));
    if (isInteger(dtype)) {
        // Text keeps all digits of 64-bit integers.
        const Json parsed = Json::parse(elementText(view, i), nullptr, false);
        if (!parsed.is_discarded()) return parsed;
    }
    return elementText(view, i);
}

Json valuesJson(const TensorView& view) {
    const std::uint64_t count = view.layout.elementCount().value_or(0);
    std::vector<Json> level;
    level.reserve(static_cast<std::size_t>(count));
    for (std::uint64_t i = 0; i < count; ++i) level.push_back(elementJson(view, i));
    // Built from the innermost dimension outwards.
    for (auto size = view.layout.sizes.rbegin(); size != view.layout.sizes.rend(); ++size) {
        const auto width = static_cast<std::size_t>(*size);
        if (width == 0) return Json::array();
        std::vector<Json> next;
        for (std::size_t i = 0; i + width <= level.size(); i += width) {
            Json list = Json::array();
            for (std::size_t k = 0; k < width; ++k) list.push_back(std::move(level[i + k]));
            next.push_back(std::move(list));
        }
        level = std::move(next);
    }
    return level.empty() ? Json::array() : level.front();
}

}  // namespace pt2
