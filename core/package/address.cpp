#include "core/package/address.h"

#include <algorithm>
#include <array>

namespace pt2 {

namespace {

std::string encodeModel(std::string_view model) {
    std::string out;
    for (const char c : model) {
        if (c == '/') {
            out += "%2F";
        } else if (c == '%') {
            out += "%25";
        } else {
            out += c;
        }
    }
    return out;
}

std::string decodeModel(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text.substr(i, 3) == "%2F" || text.substr(i, 3) == "%25") {
            out += text[i + 1] == '2' && text[i + 2] == 'F' ? '/' : '%';
            i += 2;
        } else {
            out += text[i];
        }
    }
    return out;
}

/// Takes the text up to the next '/' off the front.
std::string_view takePart(std::string_view& rest) {
    const std::size_t slash = rest.find('/');
    const std::string_view part = rest.substr(0, slash);
    rest = slash == std::string_view::npos ? std::string_view() : rest.substr(slash + 1);
    return part;
}

struct Leaf {
    std::string_view word;
    Address::Kind kind;
};
constexpr std::array<Leaf, 3> kProgramLeaves = {{{"node", Address::Kind::Node}, {"value", Address::Kind::Value}, {"symbol", Address::Kind::Symbol}}};

}  // namespace

std::string Address::text() const {
    const std::string inGraph = graph.empty() ? "" : "/graph/" + graph;
    switch (kind) {
        case Kind::None: return {};
        case Kind::Program: return "program/" + encodeModel(model);
        case Kind::Graph: return "program/" + encodeModel(model) + inGraph;
        case Kind::Node: return "program/" + encodeModel(model) + inGraph + "/node/" + name;
        case Kind::Value: return "program/" + encodeModel(model) + inGraph + "/value/" + name;
        case Kind::Symbol: return "program/" + encodeModel(model) + "/symbol/" + name;
        case Kind::Weight: return "weights/" + name;
        case Kind::Member: return "file/" + name;
        case Kind::Compiled: return "compiled/" + encodeModel(model);
        case Kind::Kernel: return "compiled/" + encodeModel(model) + "/kernel/" + name;
        case Kind::Page: return "page/" + name;
    }
    return {};
}

Result<Address> Address::parse(std::string_view text) {
    const auto bad = [&] {
        return fail({ErrorKind::Usage,
                     "address.bad",
                     "\"" + std::string(text) + "\" is not an address.",
                     {},
                     "An address begins with program/, weights/, file/, compiled/ or page/.",
                     "Examples: program/model/node/relu, weights/fc.weight, file/models/model.json."});
    };
    Address address;
    std::string_view rest = text;
    const std::string_view head = takePart(rest);
    if (rest.empty()) return bad();
    if (head == "weights" || head == "file" || head == "page") {
        address.kind = head == "weights" ? Kind::Weight : head == "file" ? Kind::Member : Kind::Page;
        address.name = rest;
        return address;
    }
    if (head != "program" && head != "compiled") return bad();
    address.model = decodeModel(takePart(rest));
    if (address.model.empty()) return bad();
    if (head == "compiled") {
        address.kind = Kind::Compiled;
        if (rest.empty()) return address;
        if (takePart(rest) != "kernel" || rest.empty()) return bad();
        address.kind = Kind::Kernel;
        address.name = rest;
        return address;
    }
    address.kind = Kind::Program;
    if (rest.starts_with("graph/")) {
        rest.remove_prefix(6);
        address.kind = Kind::Graph;
        std::size_t leafAt = std::string_view::npos;
        for (const Leaf& leaf : kProgramLeaves) {
            leafAt = std::min(leafAt, rest.find("/" + std::string(leaf.word) + "/"));
        }
        address.graph = rest.substr(0, leafAt);
        rest = leafAt == std::string_view::npos ? std::string_view() : rest.substr(leafAt + 1);
        if (address.graph.empty()) return bad();
    }
    if (rest.empty()) return address;
    const std::string_view word = takePart(rest);
    for (const Leaf& leaf : kProgramLeaves) {
        if (word == leaf.word && !rest.empty()) {
            address.kind = leaf.kind;
            address.name = rest;
            return address;
        }
    }
    return bad();
}

}  // namespace pt2
