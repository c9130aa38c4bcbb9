#include "core/engine/registered_schemas.h"

#include <ATen/core/dispatch/Dispatcher.h>

#include <cstddef>
#include <exception>
#include <set>
#include <sstream>

namespace pt2 {

std::map<std::string, std::string> registeredSchemas(const std::vector<std::string>& targets) {
    std::map<std::string, std::string> schemas;
    for (const std::string& target : targets) {
        const std::size_t dot = target.find('.');
        std::string overload = dot == std::string::npos ? std::string() : target.substr(dot + 1);
        if (overload == "default") overload.clear();
        try {
            const auto found = c10::Dispatcher::singleton().findSchema({target.substr(0, dot), overload});
            if (!found) continue;
            std::ostringstream text;
            text << found->schema();
            schemas.emplace(target, text.str());
        } catch (const std::exception&) {
            // A name that is none is not registered.
        }
    }
    return schemas;
}

std::string allRegisteredSchemas() {
    std::set<std::string> schemas;
    for (const c10::OperatorName& name : c10::Dispatcher::singleton().getAllOpNames()) {
        const auto found = c10::Dispatcher::singleton().findSchema(name);
        if (!found) continue;  // an implementation whose definition is in a library that is not loaded
        std::ostringstream text;
        text << found->schema();
        schemas.insert(text.str());
    }
    std::string lines;
    for (const std::string& schema : schemas) lines += schema + "\n";
    return lines;
}

}  // namespace pt2
