#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/bytes.h"

namespace pt2::tests {

/// The JSON of a program (schema 8) from lines such as "b = add(a, x) @ layers.0.mlp": value, operator, values it reads, module path.
/// Names that no line makes are inputs; a line "return a, b" ends it. All values are float32 [4, 8].
inline ByteBuffer programJson(const std::string& text) {
    using nlohmann::json;
    const auto trim = [](std::string s) {
        while (!s.empty() && s.front() == ' ') s.erase(s.begin());
        while (!s.empty() && s.back() == ' ') s.pop_back();
        return s;
    };
    const auto list = [&](const std::string& s) {
        std::vector<std::string> names;
        std::stringstream stream(s);
        for (std::string part; std::getline(stream, part, ',');) {
            if (!trim(part).empty()) names.push_back(trim(part));
        }
        return names;
    };
    const auto tensor = [](const std::string& name) { return json{{"as_tensor", {{"name", name}}}}; };
    json nodes = json::array(), outputs = json::array(), inputs = json::array(), values = json::object();
    json inputSpecs = json::array(), outputSpecs = json::array();
    const json meta = {{"dtype", 7},
                       {"sizes", json::array({{{"as_int", 4}}, {{"as_int", 8}}})},
                       {"requires_grad", false},
                       {"device", {{"type", "cpu"}, {"index", nullptr}}},
                       {"strides", json::array({{{"as_int", 8}}, {{"as_int", 1}}})},
                       {"storage_offset", {{"as_int", 0}}},
                       {"layout", 7}};
    std::vector<std::string> made, read;
    std::stringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.rfind("return ", 0) == 0) {
            for (const std::string& name : list(line.substr(7))) {
                outputs.push_back(tensor(name));
                outputSpecs.push_back({{"user_output", {{"arg", tensor(name)}}}});
            }
            continue;
        }
        const auto at = line.find(" @ ");
        const std::string module = at == std::string::npos ? "" : trim(line.substr(at + 3));
        const std::string call = line.substr(0, at);
        const auto equals = call.find('='), open = call.find('('), close = call.rfind(')');
        const std::string name = trim(call.substr(0, equals));
        json arguments = json::array();
        for (const std::string& value : list(call.substr(open + 1, close - open - 1))) {
            read.push_back(value);
            arguments.push_back({{"name", ""}, {"arg", tensor(value)}, {"kind", 1}});
        }
        std::string stack = "L__self__,,test.Model";
        for (std::size_t dot = module.find('.'); !module.empty(); dot = module.find('.', dot + 1)) {
            const std::string path = module.substr(0, dot);
            stack += ";L__self__" + path + "," + path + ",test.Part";
            if (dot == std::string::npos || stack.size() > 4000) break;
        }
        if (!module.empty()) stack += ";L__self__" + module + "," + module + ",test.Part";
        nodes.push_back({{"target", "torch.ops.aten." + trim(call.substr(equals + 1, open - equals - 1)) + ".default"},
                         {"inputs", arguments},
                         {"outputs", json::array({tensor(name)})},
                         {"metadata", {{"nn_module_stack", stack}}},
                         {"is_hop_single_tensor_return", nullptr}});
        values[name] = meta;
        made.push_back(name);
    }
    std::vector<std::string> seen(made);
    std::sort(seen.begin(), seen.end());
    std::vector<std::string> given;
    for (const std::string& name : read) {
        if (std::binary_search(seen.begin(), seen.end(), name) || std::find(given.begin(), given.end(), name) != given.end()) continue;
        given.push_back(name);
        values[name] = meta;
        inputs.push_back(tensor(name));
        inputSpecs.push_back({{"user_input", {{"arg", tensor(name)}}}});
    }
    const json program = {{"graph_module",
                           {{"graph",
                             {{"inputs", inputs},
                              {"outputs", outputs},
                              {"nodes", nodes},
                              {"tensor_values", values},
                              {"sym_int_values", json::object()},
                              {"sym_bool_values", json::object()},
                              {"sym_float_values", json::object()},
                              {"custom_obj_values", json::object()},
                              {"is_single_tensor_return", false}}},
                            {"signature", {{"input_specs", inputSpecs}, {"output_specs", outputSpecs}}},
                            {"module_call_graph", json::array()},
                            {"metadata", json::object()},
                            {"treespec_namedtuple_fields", json::object()}}},
                          {"opset_version", {{"aten", 10}}},
                          {"range_constraints", json::object()},
                          {"schema_version", {{"major", 8}, {"minor", 14}}},
                          {"verifiers", json::array({"TRAINING"})},
                          {"torch_version", "2.13.0"},
                          {"guards_code", json::array()}};
    const std::string bytes = program.dump();
    ByteBuffer buffer(bytes.size());
    std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(buffer.data()));
    return buffer;
}

}  // namespace pt2::tests
