#include "core/report/json_text.h"

#include <cmath>

namespace pt2 {

Json numberJson(double value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
    return value;
}

std::string jsonText(const Json& json, int indent) { return json.dump(indent, ' ', false, Json::error_handler_t::replace); }

void appendKey(Json& object, std::string key, Json value) {
    if (!object.is_object()) object = Json::object();
    using Container = Json::object_t::Container;
    static_cast<Container&>(object.get_ref<Json::object_t&>()).emplace_back(std::move(key), std::move(value));
}

}  // namespace pt2
